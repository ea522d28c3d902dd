import BellhopCache
import BellhopModel
import BellhopSync
import Testing

/// A full disk is temporary; the engine must not wait for a request that was never sent.
@Suite struct CacheFailureTests {
  @Test("a request whose preparation failed in the cache is made again later")
  func preparationFails() {
    let start = Timestamp(seconds: 1_800_000_000)
    var core = EngineCore(policy: .polling, random: { 0.5 })
    func at(_ seconds: Int64, _ event: EngineCore.Event) -> [EngineCore.Action] {
      core.handle(event, at: .seconds(seconds), now: start.advanced(by: .seconds(seconds)))
    }
    _ = at(0, .started(LocalSummary(waiting: 1, ready: 1), .whole))
    let actions = at(0, .registered)
    #expect(actions == [.send(limit: 1000)])
    _ = at(0, EngineCore.failure(of: .send(limit: 1000), "full"))
    _ = at(0, EngineCore.failure(of: .pullChanges, "full"))
    #expect(core.status.problem?.contains("full") == true)
    let again = at(30, .woke)
    #expect(again.contains(.send(limit: 1000)))
    #expect(at(31, .woke).contains(.pullChanges))
  }

  @Test("the failure of any other action is reported as a cache failure")
  func otherActions() {
    #expect(EngineCore.failure(of: .rebuildBase, "full") == .cacheFailed("full"))
    #expect(EngineCore.failure(of: .settle(.due), "full") == .cacheFailed("full"))
  }
}
