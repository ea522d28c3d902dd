import BellhopTestSupport
import BellhopText
import Testing

@Suite("Untrusted text")
struct SafeTextTests {
  private func safe(
    _ text: String, _ lineBreaks: SafeText.LineBreaks = .removed, byteLimit: Int = 512
  ) -> String {
    SafeText(text, lineBreaks: lineBreaks, byteLimit: byteLimit).string
  }

  @Test(
    "untrusted text becomes text that is safe to draw",
    arguments: [
      ("plain", "plain"),
      ("\u{1B}[31mred\u{7}", "␛[31mred␇"),
      ("a\u{0}b\u{7F}c", "a␀b␡c"),
      ("\u{9B}31m", "\u{FFFD}31m"),
      ("one\u{2028}two\u{2029}three", "one␤two␤three"),
      ("one\ntwo\r\nthree\rfour", "one␊two␍three␍four"),
      ("ends\n\r\n", "ends"),
      ("a\tb", "a␉b"),
      ("in\u{202E}gnp.exe", "ingnp.exe"),
      ("\u{2066}x\u{2069}\u{200F}\u{61C}y", "xy"),
      ("pay\u{200B}pal\u{FEFF}\u{AD}\u{2060}", "paypal"),
      ("\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}", "\u{1F3F4}"),
      ("👩‍👩‍👧‍👦 home", "👩 home"),
      ("👍🏽 ok", "👍 ok"),
      ("👩🏽‍🚀", "👩"),
      ("❤️‍🔥", "❤"),
      ("❤️", "❤"),
      ("1️⃣", "1"),
      ("0⃣#️⃣*️⃣\u{20E3}", "0#*"),
      ("1\u{301}\u{20E3} a⃣", "1\u{301}\u{20E3} a⃣"),
      ("🇩🇪", "[DE]"),
      ("🇩🇪🇯🇵 2:1", "[DE][JP] 2:1"),
      ("🇩🇪🇯", "[DE]J"),
      ("🇩 🇪", "D E"),
      ("🇩\u{200D}🇪x", "DEx"),
      ("🇩\n🇪", "D␊E"),
      ("👩‍🇩🇪🏽", "👩[DE]■"),
      ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "🏴"),
      ("\u{1F3FD}", "■"),
      ("a\u{200D}b", "ab"),
      ("न\u{94D}\u{200D}ष", "न\u{94D}ष"),
      ("\u{301}x", "\u{25CC}\u{301}x"),
      ("\u{FFFF}\u{378}", "\u{FFFD}\u{FFFD}"),
      ("\u{3164}\u{115F}\u{FFA0}", ""),
      ("שלום مرحبا", "שלום مرحبا"),
      ("漢字 สวัสดี नमस्ते 한국어", "漢字 สวัสดี नमस्ते 한국어"),
      ("", ""),
    ])
  func known(untrusted: String, drawn: String) {
    #expect(safe(untrusted).unicodeScalars.elementsEqual(drawn.unicodeScalars))
  }

  @Test("a body keeps its line breaks, and its tabs reach the next column of eight")
  func bodies() {
    #expect(safe("one\r\ntwo\rthree\n\nfour\n", .kept) == "one\ntwo\nthree\n\nfour")
    #expect(safe("a\tb\n\tc", .kept) == "a       b\n        c")
    #expect(safe("漢\tb", .kept) == "漢      b")
    #expect(safe("🇩🇪\tb\n🇯🇵", .kept) == "[DE]    b\n[JP]")
  }

  @Test("a preview joins lines with one blank")
  func previews() {
    #expect(safe("one  \n\n   two\r\n\tthree\n", .joined) == "one two three")
    #expect(safe("\n\n one", .joined) == "one")
    #expect(safe("a\tb", .joined) == "a b")
    #expect(safe("one\n🇩🇪\n🇯🇵", .joined) == "one [DE] [JP]")
  }

  @Test("every scalar keeps every guarantee, side by side and between letters")
  func everyScalar() {
    var broken: [String] = []
    for first in stride(from: UInt32(0), through: 0x10FFFF, by: 64) {
      let scalars = (first..<(first + 64)).compactMap { Unicode.Scalar($0) }
      var together = ""
      together.unicodeScalars.append(contentsOf: scalars)
      var texts = [SafeText(together)]
      // From plane 4 on there are only tags and private characters, which are all alike.
      if first < 0x40000 || first >= 0xE0000 && first < 0xE1000 {
        let apart = scalars.map { "a\($0)b" }.joined()
        texts.append(SafeText(apart, lineBreaks: .kept))
      }
      for text in texts {
        if let promise = brokenPromise(text, allowingLineBreaks: true) {
          broken.append("U+\(String(first, radix: 16))…: \(promise)")
        }
      }
      if broken.count > 10 { break }
    }
    #expect(broken == [])
  }

  @Test("random mixtures keep every guarantee and every limit")
  func randomTexts() {
    let seed = UInt64.random(in: 0 ... .max)
    print("SafeTextTests.randomTexts seed \(seed)")
    var random = SeededRandom(seed: seed)
    for _ in 0..<20_000 {
      let text = randomText(&random, lengthMax: 60)
      let limit = Int.random(in: 0...80, using: &random)
      for lineBreaks in [SafeText.LineBreaks.removed, .joined, .kept] {
        let safe = SafeText(text, lineBreaks: lineBreaks, byteLimit: limit)
        let broken = brokenPromise(safe, allowingLineBreaks: lineBreaks == .kept)
        if broken != nil || safe.string.utf8.count > limit {
          Issue.record(
            "\(broken ?? "too long") for \(text.debugDescription) limit \(limit) seed \(seed)")
          return
        }
        // Safe text stays the same: cleaning it twice changes nothing.
        let again = SafeText(safe.string, lineBreaks: lineBreaks, byteLimit: limit)
        if lineBreaks != .kept, again != safe {
          Issue.record("not stable for \(text.debugDescription) limit \(limit) seed \(seed)")
          return
        }
      }
    }
  }

  @Test("long text is cut between clusters, with a mark")
  func limits() {
    #expect(safe(String(repeating: "a", count: 600)).utf8.count == 512)
    #expect(safe(String(repeating: "a", count: 600)).hasSuffix("a…"))
    #expect(safe("漢字漢字", byteLimit: 10) == "漢字…")
    #expect(safe("🇩🇪🇯🇵", byteLimit: 8) == "[DE][JP]")
    #expect(safe("🇩🇪🇯🇵", byteLimit: 7) == "[DE]…")
    #expect(safe("🇩🇪🇯🇵", byteLimit: 6) == "…")
    #expect(safe("ab", byteLimit: 2) == "ab")
    #expect(safe("abc", byteLimit: 2) == "")
    #expect(safe("abcd", byteLimit: 3) == "…")
    #expect(safe("abc", byteLimit: 0) == "")
  }

  @Test("a million combining marks take no longer than a million letters", .timeLimit(.minutes(10)))
  func manyMarks() {
    let marks = "e" + String(repeating: "\u{301}", count: 1_000_000) + "nd"
    let text = SafeText(marks)
    #expect(text.string.unicodeScalars.count == 7)
    #expect(text.width == 3)
    let invisible = String(repeating: "\u{200B}", count: 1_000_000) + "x"
    #expect(SafeText(invisible).string == "x")
  }

  @Test("joined fields stay safe and keep the right width")
  func joining() {
    let left = SafeText("👩")
    let untrusted = "\u{301}\u{200D}👧"
    let both = left + SafeText(untrusted)
    #expect(brokenPromise(both) == nil)
    #expect(both.width == 2 + 1 + 2)
  }

  @Test("text interpolated into our own text is checked with it")
  func interpolation() {
    let name = "evil\u{1B}[2J\u{202E}"
    let text: SafeText = "from \(name)!"
    #expect(text.string == "from evil␛[2J!")
  }
}

/// Up to `lengthMax` scalars, mostly troublesome ones, and some from anywhere.
func randomText(_ random: inout SeededRandom, lengthMax: Int) -> String {
  var text = ""
  for _ in 0..<Int.random(in: 0...lengthMax, using: &random) {
    let isAny = Int.random(in: 0..<8, using: &random) == 0
    let any = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random))
    let scalar = isAny ? any : troublesome.randomElement(using: &random)
    if let scalar { text.unicodeScalars.append(scalar) }
  }
  return text
}
