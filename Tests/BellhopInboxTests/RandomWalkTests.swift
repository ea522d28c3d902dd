import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

/// Keys, clicks, sizes, arrivals and late answers in any order.
@Suite("A random walk")
struct RandomWalkTests {
  private static let keys = [
    "j", "k", "g", "G", "PgUp", "PgDn", "Ctrl-d", "Ctrl-u", "l", "h", "Enter", "Esc", "d", "r",
    "x", "s", "b", "*", "u", "/", "n", "N", "o", "y", "R", "?", "q", "Tab", "Shift-Tab", "1", "2",
    "3", "[", "]", "a", "Space", "v", "y", "Ctrl-r", "f", "i", "s", ":", "Backspace", "Up", "Down",
    "Left", "Right", "p", "c", "z", "Z", "U", "O", "4", "m", "M",
  ]
  /// Keys that only move; no others may put the cursor on another item.
  private static let width = [1, 2, 3, 7, 13, 24, 40, 80, 99, 100, 120, 240]
  private static let height = [1, 2, 3, 4, 5, 7, 8, 10, 12, 17, 18, 24, 40, 60]

  @Test("nothing crashes, the cursor keeps its item, and the state stays small", arguments: 1...16)
  func walk(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    var desk = InboxDesk(width: 80, height: 24, seed: UInt64(seed))
    for number in 0..<Int.random(in: 0...300, using: &random) { publish(number, &desk, &random) }
    desk.start()
    for step in 0..<200 {
      let before = desk.state
      let isKey = take(step, &desk, &random)
      check(desk, before: before, isKey: isKey, "seed \(seed), step \(step)")
      if desk.isRunaway { return }
    }
    desk.isPrompt = true
    desk.send(.dataChanged)
    desk.send(.tick(desk.now))
    checkSettled(desk, "seed \(seed)")
  }

  private func publish(
    _ number: Int, _ desk: inout InboxDesk, _ random: inout SeededRandom
  ) {
    let titles = ["build \(number)", "备份完成 \(number)", "👩‍👩‍👧‍👦 \(number)", "\u{1B}[2J", "مرحبا"]
    desk.shelf.publish(
      Content(
        app: ["ci", "nas", "日本語アプリ"].randomElement(using: &random) ?? "ci",
        appNotificationID: Bool.random(using: &random) ? nil : "id\(number % 20)",
        group: [nil, nil, "main", "night"].randomElement(using: &random) ?? nil,
        priority: Priority.allCases.randomElement(using: &random) ?? .normal,
        visual: number.isMultiple(of: 11)
          ? nil : VisualContent(title: titles[number % titles.count], body: "a body\nof lines"),
        raw: number.isMultiple(of: 11) ? "{}" : nil,
        clickURL: number.isMultiple(of: 3) ? "https://example.com/\(number)" : nil),
      // The first 1000 items arrived in the week before.
      at: number < 1000 ? desk.now.advanced(by: .seconds(Int64(number - 300) * 1800)) : desk.now)
  }

  /// Sends one random message and returns whether it came from the user.
  private func take(_ step: Int, _ desk: inout InboxDesk, _ random: inout SeededRandom) -> Bool {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<60:
      desk.press(Self.keys.randomElement(using: &random) ?? "j")
      return true
    case ..<68:
      let size = desk.state.size
      let point = Point(
        x: Int.random(in: 0..<max(1, size.width), using: &random),
        y: Int.random(in: 0..<max(1, size.height), using: &random))
      let actions: [MouseEvent.Action] = [.press, .doublePress, .wheelUp, .wheelDown, .release]
      desk.send(.mouse(MouseEvent(actions.randomElement(using: &random) ?? .press, at: point)))
      return true
    case ..<76:
      publish(1000 + step, &desk, &random)
      desk.send(.dataChanged)
    case ..<84:
      if let id = desk.shelf.items.keys.sorted().randomElement(using: &random) {
        let commands: [ItemCommand] = [
          .dismiss, .read, .delete, .restore, .snooze(until: desk.now.advanced(by: .seconds(90))),
        ]
        desk.elsewhere(
          id, commands.randomElement(using: &random) ?? .dismiss, byLine: step.isMultiple(of: 2))
      }
    case ..<90:
      desk.send(
        .resize(
          Size(
            width: Self.width.randomElement(using: &random) ?? 80,
            height: Self.height.randomElement(using: &random) ?? 24)))
    case ..<95: desk.isPrompt.toggle()
    default: desk.wait(.seconds(Int64.random(in: 0...70, using: &random)))
    }
    return false
  }

  private func check(
    _ desk: InboxDesk, before: InboxState, isKey: Bool, _ place: String
  ) {
    let state = desk.state
    let frame = desk.frame
    let (size, isRunaway) = (frame.size, desk.isRunaway)
    #expect(size == state.size, "\(place)")
    #expect(!isRunaway, "\(place): asks without end")
    for id in ListID.allCases {
      let list = state[id]
      #expect(list.rows.count <= WindowRequest.countMax + 402, "\(place) \(id)")
      #expect(Set(list.rows.map(\.rowID)).count == list.rows.count, "\(place) \(id): twice")
      checkGroups(list, "\(place) \(id)")
      guard !isKey, let row = before[id].cursorRow, before[id].pendingMove == nil else { continue }
      let isLeft = row.isGroup && list.cursorRow?.groupKey == row.groupKey
      // A group with one item left is that item.
      #expect(
        list.cursor?.rowID == row.rowID || isLeft && list.cursorRow?.isGroup == false,
        "\(place) \(id): the cursor left its item")
    }
    for pane in state.layout.lists where pane.id == state.activeList && pane.rows.height > 0 {
      let list = state[pane.id]
      guard let index = list.cursorIndex else { continue }
      let lines = state.lines(of: pane.id, height: pane.rows.height).lines(from: list.top)
      #expect(lines.contains(.row(index)), "\(place) \(pane.id): the cursor is out of sight")
    }
    let counts = state.counts
    #expect(counts.trayUnread <= counts.tray, "\(place)")
  }

  /// Checks that the screen shows what the shelf contains, once everything is answered.
  private func checkSettled(_ desk: InboxDesk, _ place: String) {
    let state = desk.state
    #expect(state.pending.changes.isEmpty, "\(place): changes never settle")
    #expect(state.counts.tray == desk.shelf.rows(of: .tray, at: desk.now).count, "\(place)")
    #expect(state.counts.handled == desk.shelf.rows(of: .handled, at: desk.now).count, "\(place)")
    guard state.layout.list(.tray) != nil, state.search == nil, state.tray.query == .tray else {
      return
    }
    var folding = state.folding
    if let held = state.tray.held { folding.open(held.group) }
    let tray =
      state.tray.isFolding
      ? desk.shelf.foldedRows(folding, at: desk.now)
      : desk.shelf.rows(of: .tray, by: state.tray.order, at: desk.now)
    let drawn = state.tray.rows.filter { $0.rowID != state.tray.ghost?.id }
    if state.tray.reachesStart { #expect(Array(tray.prefix(drawn.count)) == drawn, "\(place)") }
  }

  /// Checks that rows of a group follow its own, and no item appears twice.
  private func checkGroups(_ list: ListState, _ place: String) {
    for (upper, row) in zip(list.rows, list.rows.dropFirst()) {
      if row.isMember, row.rowID != list.ghost?.id {
        #expect(upper.groupKey == row.groupKey && upper.fold != nil, "\(place): a lost member")
      }
    }
    for row in list.rows where row.isFolded {
      let own = list.rows.filter { $0.groupKey == row.groupKey && $0.rowID != list.ghost?.id }
      #expect(own.count <= 1, "\(place): folded, and there")
      #expect((row.extent?.count ?? 0) > 1, "\(place)")
    }
  }

  @Test("every size from 1×1 on is drawn", arguments: [0, 3, 40])
  func sizes(items: Int) {
    var random = SeededRandom(seed: 5)
    var desk = InboxDesk(width: 80, height: 24)
    for number in 0..<items { publish(number, &desk, &random) }
    desk.start()
    for keys in ["", "Enter", "Esc s", "Esc ?", "Esc / a"] {
      desk.press(keys)
      for width in [1, 2, 5, 9, 17, 23, 39, 60, 100] {
        for height in [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 18] {
          desk.send(.resize(Size(width: width, height: height)))
          #expect(desk.frame.size == desk.state.size)
        }
      }
    }
  }
}
