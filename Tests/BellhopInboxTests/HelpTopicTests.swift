import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox
@testable import BellhopManual

/// The topics of the manual on the screen.
@Suite("Topics in the help")
struct HelpTopicTests {
  /// An inbox with the list of topics open.
  private static func desk() -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 16)
    desk.start()
    desk.arrive("build 1")
    desk.press("? Tab")
    return desk
  }

  /// A topic of 40 lines, with "needle" in lines 10 and 30.
  private static let topic = Topic(
    name: "long",
    markdown: (1...40).map { [10, 30].contains($0) ? "- the needle" : "- line \($0)" }
      .joined(separator: "\n"), program: "bellhop")

  /// A reader of that topic with 10 visible lines.
  private static func reader(words: String = "") -> TopicReader {
    var reader = TopicReader(topic, words: words)
    reader.lay(out: Size(width: 40, height: 10))
    return reader
  }

  @Test("Tab leads from the keys to the topics, and Enter opens the chosen one")
  func opening() {
    var desk = Self.desk()
    for topic in Manual.user.prefix(5) { #expect(desk.frame.glyphs.contains(" \(topic.name) ")) }
    desk.press("Down Enter")
    let glyphs = desk.frame.glyphs
    #expect(glyphs.contains(" \(Manual.user[1].title)"))
    #expect(glyphs.contains("Esc back"))
    desk.press("q")
    #expect(desk.frame.glyphs.contains("▌ \(Manual.user[1].name) "))
    desk.press("Tab")
    #expect(desk.frame.glyphs.contains("Keys here:"))
    desk.press("Esc")
    #expect(desk.state.overlay.isNone)
  }

  @Test("typing narrows the list to topics that contain the text")
  func filtering() {
    var desk = Self.desk()
    desk.type("troubleshooting")
    #expect(desk.frame.glyphs.contains("▌ ") && desk.frame.glyphs.contains("troubleshooting"))
    #expect(!desk.frame.glyphs.contains("  attachments "))
    desk.type("xyzzy")
    #expect(desk.frame.glyphs.contains("No topic contains that."))
    desk.press("Enter")
    #expect(desk.frame.glyphs.contains("No topic contains that."))
  }

  @Test("topics whose names begin with the text are before those that only contain it")
  func order() {
    var desk = Self.desk()
    desk.type("fil")
    #expect(desk.frame.glyphs.contains("▌ filters "))
    #expect(desk.frame.glyphs.contains("  start "))
  }

  @Test("a click opens a topic, and one outside it goes back")
  func clicking() {
    var desk = Self.desk()
    let body = desk.state.layout.body
    desk.send(.mouse(MouseEvent(.press, at: Point(x: 5, y: body.y + 2))))
    #expect(desk.frame.glyphs.contains(" \(Manual.user[2].title)"))
    desk.send(.mouse(MouseEvent(.press, at: Point(x: 5, y: 0))))
    #expect(desk.frame.glyphs.contains("▌ \(Manual.user[2].name) "))
  }

  /// Presses keys in a topic.
  ///
  /// - Returns: Whether the topic stays open.
  private static func press(_ keys: [Key], in reader: inout TopicReader) -> Bool {
    var isOpen = true
    for key in keys { isOpen = reader.take(key) && isOpen }
    return isOpen
  }

  @Test(
    "a topic scrolls by lines and pages, and stops at its ends",
    arguments: [
      ("j", 1), ("j j k", 1), ("Space", 9), ("j Space", 10), ("G", 30), ("G j", 30), ("G PgUp", 21),
      ("G g", 0), ("k", 0),
    ])
  func scrolling(_ keys: String, _ scroll: Int) {
    var reader = Self.reader()
    #expect(reader.lines.count == 40)
    let isOpen = Self.press(keys.split(separator: " ").compactMap { Key(String($0)) }, in: &reader)
    #expect(isOpen)
    #expect(reader.scroll == scroll)
  }

  @Test("q and Esc leave a topic", arguments: [Key.character("q"), .escape, .left])
  func leaving(_ key: Key) {
    var reader = Self.reader()
    let isOpen = Self.press([key], in: &reader)
    #expect(!isOpen)
  }

  @Test("/ finds words in a topic, n and N go to the other matches and around")
  func finding() {
    var reader = Self.reader()
    let keys: [Key] = [.character("/")] + "needle".map(Key.character) + [.enter]
    let isOpen = Self.press(keys, in: &reader)
    #expect(isOpen)
    #expect(reader.matches == [9, 29])
    #expect(reader.match == 0)
    #expect(reader.scroll == 0)
    #expect(reader.note == "1 of 2")
    #expect(reader.lines[9].pieces.contains { $0.role == .match && $0.text == "needle" })
    _ = Self.press([.character("n")], in: &reader)
    #expect((reader.scroll..<reader.scroll + 10).contains(29))
    #expect(reader.note == "2 of 2")
    _ = Self.press([.character("n")], in: &reader)
    #expect((reader.scroll..<reader.scroll + 10).contains(9))
    _ = Self.press([.character("N")], in: &reader)
    #expect(reader.match == 1)
  }

  @Test("words that a topic lacks are reported, and Esc ends typing only")
  func findingNothing() {
    var reader = Self.reader(words: "absent")
    #expect(reader.note == "not found")
    let isOpen = Self.press([.character("/"), .character("x"), .escape], in: &reader)
    #expect(isOpen)
    #expect(reader.field == nil)
    #expect(reader.note == "not found")
  }

  @Test("a topic opened by a filter shows the first match")
  func filteredTopic() {
    let reader = Self.reader(words: "needle")
    #expect(reader.match == 0)
    #expect((reader.scroll..<reader.scroll + 10).contains(9))
  }
}
