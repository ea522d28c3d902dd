import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("From item to item")
struct NeighborTests {
  private func desk(_ count: Int, height: Int = 24, isTouched: Bool = true) -> InboxDesk {
    var shelf = ItemShelf()
    for number in 0..<count {
      shelf.publish(
        Content(app: "ci", visual: VisualContent(title: "build \(number)")),
        at: InboxDesk.morning.advanced(by: .seconds(Int64(number - count))))
    }
    var desk = InboxDesk(width: 80, height: height, shelf: shelf)
    desk.start(isTouched: isTouched)
    return desk
  }

  private func title(_ desk: InboxDesk) -> String? { desk.state.activeRow?.title.string }

  @Test("inside an item J and K open its neighbours, which are then read, and stop at the ends")
  func neighbors() {
    var desk = desk(3)
    desk.press("Enter J")
    #expect(title(desk) == "build 1" && desk.state.focus == .detail)
    #expect(desk.state.activeRow?.readState == .read)
    #expect(desk.frame.glyphs.contains("build 1"))
    desk.press("J J")
    #expect(title(desk) == "build 0")
    #expect(desk.state.notice?.text == "This is the last item.")
    desk.press("K K K")
    #expect(title(desk) == "build 2")
    #expect(desk.state.notice?.text == "This is the first item.")
  }

  @Test("inside an item the folded groups of the list are skipped")
  func groups() {
    var desk = desk(0)
    desk.arrive("old", app: "mail")
    desk.arrive("order 1", app: "shop", group: "orders")
    desk.arrive("order 2", app: "shop", group: "orders")
    desk.arrive("news", app: "mail")
    desk.press("g g Enter J")
    #expect(title(desk) == "old" && desk.state.focus == .detail)
  }

  @Test("the next unread item is found among the loaded rows, and far beyond them")
  func nextUnread() {
    var desk = desk(900)
    for row in desk.shelf.rows(of: .tray, at: desk.now)
    where !["build 890", "build 3"].contains(row.title.string) {
      desk.shelf.handle(row.key.id, .read, on: "laptop", at: desk.now)
    }
    desk.send(.dataChanged)
    desk.press("w")
    #expect(title(desk) == "build 890")
    desk.press("w")
    #expect(title(desk) == "build 3")
    desk.press("w")
    #expect(title(desk) == "build 3")
    #expect(desk.state.notice?.text.string.hasPrefix("Nothing unread below.") == true)
  }

  @Test("rows stay visible beyond the cursor, but not after a click")
  func margin() throws {
    var desk = desk(60)
    func line() throws -> Int {
      let list = desk.state.tray
      return try #require(list.cursorIndex) - list.top
    }
    let height = try #require(desk.state.layout.list(.tray)).rows.height
    for _ in 0..<height { desk.press("j") }
    #expect(try line() == height - 3)
    let rows = try #require(desk.state.layout.list(.tray)).rows
    desk.send(.mouse(MouseEvent(.press, at: Point(x: 30, y: rows.maxY - 1))))
    #expect(try line() == height - 1)
    desk.press("k")
    #expect(try line() == height - 3)
    desk.press("G")
    #expect(try line() == height - 1, "the last row has none below it")
  }

  @Test("until the first key, or the first synchronisation, the cursor is on the newest item")
  func firstKey() {
    func arrive(_ title: String, _ desk: inout InboxDesk) -> String? {
      desk.arrive(title)
      return self.title(desk)
    }
    var desk = desk(3, isTouched: false)
    desk.send(.account(.connection(ConnectionStatus(.connecting))))
    #expect(title(desk) == "build 2")
    #expect(arrive("after the first synchronisation", &desk) == "build 2")
    var shelf = ItemShelf()
    shelf.publish(
      Content(app: "ci", visual: VisualContent(title: "old")), at: InboxDesk.morning)
    desk = InboxDesk(width: 80, height: 24, shelf: shelf)
    desk.send(.start)
    #expect(arrive("while it connects", &desk) == "while it connects")
    desk.isPrompt = false
    desk.arrive("with the first synchronisation")
    desk.send(.account(.connection(ConnectionStatus(.live))))
    desk.isPrompt = true
    desk.send(.tick(desk.now))
    #expect(title(desk) == "with the first synchronisation")
    #expect(arrive("later", &desk) == "with the first synchronisation")
    desk = InboxDesk(width: 80, height: 24, shelf: shelf)
    desk.send(.start)
    desk.press("j")
    #expect(arrive("after the first key", &desk) == "old")
  }

  @Test("before the first key the cursor goes to the newest item past more rows than are loaded")
  func manyBeforeTheFirstKey() {
    var shelf = ItemShelf()
    shelf.publish(
      Content(app: "ci", visual: VisualContent(title: "old")), at: InboxDesk.morning)
    var desk = InboxDesk(width: 80, height: 24, shelf: shelf)
    desk.send(.start)
    #expect(title(desk) == "old")
    desk.isPrompt = false
    for number in 0..<500 { desk.arrive("missed \(number)") }
    desk.isPrompt = true
    desk.send(.tick(desk.now))
    #expect(title(desk) == "missed 499")
    #expect(desk.state.tray.top == 0 && desk.state.tray.countAbove == 0)
  }

  @Test("an item that disappears before the first key leaves a ghost, and no key acts on another")
  func goneBeforeTheFirstKey() throws {
    var desk = desk(3, isTouched: false)
    desk.elsewhere(try #require(desk.state.activeRow?.key.id), .delete)
    desk.press("d")
    #expect(desk.acts.isEmpty)
  }

  @Test("a line shows what was done to the item, and how to undo it")
  func handled() {
    var desk = desk(2)
    desk.press("d")
    #expect(desk.state.notice?.text == "Dismissed “build 1” (ci). u undoes it")
    desk.press("r")
    #expect(desk.state.notice?.text == "Marked read “build 0” (ci). u undoes it")
    desk.press("*")
    #expect(desk.state.notice?.text == "Pinned “build 0” (ci): it never expires.")
    desk.press("x")
    #expect(
      desk.state.notice?.text
        == "Deleted “build 0” (ci), here and on every device. u within 5 s undoes it")
    desk.wait(.seconds(6))
    #expect(desk.state.notice?.text == "Deleted “build 0” (ci), here and on every device.")
  }

  @Test("opening an item marks it read without a line")
  func lookedInto() {
    var desk = desk(1)
    desk.press("Enter")
    #expect(desk.state.activeRow?.readState == .read && desk.state.notice == nil)
  }

  @Test("Esc from the items of an app returns to that app")
  func back() {
    var desk = desk(3)
    desk.arrive("raid", app: "nas")
    desk.press("4 j")
    let app = desk.state.apps.cursor
    desk.press("o")
    #expect(desk.state.tab == .history && desk.state.filter != nil)
    desk.press("Esc")
    #expect(desk.state.tab == .apps && desk.state.apps.cursor == app)
    desk.press("2")
    #expect(desk.state.filter == nil)
  }

  @Test("Esc from a filter leaves the cursor on its item")
  func filter() {
    var desk = desk(200)
    desk.press("f")
    desk.type("build 77")
    desk.press("Enter j Esc")
    #expect(title(desk) == "build 77" && desk.state.filter == nil)
  }

  @Test("a range takes the folded groups that it passes, whole, and drops them when it shrinks")
  func range() {
    var desk = desk(0)
    desk.arrive("old", app: "mail")
    for number in 0..<4 { desk.arrive("order \(number)", app: "shop", group: "orders") }
    desk.arrive("news", app: "mail")
    desk.press("g g v j j")
    #expect(desk.state.marks.count == 6)
    #expect(desk.frame.glyphs.contains("6 marked"))
    desk.press("k k")
    #expect(desk.state.marks.count == 1)
    desk.press("j v d y")
    #expect(desk.shelf.rows(of: .tray, at: desk.now).map(\.title.string) == ["old"])
  }

  @Test("a short list leaves its free rows to the preview, unless the user moved the divider")
  func preview() throws {
    var desk = desk(0)
    desk.arrive("first", body: String(repeating: "a sentence of the body ", count: 10))
    let preview = try #require(desk.state.layout.preview)
    #expect(preview.height == 6)
    #expect(desk.frame.glyphs.split(separator: "\n").count { $0.contains("a sentence") } == 4)
    for number in 0..<30 { desk.arrive("build \(number)") }
    #expect(try #require(desk.state.layout.preview).height == 3)
  }
}
