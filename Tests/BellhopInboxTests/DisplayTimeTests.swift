import BellhopModel
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Items with a limited time in the tray")
struct DisplayTimeTests {
  /// A dismissed item that may be in the tray for ten minutes, with the cursor on it in the
  /// history.
  private func desk(_ content: (inout Content) -> Void = { _ in }) -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 24)
    var item = Content(
      app: "ci", visual: VisualContent(title: "build 412"), displayTimeToLive: .seconds(600))
    content(&item)
    desk.shelf.publish(
      Content(app: "nas", visual: VisualContent(title: "scrub done")),
      at: desk.now.advanced(by: .seconds(-60)))
    desk.shelf.publish(item, at: desk.now)
    desk.start()
    desk.press("d")
    return desk
  }

  @Test("a handled item can be restored to the tray while its time lasts, and not afterwards")
  func restored() {
    var desk = desk()
    desk.press("2 b")
    #expect(desk.state.tray.rows.map(\.title.string) == ["build 412", "scrub done"])
    desk.press("d")
    desk.wait(.seconds(600))
    desk.press("g g b")
    #expect(
      desk.state.notice?.text.string == "Its time in the tray is over. It stays in the history.")
    #expect(desk.state.tray.rows.map(\.title.string) == ["scrub done"])
  }

  @Test("undoing a dismissal does not show an item in the tray once its time is over")
  func undone() {
    var desk = desk()
    desk.wait(.seconds(600))
    desk.isPrompt = false
    desk.press("u")
    #expect(desk.state.tray.rows.map(\.title.string) == ["scrub done"])
    #expect(desk.state.counts.tray == 1)
  }

  @Test("undoing a dismissal leaves an item scheduled until it is delivered")
  func scheduled() throws {
    let desk = desk()
    let item = try #require(desk.state.tray.rows.last)
    var facts = item.facts
    facts.deliverAt = desk.now.advanced(by: .seconds(3600))
    facts.action = .dismissed
    var row = item
    row.facts = facts
    let back = row.setting(StateChange(userActionState: .noInteraction), at: desk.now)
    #expect(back.placement == .scheduled)
    #expect(back.due == facts.deliverAt)
  }

  @Test("marked items are restored as far as their time lasts")
  func marked() {
    var desk = desk()
    desk.press("d 2")
    desk.wait(.seconds(600))
    desk.press("g g Space j Space b")
    #expect(desk.state.tray.rows.map(\.title.string) == ["scrub done"])
    #expect(desk.state.notice?.text.string.contains("scrub done") == true)
  }
}
