import BellhopCache
import BellhopModel
import Testing

/// An older data directory restored while the store was down (SYNC-4).
///
/// Tokens from before it may still be valid, while base is ahead of them.
@Suite struct LostPastTests {
  private let now = CacheFixture.start

  /// The first delta after the store was started again.
  private func firstDelta(
    _ cache: CacheFixture, valid: Int64, _ changes: [Change], end: ChangeChunk.End? = nil
  ) throws -> ApplyOutcome {
    let state = try cache.storage.syncState()
    return try cache.storage.apply(
      ChangeChunk(
        request: .delta(since: try #require(state.token)), generation: state.generation,
        changes: changes, end: end, validThrough: SequenceNumber(valid)), now: now)
  }

  /// Applies part of a pull, as if the process were killed after it: the token stays.
  private func pullHalf(_ cache: CacheFixture, _ changes: [Change]) throws {
    _ = try cache.storage.apply(
      ChangeChunk(
        request: .delta(since: try #require(try cache.storage.syncState().token)), generation: 1,
        changes: changes, end: nil), now: now)
  }

  @Test(
    "base with rows of a history that the store lost is rebuilt",
    arguments: CacheKind.allCases)
  func rowsAhead(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    try pullHalf(cache, [.item(makeItem(1, "lost", sequence: 5))])
    let before = try cache.storage.syncState()
    let outcome = try firstDelta(cache, valid: 3, [.item(makeItem(2, "new", sequence: 4))])
    #expect(outcome.holdsLostPast)
    #expect(!outcome.isCurrent)
    #expect(try cache.storage.syncState() == before)
    #expect(try cache.titles(.tray) == ["item 2", "lost"], "until then it shows what it has")
    #expect(try cache.storage.beginRebuild(epoch: nil).appliedThrough == .zero)
  }

  @Test(
    "base whose delta omitted later changes of that history is rebuilt",
    arguments: CacheKind.allCases)
  func leftOut(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    // A page of a delta that ends before the row of an item that has moved on.
    let state = try cache.storage.syncState()
    _ = try cache.storage.apply(
      ChangeChunk(
        request: .delta(since: try #require(state.token)), generation: 1,
        changes: [.item(makeItem(3))],
        end: .delta(DeltaToken("t3"), at: SequenceNumber(3), isCaughtUp: false),
        readAt: SequenceNumber(6)), now: now)
    #expect(try cache.storage.syncState().appliedThrough == SequenceNumber(6))
    #expect(try firstDelta(cache, valid: 5, []).holdsLostPast)
    #expect(try !firstDelta(cache, valid: 6, []).holdsLostPast)
  }

  @Test("base from which that history removed an item is rebuilt", arguments: CacheKind.allCases)
  func removalsAhead(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    try pullHalf(cache, [.removed(itemID(1), sequence: SequenceNumber(5))])
    #expect(try firstDelta(cache, valid: 4, []).holdsLostPast)
  }

  @Test("an ordinary start of the store rebuilds nothing", arguments: CacheKind.allCases)
  func ordinaryStart(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    try pullHalf(cache, [.item(makeItem(1, "later", sequence: 5))])
    let outcome = try firstDelta(
      cache, valid: 5, [.item(makeItem(2, "new", sequence: 6))],
      end: .delta(DeltaToken("t6"), at: SequenceNumber(6), isCaughtUp: true))
    #expect(outcome.isCurrent)
    #expect(!outcome.holdsLostPast)
    #expect(try cache.titles(.tray) == ["new", "later"])
    #expect(try cache.storage.syncState().token == DeltaToken("t6"))
    #expect(try cache.storage.syncState().appliedThrough == SequenceNumber(6))
  }

  @Test("answers that are ahead of a counter are found", arguments: CacheKind.allCases)
  func laterAnswers(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    _ = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 1)], now: now, sealAfter: nil)
    #expect(try !cache.storage.hasAnswers(after: .zero))
    let answer = OperationAnswer(id: operationID(1), result: .applied)
    _ = try cache.storage.acknowledge([answer], sequence: SequenceNumber(9), now: now)
    #expect(try cache.storage.hasAnswers(after: SequenceNumber(8)))
    #expect(try !cache.storage.hasAnswers(after: SequenceNumber(9)))
  }

  @Test("an answer in several chunks reports it in the first")
  func chunks() {
    let chunks = ChangeChunk.chunks(
      of: [.item(makeItem(1)), .item(makeItem(2)), .item(makeItem(3))], request: .page(nil),
      generation: 1,
      end: .page(next: nil, start: CacheFixture.token, startSequence: .zero),
      validThrough: SequenceNumber(1), atMost: 2)
    #expect(chunks.map(\.validThrough) == [SequenceNumber(1), nil])
  }
}
