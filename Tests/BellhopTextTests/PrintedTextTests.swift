import BellhopTestSupport
import BellhopText
import Testing

@Suite("Untrusted text in printed output")
struct PrintedTextTests {
  private func printed(
    _ text: String, _ lineBreaks: SafeText.LineBreaks = .removed, byteLimit: Int = 512
  ) -> String {
    PrintedText(untrusted: text, lineBreaks: lineBreaks, byteLimit: byteLimit).string
  }

  @Test(
    "composed emoji stay whole",
    arguments: [
      "👨‍👩‍👧‍👦 home", "👍🏽 ok", "👩🏽‍🚀", "❤️‍🔥", "❤️", "1️⃣ #️⃣ *⃣", "🇩🇪🇯🇵 2:1", "🏴‍☠️",
      "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}x", "👩🏻‍❤️‍💋‍👨🏿", "漢字 ▶️ e\u{301}",
    ])
  func whole(_ text: String) {
    #expect(printed(text).unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test(
    "everything else becomes text as it is drawn",
    arguments: [
      ("\u{1B}[31m👩‍🚀\u{202E}\u{7}", "␛[31m👩‍🚀␇"),
      ("🇩🇪🇯", "🇩🇪J"), ("🇯👩‍🚀", "J👩‍🚀"), ("🇩\u{200D}🇪x", "DEx"),
      ("\u{1F3FD}", "■"), ("a\u{200D}b\u{FE0F}", "ab"), ("1\u{FE0F}", "1"),
      ("👩‍🇩🇪", "👩🇩🇪"), ("👩\u{200D}x", "👩x"), ("👩‍🚀\u{200D}", "👩‍🚀"),
      ("❤️\u{FE0F}", "❤️"), ("👩‍🚀\u{1F3FD}", "👩‍🚀■"),
      ("🏴\u{E0067}\u{E0062}x", "🏴x"), ("x\u{E0067}\u{E007F}", "x"),
      ("🏴" + String(repeating: "\u{E0061}", count: 7) + "\u{E007F}", "🏴"),
      ("👩‍🚀\n\u{301}x", "👩‍🚀␊\u{301}x"),
    ])
  func cleaned(untrusted: String, expected: String) {
    #expect(
      printed(untrusted).unicodeScalars.elementsEqual(expected.unicodeScalars),
      "\(printed(untrusted).debugDescription)")
  }

  @Test("line breaks and limits are the same as for safe text")
  func limits() {
    #expect(printed("one\n👩‍🚀\n🇯🇵", .joined) == "one 👩‍🚀 🇯🇵")
    #expect(printed("one\n\n👩‍🚀\ttwo", .kept) == "one\n\n👩‍🚀      two")
    #expect(printed("🇩🇪🇯🇵", byteLimit: 16) == "🇩🇪🇯🇵")
    #expect(printed("🇩🇪🇯🇵", byteLimit: 15) == "🇩🇪…")
    #expect(printed("🇩🇪🇯🇵", byteLimit: 10) == "…")
    #expect(
      PrintedText(untrusted: "👩‍🚀\n\n🇯🇵", lineBreaks: .kept).lines.map(\.string)
        == ["👩‍🚀", "", "🇯🇵"])
  }

  @Test("joiners appear only between emoji, and no other hidden scalar is printed")
  func randomTexts() {
    let seed = UInt64.random(in: 0 ... .max)
    print("PrintedTextTests.randomTexts seed \(seed)")
    var random = SeededRandom(seed: seed)
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        text.unicodeScalars.append(troublesome.randomElement(using: &random) ?? "x")
      }
      if let problem = problem(in: printed(text, byteLimit: Int.random(in: 0...80, using: &random)))
      {
        Issue.record("\(problem) of \(text.debugDescription), seed \(seed)")
        return
      }
    }
  }

  /// The first hidden scalar that is not part of an emoji.
  private func problem(in text: String) -> String? {
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let before = index > 0 ? scalars[index - 1] : nil
      let after = index + 1 < scalars.count ? scalars[index + 1] : nil
      let isAllowed =
        switch scalar.value {
        case 0x200D:
          before.map { $0.properties.isEmoji || $0.value == 0xFE0F || $0.value == 0xE007F } == true
            && after?.properties.isEmoji == true
        case 0xFE0F: before?.properties.isEmoji == true
        case 0xE0020...0xE007F: before.map { $0.value == 0x1F3F4 || $0.value >= 0xE0020 } == true
        default: !scalar.properties.isDefaultIgnorableCodePoint && CellWidth.of(scalar) != nil
        }
      if !isAllowed { return "U+\(String(scalar.value, radix: 16)) at \(index)" }
    }
    return nil
  }
}
