import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("The cursor belongs to an item")
struct CursorTests {
  private func desk(_ count: Int, width: Int = 80, height: Int = 24) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height)
    for number in 0..<count { desk.shelf.publish(content(number), at: desk.now) }
    desk.start()
    return desk
  }

  private func content(_ number: Int) -> Content {
    Content(app: "ci", visual: VisualContent(title: "build \(number)"))
  }

  private func cursorTitle(_ desk: InboxDesk) -> String? {
    desk.state.activeRow?.title.string
  }

  @Test("an arrival leaves the cursor on its item, even on the newest one at the top")
  func arrivals() {
    var desk = desk(3)
    #expect(cursorTitle(desk) == "build 2")
    desk.arrive("build 3")
    #expect(cursorTitle(desk) == "build 2")
    #expect(desk.state.tray.rows.first?.title == "build 3")
    #expect(desk.state.tray.top == 0)
  }

  @Test("after a dismissal the cursor is on the next item below, else above")
  func ownDismissal() {
    var desk = desk(3)
    desk.press("j d")
    #expect(cursorTitle(desk) == "build 0")
    desk.press("d")
    #expect(cursorTitle(desk) == "build 2")
    desk.press("d")
    #expect(desk.state.activeRow == nil)
    desk.press("d j k G x")
    #expect(desk.acts.count == 3)
  }

  @Test("an item handled elsewhere stays as a ghost until the cursor leaves it")
  func ghosts() throws {
    var desk = desk(3)
    desk.press("j")
    let id = try #require(desk.state.activeRow?.key.id)
    desk.elsewhere(id, .dismiss, on: "phone")
    #expect(desk.state.tray.rows.count == 3)
    #expect(desk.state.tray.ghost?.id == .item(desk.shelf.key(id)))
    for key in ["d", "x", "r", "s", "*", "o", "Enter"] {
      desk.press(key)
      #expect(desk.acts.isEmpty, "\(key) acted on a ghost")
      #expect(desk.state.notice?.text.string.contains("Nothing was done") == true)
    }
    #expect(desk.state.notice?.text.string == "Dismissed 06:14 on phone. Nothing was done.")
    desk.press("j")
    #expect(desk.state.tray.rows.count == 2)
    #expect(cursorTitle(desk) == "build 0")
    desk.press("k")
    #expect(cursorTitle(desk) == "build 2")
  }

  @Test("b restores the item under the cursor that was handled elsewhere, and u undoes that")
  func backFromGhost() throws {
    var desk = desk(3, width: 120, height: 40)
    desk.press("j")
    let id = try #require(desk.state.activeRow?.key.id)
    desk.elsewhere(id, .dismiss, on: "phone")
    #expect(desk.frame.glyphs.contains("Already handled on phone. b brings it back; it leaves"))
    #expect(desk.frame.glyphs.contains("b back to tray"))
    desk.press("b")
    #expect(desk.state.notice?.text == "Put back in the tray “build 1” (ci). u undoes it")
    #expect(desk.state.tray.ghost == nil && desk.state.tray.rows.count == 3)
    #expect(desk.state.counts.tray == 3)
    #expect(desk.shelf.items[id]?.item.state.userActionState.value == .noInteraction)
    desk.press("u")
    #expect(desk.state.counts.tray == 2)
    #expect(desk.shelf.items[id]?.item.state.userActionState.value == .dismissed)
  }

  @Test("b does not change an item that was restored elsewhere, or is gone")
  func nothingToBringBack() throws {
    var desk = desk(2, width: 120, height: 40)
    let id = try #require(desk.state.activeRow?.key.id)
    desk.press("s 1 3")
    #expect(desk.state.activeRow?.key.id == id)
    desk.elsewhere(id, .restore, on: "phone")
    #expect(desk.state[.later].ghost != nil)
    #expect(desk.frame.glyphs.contains("Changed elsewhere. It leaves the list when you move on."))
    desk.forgetActs()
    desk.press("b")
    #expect(desk.acts.isEmpty)
    desk = self.desk(2)
    let other = try #require(desk.state.activeRow?.key.id)
    desk.elsewhere(other, .delete)
    desk.press("b")
    #expect(desk.acts.isEmpty)
  }

  @Test("a deleted item stays as a ghost with a note")
  func deletedGhost() throws {
    var desk = desk(2)
    let id = try #require(desk.state.activeRow?.key.id)
    desk.elsewhere(id, .delete)
    desk.press("d")
    #expect(desk.acts.isEmpty)
    #expect(
      desk.state.notice?.text.string == "The item was deleted or has expired. Nothing was done.")
  }

  @Test("a ghost that returns to the tray is an item again")
  func ghostReturns() throws {
    var desk = desk(2)
    let id = try #require(desk.state.activeRow?.key.id)
    desk.elsewhere(id, .dismiss)
    desk.elsewhere(id, .restore)
    #expect(desk.state.tray.ghost == nil)
    desk.press("d")
    #expect(desk.acts.count == 1)
  }

  @Test("an item that leaves a pane without the focus is in one list only")
  func noGhostWithoutFocus() throws {
    var desk = desk(2, width: 120, height: 40)
    let id = try #require(desk.state.activeRow?.key.id)
    desk.elsewhere(id, .dismiss)
    desk.press("j")
    #expect(desk.state[.handled].rows.map(\.key.id) == [id])
    desk.elsewhere(id, .restore)
    #expect(desk.state[.handled].rows.isEmpty)
    #expect(desk.state[.handled].ghost == nil)
    #expect(desk.state.tray.rows.count == 2)
  }

  @Test("the pane below the tray shows the newest handled items, however many there are")
  func lowerPaneStaysAtTop() {
    var desk = desk(60, width: 120, height: 40)
    for _ in 0..<50 { desk.press("d") }
    #expect(desk.state[.handled].top == 0)
    #expect(desk.state[.handled].rows.first?.title == "build 59")
    #expect(desk.state[.handled].reachesStart)
  }

  @Test("that pane is called Handled and counts its own items, even before the cache answers")
  func lowerPaneCaption() throws {
    var desk = desk(3, width: 120, height: 40)
    func caption() throws -> [String] {
      let caption = try #require(desk.state.caption(of: .handled))
      return [caption.name.string, caption.numbers.string]
    }
    #expect(try caption() == ["HANDLED", "0 items"])
    desk.press("d")
    #expect(try caption() == ["HANDLED", "1 item"])
    desk.isPrompt = false
    desk.press("d")
    #expect(try caption() == ["HANDLED", "2 items"])
    desk.press("u")
    #expect(try caption() == ["HANDLED", "1 item"])
    #expect(desk.state.caption(of: .history)?.name == "HISTORY")
  }

  @Test("an item that is published again takes the cursor with it")
  func resurfacing() {
    var desk = InboxDesk(width: 80, height: 24)
    desk.arrive("backup", id: "nightly")
    for number in 0..<300 { desk.arrive("build \(number)") }
    desk.start()
    desk.press("G")
    #expect(cursorTitle(desk) == "backup")
    desk.arrive("disk full", id: "nightly")
    #expect(cursorTitle(desk) == "disk full")
    #expect(desk.state.tray.cursorRank == 0)
  }

  @Test("a scrolled view does not move when something arrives")
  func scrolledView() {
    var desk = desk(100)
    desk.press("PgDn PgDn")
    let top = desk.state.tray.rows[desk.state.tray.top].key
    for number in 100..<140 { desk.arrive("build \(number)") }
    #expect(desk.state.tray.rows[desk.state.tray.top].key == top)
  }

  @Test("moving marks nothing read and changes nothing else")
  func movingIsHarmless() {
    var desk = desk(100)
    desk.press("j j k G g g PgDn PgUp Ctrl-d Ctrl-u End Home Tab Tab 2 3 1 ] [ n N ?")
    desk.press("Esc / x Esc")
    #expect(desk.acts.allSatisfy { $0 == .slow(.cancelSearch) })
  }

  @Test("a key pressed while the cursor is moving acts on nothing")
  func pendingMoves() {
    var desk = desk(500)
    desk.isPrompt = false
    desk.press("G d")
    #expect(desk.acts.isEmpty)
    #expect(desk.state.notice != nil)
    desk.isPrompt = true
    desk.send(.tick(desk.now))
    #expect(cursorTitle(desk) == "build 0")
  }
}
