import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Marks on groups")
struct GroupMarkTests {
  /// From the top: news, three orders of the shop, a build, old.
  private func desk() -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 24)
    desk.start()
    desk.arrive("old", app: "mail")
    desk.arrive("order 1", app: "shop", group: "orders")
    desk.arrive("build", app: "ci", group: "main")
    desk.arrive("order 2", app: "shop", group: "orders")
    desk.arrive("order 3", app: "shop", group: "orders")
    desk.arrive("news", app: "mail")
    desk.press("g g")
    return desk
  }

  private func rows(_ desk: InboxDesk) -> [String] {
    desk.state.tray.rows.map { row in
      row.extent.map { "▸\($0.count) \(row.title)" } ?? row.title.string
    }
  }

  private func cursor(_ desk: InboxDesk) -> String {
    desk.state.tray.cursorIndex.map { rows(desk)[$0] } ?? "nowhere"
  }

  @Test("a mark on a group marks each of its items, and another one removes them")
  func markedGroup() {
    var desk = desk()
    desk.press("j Space")
    #expect(desk.state.marks.all.map(\.title.string) == ["order 3", "order 2", "order 1"])
    #expect(desk.frame.glyphs.contains("3 marked"))
    #expect(cursor(desk) == "build")
    desk.press("k Space")
    #expect(desk.state.marks.isEmpty)
    // With single items, including those of the group; items not chosen one by one need a
    // confirmation.
    desk.press("g g Space Space d")
    #expect(desk.frame.glyphs.contains("Dismiss 4 items"))
    desk.press("y")
    #expect(rows(desk) == ["build", "old"])
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == 2)
  }

  @Test("a group with one marked item shows that, and a mark on it marks the others too")
  func partlyMarked() {
    var desk = desk()
    desk.press("j z j Space")
    #expect(desk.state.marks.count == 1)
    desk.press("k k z Space")
    #expect(desk.state.marks.count == 3)
  }

  @Test("a group larger than one read is marked as a whole")
  func largeGroup() {
    var desk = InboxDesk(width: 80, height: 24)
    for number in 0..<1030 {
      desk.shelf.publish(
        Content(
          app: "shop", group: "orders", visual: VisualContent(title: "order \(number)")),
        at: desk.now)
    }
    desk.shelf.publish(
      Content(app: "ci", visual: VisualContent(title: "build")), at: desk.now)
    desk.start()
    desk.press("j Space")
    #expect(desk.frame.glyphs.contains("1,030 marked"))
    desk.press("d y")
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == 1)
  }

  @Test("the cursor returns to a group whose dismissal is undone, unless it was moved since")
  func undoneGroup() {
    var desk = desk()
    desk.press("j d y")
    #expect(cursor(desk) == "build")
    desk.press("u")
    #expect(cursor(desk) == "▸3 order 3")
    desk.press("Ctrl-r")
    #expect(rows(desk) == ["news", "build", "old"])
    desk.isPrompt = false
    desk.press("u j")
    let moved = desk.state.tray.cursor?.rowID
    desk.isPrompt = true
    desk.send(.dataChanged)
    #expect(desk.state.tray.cursor?.rowID == moved)
  }
}
