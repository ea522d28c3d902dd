import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Groups fold in the tray")
struct GroupTests {
  /// From the top: news, three orders of the shop, a build, old.
  private func desk(width: Int = 80, height: Int = 24, foldsGroups: Bool = true) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height, foldsGroups: foldsGroups)
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

  /// The rows as text: `▸3 order 3` is a folded group of three.
  private func rows(_ desk: InboxDesk) -> [String] {
    desk.state.tray.rows.map { row in
      switch row.fold {
      case .closed(let extent): "▸\(extent.count) \(row.title)"
      case .open(let extent): "▾\(extent.count)"
      case .member: "│ \(row.title)"
      case nil: row.title.string
      }
    }
  }

  private func cursor(_ desk: InboxDesk) -> String {
    desk.state.tray.cursorIndex.map { rows(desk)[$0] } ?? "nowhere"
  }

  private func id(_ title: String, _ desk: InboxDesk) throws -> NotificationID {
    try #require(desk.shelf.items.first { $0.value.item.content.visual?.title == title }).key
  }

  private func orders(_ desk: InboxDesk) -> [BulkOrder] {
    desk.acts.compactMap { if case .change(.performBulk(let order)) = $0 { order } else { nil } }
  }

  // MARK: - Folding

  @Test("two items of one app with the same group are one row, the newest one's")
  func folds() {
    let desk = desk()
    #expect(rows(desk) == ["news", "▸3 order 3", "build", "old"])
    #expect(desk.state.counts.tray == 6)
  }

  @Test("the same name in another app is another group, and no name is no group")
  func apart() {
    var desk = InboxDesk(width: 80, height: 24)
    desk.start()
    desk.arrive("a", app: "ci", group: "main")
    desk.arrive("b", app: "nas", group: "main")
    desk.arrive("c", app: "nas", group: "")
    desk.arrive("d", app: "nas", group: "")
    #expect(desk.state.tray.rows.allSatisfy { $0.fold == nil })
  }

  @Test("z toggles a group; l and Enter open it; h folds it, from the head and from an item")
  func keys() {
    var desk = desk()
    let open = ["news", "▾3", "│ order 3", "│ order 2", "│ order 1", "build", "old"]
    for (opening, folding) in [("z", "z"), ("l", "h"), ("Enter", "Esc"), ("Right", "j j h")] {
      desk.press("g g j \(opening)")
      #expect(rows(desk) == open)
      #expect(cursor(desk) == "▾3")
      desk.press(folding)
      #expect(rows(desk) == ["news", "▸3 order 3", "build", "old"])
      #expect(cursor(desk) == "▸3 order 3")
    }
    desk.press("l l")
    #expect(cursor(desk) == "│ order 3")
    #expect(desk.acts.allSatisfy { $0 == .slow(.cancelSearch) })
    desk.press("l")
    #expect(desk.state.focus == .detail)
    desk.press("h h")
    #expect(cursor(desk) == "▸3 order 3")
    desk.press("g g z")
    #expect(desk.state.notice?.text.string.contains("No group here") == true)
  }

  @Test("groups may be open from the start, and a folded one stays folded")
  func openByDefault() {
    var desk = desk(foldsGroups: false)
    #expect(rows(desk).contains("▾3"))
    desk.press("j j z")
    #expect(cursor(desk) == "▸3 order 3")
    desk.arrive("order 4", app: "shop", group: "orders")
    #expect(cursor(desk) == "▸4 order 4")
  }

  @Test("open groups are remembered across tabs, and a group that returns is open")
  func kept() throws {
    var desk = desk()
    desk.press("j z 2 1")
    #expect(rows(desk).contains("▾3"))
    for title in ["order 1", "order 2", "order 3"] {
      desk.elsewhere(try id(title, desk), .dismiss)
    }
    desk.press("g g")
    desk.arrive("order 4", app: "shop", group: "orders")
    desk.arrive("order 5", app: "shop", group: "orders")
    #expect(rows(desk).prefix(3) == ["▾2", "│ order 5", "│ order 4"])
  }

  @Test("a filtered list shows single items")
  func narrowed() {
    var desk = desk()
    desk.press("f")
    desk.type("group:orders")
    desk.press("Enter")
    #expect(rows(desk) == ["order 3", "order 2", "order 1"])
    desk.press("z")
    #expect(desk.state.notice?.text.string.contains("filtered list") == true)
    desk.press("Esc")
    #expect(cursor(desk) == "│ order 3", "the item under the cursor is not folded away")
    desk.press("g g")
    #expect(rows(desk).contains("▸3 order 3"))
  }

  @Test("a click on the mark toggles the group; elsewhere it only moves the cursor")
  func clicks() {
    var desk = desk()
    let y = 3
    desk.send(.mouse(MouseEvent(.press, at: Point(x: 20, y: y))))
    #expect(cursor(desk) == "▸3 order 3")
    desk.send(.mouse(MouseEvent(.press, at: Point(x: 4, y: y))))
    #expect(cursor(desk) == "▾3")
    desk.send(.mouse(MouseEvent(.press, at: Point(x: 4, y: y))))
    #expect(cursor(desk) == "▸3 order 3")
    desk.send(.mouse(MouseEvent(.doublePress, at: Point(x: 20, y: y))))
    #expect(cursor(desk) == "▾3")
  }

  @Test("the footer counts items, all of them for a folded group")
  func positions() {
    var desk = desk()
    desk.press("j")
    #expect(desk.frame.glyphs.contains("2 of 6"))
    desk.press("j")
    #expect(desk.frame.glyphs.contains("5 of 6"))
    desk.press("k z j j")
    #expect(desk.frame.glyphs.contains("3 of 6"))
  }

  // MARK: - The cursor

  @Test("the cursor stays on a group while items come and go, and on the last one left")
  func groupUnderCursor() throws {
    var desk = desk()
    desk.press("j")
    desk.arrive("order 4", app: "shop", group: "orders")
    #expect(cursor(desk) == "▸4 order 4")
    #expect(rows(desk).first == "▸4 order 4")
    desk.elsewhere(try id("order 4", desk), .dismiss)
    #expect(cursor(desk) == "▸3 order 3")
    desk.elsewhere(try id("order 3", desk), .dismiss)
    desk.elsewhere(try id("order 1", desk), .delete)
    #expect(cursor(desk) == "order 2")
    desk.press("d")
    #expect(try desk.shelf.row(id("order 2", desk), at: desk.now)?.action == .dismissed)
  }

  @Test("a group handled elsewhere stays as a ghost until the cursor leaves it")
  func ghost() throws {
    var desk = desk()
    desk.press("j")
    for title in ["order 1", "order 2", "order 3"] {
      desk.shelf.handle(try id(title, desk), .dismiss, on: "phone", at: desk.now)
    }
    desk.send(.dataChanged)
    #expect(cursor(desk) == "▸3 order 3")
    #expect(desk.state.activeGhost != nil)
    desk.forgetActs()
    for key in ["d", "r", "s", "x", "b", "*", "o", "l"] {
      desk.press(key)
      #expect(desk.acts.isEmpty && desk.state.overlay.isNone, "\(key) acted on a ghost")
      #expect(desk.state.notice?.text.string.contains("Nothing was done") == true)
    }
    desk.press("j")
    #expect(rows(desk) == ["news", "build", "old"])
    #expect(cursor(desk) == "build")
  }

  @Test("an arrival that groups the item under the cursor leaves the cursor on that item")
  func arrivalUnderCursor() throws {
    var desk = desk()
    desk.press("j j")
    #expect(cursor(desk) == "build")
    desk.arrive("build 2", app: "ci", group: "main")
    #expect(cursor(desk) == "│ build")
    desk.press("d")
    #expect(try desk.shelf.row(id("build", desk), at: desk.now)?.action == .dismissed)
    #expect(try desk.shelf.row(id("build 2", desk), at: desk.now)?.action == .noInteraction)
    #expect(rows(desk) == ["build 2", "news", "▸3 order 3", "old"])
  }

  @Test("a group that was opened for the cursor only folds when the cursor leaves it")
  func held() {
    var desk = desk()
    desk.press("j j")
    desk.arrive("build 2", app: "ci", group: "main")
    #expect(rows(desk).prefix(3) == ["▾2", "│ build 2", "│ build"])
    desk.press("k k")
    #expect(cursor(desk) == "▾2")
    desk.press("G")
    #expect(rows(desk) == ["▸2 build 2", "news", "▸3 order 3", "old"])
    #expect(cursor(desk) == "old")
  }

  @Test("items of an open group come and go around the cursor, which stays on its own")
  func members() throws {
    var desk = desk()
    desk.press("j z j j")
    #expect(cursor(desk) == "│ order 2")
    desk.arrive("order 4", app: "shop", group: "orders")
    #expect(cursor(desk) == "│ order 2")
    #expect(rows(desk).prefix(2) == ["▾4", "│ order 4"])
    desk.elsewhere(try id("order 2", desk), .dismiss)
    #expect(cursor(desk) == "│ order 2")
    #expect(desk.state.activeGhost != nil)
    #expect(rows(desk).prefix(5) == ["▾3", "│ order 4", "│ order 3", "│ order 2", "│ order 1"])
    desk.press("k")
    #expect(rows(desk).prefix(4) == ["▾3", "│ order 4", "│ order 3", "│ order 1"])
  }

  @Test("the user's keys on items of an open group show at once, in the group's counts too")
  func optimism() throws {
    var desk = desk()
    desk.press("j z j")
    desk.isPrompt = false
    desk.press("d")
    #expect(rows(desk) == ["news", "▾2", "│ order 2", "│ order 1", "build", "old"])
    #expect(cursor(desk) == "│ order 2")
    desk.press("r")
    #expect(desk.state.tray.rows[1].extent?.unread == 1)
    desk.press("d")
    #expect(rows(desk) == ["news", "order 1", "build", "old"])
    #expect(cursor(desk) == "order 1")
    desk.isPrompt = true
    desk.send(.tick(desk.now))
    #expect(rows(desk) == ["news", "build", "order 1", "old"])
    desk.press("u u u")
    #expect(rows(desk).contains("▾3"))
    #expect(desk.state.counts.tray == 6)
    #expect(cursor(desk) == "│ order 3")
  }

  // MARK: - Acting on a group

  @Test("d on a group asks with the count, is one operation, and undo restores all")
  func dismiss() throws {
    var desk = desk()
    desk.press("j d")
    #expect(desk.frame.glyphs.contains("Dismiss 3 items of shop · orders?"))
    desk.press("n")
    #expect(orders(desk).isEmpty)
    desk.press("d y")
    #expect(rows(desk) == ["news", "build", "old"])
    #expect(cursor(desk) == "build")
    #expect(orders(desk).count == 1)
    #expect(desk.state.counts.tray == 3)
    desk.press("u")
    #expect(rows(desk) == ["news", "▸3 order 3", "build", "old"])
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == 6)
    desk.press("Ctrl-r")
    #expect(rows(desk) == ["news", "build", "old"])
  }

  @Test("every verb acts on the whole group, folded or on its open head", arguments: ["", "z"])
  func verbs(_ opening: String) {
    var desk = desk()
    desk.press("j \(opening) r y")
    func inGroup() -> [RowSummary] {
      desk.shelf.rows(of: .history, at: desk.now).filter { $0.groupKey?.name == "orders" }
    }
    #expect(inGroup().allSatisfy { $0.readState == .read })
    #expect(desk.state.counts.trayUnread == 3)
    desk.press("r y")
    #expect(inGroup().allSatisfy { $0.readState == .unread })
    desk.press("* y")
    #expect(inGroup().allSatisfy { $0.isPinned })
    desk.press("* y")
    #expect(inGroup().allSatisfy { !$0.isPinned })
    desk.press("b")
    #expect(desk.state.notice?.text.string == "Already in the tray.")
    desk.press("s 1 y")
    #expect(inGroup().allSatisfy { $0.placement == .snoozed })
    #expect(desk.state.counts.later == 3)
    desk.press("u")
    #expect(inGroup().allSatisfy { $0.placement == .tray })
    desk.press("g g j x y")
    #expect(inGroup().isEmpty)
    desk.press("u")
    #expect(inGroup().count == 3)
  }

  @Test("a change of a group is on the screen before any answer")
  func atOnce() {
    var desk = desk()
    desk.press("j r")
    desk.isPrompt = false
    desk.press("y")
    #expect(desk.state.tray.rows[1].extent?.unread == 0)
    #expect(desk.state.counts.trayUnread == 3)
    desk.isPrompt = true
    desk.send(.tick(desk.now))
    desk.press("d")
    desk.isPrompt = false
    desk.press("y")
    #expect(rows(desk) == ["news", "build", "old"])
    #expect(desk.state.counts.tray == 3)
  }

  @Test("items that join the group between the question and the answer stay")
  func arrivalBetween() {
    var desk = desk()
    desk.press("j d")
    desk.arrive("order 4", app: "shop", group: "orders")
    desk.press("y")
    #expect(rows(desk) == ["order 4", "news", "build", "old"])
  }

  @Test("keys for one item report that this is a group, and do nothing")
  func singles() {
    var desk = desk()
    desk.press("j")
    for key in ["o", "y"] {
      desk.press(key)
      #expect(desk.acts.isEmpty && desk.state.marks.isEmpty, "\(key)")
      #expect(desk.state.notice?.text.string.contains("not on a group") == true)
    }
  }

  @Test("a range includes folded groups, as does all")
  func marks() {
    var desk = desk()
    desk.press("v G")
    #expect(
      desk.state.marks.all.map(\.title.string)
        == ["news", "build", "old", "order 3", "order 2", "order 1"])
    desk.press("Esc a")
    #expect(desk.frame.glyphs.contains("6 marked"))
    desk.press("d y")
    #expect(rows(desk).isEmpty)
    #expect(desk.shelf.rows(of: .tray, at: desk.now).isEmpty)
  }

  @Test("a group has no detail beside the lists to enter")
  func detail() {
    var desk = desk(width: 120, height: 40)
    desk.press("j Tab Tab")
    #expect(desk.state.focus != .detail)
    desk.send(.mouse(MouseEvent(.press, at: Point(x: 100, y: 10))))
    #expect(desk.state.focus != .detail)
  }

  @Test("a window of a long tray continues through groups, in both directions")
  func longTray() {
    var desk = InboxDesk(width: 80, height: 12, foldsGroups: false)
    for number in 0..<600 {
      desk.shelf.publish(
        Content(
          app: "app\(number % 7)", group: number % 3 == 0 ? "g\(number % 2)" : nil,
          visual: VisualContent(title: "item \(number)")), at: desk.now)
    }
    desk.start()
    let all = desk.shelf.foldedRows(Folding(isFolded: false), at: desk.now)
    var seen: [RowID] = []
    for _ in 0..<(all.count + 5) {
      if let id = desk.state.tray.cursor?.rowID, seen.last != id { seen.append(id) }
      desk.press("j")
    }
    #expect(seen == all.map(\.rowID))
    desk.press("G")
    #expect(desk.state.tray.cursor?.rowID == all.last?.rowID)
    for _ in all { desk.press("k") }
    #expect(desk.state.tray.cursor?.rowID == all.first?.rowID)
    #expect(desk.state.tray.cursorRank == 0)
  }
}
