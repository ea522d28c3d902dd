import BellhopTestSupport
import BellhopText
import Testing

@Suite("Text in cells")
struct SafeTextLayoutTests {
  @Test(
    "text is cut to cells and ends in an ellipsis",
    arguments: [
      ("hello", 5, "hello"), ("hello", 4, "hel…"), ("hello", 1, "…"), ("hello", 0, ""),
      ("hello", -1, ""), ("漢字漢", 5, "漢字…"), ("漢字漢", 4, "漢…"), ("漢字", 3, "漢…"),
      ("漢", 1, "…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("", 3, ""),
    ] as [(String, Int, String)])
  func truncating(text: String, cells: Int, expected: String) {
    #expect(SafeText(text).truncated(to: cells).string == expected)
  }

  @Test("padded text has exactly the requested cells")
  func padding() {
    let text = "漢字漢"
    #expect(SafeText(text).padded(to: 8).string == "漢字漢  ")
    #expect(SafeText(text).padded(to: 4).string == "漢… ")
    #expect(SafeText(text).leftPadded(to: 8).string == "  漢字漢")
    #expect(SafeText(text).padded(to: -3).string == "")
    #expect(SafeText("🇩🇪1️⃣").padded(to: 7).string == "[DE]1  ")
  }

  @Test(
    "lines break between words, at kept breaks, and inside words that are too long",
    arguments: [
      ("one two three", 7, ["one two", "three"]),
      ("one two three", 8, ["one two", "three"]),
      ("one two three", 3, ["one", "two", "thr", "ee"]),
      ("one\n\ntwo", 10, ["one", "", "two"]),
      ("  indented words", 11, ["  indented", "words"]),
      ("漢字漢字 ab", 5, ["漢字", "漢字", "ab"]),
      ("ab漢字", 5, ["ab漢", "字"]),
      ("漢", 1, ["…"]),
      ("for 🇩🇪🇯🇵", 8, ["for", "[DE][JP]"]),
      ("", 5, [""]),
      ("abc", 0, []),
    ] as [(String, Int, [String])])
  func wrapping(text: String, cells: Int, expected: [String]) {
    let body = SafeText(text, lineBreaks: .kept)
    #expect(body.wrapped(to: cells).map(\.string) == expected)
  }

  @Test("random text that is cut, padded and wrapped never exceeds its cells")
  func randomLayout() {
    let seed = UInt64.random(in: 0 ... .max)
    print("SafeTextLayoutTests.randomLayout seed \(seed)")
    var random = SeededRandom(seed: seed)
    for _ in 0..<5_000 {
      let text = randomText(&random, lengthMax: 40)
      let body = SafeText(text, lineBreaks: .kept, byteLimit: 4096)
      let cells = Int.random(in: 1...30, using: &random)
      let lines = body.wrapped(to: cells)
      let title = SafeText(text)
      let problems = [
        lines.contains { $0.width > cells } ? "a line is too wide" : nil,
        lines.compactMap { brokenPromise($0) }.first,
        brokenPromise(title.truncated(to: cells)),
        title.truncated(to: cells).width > cells ? "too wide" : nil,
        title.padded(to: cells).width != cells ? "padded wrongly" : nil,
        cells > 1 && letters(lines) != letters([body]) ? "wrapping lost text" : nil,
      ].compactMap { $0 }
      if let problem = problems.first {
        Issue.record("\(problem): \(text.debugDescription) in \(cells) cells, seed \(seed)")
        return
      }
    }
  }

  @Test("ASCII breaks into the same lines as text of other letters")
  func plainLetters() {
    let seed = UInt64.random(in: 0 ... .max)
    print("SafeTextLayoutTests.plainLetters seed \(seed)")
    var random = SeededRandom(seed: seed)
    for _ in 0..<5_000 {
      let length = Int.random(in: 1...60, using: &random)
      let text = String((0..<length).map { _ in "eee  ".randomElement(using: &random) ?? " " })
      let cells = Int.random(in: 1...20, using: &random)
      let plain = SafeText(text).wrapped(to: cells)
      let other = SafeText(text.map { $0 == "e" ? "é" : String($0) }.joined()).wrapped(to: cells)
      let isSame =
        plain.map(\.string) == other.map { $0.string.map { $0 == "é" ? "e" : String($0) }.joined() }
        && plain.map(\.width) == other.map(\.width)
      guard isSame, plain.allSatisfy({ $0.width == $0.string.utf8.count }) else {
        Issue.record("\(text.debugDescription) in \(cells) cells, seed \(seed)")
        return
      }
    }
  }

  /// All scalars except blanks, which breaking lines must keep.
  private func letters(_ lines: [SafeText]) -> [Unicode.Scalar] {
    lines.flatMap { $0.string.unicodeScalars.filter { $0 != " " && $0 != "\n" } }
  }
}
