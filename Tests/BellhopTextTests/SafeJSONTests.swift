import BellhopText
import Testing

@Suite("JSON for terminals")
struct SafeJSONTests {
  @Test("characters that a terminal interprets or hides are escaped, and all others stay")
  func escaping() {
    #expect(SafeJSON.escaped(#"{"a":"b \u001b é 漢 👩"}"#) == #"{"a":"b \u001b é 漢 👩"}"#)
    #expect(
      SafeJSON.escaped("\u{7F}\u{9B}\u{2028}\u{202E}\u{2066}\u{200B}\u{FEFF}")
        == #"\u007f\u009b\u2028\u202e\u2066\u200b\ufeff"#)
    #expect(SafeJSON.escaped("\u{E0041}") == #"\udb40\udc41"#)
  }
}
