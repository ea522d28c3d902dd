import BellhopModel
import BellhopNetwork
import BellhopSync
import BellhopWire
import Testing

/// The core's status is always true.
@Suite("The status that users see")
struct EngineStatusTests {
  typealias Bench = EngineCoreTests.Bench

  @Test("a first synchronisation reports its progress, with the total if the store gives it")
  func progress() {
    let bench = Bench(.polling)
    _ = bench.at(0, .started(LocalSummary(), .paging))
    _ = bench.at(0, .registered)
    #expect(bench.core.status.connection == .connecting)
    let first = Bench.pulled(500, isComplete: false, stage: .paging, itemCount: 100_000)
    _ = bench.at(1, .pulled(first))
    #expect(bench.core.status.connection == .firstSync(received: 500, total: 100_000))
    _ = bench.at(2, .pulled(Bench.pulled(stage: .paging)))
    _ = bench.at(
      3, .pulled(Bench.pulled(700, isComplete: false, stage: .paging, itemCount: 1_000)))
    #expect(
      bench.core.status.connection == .firstSync(received: 1_200, total: 1_200),
      "never more of less")
    _ = bench.at(4, .pulled(Bench.pulled(stage: .whole)))
    guard case .polling = bench.core.status.connection else {
      Issue.record("the header says \(bench.core.status.connection)")
      return
    }
  }

  @Test(
    "each event shows at once",
    arguments: [
      (EngineCore.Event.woke, ConnectionState.live, nil as String?),
      (
        .pullFailed(.offline(.reported("cut"))),
        .offline(since: Bench.start.advanced(by: .seconds(9))), "cut"
      ),
      (.pullFailed(.timedOut), .offline(since: Bench.start.advanced(by: .seconds(9))), "in time"),
      (
        .pullFailed(.server(status: 500, message: "x")),
        .offline(since: Bench.start.advanced(by: .seconds(9))), "500"
      ),
      (.sendFailed(.unauthorized), .signInAgain, "sign in"),
      (
        .sendFailed(.revoked(RevocationPayload(at: Bench.start, by: "laptop"))),
        .signedOut(by: "laptop", at: Bench.start), "signed out"
      ),
      (.pullFailed(.throttled(retryAfter: .seconds(30))), .live, "busy"),
      (.pullFailed(.cancelled), .live, nil),
    ])
  func shows(event: EngineCore.Event, state: ConnectionState, problem: String?) {
    let bench = Bench()
    bench.live()
    _ = bench.at(9, event)
    #expect(bench.core.status.connection == state)
    if let problem {
      #expect(bench.core.status.problem?.contains(problem) == true)
    } else {
      #expect(bench.core.status.problem == nil)
    }
  }

  @Test("while a store asks for a pause the status is busy, and not offline")
  func busy() throws {
    let bench = Bench()
    bench.live()
    _ = bench.at(9, .pullFailed(.throttled(retryAfter: .seconds(30))))
    let until = try #require(bench.core.status.busyUntil)
    #expect(until >= Bench.start.advanced(by: .seconds(39)))
    _ = bench.at(45, .woke)
    _ = bench.at(46, .pulled(Bench.pulled()))
    #expect(bench.core.status.busyUntil == nil)
  }
}
