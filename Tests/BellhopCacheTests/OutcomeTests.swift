import BellhopCache
import BellhopModel
import Testing

@Suite("Rejected operations are kept, and reported after a restart")
struct OutcomeTests {
  private let now = CacheFixture.start

  private func answer(_ number: Int64, _ result: OperationResult) -> OperationAnswer {
    OperationAnswer(id: operationID(number), result: result)
  }

  private func outbox(_ cache: CacheFixture) throws -> any OutboxReading {
    switch cache.kind {
    case .memory: try #require(cache.storage as? MemoryCache)
    case .sqlite: try CacheReader(path: cache.path, account: CacheFixture.account)
    }
  }

  @Test("each rejected operation is kept with its times", arguments: CacheKind.allCases)
  func kept(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull((1...7).map { .item(makeItem($0)) })
    let latest = now.advanced(by: .seconds(3600))
    let results: [OperationResult] = [
      .superseded, .gone, .refused(latest: latest), .unacceptable(.invalid), .outcomeUnknown,
      .notPublished("not allowed"), .applied,
    ]
    for number in 1...7 as ClosedRange<Int64> {
      _ = try cache.storage.enqueue(
        [makeOperation(number, .dismiss, on: number, seen: number)],
        now: now.advanced(by: .seconds(number)), sealAfter: nil)
    }
    let later = now.advanced(by: .seconds(60))
    _ = try cache.storage.acknowledge(
      zip(1..., results).map { answer($0, $1) }, sequence: SequenceNumber(9), now: later)
    let outcomes = try outbox(cache).outcomes(of: nil, limit: 10)
    #expect(outcomes.map(\.result) == results.dropLast().reversed())
    #expect(outcomes.map(\.number) == [6, 5, 4, 3, 2, 1])
    #expect(outcomes.map(\.decidedAt) == Array(repeating: later, count: 6))
    #expect(outcomes.last?.madeAt == now.advanced(by: .seconds(1)))
    #expect(outcomes.last?.operation == makeOperation(1, .dismiss, on: 1, seen: 1))
    #expect(try outbox(cache).newestOutcome() == outcomes.first?.position)
    #expect(try outbox(cache).outcomes(of: itemID(3), limit: 10) == [outcomes[3]])
    #expect(try outbox(cache).outcomes(of: itemID(7), limit: 10) == [])
  }

  @Test(
    "a delete of an item that is gone counts as applied, and is not reported",
    arguments: CacheKind.allCases)
  func deleted(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    _ = try cache.storage.enqueue(
      [makeOperation(1, .delete, on: 1)], now: now, sealAfter: nil)
    _ = try cache.storage.acknowledge(
      [answer(1, .gone)], sequence: SequenceNumber(2), now: now)
    #expect(try outbox(cache).outcomes(of: nil, limit: 10) == [])
  }

  @Test(
    "a result counts as shown only once marked: after a kill the next process shows it (SYNC-9)",
    arguments: CacheKind.allCases)
  func unreportedRejections(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull((1...2).map { .item(makeItem($0)) })
    for number in 1...2 as ClosedRange<Int64> {
      _ = try cache.storage.enqueue(
        [makeOperation(number, .dismiss, on: number, seen: 0)], now: now, sealAfter: nil)
    }
    let rejected = try cache.storage.acknowledge(
      [answer(1, .superseded), answer(2, .gone)], sequence: SequenceNumber(9), now: now
    ).rejected
    // The state that the next process finds: this one has reported nothing.
    let next = try reopened(cache)
    #expect(try next.unreportedRejections() == rejected)
    try next.markReported([operationID(1), operationID(7)])
    #expect(try reopened(cache).unreportedRejections() == [rejected[1]])
    try next.markReported([operationID(2)])
    #expect(try reopened(cache).unreportedRejections() == [])
    // It stays for users who want to read it again.
    let outcomes = try outbox(cache).outcomes(of: nil, limit: 10)
    #expect(outcomes.map(\.isReported) == [true, true])
    #expect(outcomes.map(\.result) == [.gone, .superseded])
  }

  private func reopened(_ cache: CacheFixture) throws -> any CacheStorage {
    switch cache.kind {
    case .memory: cache.storage
    case .sqlite: try SQLiteCache(path: cache.path, identity: CacheFixture.identity())
    }
  }

  @Test("a rebuild of base keeps all of them", arguments: CacheKind.allCases)
  func rebuilt(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    _ = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 1, seen: 0)], now: now, sealAfter: nil)
    _ = try cache.storage.acknowledge(
      [answer(1, .superseded)], sequence: SequenceNumber(2), now: now)
    _ = try cache.storage.beginRebuild(epoch: nil)
    #expect(try outbox(cache).outcomes(of: nil, limit: 10).map(\.result) == [.superseded])
  }

  private func refuse(_ numbers: ClosedRange<Int64>, _ cache: CacheFixture) throws {
    for number in numbers {
      _ = try cache.storage.enqueue(
        [makeOperation(number, .dismiss, on: 1, seen: 0)], now: now, sealAfter: nil)
      _ = try cache.storage.acknowledge(
        [answer(number, .superseded)], sequence: SequenceNumber(2), now: now)
    }
  }

  @Test("results that have not been shown stay, however many", arguments: CacheKind.allCases)
  func unreportedStay(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    try refuse(1...210, cache)
    #expect(try cache.storage.unreportedRejections().count == 210)
    try cache.storage.markReported([operationID(3)])
    try refuse(211...211, cache)
    let left = try outbox(cache).outcomes(of: nil, limit: 1000).map(\.operation.id)
    #expect(left == (1...211).filter { $0 != 3 }.reversed().map(operationID))
  }

  @Test(
    "the number of shown results is bounded, and the oldest go first", arguments: CacheKind.allCases
  )
  func bounded(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    for number in 1...210 as ClosedRange<Int64> {
      try refuse(number...number, cache)
      try cache.storage.markReported([operationID(number)])
    }
    let outcomes = try outbox(cache).outcomes(of: nil, limit: 1000)
    #expect(outcomes.count == 200)
    #expect(outcomes.first?.operation.id == operationID(210))
    #expect(outcomes.last?.operation.id == operationID(11))
  }

  @Test(
    "the outbox is listed in order, with the state of each operation", arguments: CacheKind.allCases
  )
  func waiting(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull((1...3).map { .item(makeItem($0)) })
    _ = try cache.storage.enqueue(
      [makeOperation(1, .delete, on: 1)], now: now, sealAfter: .seconds(5))
    _ = try cache.storage.enqueue(
      [makeOperation(2, .dismiss, on: 2), makeOperation(3, .read, on: 3)], now: now,
      sealAfter: nil)
    _ = try cache.storage.acknowledge(
      [answer(2, .applied)], sequence: SequenceNumber(9), now: now)
    let waiting = try outbox(cache).waitingOperations(limit: 10)
    #expect(waiting.map(\.id) == [operationID(1), operationID(2), operationID(3)])
    #expect(
      waiting.map(\.stage) == [.held(until: now.advanced(by: .seconds(5))), .answered, .unsent])
    #expect(try outbox(cache).waitingOperations(limit: 1).count == 1)
  }
}
