import BellhopModel
import BellhopSync
import Synchronization
import Testing

@testable import BellhopCache

/// The engine's steps after a store was restarted with an older data directory.
@Suite struct LostPastStepsTests {
  private let now = Timestamp(seconds: 1_800_000_000)
  private let first = DeltaToken("t1")

  /// Steps over a cache at counter 1, which name lineages in turn.
  private func makeSteps() throws -> CacheSteps {
    let identity = CacheIdentity(account: AccountName("me")) { Lineage("first") }
    let cache = MemoryCache(identity: identity)
    let pages = ChangeChunk(
      request: .page(nil), generation: 1, changes: [],
      end: .page(next: nil, start: DeltaToken("t0"), startSequence: .zero))
    _ = try cache.apply(pages, now: now)
    let delta = ChangeChunk(
      request: .delta(since: DeltaToken("t0")), generation: 1, changes: [],
      end: .delta(first, at: SequenceNumber(1), isCaughtUp: true))
    _ = try cache.apply(delta, now: now)
    return CacheSteps(cache: cache, newLineage: { Lineage("second") }, announces: false)
  }

  private func answer(valid: Int64?) -> PullAnswer {
    PullAnswer(
      changes: [], end: .delta(DeltaToken("t2"), at: SequenceNumber(2), isCaughtUp: true),
      validThrough: valid.map { SequenceNumber($0) })
  }

  private func take(_ answer: PullAnswer, _ steps: CacheSteps) throws -> EngineCore.Event {
    var news = CacheSteps.News()
    var last = ApplyOutcome(isCurrent: true)
    for chunk in answer.chunks(for: .delta(since: first), generation: 1) where last.isCurrent {
      last = try steps.take(chunk, now: now, &news)
    }
    return try steps.finish(answer, applied: 0, last: last, now: now, &news)
  }

  @Test("base with changes that the store lost is rebuilt as after a 410")
  func rebuild() throws {
    let steps = try makeSteps()
    let half = ChangeChunk(
      request: .delta(since: first), generation: 1,
      changes: [.removed(NotificationID(high: 1, low: 1), sequence: SequenceNumber(7))], end: nil)
    var news = CacheSteps.News()
    _ = try steps.take(half, now: now, &news)
    #expect(try take(answer(valid: 6), steps) == .pullFailed(.resyncRequired))
    guard case .pulled = try take(answer(valid: 7), steps) else {
      Issue.record("7 is the store's past")
      return
    }
  }

  @Test("an interrupted first page starts again under a new generation")
  func brokenPage() throws {
    let identity = CacheIdentity(account: AccountName("me")) { Lineage("first") }
    let cache = MemoryCache(identity: identity)
    let steps = CacheSteps(cache: cache, newLineage: { Lineage("second") }, announces: false)
    var news = CacheSteps.News()
    let first = try steps.perform(.pullFirstSync, now: now, &news)
    #expect(first == .pull(.page(nil), generation: 1))
    let half = ChangeChunk(
      request: .page(nil), generation: 1,
      changes: [.removed(NotificationID(high: 1, low: 1), sequence: SequenceNumber(7))], end: nil)
    _ = try steps.take(half, now: now, &news)
    let second = try steps.perform(.pullFirstSync, now: now, &news)
    #expect(second == .pull(.page(nil), generation: 2))
    #expect(try cache.syncState().firstSync == FirstSync(isInitial: true))
  }

  @Test(
    "operations answered in a lost history are sent again, under another lineage",
    arguments: [(8, true), (9, false), (nil, false)] as [(Int64?, Bool)])
  func answers(valid: Int64?, isSentAgain: Bool) throws {
    let steps = try makeSteps()
    let operations = (1...2 as ClosedRange<UInt64>).map { number in
      Operation(
        id: OperationID(high: 1, low: number),
        target: .item(NotificationID(high: 1, low: number)), mutation: ItemCommand.read.mutation)
    }
    _ = try steps.cache.enqueue(operations, now: now, sealAfter: nil)
    let answered = OperationAnswer(id: operations[0].id, result: .applied)
    _ = try steps.cache.acknowledge([answered], sequence: SequenceNumber(9), now: now)
    _ = try take(answer(valid: valid), steps)
    let batch = try steps.cache.sealedBatch(limit: 9)
    let expected = isSentAgain ? operations : Array(operations.dropFirst())
    #expect(batch.operations.map(\.operation) == expected)
    // Also without such an answer, because one may be on its way.
    #expect(batch.lineage == Lineage(valid == nil ? "first" : "second"))
  }

  @Test(
    "an answer from before the store went back is ignored, and its operation sent again",
    arguments: [(9, true), (nil, false)] as [(Int64?, Bool)])
  func lateAnswer(valid: Int64?, isSentAgain: Bool) throws {
    let steps = try makeSteps()
    let operation = Operation(
      id: OperationID(high: 1, low: 1), target: .item(NotificationID(high: 1, low: 1)),
      mutation: ItemCommand.read.mutation)
    _ = try steps.cache.enqueue([operation], now: now, sealAfter: nil)
    let batch = try steps.cache.sealedBatch(limit: 9)
    _ = try take(answer(valid: valid), steps)
    var news = CacheSteps.News()
    let late = SendAnswer(results: [.applied], sequence: SequenceNumber(12))
    try steps.take(late, to: batch, now: now, &news)
    let counts = try steps.cache.outboxCounts()
    #expect(counts.waiting == (isSentAgain ? 1 : 0))
    #expect(counts.settling == (isSentAgain ? 0 : 1))
    let again = try steps.cache.sealedBatch(limit: 9)
    #expect(again.operations.map(\.operation) == (isSentAgain ? [operation] : []))
  }

  @Test(
    "a first page without a token has all answered operations sent again",
    arguments: [8, 9, 1_000_000_009] as [Int64])
  func firstPageVerifiesNothing(counter: Int64) throws {
    let identity = CacheIdentity(account: AccountName("me")) { Lineage("first") }
    let cache = MemoryCache(identity: identity)
    let lineages = Mutex(["second", "third"])
    let steps = CacheSteps(
      cache: cache, newLineage: { lineages.withLock { Lineage($0.removeFirst()) } },
      announces: false)
    let operation = Operation(
      id: OperationID(high: 1, low: 1), target: .item(NotificationID(high: 1, low: 1)),
      mutation: ItemCommand.read.mutation)
    _ = try cache.enqueue([operation], now: now, sealAfter: nil)
    let answered = OperationAnswer(id: operation.id, result: .applied)
    _ = try cache.acknowledge([answered], sequence: SequenceNumber(9), now: now)
    var news = CacheSteps.News()
    // Before any of its items is applied, and once for all of its chunks.
    for (isFirst, end) in [
      (true, nil),
      (false, .page(next: nil, start: first, startSequence: SequenceNumber(counter))),
    ] as [(Bool, ChangeChunk.End?)] {
      let page = ChangeChunk(
        request: .page(nil), generation: 1, changes: [], isFirst: isFirst, end: end,
        readAt: SequenceNumber(counter))
      _ = try steps.take(page, now: now, &news)
      #expect(try cache.outboxCounts().waiting == 1)
    }
    #expect(try cache.syncState().lineage == Lineage("second"))
  }
}
