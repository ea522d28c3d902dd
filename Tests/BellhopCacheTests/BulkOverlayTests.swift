import BellhopCache
import BellhopModel
import Testing

@Suite("Bulk operations are shown at once", .serialized)
struct BulkOverlayTests {
  private let now = CacheFixture.start.advanced(by: .seconds(86_400))

  /// Items 1…count, every third from the app `nas`.
  private func fixture(_ kind: CacheKind, _ count: Int64 = 9) throws -> CacheFixture {
    let fixture = try CacheFixture(kind)
    try fixture.pull(
      (1...count).map { .item(makeItem($0, app: $0 % 3 == 0 ? "nas" : "ci")) }, now: now)
    return fixture
  }

  private func dismissal(
    _ number: Int64, app: String?, through: Int64
  ) -> BellhopModel.Operation {
    var predicate = Predicate()
    predicate.app = app
    predicate.userActionState = .noInteraction
    return BellhopModel.Operation(
      id: operationID(number), target: .matching(predicate, through: SequenceNumber(through)),
      mutation: ItemCommand.dismiss.mutation)
  }

  private func undo(_ number: Int64, of other: Int64) -> BellhopModel.Operation {
    BellhopModel.Operation(
      id: operationID(number), target: .setBy(operationID(other)), mutation: .restorePrevious)
  }

  private func finishOverlay(_ fixture: CacheFixture, limit: Int = 2) throws -> Int {
    var steps = 0
    while try fixture.storage.syncState().needsOverlay, steps < 1000 {
      _ = try fixture.storage.overlayBulk(limit: limit, now: now)
      steps += 1
    }
    return steps
  }

  @Test("matching items leave the tray in steps, newest first", arguments: CacheKind.allCases)
  func steps(_ kind: CacheKind) throws {
    let fixture = try fixture(kind)
    _ = try fixture.storage.enqueue(
      [dismissal(1, app: "ci", through: 9)], now: now, sealAfter: nil)
    #expect(try fixture.reader.totals().tray.count == 9)
    #expect(try fixture.storage.syncState().needsOverlay)
    let first = try fixture.storage.overlayBulk(limit: 2, now: now)
    #expect(first.changed == [itemID(8), itemID(7)])
    #expect(!first.isFinished)
    #expect(try finishOverlay(fixture) > 1)
    #expect(try fixture.titles(.tray) == ["item 9", "item 6", "item 3"])
    #expect(try fixture.reader.totals().handled.count == 6)
    #expect(try fixture.reader.rows(of: .handled, .first, limit: 9).allSatisfy(\.isPending))
  }

  @Test("content newer than what the user saw is not changed", arguments: CacheKind.allCases)
  func bound(_ kind: CacheKind) throws {
    let fixture = try fixture(kind)
    _ = try fixture.storage.enqueue(
      [dismissal(1, app: nil, through: 7)], now: now, sealAfter: nil)
    _ = try finishOverlay(fixture)
    #expect(try fixture.titles(.tray) == ["item 9", "item 8"])
    // An item that arrives meanwhile is not included; one whose content is unchanged is.
    try fixture.pull([.item(makeItem(10, app: "ci"))], now: now)
    #expect(try fixture.titles(.tray) == ["item 10", "item 9", "item 8"])
  }

  @Test("an item that only repeats came after is changed", arguments: CacheKind.allCases)
  func repeats(_ kind: CacheKind) throws {
    let fixture = try fixture(kind)
    let repeated = makeItem(3, app: "nas", sequence: 10) { $0.state.meaning = SequenceNumber(3) }
    try fixture.pull([.item(repeated)], now: now)
    _ = try fixture.storage.enqueue(
      [dismissal(1, app: "nas", through: 5)], now: now, sealAfter: nil)
    _ = try finishOverlay(fixture)
    #expect(try fixture.reader.item(itemID(3))?.placement == .handled)
    #expect(try fixture.reader.item(itemID(6))?.placement == .tray)
  }

  @Test("a pending undo restores the items", arguments: CacheKind.allCases)
  func undoPending(_ kind: CacheKind) throws {
    let fixture = try fixture(kind)
    _ = try fixture.storage.enqueue(
      [dismissal(1, app: "ci", through: 9)], now: now, sealAfter: nil)
    _ = try finishOverlay(fixture)
    _ = try fixture.storage.enqueue([undo(2, of: 1)], now: now, sealAfter: nil)
    _ = try finishOverlay(fixture)
    #expect(try fixture.reader.totals().tray.count == 9)
    // And once more in reverse: the undo is undone.
    _ = try fixture.storage.enqueue([undo(3, of: 2)], now: now, sealAfter: nil)
    _ = try finishOverlay(fixture)
    #expect(try fixture.titles(.tray) == ["item 9", "item 6", "item 3"])
  }

  @Test("a rejected bulk operation is no longer shown", arguments: CacheKind.allCases)
  func refused(_ kind: CacheKind) throws {
    let fixture = try fixture(kind)
    _ = try fixture.storage.enqueue(
      [dismissal(1, app: nil, through: 9)], now: now, sealAfter: nil)
    _ = try finishOverlay(fixture)
    #expect(try fixture.reader.totals().tray.count == 0)
    _ = try fixture.storage.acknowledge(
      [OperationAnswer(id: operationID(1), result: .superseded)], sequence: SequenceNumber(9),
      now: now)
    _ = try finishOverlay(fixture)
    #expect(try fixture.reader.totals().tray.count == 9)
    #expect(try fixture.reader.rows(of: .tray, .first, limit: 9).allSatisfy { !$0.isPending })
  }

  @Test("once base has its effect nothing is pending, and later changes by others show")
  func contained() throws {
    for kind in CacheKind.allCases {
      let fixture = try fixture(kind, 3)
      _ = try fixture.storage.enqueue(
        [dismissal(1, app: "ci", through: 9)], now: now, sealAfter: nil)
      _ = try finishOverlay(fixture)
      _ = try fixture.storage.acknowledge(
        [OperationAnswer(id: operationID(1), result: .applied)], sequence: SequenceNumber(6),
        now: now)
      let author = Author(kind: .device, id: "d2", name: "laptop")
      let changes = [1, 2].map { number in
        makeItem(
          Int64(number), app: "ci", sequence: Int64(number + 4), contentSequence: Int64(number)
        ) { item in
          item.state.userActionState = item.state.userActionState.setting(
            .dismissed, change: RegisterChange(at: now, by: author, operation: operationID(1)))
        }
      }
      // Another device has restored one of them since.
      let back = makeItem(2, app: "ci", sequence: 7, contentSequence: 2)
      try fixture.pull([.item(changes[0]), .item(back)], at: 7, now: now)
      _ = try finishOverlay(fixture)
      #expect(try fixture.storage.outboxCounts().settling == 0)
      #expect(try fixture.titles(.tray) == ["item 3", "item 2"], "\(kind)")
      let rows = try fixture.reader.rows(of: .history, .first, limit: 9)
      #expect(rows.allSatisfy { !$0.isPending })
    }
  }

  /// An item with random content, effect and registers, which has not expired.
  private func item(_ number: Int64, using numbers: inout SeededNumbers) -> UserNotification {
    var item = makeItem(
      number, ["item", "words", "备份全文搜索测试"].randomElement(using: &numbers),
      app: ["ci", "nas", "shop"].randomElement(using: &numbers) ?? "ci",
      group: [nil, "a", "b"].randomElement(using: &numbers) ?? nil)
    item.content.priority = Priority.allCases.randomElement(using: &numbers) ?? .normal
    item.content.tags = Bool.random(using: &numbers) ? [] : ["one", "two\nlines"]
    if Int.random(in: 0..<6, using: &numbers) == 0 { item.content.visual = nil }
    if Int.random(in: 0..<4, using: &numbers) == 0 {
      item.content.expiration = now.advanced(by: .seconds(900))
    }
    if Int.random(in: 0..<4, using: &numbers) == 0 {
      item.content.trigger = makeTrigger(using: &numbers)
    }
    makeRepeat(&item, at: now, using: &numbers)
    makeEffect(&item, using: &numbers)
    let states: [UserActionState] = [.noInteraction, .activated, .dismissed, .snoozed(until: now)]
    if let state = states.randomElement(using: &numbers), state != .noInteraction {
      let author = Author(kind: .device, id: "d2", name: "laptop")
      let occurrence = item.content.trigger == nil ? nil : makeOccurrence(using: &numbers)
      item.state.userActionState = item.state.userActionState.setting(
        state,
        change: RegisterChange(
          at: now, by: author, operation: operationID(8000), occurrence: occurrence))
    }
    return item
  }

  @Test(
    "the overlay of a rule shows what the store makes of it",
    arguments: CacheKind.allCases, 1...12 as ClosedRange<UInt64>)
  func rule(_ kind: CacheKind, seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let fixture = try CacheFixture(kind)
    let items = (1...40 as ClosedRange<Int64>).map { item($0, using: &numbers) }
    try fixture.pull(items.map { .item($0) }, now: now)
    let before = try items.map { try fixture.reader.item($0.id)?.notification.state.registers }
    let operation = makeApplication(1, through: 36, at: now, using: &numbers)
    _ = try fixture.storage.enqueue([operation], now: now, sealAfter: nil)
    _ = try finishOverlay(fixture)
    let author = Author(kind: .device, id: "d1", name: "phone")
    for item in items {
      var expected = item
      if operation.means(item, at: now, on: .utc),
        case .applied(let after) = operation.apply(to: item, by: author, at: now, on: .utc)
      {
        expected = after
      }
      if let label = expected.latestLabel(through: now, on: .utc) {
        expected.state.registers = expected.state.registers.counting(for: label)
      }
      let shown = try #require(try fixture.reader.item(item.id)).notification
      #expect(
        shown.state.registers.haveSameValues(as: expected.state.registers),
        "seed \(seed), item \(item.shortNumber)")
      #expect(
        shown.state.isSet(by: operation.id) == expected.state.isSet(by: operation.id),
        "seed \(seed), item \(item.shortNumber)")
    }
    _ = try fixture.storage.enqueue([undo(2, of: 1)], now: now, sealAfter: nil)
    _ = try finishOverlay(fixture)
    for (item, registers) in zip(items, before) {
      let shown = try #require(try fixture.reader.item(item.id)).notification.state.registers
      let earlier = try #require(registers)
      #expect(
        shown.haveSameValues(as: earlier), "seed \(seed), item \(item.shortNumber)")
    }
  }

  @Test("an interrupted overlay continues where it stopped", arguments: CacheKind.allCases)
  func resumed(_ kind: CacheKind) throws {
    let fixture = try fixture(kind, 60)
    _ = try fixture.storage.enqueue(
      [dismissal(1, app: "nas", through: 60)], now: now, sealAfter: nil)
    _ = try fixture.storage.overlayBulk(limit: 1, now: now)
    if kind == .sqlite {
      let again = try SQLiteCache(path: fixture.path, identity: CacheFixture.identity())
      #expect(try again.syncState().needsOverlay)
    }
    // Another operation meanwhile starts from the top again, and both complete.
    _ = try fixture.storage.enqueue(
      [dismissal(2, app: "ci", through: 30)], now: now, sealAfter: nil)
    _ = try finishOverlay(fixture, limit: 5)
    #expect(try fixture.reader.totals().tray.count == 20)
  }
}
