import BellhopModel
import BellhopNetwork
import BellhopTestSupport
import BellhopWire
import Testing

@testable import BellhopSync

/// Wake-ups of the core: waking it without any work would keep a processor busy for ever.
@Suite("Waking the core")
struct CoreRestTests {
  private static let start = Timestamp(seconds: 1_800_000_000)
  private static let troubles: [TransportError] = [
    .offline(.noRoute(.socket(path: "/store.sock"))), .timedOut, .resyncRequired,
    .throttled(retryAfter: .seconds(7)),
    .server(status: 500, message: "…"), .server(status: 400, message: "…"), .unknownDevice,
    .outboxDiverged, .outOfOrder(expected: 4), .badAnswer("…"), .cache("full"), .cancelled,
  ]

  @Test("after a full disk prevented a rebuild, the store is asked again at the next retry")
  func fullAtRebuild() throws {
    var core = EngineCore(policy: EnginePolicy(), random: { 0.5 })
    func at(_ seconds: Int64, _ event: EngineCore.Event) -> [EngineCore.Action] {
      core.handle(event, at: .seconds(seconds), now: Self.start.advanced(by: .seconds(seconds)))
    }
    _ = at(0, .started(LocalSummary(), .whole))
    _ = at(0, .registered)
    _ = at(0, .signal(.opened))
    func pulled(_ stage: EngineCore.BaseStage) -> EngineCore.Event {
      .pulled(
        EngineCore.PullSummary(
          applied: 3, through: SequenceNumber(5), isComplete: true, stage: stage,
          local: LocalSummary()))
    }
    // The next poll is far away.
    _ = at(0, pulled(.whole))
    #expect(at(5, .resumed).contains(.pullChanges))
    #expect(at(5, .pullFailed(.resyncRequired)) == [.rebuildBase])
    let again = at(5, .baseRebuilt(LocalSummary())) + at(6, .woke)
    #expect(again.contains(.pullFirstSync))
    let last = at(6, pulled(.closing)) + at(7, .woke)
    #expect(last.contains(.pullChanges))
    // The pull is complete, and yet base is not whole.
    _ = at(7, pulled(.closing)) + at(8, .woke)
    #expect(at(8, .pullFailed(.resyncRequired)) == [.rebuildBase])
    #expect(at(8, .cacheFailed("full")).isEmpty)
    let wake = try #require(core.wakeAt(at: .seconds(8), now: Self.start.advanced(by: .seconds(8))))
    #expect(wake > .seconds(8))
    #expect(core.handle(.woke, at: wake, now: Self.start.advanced(by: wake)).contains(.pullChanges))
  }

  @Test("a wake-up has work to do, or a later time for the next one", arguments: 1...300)
  func rests(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let policy: EnginePolicy = Bool.random(using: &random) ? EnginePolicy() : .polling
    var core = EngineCore(policy: policy, random: { 0.5 })
    var time = Duration.zero
    var asked: [EngineCore.Action] = []
    var now: Timestamp { Self.start.advanced(by: time) }
    func step(_ event: EngineCore.Event) -> Bool {
      let actions = core.handle(event, at: time, now: now)
      asked += actions
      return !actions.isEmpty
    }
    _ = step(.started(LocalSummary(), .paging))
    for number in 0..<200 {
      for _ in 0..<20 {
        guard let wake = core.wakeAt(at: time, now: now), wake <= time else { break }
        guard step(.woke) || (core.wakeAt(at: time, now: now) ?? .seconds(1 << 40)) > time else {
          Issue.record("seed \(seed), event \(number): wakes for nothing, \(core)")
          return
        }
      }
      let next = asked.indices.randomElement(using: &random).map { asked.remove(at: $0) }
      _ = step(next.flatMap { answer(to: $0, now, &random) } ?? other(number, &random))
      time += .milliseconds(Int64.random(in: 0...1, using: &random) * Int64(number * 211 % 20_011))
    }
  }

  private func local(_ now: Timestamp, _ random: inout SeededRandom) -> LocalSummary {
    let waiting = Int.random(in: 0...3, using: &random)
    let soon = now.advanced(by: .seconds(Int64.random(in: 1...9, using: &random)))
    return LocalSummary(
      waiting: waiting, ready: Int.random(in: 0...waiting, using: &random),
      nextSeal: Bool.random(using: &random) ? soon : nil,
      nextDue: Bool.random(using: &random) ? soon : nil)
  }

  /// The result of an action; nil if it has none.
  private func answer(
    to action: EngineCore.Action, _ now: Timestamp, _ random: inout SeededRandom
  ) -> EngineCore.Event? {
    let local = local(now, &random)
    let trouble =
      Int.random(in: 0..<4, using: &random) == 0 ? Self.troubles.randomElement(using: &random) : nil
    let failure = trouble.map { _ in EngineCore.failure(of: action, "full") }
    switch action {
    case .register: return trouble.map { .registrationFailed($0) } ?? .registered
    case .pullFirstSync, .pullChanges, .takeEnclosed:
      if let trouble { return .pullFailed(trouble) }
      let stages: [EngineCore.BaseStage] = [.paging, .closing, .whole, .whole]
      return .pulled(
        EngineCore.PullSummary(
          applied: Int.random(in: 0...9, using: &random), through: SequenceNumber(9),
          isComplete: Bool.random(using: &random),
          stage: stages.randomElement(using: &random) ?? .whole, local: local))
    case .send: return trouble.map { .sendFailed($0) } ?? .sent(local)
    case .settle, .refuseFirst: return failure ?? .settled(local)
    case .rebuildBase: return failure ?? .baseRebuilt(local)
    case .renumber, .startNewLineage: return failure ?? .renumbered(local)
    case .openSignals: return trouble.map { .signalsEnded($0) } ?? .signal(.opened)
    case .closeSignals, .roundEnded: return nil
    }
  }

  private func other(_ number: Int, _ random: inout SeededRandom) -> EngineCore.Event {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .signal(.changed(Epoch("e"), SequenceNumber(Int64(number))))
    case 1: .signal(.heartbeat)
    case 2: .signalsEnded(nil)
    case 3: .resumed
    case 4: .syncRequested
    default: .settled(local(Self.start, &random))
    }
  }
}
