import BellhopCache
import BellhopModel
import Testing

@Suite("Base follows the store")
struct BaseRulesTests {
  @Test(
    "a first synchronisation shows its first page and announces nothing",
    arguments: CacheKind.allCases)
  func firstPage(kind: CacheKind) throws {
    let cache = try CacheFixture(kind, isSynced: false)
    let outcome = try cache.storage.apply(
      ChangeChunk(
        request: .page(nil), generation: 1, changes: [.item(makeItem(2)), .item(makeItem(1))],
        end: .page(
          next: PageCursor("p2"), start: DeltaToken("t2"), startSequence: SequenceNumber(2))),
      now: CacheFixture.start)
    #expect(outcome.changed.count == 2)
    #expect(outcome.arrivals.isEmpty)
    #expect(try cache.titles(.tray) == ["item 2", "item 1"])
    let state = try cache.storage.syncState()
    #expect(state.token == DeltaToken("t2"))
    #expect(state.firstSync?.nextPage == PageCursor("p2"))
  }

  @Test("a late page does not restore what the delta removed", arguments: CacheKind.allCases)
  func latePage(kind: CacheKind) throws {
    let cache = try CacheFixture(kind, isSynced: false)
    _ = try cache.storage.apply(
      ChangeChunk(
        request: .page(nil), generation: 1, changes: [],
        end: .page(next: PageCursor("p"), start: DeltaToken("t0"), startSequence: .zero)),
      now: CacheFixture.start)
    try cache.pull([.removed(itemID(7), sequence: SequenceNumber(9))])
    _ = try cache.storage.apply(
      ChangeChunk(
        request: .page(PageCursor("p")), generation: 1, changes: [.item(makeItem(7))],
        end: .page(next: nil, start: DeltaToken("other"), startSequence: .zero)),
      now: CacheFixture.start)
    #expect(try cache.reader.item(itemID(7)) == nil)
    let state = try cache.storage.syncState()
    #expect(state.token == DeltaToken("t0"), "the whole delta since the start is pulled again")
    #expect(state.firstSync?.pagesAreIn == true)
    #expect(try cache.pull([.removed(itemID(7), sequence: SequenceNumber(9))]).endedFirstSync)
    #expect(try cache.storage.syncState().firstSync == nil)
  }

  @Test("a pull that is no longer wanted changes nothing", arguments: CacheKind.allCases)
  func staleChunk(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    let before = try cache.storage.syncState()
    for chunk in [
      ChangeChunk(
        request: .delta(since: DeltaToken("old")), generation: 1,
        changes: [.item(makeItem(2))], end: nil),
      ChangeChunk(
        request: .delta(since: try #require(before.token)), generation: 2,
        changes: [.item(makeItem(2))], end: nil),
      ChangeChunk(
        request: .page(nil), generation: 1, changes: [.item(makeItem(2))], end: nil),
    ] {
      #expect(try !cache.storage.apply(chunk, now: CacheFixture.start).isCurrent)
    }
    #expect(try cache.storage.syncState() == before)
    #expect(try cache.titles(.history) == ["item 1"])
  }

  @Test("rows may be ahead of the token, and older rows never win", arguments: CacheKind.allCases)
  func olderRows(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1, "first", sequence: 1))])
    let token = try #require(try cache.storage.syncState().token)
    _ = try cache.storage.apply(
      ChangeChunk(
        request: .delta(since: token), generation: 1,
        changes: [.item(makeItem(1, "third", sequence: 3))], end: nil), now: CacheFixture.start)
    #expect(try cache.storage.syncState().token == token)
    try cache.pull([.item(makeItem(1, "second", sequence: 2))], at: 2)
    #expect(try cache.titles(.tray) == ["third"])
    try cache.pull([.state(itemID(5), makeItem(5, sequence: 9).state)])
    #expect(try cache.reader.item(itemID(5)) == nil, "a state alone makes no item")
  }

  @Test("an item handled elsewhere leaves the tray", arguments: CacheKind.allCases)
  func handledElsewhere(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let item = makeItem(1)
    #expect(try cache.pull([.item(item)]).arrivals.map(\.placement) == [.tray])
    var state = item.state
    state.sequence = SequenceNumber(2)
    state.userActionState = state.userActionState.setting(
      .dismissed,
      change: RegisterChange(
        at: CacheFixture.start, by: Author(kind: .device, id: "d", name: "work-laptop"),
        operation: operationID(1)))
    #expect(try cache.pull([.state(item.id, state)]).arrivals.isEmpty)
    #expect(try cache.titles(.tray) == [])
    let row = try #require(try cache.reader.rows(of: .handled, .first, limit: 1).first)
    #expect(row.registers.userActionState.change?.by.name == "work-laptop")
    #expect(try cache.reader.totals().handled == ItemCount(count: 1, unread: 1))
    #expect(try cache.reader.totals().tray == ItemCount())
  }

  @Test(
    "an item that resurfaces moves and rings; an update in place does neither",
    arguments: CacheKind.allCases)
  func resurfacing(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let first = makeItem(1)
    try cache.pull([.item(first), .item(makeItem(2))])
    let inPlace = try cache.pull([
      .item(makeItem(1, "new text", sequence: 3, arrival: first.arrival))
    ])
    #expect(inPlace.arrivals.isEmpty)
    #expect(try cache.titles(.tray) == ["item 2", "new text"])
    let later = CacheFixture.start.advanced(by: .seconds(3600))
    let moved = try cache.pull([.item(makeItem(1, "on top", sequence: 4, arrival: later))])
    #expect(moved.arrivals.map(\.id) == [itemID(1)])
    #expect(try cache.titles(.tray) == ["on top", "item 2"])
  }

  @Test(
    "a rebuild shows the old rows until the new ones are complete", arguments: CacheKind.allCases)
  func rebuild(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2)), .item(makeItem(3))])
    _ = try cache.storage.claimTrayAnnouncements(limit: 10)
    _ = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 2), makeOperation(2, .read, on: 3)],
      now: CacheFixture.start, sealAfter: nil)
    let state = try cache.storage.beginRebuild(epoch: Epoch("second life"))
    #expect(state.generation == 2)
    #expect(state.token == nil)
    #expect(try cache.titles(.tray) == ["item 3", "item 1"])
    // The new epoch counts from the start again and has lost item 3.
    try cache.endFirstSync([
      makeItem(2, sequence: 1), makeItem(1, sequence: 1), makeItem(4, sequence: 1),
    ])
    #expect(try cache.storage.syncState().needsSweep)
    #expect(try cache.titles(.tray) == ["item 4", "item 3", "item 1"])
    var removed: [NotificationID] = []
    while try cache.storage.syncState().needsSweep {
      removed += try cache.storage.sweepOldGenerations(limit: 2, now: CacheFixture.start).removed
    }
    #expect(removed == [itemID(3)])
    #expect(try cache.titles(.tray) == ["item 4", "item 1"])
    #expect(try cache.storage.sealedBatch(limit: 9).operations.map(\.number) == [1, 2])
    #expect(
      try cache.storage.claimTrayAnnouncements(limit: 10).map(\.id) == [itemID(4)],
      "only what was not there before may ring")
  }

  @Test("items change placement when due, in bounded steps", arguments: CacheKind.allCases)
  func moveDueItems(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let start = CacheFixture.start
    func at(_ minutes: Int64) -> Timestamp { start.advanced(by: .seconds(minutes * 60)) }
    try cache.pull([
      .item(makeItem(1, arrival: start) { $0.content.expiration = at(30) }),
      .item(makeItem(2, arrival: start) { $0.content.displayTimeToLive = .seconds(1200) }),
      .item(makeItem(3, arrival: at(10)) { $0.content.deliverAt = at(10) }),
      .item(
        makeItem(4, arrival: start) {
          $0.state.userActionState = Register(.snoozed(until: at(15)))
        }),
    ])
    #expect(try cache.titles(.later) == ["item 3", "item 4"])
    #expect(try cache.reader.nextDue() == at(10))
    _ = try cache.storage.claimTrayAnnouncements(limit: 10)
    let first = try cache.storage.moveDueItems(now: at(15), limit: 1)
    #expect(first.changed == [itemID(3)])
    #expect(first.arrivals.map(\.id) == [itemID(3)], "a scheduled item rings when delivered")
    #expect(first.nextDue == at(15))
    let second = try cache.storage.moveDueItems(now: at(15), limit: 10)
    #expect(second.changed == [itemID(4)])
    #expect(try cache.titles(.tray) == ["item 3", "item 4", "item 2", "item 1"])
    #expect(try cache.storage.moveDueItems(now: at(40), limit: 10).nextDue == nil)
    #expect(try cache.titles(.tray) == ["item 3", "item 4"])
    #expect(try cache.titles(.handled) == ["item 2"])
    #expect(try cache.reader.totals().count(of: .history)?.count == 3)
  }

  @Test("each content is announced once, even when claimed twice", arguments: CacheKind.allCases)
  func announcements(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let arrivals = try cache.pull([.item(makeItem(1)), .item(makeItem(2))]).arrivals
    #expect(try cache.storage.claimAnnouncements([arrivals[0]]) == [arrivals[0]])
    #expect(try cache.storage.claimAnnouncements(arrivals) == [arrivals[1]])
    #expect(try cache.storage.claimTrayAnnouncements(limit: 5) == [])
  }

  @Test(
    "a group's new newest item is found when the old one leaves the tray",
    arguments: CacheKind.allCases)
  func groups(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([
      .item(makeItem(1, group: "main")), .item(makeItem(2, group: "main")),
      .item(makeItem(3, app: "nas")),
    ])
    _ = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 2)], now: CacheFixture.start, sealAfter: nil)
    let groups = try cache.reader.trayGroups(limit: 10)
    #expect(groups.map(\.app) == ["nas", "ci"])
    #expect(groups.map(\.group) == [nil, "main"])
    #expect(groups[1].newest == (try cache.reader.row(itemID(1)))?.key)
    #expect(groups[1].tray == ItemCount(count: 1, unread: 1))
  }

  @Test(
    "an item is found by its number, its id and the start of its id", arguments: CacheKind.allCases)
  func lookUp(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    func find(_ text: String) throws -> ItemLookup {
      try cache.reader.lookUp(try #require(ItemReference(text)))
    }
    guard case .found(let item) = try find("#2") else {
      Issue.record("not found")
      return
    }
    #expect(item.id == itemID(2))
    #expect(try find(itemID(2).description) == .found(item))
    #expect(try find(String(itemID(2).description.prefix(13)).uppercased()) == .found(item))
    #expect(try find("#99") == .notFound)
    guard case .ambiguous(let ids) = try find("0198") else {
      Issue.record("one of two was chosen")
      return
    }
    #expect(Set(ids) == [itemID(1), itemID(2)])
    #expect(ItemReference("no such thing") == nil)
    _ = try cache.storage.enqueue(
      [makeOperation(1, .delete, on: 2)], now: CacheFixture.start, sealAfter: .seconds(5))
    #expect(try find("#2") == .notFound)
  }
}
