import BellhopModel
import BellhopStoreMemory
import BellhopTestSupport
import HTTPTypes
import Testing

@testable import BellhopServer
@testable import BellhopStore

@Suite("Servers that share a storage", .timeLimit(.minutes(10)))
struct SharedStorageTests {
  /// Two servers with one storage, one hook and one clock.
  private struct Pair {
    let first: HookDesk
    let second: HookDesk
    let user: UserID

    var stub: HookStub { first.stub }

    init() async throws {
      let backend = MemoryBackend()
      let (time, clock) = (SettableTime(), ManualClock())
      first = try await HookDesk(on: backend, isSoleWriter: false, time: time, clock: clock)
      second = try await HookDesk(
        on: backend, stub: first.stub, isSoleWriter: false, time: time, clock: clock, seed: 2)
      user = try await first.store.service.user(named: "me").id
      try await first.store.service.join(host: "first", version: "1.0")
      try await second.store.service.join(host: "second", version: "1.0")
    }

    /// Whether no server is busy, and none has anything to do in the next second.
    var isAtRest: Bool {
      counts.allSatisfy { $0.calling == 0 }
        && first.clock.untilNextWake.map { $0 > .seconds(1) } ?? false
    }

    var counts: [HookCounts] { [first, second].map(\.store.server.hooks.counts) }

    /// The number of accepted calls whose outcome was recorded.
    var acceptedCount: Int { counts.reduce(0) { $0 + $1.requestsAccepted } }

    /// Moves the clock in short steps, in which no call times out, until the condition holds.
    func drive(until isDone: () -> Bool) async throws {
      try await eventually(
        "what two processes do", every: .zero, last: "\(counts)",
        holds: {
          if isDone() { return true }
          if counts.allSatisfy({ $0.calling == 0 }), let wake = first.clock.untilNextWake,
            wake <= .seconds(1)
          {
            first.advance(by: wake)
          }
          return false
        })
    }

    /// Informs the second server of a change that the first one made.
    func signal() { second.store.service.changedUsers.note(items: user) }
  }

  @Test("each change is sent once by two processes, and the other continues when one dies")
  func hooks() async throws {
    let pair = try await Pair()
    try await pair.first.subscribed()
    let first = Task { await pair.first.store.server.hooks.tellAll() }
    defer { first.cancel() }
    try await pair.first.publish("1")
    try await pair.drive { pair.acceptedCount == 1 }
    try await pair.second.telling {
      try await pair.first.publish("2")
      pair.signal()
      try await pair.drive { pair.acceptedCount == 2 && pair.isAtRest }
      #expect(pair.second.store.server.hooks.counts.requestsAccepted == 0)
      first.cancel()
      await first.value
      // The first process is dead, and its lease lasts.
      try await pair.second.publish("3")
      try await pair.drive { pair.isAtRest }
      #expect(pair.stub.told.count == 2)
      pair.first.advance(by: .seconds(60))
      try await pair.drive { pair.acceptedCount == 3 }
    }
    #expect(pair.stub.told.map(\.words) == [["created"], ["created"], ["created"]])
    await pair.stub.stop()
  }

  @Test("hooks of a process that left are called at once when another one checks them")
  func release() async throws {
    let pair = try await Pair()
    try await pair.first.subscribed()
    try await pair.first.telling {
      try await pair.first.publish("1")
      try await pair.drive { pair.acceptedCount == 1 }
    }
    try await pair.second.telling {
      try await pair.first.publish("2")
      await pair.first.store.service.leave()
      pair.second.store.server.hooks.checkAll()
      try await pair.drive { pair.acceptedCount == 2 }
    }
    #expect(pair.stub.told.map(\.words) == [["created"], ["created"]])
    await pair.stub.stop()
  }

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
    #expect(store.service.doesUpkeep && store.service.processes.count == 1)
    let started = time.now
    try await withRunningServer(store.server) { _, _ in
      time.advance(by: .seconds(10))
      try await eventually("a heartbeat") {
        clock.advance(by: .seconds(5))
        return store.service.processes.count == 2
      }
      let live = try await store.service.servingProcesses()
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
    #expect(other.service.doesUpkeep && other.service.processes.count == 1)
  }
}
