import BellhopCache
import BellhopModel
import Testing

@testable import BellhopSync

/// Changes enclosed in a signal, and when they replace a pull.
@Suite("Changes enclosed in a signal")
struct EnclosedChangesTests {
  private typealias Bench = EngineCoreTests.Bench

  /// The changes from one sequence to another, as the store sends them.
  private static func delta(_ first: Int64, _ last: Int64, changes: Int = 1) -> EnclosedDelta {
    EnclosedDelta(
      since: DeltaToken("at \(first)"),
      answer: PullAnswer(
        changes: (0..<changes).map { _ in
          .removed(
            NotificationID(high: 0, low: UInt64(last)), sequence: SequenceNumber(last))
        },
        end: .delta(DeltaToken("at \(last)"), at: SequenceNumber(last), isCaughtUp: true),
        epoch: Epoch("e"), readAt: SequenceNumber(last)))
  }

  private static func signal(_ sequence: Int64, _ enclosed: EnclosedDelta?) -> EngineCore.Event {
    .signal(.changed(Epoch("e"), SequenceNumber(sequence), enclosed))
  }

  @Test("enclosed changes are applied at once, without a request, and no pull follows")
  func taken() {
    let bench = Bench()
    bench.live()
    let delta = Self.delta(5, 6)
    #expect(bench.at(10, Self.signal(6, delta)) == [.takeEnclosed(delta)])
    #expect(bench.at(10, .pulled(Bench.pulled(1, through: 6))).isEmpty)
    #expect(bench.at(10.5, Self.signal(6, delta)).isEmpty, "a signal that comes twice")
    #expect(bench.wake.map { $0 > 60 } == true)
  }

  @Test("a newer signal without changes triggers a pull, because the enclosed ones are incomplete")
  func outdated() {
    let bench = Bench()
    bench.live()
    _ = bench.at(10, Self.signal(6, Self.delta(5, 6)))
    _ = bench.at(10, .pulled(Bench.pulled(1, through: 6)))
    #expect(bench.at(10.01, Self.signal(7, Self.delta(6, 7))).isEmpty, "pulls keep their distance")
    #expect(bench.at(10.02, Self.signal(8, nil)).isEmpty)
    #expect(bench.at(10.1, .woke) == [.pullChanges])
  }

  @Test("changes that arrive while others are held back continue them, and both are applied as one")
  func joined() throws {
    let bench = Bench()
    bench.live()
    _ = bench.at(10, Self.signal(6, Self.delta(5, 6)))
    _ = bench.at(10, .pulled(Bench.pulled(1, through: 6)))
    _ = bench.at(10.01, Self.signal(7, Self.delta(6, 7)))
    _ = bench.at(10.02, Self.signal(9, Self.delta(7, 9)))
    let actions = bench.at(10.1, .woke)
    guard case .takeEnclosed(let taken)? = actions.first else {
      Issue.record("\(actions)")
      return
    }
    #expect(taken.since == DeltaToken("at 6"))
    #expect(taken.answer.changes.map(\.sequence) == [7, 9].map { SequenceNumber($0) })
    #expect(
      taken.answer.end
        == .delta(DeltaToken("at 9"), at: SequenceNumber(9), isCaughtUp: true))
  }

  @Test("an item in both is one row in its last state, so one handled meanwhile does not ring")
  func joinedItem() {
    let time = Bench.start
    let sequence = SequenceNumber(6)
    var item = UserNotification(
      id: NotificationID(high: 0, low: 1), shortNumber: 1, created: time, arrival: time,
      content: Content(app: "ci", visual: VisualContent(title: "red")),
      state: ItemState(sequence: sequence, contentSequence: sequence, changed: time))
    var published = Self.delta(5, 6)
    published.answer.changes = [.item(item)]
    var handled = Self.delta(6, 7)
    item.state.sequence = SequenceNumber(7)
    item.state.readState = Register(.read)
    handled.answer.changes = [.state(item.id, item.state)]
    #expect(published.followed(by: handled)?.answer.changes == [.item(item)])
    var deleted = Self.delta(7, 8)
    deleted.answer.changes = [.removed(item.id, sequence: SequenceNumber(8))]
    let all = published.followed(by: handled)?.followed(by: deleted)
    #expect(all?.answer.changes == deleted.answer.changes)
  }

  @Test("they do not delay the next poll, which brings the store's time and what was lost")
  func safetyPoll() {
    let bench = Bench()
    bench.live()
    var pulls = 0
    for second in 10...400 where pulls == 0 {
      let last = Int64(second)
      let actions = bench.at(Double(second), Self.signal(last, Self.delta(last - 1, last)))
      pulls += actions.filter { $0 == .pullChanges }.count
      _ = bench.at(Double(second), .pulled(Bench.pulled(1, through: last)))
    }
    #expect(pulls == 1)
    #expect(bench.time < EnginePolicy().safetyPoll * 1.1)
  }

  @Test(
    "changes that do not continue the previous ones, or exceed the limit with them, replace them")
  func replaced() {
    let first = Self.delta(5, 6, changes: 200)
    #expect(first.followed(by: Self.delta(7, 8)) == nil)
    #expect(first.followed(by: Self.delta(6, 7, changes: 51)) == nil)
    #expect(first.followed(by: Self.delta(6, 7, changes: 50))?.answer.changes.count == 250)
    var other = Self.delta(6, 7)
    other.answer.epoch = Epoch("another life")
    #expect(first.followed(by: other) == nil)
  }

  @Test(
    "a pull requested for another reason is made, and asks for the current state",
    arguments: [EngineCore.Event.syncRequested, .resumed, .sent(LocalSummary())])
  func asked(event: EngineCore.Event) {
    let bench = Bench()
    bench.live()
    _ = bench.at(10, Self.signal(6, Self.delta(5, 6)))
    _ = bench.at(10, .pulled(Bench.pulled(1, through: 6)))
    _ = bench.at(10.01, Self.signal(7, Self.delta(6, 7)))
    let actions = bench.at(10.02, event) + bench.at(10.2, .woke)
    #expect(actions.contains(.pullChanges))
    #expect(!actions.contains { if case .takeEnclosed = $0 { true } else { false } })
  }

  @Test("a new channel starts empty, and changes that contradict their signal are not used")
  func distrusted() {
    let bench = Bench()
    bench.live()
    _ = bench.at(10, Self.signal(6, Self.delta(5, 6)))
    _ = bench.at(10, .pulled(Bench.pulled(1, through: 6)))
    _ = bench.at(10.01, Self.signal(7, Self.delta(6, 7)))
    _ = bench.at(10.02, .signal(.opened))
    #expect(bench.at(10.2, Self.signal(8, nil)) == [.pullChanges])
    _ = bench.at(10.3, .pulled(Bench.pulled(1, through: 8)))
    #expect(bench.at(20, Self.signal(10, Self.delta(8, 9))) == [.pullChanges])
  }

  @Test("enclosed changes need a base at their start; otherwise the store is asked for the rest")
  func steps() throws {
    let cache = MemoryCache(
      identity: CacheIdentity(
        account: AccountName("alice"), newLineage: { Lineage("first") }))
    let steps = CacheSteps(cache: cache, newLineage: { Lineage("later") }, announces: false)
    let now = Timestamp(seconds: 1_800_000_000)
    var news = CacheSteps.News()
    _ = try cache.apply(
      ChangeChunk(
        request: .page(nil), generation: 1, changes: [],
        end: .page(next: nil, start: DeltaToken("at 5"), startSequence: SequenceNumber(5))),
      now: now)
    _ = try cache.apply(
      ChangeChunk(
        request: .delta(since: DeltaToken("at 5")), generation: 1, changes: [],
        end: .delta(DeltaToken("at 6"), at: SequenceNumber(6), isCaughtUp: true)),
      now: now)
    let early = try steps.perform(.takeEnclosed(Self.delta(5, 7)), now: now, &news)
    #expect(early == .pull(.delta(since: DeltaToken("at 6")), generation: 1))
    let delta = Self.delta(6, 7)
    let step = try steps.perform(.takeEnclosed(delta), now: now, &news)
    #expect(
      step == .take(delta.answer, to: .delta(since: DeltaToken("at 6")), generation: 1))
    var told: [DeltaToken?] = []
    let event = try steps.take(
      delta.answer, to: .delta(since: delta.since), generation: 1, now: now, &news
    ) { _ in told.append(try? cache.syncState().token) }
    // The observer is called once, when the changes are in the cache.
    #expect(told == [DeltaToken("at 7")])
    guard case .pulled(let summary) = event else {
      Issue.record("\(event)")
      return
    }
    #expect(summary.isComplete)
    #expect(try cache.syncState().token == DeltaToken("at 7"))
  }
}
