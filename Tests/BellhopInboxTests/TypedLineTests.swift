import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Text input")
struct TypedLineTests {
  private func desk(width: Int = 100) -> InboxDesk {
    var desk = InboxDesk(width: width, height: 24)
    desk.start()
    desk.arrive("disk full", app: "nas")
    return desk
  }

  @Test(
    "Tab inserts the common prefix of all completions, then each of them, and Shift-Tab goes back")
  func completions() {
    var desk = desk()
    desk.press("f")
    desk.type("is:un")
    desk.press("Tab")
    #expect(desk.state.filter?.field.text == "is:unread ")
    desk.type("prio:")
    var seen: [String] = []
    for _ in 0..<3 {
      desk.press("Tab")
      seen.append(desk.state.filter?.field.text ?? "")
    }
    #expect(Set(seen).count == 3, "\(seen)")
    #expect(seen.allSatisfy { $0.hasPrefix("is:unread prio:") }, "\(seen)")
    desk.press("Shift-Tab")
    #expect(desk.state.filter?.field.text == seen[1])
  }

  @Test("Tab goes through the completions in a search as well, and starts again after a key")
  func completionsOfSearch() {
    var desk = desk()
    desk.press("/ Tab")
    let first = desk.state.search?.field.text
    desk.press("Tab")
    #expect(desk.state.search?.field.text != first)
    desk.type("x")
    desk.press("Tab")
    #expect(desk.state.search?.field.text.hasSuffix("x") == true)
  }

  @Test("an item that expires is offered earlier times, and a later one is reported while typing")
  func snooze() {
    var desk = InboxDesk(width: 100, height: 24)
    desk.shelf.publish(
      Content(
        app: "ci", visual: VisualContent(title: "deploy waits"),
        expiration: desk.now.advanced(by: .seconds(1800))), at: desk.now)
    desk.start()
    desk.press("s")
    #expect(desk.frame.glyphs.contains("15 minutes"))
    #expect(!desk.frame.glyphs.contains("1 hour"))
    #expect(desk.frame.glyphs.contains("expires Sat 21 Nov 06:44 CET"))
    desk.type("in 2h")
    #expect(desk.frame.glyphs.contains("expires earlier, Sat 21 Nov 06:44 CET"))
    desk.press("Enter")
    #expect(desk.state.notice?.text.string.contains("Choose an earlier time") == true)
    #expect(desk.shelf.rows(of: .later, at: desk.now).isEmpty)
  }

  @Test("a narrow row shows the matched words, whatever comes before them", arguments: 4...60)
  func excerpts(cells: Int) throws {
    let highlight = try #require(Highlight("error"))
    let text: SafeText = "… the last forty lines of the log: error in module seven of the build"
    let shown = highlight.excerpt(text, cells: cells)
    let match = try #require(shown.string.firstRange(of: "error"))
    let before = SafeText(String(shown.string[..<match.lowerBound]))
    #expect(before.width <= max(2, cells - 5), "\(shown.string)")
    #expect(shown.string.hasSuffix("of the build"))
  }
}
