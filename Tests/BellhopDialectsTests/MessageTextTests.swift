import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopDialects

@Suite("Message texts")
struct MessageTextTests {
  @Test("a title is the beginning of a message, however long its first character is")
  func titles() {
    let visual = MessageText.visual(title: nil, message: HostileStrings.endless)
    #expect(visual.title == "…" && visual.body == HostileStrings.endless)
    for (message, title) in [
      ("\n \n  two\r\nthree", "  two"), ("one", "one"), ("", "triggered"), (" \n\t", "triggered"),
      ("a\u{2028}b", "a"), ("\u{b}x\u{85}y", "x"),
      (String(repeating: "é", count: 300), String(repeating: "é", count: 98) + "…"),
    ] {
      #expect(MessageText.visual(title: nil, message: message).title == title)
    }
    #expect(MessageText.visual(title: " \n", message: "m").title == "m")
  }

  @Test("a text is cut between characters, and U+0000 is left out")
  func cuts() {
    let family = "👩‍👩‍👧"
    for bytesMax in 20...60 {
      let cut = MessageText.clipped(String(repeating: family, count: 9), bytesMax: bytesMax)
      let count = (bytesMax - 3) / family.utf8.count
      #expect(cut == String(repeating: family, count: count) + "…")
    }
    #expect(MessageText.clipped("a\0b\0", bytesMax: 2) == "ab")
    #expect(MessageText.clipped("e\u{301}" + HostileStrings.endless, bytesMax: 200) == "e\u{301}…")
    #expect(MessageText.beginning(of: "aé", bytesMax: 2) == "a")
    #expect(MessageText.beginning(of: "aé", bytesMax: 3) == "aé")
  }
}
