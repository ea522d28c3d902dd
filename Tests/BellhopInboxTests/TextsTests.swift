import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Copied and piped texts")
struct TextsTests {
  private func desk(_ bodies: [String]) -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 24)
    for (number, body) in bodies.enumerated() {
      desk.shelf.publish(
        Content(app: "ci", visual: VisualContent(title: "build \(number)", body: body)),
        at: desk.now)
    }
    desk.start()
    return desk
  }

  private func copied(_ desk: InboxDesk) -> [String] {
    desk.acts.compactMap { if case .terminal(.copy(let text)) = $0 { text } else { nil } }
  }

  private func orders(_ desk: InboxDesk) -> [PipeOrder] {
    desk.acts.compactMap { if case .terminal(.pipe(let order)) = $0 { order } else { nil } }
  }

  @Test("Y copies title and body, of all marked items too")
  func copy() {
    var desk = desk(["first", "second\nline"])
    desk.press("Y")
    #expect(copied(desk) == ["build 1\n\nsecond\nline"])
    desk.press("Space Space Y")
    #expect(copied(desk).last == "build 1\n\nsecond\nline\n\nbuild 0\n\nfirst")
    #expect(desk.state.notice?.text == "Text of 2 items copied.")
  }

  @Test("a text that is too long for a terminal is cut between characters, with a message")
  func cut() throws {
    var desk = desk([String(repeating: "é", count: 10_000)])
    desk.press("Y")
    let text = try #require(copied(desk).first)
    #expect(text.utf8.count <= 8192 && text.utf8.count > 8188)
    #expect(text.hasSuffix("é"))
    #expect(desk.state.notice?.text.string.contains("first 8,192 of 20,009 bytes") == true)
  }

  @Test("no terminal control is copied, or piped as text")
  func hostile() {
    let text = ItemText.cleaned("a\u{1B}[2J\r\nb\rc\u{9B}1m\u{202E}d\u{07}\te\u{2028}👩‍👩‍👧 é")
    #expect(text == "a[2J\nb\nc1md\te👩‍👩‍👧 é")
  }

  @Test("raw content is the text of an item without other content")
  func raw() {
    var desk = InboxDesk(width: 80, height: 24)
    desk.shelf.publish(Content(app: "sensors", raw: "{\"t\":1}"), at: desk.now)
    desk.start()
    desk.press("2 Y")
    #expect(copied(desk) == ["{\"t\":1}"])
  }

  @Test("a typed command gets each marked item, and is remembered")
  func pipe() {
    var desk = desk(["first", "second"])
    desk.press("|")
    desk.type("grep d")
    #expect(desk.frame.glyphs.hasPrefix(" | grep d"))
    desk.press("Enter")
    #expect(
      orders(desk) == [
        PipeOrder(
          command: "grep d",
          items: [ItemText(title: "#2 · build 1", text: "build 1\n\nsecond")])
      ])
    desk.press("Space Space |")
    desk.type("w")
    desk.press("Up Enter")
    #expect(orders(desk).last?.command == "grep d")
    #expect(orders(desk).last?.items.map(\.text) == ["build 1\n\nsecond", "build 0\n\nfirst"])
    desk.press("| Tab")
    desk.type("jq")
    desk.press("Enter")
    #expect(orders(desk).last?.items.allSatisfy { $0.text.hasPrefix("{") } == true)
    desk.press("| Up Up Down Enter")
    #expect(orders(desk).last?.command == "jq")
  }

  @Test("Esc, an empty command and a paste run nothing", arguments: ["Esc", "Enter", "Backspace"])
  func nothing(key: String) {
    var desk = desk(["first"])
    desk.press("| \(key)")
    #expect(desk.state.overlay.isNone)
    desk.press("|")
    desk.send(.paste("rm -rf x\n"))
    #expect(orders(desk).isEmpty)
    desk.press("Esc")
    #expect(orders(desk).isEmpty)
  }
}
