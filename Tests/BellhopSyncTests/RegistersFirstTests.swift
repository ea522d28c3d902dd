import BellhopCache
import BellhopModel
import BellhopNetwork
import BellhopSync
import BellhopWire
import Testing

@Suite("A device in development and its registration")
struct RegistersFirstTests {
  private func bench() -> EngineCoreTests.Bench {
    var policy = EnginePolicy()
    policy.environment = .development
    return EngineCoreTests.Bench(policy)
  }

  @Test("it pulls only when the store has registered it, and waits without waking")
  func start() {
    let bench = bench()
    #expect(bench.at(0, .started(LocalSummary(), .whole)) == [.register(.signal), .openSignals])
    #expect(bench.at(1, .woke).isEmpty)
    #expect(bench.wake.map { $0 > 1 } ?? true)
    #expect(bench.at(2, .registered).contains(.pullChanges))
  }

  @Test("it registers again after a failure, and then pulls")
  func failure() {
    let bench = bench()
    _ = bench.at(0, .started(LocalSummary(), .whole))
    let error = TransportError.offline(.closed(.socket(path: "/store.sock")))
    let failed = bench.at(1, .registrationFailed(error))
    #expect(!failed.contains(.pullChanges))
    let again = bench.at(5, .woke)
    #expect(again.contains(.register(.signal)))
    #expect(!again.contains(.pullChanges))
    #expect(bench.at(6, .registered).contains(.pullChanges))
  }

  @Test("it registers again before it reads everything again")
  func rebuild() {
    let bench = bench()
    _ = bench.at(0, .started(LocalSummary(), .whole))
    _ = bench.at(0, .registered)
    #expect(bench.at(1, .pullFailed(.resyncRequired)).contains(.rebuildBase))
    let rebuilt = bench.at(2, .baseRebuilt(LocalSummary()))
    #expect(rebuilt.contains(.register(.signal)))
    #expect(!rebuilt.contains(.pullFirstSync))
    #expect(bench.at(3, .registered).contains(.pullFirstSync))
  }
}
