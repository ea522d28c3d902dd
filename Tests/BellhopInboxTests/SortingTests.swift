import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Sorted lists")
struct SortingTests {
  /// Five items, the oldest first.
  private static let items: [(title: String, app: String, priority: Priority)] = [
    ("build 0", "ci", .normal), ("disk 1", "nas", .urgent), ("build 2", "ci", .high),
    ("upgrade 3", "apt", .low), ("backup 4", "nas", .normal),
  ]
  private static let newest = ["backup 4", "upgrade 3", "build 2", "disk 1", "build 0"]
  private static let level = ["disk 1", "build 2", "backup 4", "build 0", "upgrade 3"]
  private static let app = ["upgrade 3", "build 2", "build 0", "backup 4", "disk 1"]

  private func desk(width: Int = 80, height: Int = 24) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height)
    desk.start()
    for item in Self.items { desk.arrive(item.title, app: item.app, priority: item.priority) }
    desk.press("g g")
    desk.forgetActs()
    return desk
  }

  /// More items than are read at once, of every level and from ten apps.
  private func longDesk() -> InboxDesk {
    var shelf = ItemShelf()
    for number in 0..<600 {
      shelf.publish(
        Content(
          app: "app\(number * 7 % 10)", priority: Priority.allCases[number * 3 % 5],
          visual: VisualContent(title: "item \(number)")),
        at: InboxDesk.morning.advanced(by: .seconds(number - 600)))
    }
    var desk = InboxDesk(width: 80, height: 24, shelf: shelf)
    desk.start()
    return desk
  }

  private func titles(_ desk: InboxDesk) -> [String] {
    desk.state[desk.state.activeList].rows.map(\.title.string)
  }

  private func cursor(_ desk: InboxDesk) -> String? { desk.state.activeRow?.title.string }

  private func kept(_ desk: InboxDesk) -> [ListOrders] {
    desk.acts.compactMap { if case .remember(.orders(let orders)) = $0 { orders } else { nil } }
  }

  private func line(_ desk: InboxDesk, _ text: String) -> String? {
    desk.frame.glyphs.split(separator: "\n").map(String.init).first { $0.contains(text) }
  }

  @Test("the key sorts by level, by app, and newest first again; each order is remembered")
  func cycle() {
    var desk = desk()
    #expect(titles(desk) == Self.newest)
    desk.press("O")
    #expect(titles(desk) == Self.level)
    #expect(desk.state.notice?.text == "Sorted by level. O sorts by app.")
    desk.press("O")
    #expect(titles(desk) == Self.app)
    #expect(desk.state.notice?.text == "Sorted by app. O shows the newest first.")
    desk.press("O")
    #expect(titles(desk) == Self.newest)
    #expect(desk.state.notice?.text == "Newest first. O sorts by level.")
    #expect(kept(desk) == [ListOrders(tray: .level), ListOrders(tray: .app), ListOrders()])
  }

  @Test("each list has its own order, including the one below the tray")
  func lists() {
    var desk = desk(width: 120, height: 40)
    desk.press("O 2 O O")
    #expect(titles(desk) == Self.app)
    desk.press("1")
    #expect(titles(desk) == Self.level)
    desk.press("d d Tab")
    #expect(desk.state.activeList == .handled)
    desk.press("O")
    #expect(titles(desk) == ["disk 1", "build 2"])
    #expect(kept(desk).last == ListOrders(tray: .level, handled: .level, history: .app))
  }

  @Test("the screen begins with the remembered orders")
  func remembered() {
    let ids = UniqueIDSource { 1 }
    let state = InboxState(
      size: Size(width: 80, height: 24), now: InboxDesk.morning, zone: InboxDesk.cet,
      accountLabel: "alice@home", ids: ids, orders: ListOrders(tray: .app, history: .level))
    #expect(state[.tray].order == .app && state[.tray].sorting.chosen == .app)
    #expect(state[.handled].order == .newest && state[.history].order == .level)
    #expect(state[.later].order == .newest)
  }

  @Test("each section has one heading, with its name and its item count")
  func headings() throws {
    var desk = desk()
    desk.press("O")
    let pane = try #require(desk.state.layout.list(.tray))
    let lines = desk.state.lines(of: .tray, height: pane.rows.height).lines(from: 0)
    let headings = lines.compactMap { if case .heading(let heading) = $0 { heading } else { nil } }
    #expect(headings == [.level(.urgent), .level(.high), .level(.normal), .level(.low)])
    #expect(lines.first == .heading(.level(.urgent)))
    let normal = try #require(line(desk, " Normal "))
    #expect(normal.hasPrefix(" Normal ") && normal.last { $0 != " " } == "2")
    desk.press("O")
    #expect(line(desk, " nas ")?.last { $0 != " " } == "2")
    desk.press("2 O")
    #expect(line(desk, " Urgent ") != nil && line(desk, "Today") == nil)
    desk.press("O O")
    #expect(line(desk, "Today") != nil)
  }

  @Test("a section that is not read to its end has no count")
  func numberUnknown() {
    var desk = longDesk()
    desk.press("O")
    #expect(line(desk, " Urgent")?.trimmed == "Urgent")
    let heading = SectionHeading(name: "a long name of an app", count: 1_234)
    for width in 0...30 { #expect(heading.line(width: width).pieces[0].text.width <= width) }
    #expect(heading.line(width: 27).trailing == nil)
    #expect(heading.line(width: 28).trailing?.text == "1,234")
  }

  @Test("the caption names the order")
  func caption() {
    var desk = desk(width: 120, height: 40)
    #expect(desk.frame.glyphs.contains("5 unread · newest first"))
    desk.press("O")
    #expect(desk.frame.glyphs.contains("5 unread · by level"))
    desk.press("f")
    desk.type("app:nas")
    desk.press("Enter")
    #expect(desk.frame.glyphs.contains("2 of 5 · by level"))
  }

  @Test("the cursor stays on its item, or on the first row if it was there")
  func cursorStays() {
    var desk = desk()
    desk.press("O")
    #expect(cursor(desk) == "disk 1")
    desk.press("j j")
    #expect(cursor(desk) == "backup 4" && desk.frame.glyphs.contains("3 of 5"))
    desk.press("O")
    #expect(cursor(desk) == "backup 4" && desk.frame.glyphs.contains("4 of 5"))
    desk.press("O")
    #expect(cursor(desk) == "backup 4" && desk.frame.glyphs.contains("1 of 5"))
  }

  @Test("an arrival goes to its section, and an undo restores an item to its row")
  func changes() {
    var desk = desk()
    desk.press("O j d")
    #expect(titles(desk) == ["disk 1", "backup 4", "build 0", "upgrade 3"])
    #expect(cursor(desk) == "backup 4")
    desk.arrive("fire 5", app: "zoo", priority: .urgent)
    #expect(titles(desk) == ["fire 5", "disk 1", "backup 4", "build 0", "upgrade 3"])
    #expect(cursor(desk) == "backup 4")
    desk.press("u")
    #expect(titles(desk) == ["fire 5", "disk 1", "build 2", "backup 4", "build 0", "upgrade 3"])
    #expect(cursor(desk) == "build 2")
    desk.isPrompt = false
    desk.press("r d u")
    #expect(titles(desk)[2] == "build 2", "before the cache has answered")
  }

  @Test("an item that was handled elsewhere stays under the cursor, and is not counted")
  func ghost() throws {
    var desk = desk()
    desk.press("O j j")
    let row = try #require(desk.state.activeRow)
    desk.elsewhere(row.key.id, .dismiss)
    #expect(titles(desk) == Self.level && desk.state.tray.ghost?.id == row.rowID)
    #expect(line(desk, " Normal ")?.last { $0 != " " } == "1")
    desk.press("j")
    #expect(titles(desk) == Self.level.filter { $0 != "backup 4" })
  }

  @Test("a filter, unread only, and the end of both keep the order")
  func narrowed() {
    var desk = desk()
    desk.press("O O f")
    desk.type("app:nas,ci")
    desk.press("Enter")
    #expect(titles(desk) == ["build 2", "build 0", "backup 4", "disk 1"])
    desk.press("O")
    #expect(titles(desk) == ["backup 4", "build 2", "disk 1", "build 0"])
    desk.press("O g g r U")
    #expect(titles(desk) == ["build 2", "backup 4", "build 0"])
    desk.press("Esc")
    #expect(titles(desk) == Self.level)
  }

  @Test(
    "long lists are walked in their order, and the position is counted", arguments: ["O", "O O"])
  func walk(keys: String) {
    var desk = longDesk()
    desk.press("U " + keys)
    let all = desk.shelf.rows(of: .tray, by: desk.state.tray.order, at: desk.now)
    #expect(desk.state.activeRow?.key == all.first?.key)
    var index = 0
    for key in ["PgDn", "PgDn", "Ctrl-d", "j", "PgDn", "PgDn", "PgDn", "PgDn", "k"] {
      desk.press(key)
      index = desk.state.activeRow.flatMap { row in all.firstIndex { $0.key == row.key } } ?? -1
      #expect(desk.state.tray.cursorRank == index, "\(key)")
    }
    #expect(index > 40)
    desk.press("G")
    #expect(desk.state.activeRow?.key == all.last?.key && desk.state.tray.cursorRank == 599)
    desk.press("g g")
    #expect(desk.state.activeRow?.key == all.first?.key && desk.state.tray.cursorRank == 0)
  }

  @Test("the next unread item is the next one in the order, however far below")
  func nextUnread() {
    var desk = longDesk()
    desk.press("a r y g g O")
    let all = desk.shelf.rows(of: .tray, by: .level, at: desk.now)
    desk.elsewhere(all[400].key.id, .unread)
    desk.press("w")
    #expect(desk.state.activeRow?.key == all[400].key)
  }

  @Test("all of a sorted list is the list itself, and a range is what is between")
  func marks() {
    var desk = longDesk()
    desk.press("O a d y")
    let orders = desk.acts.compactMap { effect -> ListQuery? in
      if case .change(.performBulk(let order)) = effect { order.query } else { nil }
    }
    #expect(orders == [.tray])
    #expect(desk.shelf.rows(of: .tray, at: desk.now).isEmpty)

    var short = self.desk()
    short.press("O v j j j")
    #expect(Set(short.state.marks.all.map(\.title.string)) == Set(Self.level.prefix(4)))
    short.press("O")
    #expect(short.state.marks.span == nil && short.state.marks.all.count == 4)
  }

  @Test("groups are single items while the tray is sorted, and fold again afterwards")
  func groups() {
    var desk = desk()
    desk.arrive("shop 1", app: "shop", group: "a", priority: .low)
    desk.arrive("shop 2", app: "shop", group: "a", priority: .high)
    desk.press("g g")
    #expect(desk.state.activeRow?.isGroup == true)
    desk.press("O")
    #expect(!desk.state.tray.rows.contains { $0.fold != nil })
    #expect(titles(desk).prefix(2) == ["disk 1", "shop 2"])
    desk.press("z")
    #expect(
      desk.state.notice?.text
        == "A sorted tray has no groups. O returns to newest first, with groups.")
    desk.press("O O")
    #expect(desk.state.tray.rows.first?.isGroup == true)
  }

  @Test(
    "where a list has only one order, the key says so",
    arguments: [
      ("3", "Later has only one order: the next item comes first."),
      ("4", "The apps have only one order. The tray and the history can be sorted."),
      ("Enter", "Only lists can be sorted. h goes back to its list."),
      ("/ b Enter", "Results are always newest first. f filters a list, which can be sorted."),
    ] as [(String, String)])
  func reasons(keys: String, reason: String) {
    var desk = desk()
    desk.press(keys)
    desk.press("O")
    #expect(desk.state.notice?.text.string == reason)
    #expect(kept(desk).isEmpty)
  }

  @Test("a view may have an order that differs from its list's")
  func views() {
    var desk = desk()
    desk.state.use([
      SavedView(name: "nas and ci", filter: "app:nas,ci", order: .level),
      SavedView(name: "the nas", filter: "app:nas"),
    ])
    desk.press("5")
    #expect(titles(desk) == ["disk 1", "build 2", "backup 4", "build 0"])
    desk.press("O")
    #expect(titles(desk) == ["build 2", "build 0", "backup 4", "disk 1"])
    #expect(kept(desk).isEmpty)
    desk.press("1")
    #expect(titles(desk) == Self.newest)
    desk.press("6 O")
    #expect(titles(desk) == ["disk 1", "backup 4"])
    #expect(kept(desk) == [ListOrders(tray: .level)])
    desk.press("5 Esc")
    #expect(titles(desk) == Self.level)
  }

  @Test("a view is saved with the order in which it is shown")
  func savedView() {
    var desk = desk()
    desk.press("f")
    desk.type("app:nas")
    desk.press("Enter V")
    desk.type("plain")
    desk.press("Enter O V")
    desk.type(" 2")
    desk.press("Enter")
    #expect(desk.state.views.all.map(\.name) == ["plain", "plain 2"])
    #expect(desk.state.views.all.map(\.order) == [nil, .level])
  }

  @Test(
    "the palette finds sorting by the names that other programs use",
    arguments: ["group by", "order"])
  func palette(word: String) {
    var desk = desk()
    desk.press(":")
    desk.type(word)
    desk.press("Enter")
    #expect(desk.state.tray.order == .level)
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
