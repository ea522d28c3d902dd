import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopWire
import Testing

@testable import BellhopSync

private let cut = NetworkError.closed(.socket(path: "/store.sock"))

/// Steps the core by hand; time is in seconds since the start.
@Suite struct EngineCoreTests {
  /// A core with a clock and constant jitter of one half.
  final class Bench {
    var core: EngineCore
    var time: Duration = .zero
    static let start = Timestamp(seconds: 1_800_000_000)

    init(_ policy: EnginePolicy = EnginePolicy()) {
      core = EngineCore(policy: policy, random: { 0.5 })
    }

    func at(
      _ seconds: Double, _ event: EngineCore.Event
    ) -> [EngineCore.Action] {
      time = .milliseconds(Int64(seconds * 1000))
      return core.handle(event, at: time, now: Self.start.advanced(by: time))
    }

    /// The core's next wake-up, in seconds.
    var wake: Double? {
      core.wakeAt(at: time, now: Self.start.advanced(by: time)).map {
        Double($0.milliseconds) / 1000
      }
    }

    func live() {
      _ = at(0, .started(LocalSummary(), .whole))
      _ = at(0, .registered)
      _ = at(0, .signal(.opened))
      _ = at(0, .signal(.changed(Epoch("e"), SequenceNumber(5))))
      _ = at(0, .pulled(Self.pulled()))
      _ = at(1, .woke)
      _ = at(1, .pulled(Self.pulled(through: 5)))
    }

    static func pulled(
      _ applied: Int = 0, through: Int64? = nil, isComplete: Bool = true,
      stage: EngineCore.BaseStage = .whole, local: LocalSummary = LocalSummary(),
      itemCount: Int? = nil
    ) -> EngineCore.PullSummary {
      EngineCore.PullSummary(
        applied: applied, through: through.map { SequenceNumber($0) }, isComplete: isComplete,
        stage: stage, local: local, itemCount: itemCount)
    }
  }

  @Test("starting registers, pulls and opens the signal channel at once")
  func starting() {
    let bench = Bench()
    let actions = bench.at(0, .started(LocalSummary(), .whole))
    #expect(actions == [.register(.signal), .pullChanges, .openSignals])
    #expect(bench.core.status.connection == .connecting)
  }

  @Test("a channel that sends a signal is live, and a storm of signals is one pull")
  func coalescing() {
    let bench = Bench()
    bench.live()
    #expect(bench.core.status.connection == .live)
    var pulls = 0
    for sequence in 6...40 {
      let signal = SignalEvent.changed(Epoch("e"), SequenceNumber(Int64(sequence)))
      pulls += bench.at(10, .signal(signal)).filter { $0 == .pullChanges }.count
    }
    #expect(pulls == 1)
    // The running pull includes what arrived during it, or one more pull does.
    #expect(bench.at(10.01, .pulled(Bench.pulled(35, through: 40))).isEmpty)
    #expect(bench.at(10.2, .signal(.changed(Epoch("e"), SequenceNumber(40)))).isEmpty)
  }

  @Test("a signal that comes during a pull leads to another pull")
  func signalDuringPull() {
    let bench = Bench()
    bench.live()
    let actions = bench.at(10, .signal(.changed(Epoch("e"), SequenceNumber(6))))
    #expect(actions == [.pullChanges])
    #expect(bench.at(10.01, .signal(.changed(Epoch("e"), SequenceNumber(7)))).isEmpty)
    var later = bench.at(10.02, .pulled(Bench.pulled(1, through: 6)))
    later += bench.at(10.5, .woke)
    #expect(later == [.pullChanges])
  }

  @Test("a channel that opens again counts, even at an earlier sequence than before")
  func olderStore() {
    let bench = Bench()
    bench.live()
    _ = bench.at(10, .signalsEnded(.offline(cut)))
    _ = bench.at(12.5, .woke)
    _ = bench.at(12.6, .signal(.opened))
    #expect(
      bench.at(12.7, .signal(.changed(Epoch("e"), SequenceNumber(3)))).contains(.pullChanges))
    _ = bench.at(12.8, .pulled(Bench.pulled()))
    #expect(bench.at(15, .signal(.changed(Epoch("e"), SequenceNumber(3)))).isEmpty)
    #expect(
      bench.at(16, .signal(.changed(Epoch("e"), SequenceNumber(4)))).contains(.pullChanges))
  }

  @Test(
    "after the end of a working channel, the next one and the first poll wait for a random time",
    arguments: [nil, TransportError.offline(cut)])
  func reconnection(error: TransportError?) {
    let bench = Bench()
    bench.live()
    #expect(bench.at(10, .signalsEnded(error)).isEmpty)
    #expect(bench.wake == 12.5)
    #expect(bench.at(12.5, .woke) == [.openSignals])
    // The store cannot be reached: polling goes on at once, and the waits grow.
    #expect(bench.at(12.6, .signalsEnded(.offline(cut))) == [.pullChanges])
  }

  @Test(
    "the store's time for the next channel is obeyed within limits",
    arguments: [(0, 10.25), (4, 14), (900, 70)] as [(Int64, Double)])
  func announcedReconnection(asked: Int64, wake: Double) {
    let bench = Bench()
    bench.live()
    #expect(bench.at(10, .signal(.reconnect(after: .seconds(asked)))).isEmpty)
    #expect(bench.at(10, .signalsEnded(nil)).isEmpty)
    #expect(bench.wake == wake)
    #expect(bench.at(wake, .woke) == [.openSignals])
  }

  @Test("a silent channel is closed after seventy seconds, polling goes on, and it comes back")
  func silence() {
    let bench = Bench()
    bench.live()
    #expect(bench.at(30, .signal(.heartbeat)).isEmpty)
    #expect(bench.at(99, .woke).isEmpty)
    let actions = bench.at(100, .woke)
    #expect(actions == [.closeSignals, .pullChanges])
    _ = bench.at(100.1, .pulled(Bench.pulled()))
    guard case .polling = bench.core.status.connection else {
      Issue.record("the header says \(bench.core.status.connection)")
      return
    }
    #expect(bench.at(102, .woke).contains(.openSignals))
    _ = bench.at(87.1, .signal(.opened))
    _ = bench.at(87.1, .signal(.changed(Epoch("e"), SequenceNumber(5))))
    #expect(bench.core.status.connection == .live)
  }

  @Test("polling slows down while nothing happens and is fast after activity")
  func adaptivePolling() {
    let bench = Bench(.polling)
    _ = bench.at(0, .started(LocalSummary(), .whole))
    _ = bench.at(0, .registered)
    var waits: [Double] = []
    var seconds = 0.0
    for _ in 0..<7 {
      _ = bench.at(seconds, .pulled(Bench.pulled()))
      let wake = bench.wake ?? 0
      waits.append(wake - seconds)
      seconds = wake
      #expect(bench.at(seconds, .woke) == [.pullChanges])
    }
    #expect(waits == waits.sorted())
    #expect(waits.last.map { $0 >= 54 && $0 <= 66 } ?? false)
    _ = bench.at(seconds, .pulled(Bench.pulled(3)))
    #expect((bench.wake ?? 0) - seconds < 4)
  }

  @Test("failures back off exponentially up to a minute, and a success resets that")
  func backOff() {
    let bench = Bench(.polling)
    _ = bench.at(0, .started(LocalSummary(), .whole))
    _ = bench.at(0, .registered)
    var seconds = 0.0
    var waits: [Double] = []
    for _ in 0..<9 {
      #expect(bench.at(seconds, .pullFailed(.offline(cut))).isEmpty)
      let wake = bench.wake ?? 0
      waits.append(wake - seconds)
      seconds = wake
      #expect(bench.at(seconds, .woke) == [.pullChanges])
    }
    #expect(waits.first == 0.75)
    #expect(waits == waits.sorted())
    #expect(waits.last == 45)
    #expect(bench.core.status.connection == .offline(since: Bench.start))
    _ = bench.at(seconds, .pulled(Bench.pulled()))
    #expect(bench.core.status.problem == nil)
  }

  @Test("Retry-After is obeyed, and the network's return skips every other wait")
  func retryAfter() {
    let bench = Bench(.polling)
    _ = bench.at(0, .started(LocalSummary(), .whole))
    _ = bench.at(0, .registered)
    _ = bench.at(0, .pullFailed(.throttled(retryAfter: .seconds(40))))
    #expect((bench.wake ?? 0) >= 40)
    #expect(bench.at(20, .woke).isEmpty)
    #expect(bench.at(21, .resumed) == [.pullChanges])
  }

  @Test("a held operation is sealed when it is due, and sent")
  func sealing() {
    let bench = Bench()
    bench.live()
    let held = LocalSummary(
      waiting: 1, ready: 0, nextSeal: Bench.start.advanced(by: .seconds(15)))
    #expect(bench.at(10, .settled(held)).isEmpty)
    #expect(bench.wake == 15)
    #expect(bench.at(15, .woke) == [.settle(.due)])
    #expect(bench.at(15, .settled(LocalSummary(waiting: 1, ready: 1))) == [.send(limit: 1000)])
    #expect(bench.core.status.waiting == 1)
    // Base has to reach the effect before the operation may be removed.
    #expect(bench.at(15.1, .sent(LocalSummary())).isEmpty)
    #expect(bench.wake == 15.13)
    #expect(bench.at(15.13, .woke) == [.pullChanges])
  }

  @Test(
    "a jump of the store's time does not shorten a grace period",
    arguments: [Duration.seconds(400 * 86_400), .seconds(-400 * 86_400)])
  func steppedTime(step: Duration) {
    let bench = Bench()
    bench.live()
    let held = LocalSummary(
      waiting: 1, ready: 0, nextSeal: Bench.start.advanced(by: .seconds(15)))
    _ = bench.at(10, .settled(held))
    func stepped(_ seconds: Int64) -> [EngineCore.Action] {
      let time = Duration.seconds(seconds)
      return bench.core.handle(.woke, at: time, now: Bench.start.advanced(by: time + step))
    }
    func settles(_ actions: [EngineCore.Action]) -> Bool {
      actions.contains { if case .settle = $0 { true } else { false } }
    }
    #expect(!settles(stepped(11)))
    let wake = bench.core.wakeAt(
      at: .seconds(11), now: Bench.start.advanced(by: .seconds(11) + step))
    #expect(wake.map { $0 <= .seconds(16) } == true)
    #expect(!settles(stepped(15)))
    #expect(settles(stepped(16)))
  }

  @Test("the signal for this device's own operations causes no extra pull")
  func ownSignal() {
    let bench = Bench()
    bench.live()
    let ready = LocalSummary(waiting: 1, ready: 1)
    #expect(bench.at(10, .settled(ready)) == [.send(limit: 1000)])
    let signal = SignalEvent.changed(Epoch("e"), SequenceNumber(6))
    #expect(bench.at(10.01, .signal(signal)).isEmpty)
    #expect(bench.at(10.02, .sent(LocalSummary())).isEmpty)
    #expect(bench.at(10.05, .woke) == [.pullChanges])
    #expect(bench.at(10.06, .pulled(Bench.pulled(1, through: 6))).isEmpty)
    #expect(bench.wake.map { $0 > 11 } == true)
  }

  @Test("a poll that falls due while operations are sent waits for them, without a busy loop")
  func pollWhileSending() {
    let bench = Bench(.polling)
    _ = bench.at(0, .started(LocalSummary(), .whole))
    _ = bench.at(0, .registered)
    _ = bench.at(0, .pulled(Bench.pulled()))
    let due = bench.wake ?? 0
    #expect(due > 1)
    #expect(
      bench.at(due - 0.01, .settled(LocalSummary(waiting: 1, ready: 1))) == [.send(limit: 1000)])
    #expect(bench.at(due, .woke).isEmpty)
    #expect(bench.wake.map { $0 > due } == true)
    #expect(bench.at(due + 0.1, .woke) == [.pullChanges])
  }

  @Test("a slow send does not delay changes by others")
  func slowSending() {
    let bench = Bench()
    bench.live()
    #expect(
      bench.at(10, .settled(LocalSummary(waiting: 1, ready: 1))) == [.send(limit: 1000)])
    #expect(bench.at(10.02, .signal(.changed(Epoch("e"), SequenceNumber(6)))).isEmpty)
    #expect(bench.wake == 10.1)
    #expect(bench.at(10.1, .woke) == [.pullChanges])
  }

  @Test("a refused token stops sending and keeps the outbox")
  func signingIn() {
    let bench = Bench()
    bench.live()
    _ = bench.at(10, .settled(LocalSummary(waiting: 2, ready: 2)))
    #expect(bench.at(10.1, .sendFailed(.unauthorized)) == [.closeSignals])
    #expect(bench.core.status.connection == .signInAgain)
    #expect(bench.core.status.waiting == 2)
    #expect(bench.at(500, .woke).isEmpty)
    let actions = bench.at(600, .signedIn)
    #expect(actions.contains(.register(.signal)))
    #expect(bench.at(600, .registered).contains(.send(limit: 1000)))
  }

  @Test("a signed-out device shows by whom, until it is signed in again")
  func signedOut() {
    let bench = Bench()
    bench.live()
    let revocation = RevocationPayload(at: Bench.start, by: "laptop")
    #expect(bench.at(10, .signalsEnded(.revoked(revocation))).isEmpty)
    #expect(bench.core.status.connection == .signedOut(by: "laptop", at: Bench.start))
    _ = bench.at(11, .settled(LocalSummary(waiting: 1, ready: 1)))
    #expect(bench.core.status.waiting == 1)
    #expect(bench.at(500, .woke).isEmpty)
    // A token that is refused for another reason no longer names one.
    _ = bench.at(600, .syncRequested)
    _ = bench.at(601, .registrationFailed(.unauthorized))
    #expect(bench.core.status.connection == .signInAgain)
    #expect(bench.at(700, .signedIn).contains(.register(.signal)))
    #expect(bench.at(700, .registered).contains(.send(limit: 1000)))
  }

  @Test("a 410 rebuilds base, page by page, and then pulls the changes made meanwhile")
  func rebuilding() {
    let bench = Bench(.polling)
    _ = bench.at(0, .started(LocalSummary(), .whole))
    _ = bench.at(0, .registered)
    #expect(bench.at(1, .pullFailed(.resyncRequired)) == [.rebuildBase])
    #expect(bench.at(1, .baseRebuilt(LocalSummary())) == [.pullFirstSync])
    let page = Bench.pulled(500, isComplete: false, stage: .paging)
    // A delta comes first, because it was requested before.
    #expect(bench.at(2, .pulled(page)) == [.pullChanges])
    #expect(bench.core.status.connection == .firstSync(received: 500))
    #expect(bench.at(2, .pulled(Bench.pulled(stage: .paging))) == [.pullFirstSync])
    let last = Bench.pulled(20, isComplete: false, stage: .closing)
    #expect(bench.at(3, .pulled(last)) == [.pullChanges])
    #expect(bench.at(3, .pulled(Bench.pulled(stage: .whole))).isEmpty)
    guard case .polling = bench.core.status.connection else {
      Issue.record("the header says \(bench.core.status.connection)")
      return
    }
  }

  @Test("a gap is renumbered from the store's number, a diverged outbox gets a new lineage")
  func conflicts() {
    let bench = Bench()
    bench.live()
    let full = LocalSummary(waiting: 3, ready: 3)
    _ = bench.at(10, .settled(full))
    #expect(bench.at(10, .sendFailed(.outOfOrder(expected: 4))) == [.renumber(from: 4)])
    #expect(bench.at(10, .renumbered(full)) == [.send(limit: 1000)])
    #expect(bench.at(10, .sendFailed(.outboxDiverged)) == [.startNewLineage])
    #expect(bench.at(10, .renumbered(full)) == [.send(limit: 1000)])
    #expect(bench.core.status.waiting == 3)
  }

  @Test("one operation that the store never accepts does not block the others")
  func poison() {
    let bench = Bench()
    bench.live()
    _ = bench.at(10, .settled(LocalSummary(waiting: 4, ready: 4)))
    let error = TransportError.server(status: 400, message: "no")
    #expect(bench.at(10, .sendFailed(error)) == [.send(limit: 2)])
    #expect(bench.at(10, .sendFailed(error)) == [.send(limit: 1)])
    #expect(bench.at(10, .sendFailed(error)) == [.refuseFirst(reason: "no")])
    #expect(bench.at(10, .settled(LocalSummary(waiting: 3, ready: 3))) == [.send(limit: 1000)])
  }

  @Test("a requested round ends when everything is exchanged, or with the failure")
  func rounds() {
    let bench = Bench(.polling)
    _ = bench.at(0, .syncRequested)
    _ = bench.at(0, .started(LocalSummary(waiting: 1, ready: 1), .whole))
    #expect(bench.at(0, .registered) == [.send(limit: 1000)])
    #expect(bench.at(0, .pulled(Bench.pulled(local: LocalSummary(waiting: 1, ready: 1)))).isEmpty)
    #expect(bench.at(1, .sent(LocalSummary())) == [.pullChanges])
    #expect(bench.at(1, .pulled(Bench.pulled())) == [.roundEnded(.upToDate)])
    #expect(bench.at(2, .syncRequested) == [.pullChanges])
    #expect(
      bench.at(2, .pullFailed(.timedOut)) == [.roundEnded(.failed(.timedOut, waiting: 0))])
  }

  @Test("flushing seals everything, sends once and stops")
  func flushing() {
    let bench = Bench()
    bench.live()
    _ = bench.at(
      10,
      .settled(LocalSummary(waiting: 1, nextSeal: Bench.start.advanced(by: .seconds(15)))))
    #expect(bench.at(11, .flushRequested) == [.closeSignals, .settle(.own)])
    #expect(bench.at(11, .settled(LocalSummary(waiting: 1, ready: 1))) == [.send(limit: 1000)])
    #expect(
      bench.at(11, .sendFailed(.offline(cut)))
        == [.roundEnded(.failed(.offline(cut), waiting: 1))])
    #expect(bench.at(12, .woke).isEmpty)
    #expect(bench.wake == nil)
  }
}
