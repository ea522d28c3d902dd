import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Marks, and actions on many items")
struct MarkTests {
  private func desk(_ count: Int = 6, height: Int = 24) -> InboxDesk {
    var desk = InboxDesk(width: 80, height: height)
    for number in 1...count {
      desk.shelf.publish(
        Content(
          app: number.isMultiple(of: 3) ? "nas" : "ci",
          visual: VisualContent(title: "item \(number)")), at: desk.now)
    }
    desk.start()
    return desk
  }

  private func titles(_ desk: InboxDesk) -> [String] {
    desk.state.tray.rows.map(\.title.string)
  }

  private var marked: (InboxDesk) -> [String] {
    { $0.state.marks.all.map(\.title.string) }
  }

  private func orders(_ desk: InboxDesk) -> [MarkedOrder] {
    desk.acts.compactMap {
      if case .change(.performOnMarked(let order)) = $0 { order } else { nil }
    }
  }

  private func bulk(_ desk: InboxDesk) -> [BulkOrder] {
    desk.acts.compactMap { if case .change(.performBulk(let order)) = $0 { order } else { nil } }
  }

  @Test("Space marks an item and moves on; d acts on the marked ones in one operation")
  func one() throws {
    var desk = desk()
    desk.press("Space j Space")
    #expect(marked(desk) == ["item 6", "item 4"])
    #expect(desk.frame.glyphs.contains("2 marked"))
    desk.press("d")
    let order = try #require(orders(desk).first)
    #expect(order.operation.notificationIDs.count == 2)
    #expect(order.operation.mutation == ItemCommand.dismiss.mutation)
    #expect(titles(desk) == ["item 5", "item 3", "item 2", "item 1"])
    #expect(desk.state.counts.tray == 4)
    #expect(desk.state.marks.isEmpty)
    desk.press("u")
    #expect(titles(desk).count == 6)
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == 6)
    #expect(desk.state.counts.tray == 6)
  }

  @Test("a mark stays on its item while others come, and goes when its content is replaced")
  func belongsToItem() {
    var desk = desk()
    desk.press("Space")
    desk.arrive("newer")
    #expect(marked(desk) == ["item 6"])
    desk.arrive("first", id: "same")
    desk.press("g g Space")
    #expect(marked(desk).contains("first"))
    desk.arrive("second", id: "same")
    #expect(marked(desk) == ["item 6"])
  }

  @Test("a mark survives a repeat of its item")
  func survivesRepeat() throws {
    var desk = desk()
    desk.press("Space j Space")
    let row = try #require(desk.state.marks.all.first)
    desk.shelf.publishRepeat(of: row.key.id, body: "once more", at: desk.now)
    desk.send(.dataChanged)
    #expect(marked(desk) == ["item 6", "item 4"])
    let repeated = try #require(desk.state.marks.all.first)
    #expect(repeated.contentSequence > row.contentSequence)
    #expect(repeated.meaningSequence == row.contentSequence)
    desk.press("d")
    #expect(orders(desk).first?.operation.notificationIDs.contains(row.key.id) == true)
    #expect(!titles(desk).contains("item 6"))
  }

  @Test("Space again removes the mark; Esc removes all")
  func unmark() {
    var desk = desk()
    desk.press("Space k Space")
    #expect(desk.state.marks.isEmpty)
    desk.press("Space Space Esc")
    #expect(desk.state.marks.isEmpty)
    #expect(!desk.acts.contains { if case .terminal(.quit) = $0 { true } else { false } })
  }

  @Test("v marks the range between, whichever way the cursor goes")
  func range() {
    var desk = desk()
    desk.press("j j v j j")
    #expect(marked(desk) == ["item 4", "item 3", "item 2"])
    desk.press("k k k")
    #expect(marked(desk) == ["item 5", "item 4"])
    desk.press("v G")
    #expect(marked(desk) == ["item 5", "item 4"])
    desk.press("r")
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count { $0.readState == .read } == 2)
  }

  @Test("a marks all; acting asks first, with the count, and n changes nothing")
  func all() {
    var desk = desk()
    desk.press("a d")
    #expect(desk.frame.glyphs.contains("Dismiss 6 items in the tray?"))
    #expect(orders(desk).isEmpty)
    desk.press("n")
    #expect(titles(desk).count == 6)
    desk.press("d y")
    #expect(titles(desk).isEmpty)
    #expect(orders(desk).count == 1)
  }

  @Test("a long list is changed whole, by one operation with a bound, and undone whole")
  func whole() throws {
    var desk = desk(300, height: 20)
    desk.press("a")
    #expect(desk.frame.glyphs.contains("300 marked"))
    desk.press("d")
    #expect(desk.frame.glyphs.contains("Dismiss 300 items in the tray?"))
    let bound = desk.shelf.sequence
    desk.isPrompt = false
    desk.press("y")
    #expect(titles(desk).isEmpty)
    #expect(desk.state.counts.tray == 0)
    #expect(desk.state.counts.trayUnread == 0)
    desk.isPrompt = true
    desk.send(.tick(desk.now))
    let order = try #require(bulk(desk).first)
    #expect(order.bound == ShownBound(through: bound))
    #expect(order.mutation == ItemCommand.dismiss.mutation)
    #expect(desk.state.pending.bulks.isEmpty)
    desk.press("u")
    #expect(desk.state.counts.tray == 300)
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == 300)
    desk.press("Ctrl-r")
    #expect(desk.shelf.rows(of: .tray, at: desk.now).isEmpty)
  }

  @Test("items that arrive between the question and the answer stay")
  func arrivals() {
    var desk = desk(300, height: 20)
    desk.press("a d")
    desk.arrive("newer")
    desk.press("y")
    #expect(titles(desk) == ["newer"])
    #expect(desk.state.counts.tray == 1)
  }

  @Test("marked items are snoozed, deleted and restored together")
  func commands() {
    var desk = desk()
    desk.press("Space Space s 1")
    #expect(desk.state.counts.later == 2)
    desk.press("u")
    #expect(desk.state.counts.later == 0)
    desk.press("g g Space Space x")
    #expect(titles(desk).count == 4)
    desk.press("u")
    #expect(titles(desk).count == 6)
    desk.press("Ctrl-r")
    #expect(titles(desk).count == 4)
    desk.wait(.seconds(6))
    desk.press("u")
    #expect(titles(desk).count == 4)
  }

  @Test("a marked item that was replaced meanwhile is not changed")
  func replaced() {
    var desk = desk()
    desk.arrive("build", id: "x")
    desk.press("g g Space Space")
    // The list does not know it yet.
    desk.shelf.publish(
      Content(app: "ci", appNotificationID: "x", visual: VisualContent(title: "other")),
      at: desk.now)
    desk.press("d")
    #expect(orders(desk).first?.operation.notificationIDs.count == 2)
    #expect(desk.shelf.rows(of: .tray, at: desk.now).map(\.title.string).contains("other"))
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == 6)
  }

  @Test("no mark stays on another tab")
  func tabs() {
    var desk = desk()
    desk.press("Space 2")
    #expect(desk.state.marks.isEmpty)
  }
}

@Suite("Undo and redo")
struct UndoTests {
  private func desk() -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 24)
    desk.start()
    for number in 1...4 { desk.arrive("item \(number)") }
    return desk
  }

  private func states(_ desk: InboxDesk) -> [String] {
    desk.shelf.rows(of: .history, at: desk.now).map {
      "\($0.title) \($0.readState) \($0.action) \($0.isPinned)"
    }
  }

  @Test("redo repeats what undo reverted, step by step, and undo reverts it again")
  func both() {
    var desk = desk()
    let before = states(desk)
    desk.press("g g r * j d Space Space d k r b")
    let after = states(desk)
    #expect(before != after)
    let steps = desk.state.steps.done.count
    for _ in 0..<3 {
      for _ in 0..<steps { desk.press("u") }
      #expect(states(desk) == before)
      desk.press("u")
      #expect(desk.state.notice?.text == "Nothing to undo.")
      for _ in 0..<steps { desk.press("Ctrl-r") }
      #expect(states(desk) == after)
      desk.press("Ctrl-r")
      #expect(desk.state.notice?.text == "Nothing to redo.")
    }
  }

  @Test("a new change clears the redo steps")
  func forgets() {
    var desk = desk()
    desk.press("d u r Ctrl-r")
    #expect(desk.state.notice?.text == "Nothing to redo.")
  }

  @Test("when another device changed the item since, undo names it and changes nothing")
  func since() throws {
    var desk = desk()
    desk.press("2")
    let id = try #require(desk.state.activeRow?.key.id)
    desk.press("s 1")
    desk.elsewhere(id, .dismiss, on: "work-laptop")
    desk.forgetActs()
    desk.press("u")
    #expect(desk.acts.isEmpty)
    #expect(desk.state.notice?.text.string.contains("on work-laptop since") == true)
  }

  @Test("of many items, those that another device changed since stay")
  func manySince() throws {
    var desk = desk()
    desk.press("g g")
    let id = try #require(desk.state.activeRow?.key.id)
    desk.press("Space Space d 2")
    desk.elsewhere(id, .activate, on: "phone")
    desk.press("u")
    #expect(desk.state.notice?.text.string.contains("1 changed elsewhere") == true)
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == 3)
  }

  @Test("a change of many is undone whole even if one was changed and restored in between")
  func between() {
    var desk = desk()
    let before = states(desk)
    desk.press("g g Space Space r g g r u u")
    #expect(states(desk) == before)
    desk.press("Ctrl-r Ctrl-r u u")
    #expect(states(desk) == before)
  }
}
