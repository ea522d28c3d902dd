import Testing

@testable import BellhopSettings

@Suite("Positions of settings, and suggestions")
struct SettingLinesTests {
  @Test("keys are found by their paths, quoted, dotted or below a header")
  func lines() {
    let lines = SettingLines(
      "a = 1\n# b = 2\n[limits] # x = y\n  \"c\" = 3\nd.e = 4\r\n\n[limits.deep]\nf=5\n")
    #expect(lines.line(of: "a") == 1)
    #expect(lines.line(of: "b") == nil)
    #expect(lines.line(of: "limits") == 3)
    #expect(lines.line(of: "limits.c") == 4)
    #expect(lines.line(of: "limits.d") == 5)
    #expect(lines.line(of: "limits.d.e") == 5)
    #expect(lines.line(of: "limits.deep.f") == 8)
  }

  @Test(
    "the nearest word is suggested, and none if none is near",
    arguments: [
      ("lisen", "listen"), ("listne", "listen"), ("Listen", "listen"), ("retension", "retention"),
      ("x", nil), ("metricks", "metrics"), ("", nil), ("frobnicate", nil),
    ] as [(String, String?)])
  func spelling(word: String, meant: String?) {
    #expect(Spelling.nearest(word, in: ["listen", "retention", "metrics", "unix"]) == meant)
  }
}
