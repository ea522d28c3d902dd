import BellhopModel
import BellhopStoreMemory
import BellhopTestSupport
import Testing

@testable import BellhopServer
@testable import BellhopStore

@Suite("Servers that share a storage", .timeLimit(.minutes(10)))
struct SharedStorageTests {
  @Test("a server sends heartbeats while it runs, and leaves when it stops")
  func heartbeats() async throws {
    let backend = MemoryBackend()
    let (time, clock) = (SettableTime(), ManualClock())
    let store = try await InProcessStore(
      on: backend, isSoleWriter: false, time: time,
      adjust: { $0.sleep = { try await clock.sleep(for: $0) } })
    try await store.service.join(host: "first", version: "1.0")
    let other = try await InProcessStore(on: backend, isSoleWriter: false, time: time, seed: 2)
    try await other.service.join(host: "second", version: "1.0")
    #expect(store.service.doesUpkeep && store.service.peerCount == 1)
    let started = time.now
    try await withRunningServer(store.server) { _, _ in
      time.advance(by: .seconds(10))
      try await eventually("a heartbeat") {
        clock.advance(by: .seconds(5))
        return store.service.peerCount == 2
      }
      let live = try await store.service.processes()
      #expect(Set(live.map(\.host)) == ["first", "second"])
      #expect(live.first { $0.host == "first" }?.lastSeen == started.advanced(by: .seconds(10)))
      let metrics = try await store.send(.get, "/metrics").text
      #expect(metrics.contains("\nbellhop_processes 2\n"))
      #expect(metrics.contains("\nbellhop_upkeep_lease_held 1\n"))
      #expect(try await other.send(.get, "/metrics").text.contains("_upkeep_lease_held 0\n"))
    }
    let known = try backend.read { try $0.processes(seenSince: .distantPast) }
    #expect(known.map(\.host) == ["second"])
    try await other.service.beat()
    #expect(other.service.doesUpkeep && other.service.peerCount == 1)
  }
}
