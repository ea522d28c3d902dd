import BellhopModel
import Testing

@testable import BellhopStore

extension BackendKind {
  /// The backends that several processes may serve at the same time.
  static let shared = allCases.filter { $0 != .sqlite }
}

extension StoreUnderTest {
  /// Returns the store of another process, which has joined those that serve the data.
  ///
  /// - Parameter shelf: The process's view of the blob store.
  func peer(_ host: String, shelf: (any BlobStore)? = nil) async throws -> StoreService {
    let service = try await StoreService.open(
      .joining, on: backend, environment: environment, limits: limits,
      shelf: shelf ?? self.shelf)
    try await service.join(host: host, version: "1.0")
    return service
  }
}

extension StoreService {
  /// Returns the lease that this process holds; nil if it holds none of this name.
  func heldLease(_ name: LeaseName) -> Lease? {
    guard case .leased(let lease) = membership.right(to: name, at: now) else { return nil }
    return lease
  }
}

@Suite("Processes that share a storage")
struct ProcessTests {
  private static let life = Duration.seconds(60)

  @Test(
    "a lease has one holder until it expires, and its number rises with each new holder",
    arguments: BackendKind.shared)
  func holders(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.peer("first")
    let second = try await store.peer("second")
    let name = LeaseName.hooks(store.user)
    let end = store.clock.now.advanced(by: Self.life)
    #expect(try await first.claim(name, for: Self.life) == nil)
    #expect(first.heldLease(name)?.number == 1)
    #expect(try await second.claim(name, for: Self.life) == end)
    #expect(second.heldLease(name) == nil)
    // The holder renews it.
    store.clock.advance(by: Self.life / 2)
    #expect(try await first.claim(name, for: Self.life) == nil)
    #expect(first.heldLease(name)?.number == 1)
    let renewed = end.advanced(by: Self.life / 2)
    #expect(try await second.claim(name, for: Self.life) == renewed)
    // Another lease is independent of it.
    #expect(try await second.claim(.hooks(UserID(rawValue: 99)), for: Self.life) == nil)
    store.clock.advance(by: Self.life)
    #expect(first.heldLease(name) == nil)
    #expect(try await second.claim(name, for: Self.life) == nil)
    #expect(second.heldLease(name)?.number == 2)
    #expect(try await first.claim(name, for: Self.life) != nil)
  }

  @Test(
    "the holder of an expired lease may renew it under its number while it is free",
    arguments: BackendKind.shared)
  func renewal(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let service = try await store.peer("only")
    let name = LeaseName.hooks(store.user)
    for _ in 0..<3 {
      #expect(try await service.claim(name, for: Self.life) == nil)
      #expect(service.heldLease(name)?.number == 1)
      store.clock.advance(by: Self.life * 2)
    }
  }

  @Test("a lease that a process releases is claimed at once", arguments: BackendKind.shared)
  func release(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.peer("first")
    let second = try await store.peer("second")
    let name = LeaseName.hooks(store.user)
    #expect(try await first.claim(name, for: Self.life) == nil)
    #expect(first.doesUpkeep && !second.doesUpkeep)
    #expect(second.processes.count == 2)
    await first.leave()
    #expect(try await second.claim(name, for: Self.life) == nil)
    #expect(second.heldLease(name)?.number == 2)
    try await second.beat()
    #expect(second.doesUpkeep)
    #expect(second.processes.count == 1)
    // A process that left claims nothing, and does not come back.
    try await first.beat()
    #expect(!first.doesUpkeep)
    #expect(try await first.claim(name, for: Self.life) == .distantFuture)
    #expect(try await second.servingProcesses().map(\.host) == ["second"])
  }

  @Test("a lease of a clock that was far ahead does not stay", arguments: BackendKind.shared)
  func clockJump(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.peer("first")
    let second = try await store.peer("second")
    let name = LeaseName.hooks(store.user)
    store.clock.advance(by: .seconds(86_400))
    #expect(try await first.claim(name, for: Self.life) == nil)
    store.clock.advance(by: .seconds(-86_400))
    #expect(try await second.claim(name, for: Self.life) == nil)
  }

  @Test(
    "a process counts as live for half a minute after its last heartbeat",
    arguments: BackendKind.shared)
  func live(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.peer("first")
    let start = store.clock.now
    let second = try await store.peer("second")
    #expect(first.processes.count == 1 && second.processes.count == 2)
    try await first.beat()
    #expect(first.processes.count == 2)
    store.clock.advance(by: ServingProcess.liveTime)
    try await second.beat()
    #expect(second.processes.count == 2)
    store.clock.advance(by: .milliseconds(1))
    try await second.beat()
    #expect(second.processes.count == 1)
    let live = try await second.servingProcesses()
    #expect(live.map(\.host) == ["second"])
    #expect(live.map(\.version) == ["1.0"])
    #expect(live.map(\.started) == [start])
    #expect(live.map(\.lastSeen) == [store.clock.now])
    // A store that serves alone has no peers, and sees none.
    #expect(store.service.processes.count == 1)
    #expect(try await store.service.servingProcesses().isEmpty)
  }

  @Test("processes and leases that ended are forgotten a day later", arguments: BackendKind.shared)
  func forgotten(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.peer("first")
    let name = LeaseName.hooks(store.user)
    #expect(try await first.claim(name, for: Self.life) == nil)
    let second = try await store.peer("second")
    for (pause, hosts) in [(86_000, ["first", "second"]), (1000, ["second"])] {
      store.clock.advance(by: .seconds(pause))
      try await second.beat()
      try await second.performUpkeep()
      let known = try await store.backend.read { try $0.processes(seenSince: .distantPast) }
      #expect(known.map(\.host) == hosts)
      let lease = try await store.backend.read { try $0.lease(name) }
      #expect((lease == nil) == (hosts.count == 1))
    }
  }

  @Test(
    "one process sweeps, and another one continues after its death",
    arguments: BackendKind.shared)
  func upkeep(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.peer("first")
    let second = try await store.peer("second")
    func publishShortLived() async throws {
      try await store.publish("short") {
        $0.expiration = store.clock.now.advanced(by: .seconds(10))
      }
      store.clock.advance(by: .seconds(10))
    }
    try await publishShortLived()
    #expect(try await second.performUpkeep().expired == 0)
    #expect(try await first.performUpkeep().expired == 1)
    try await publishShortLived()
    try await second.beat()
    #expect(!second.doesUpkeep)
    // The first process dies: its lease expires without a heartbeat.
    store.clock.advance(by: .seconds(10))
    #expect(!first.doesUpkeep)
    try await second.beat()
    #expect(second.doesUpkeep)
    #expect(try await second.performUpkeep().expired == 1)
    // It was only suspended.
    try await first.beat()
    try await publishShortLived()
    #expect(!first.doesUpkeep)
    #expect(try await first.performUpkeep().expired == 0)
    // An administrator's sweep needs no lease.
    #expect(try await first.sweep().expired == 1)
  }

  @Test(
    "two processes that sweep at the same time do each thing once", arguments: BackendKind.shared)
  func concurrentSweeps(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.peer("first")
    let second = try await store.peer("second")
    for number in 0..<450 {
      try await store.publish("\(number)") {
        $0.expiration = store.clock.now.advanced(by: .seconds(10))
      }
    }
    store.clock.advance(by: .seconds(10))
    async let one = first.sweep().expired
    async let other = second.sweep().expired
    let (here, there) = try await (one, other)
    #expect(here + there == 450)
    let use = try await store.backend.read { try $0.counters(of: store.user)?.use }
    #expect(use?.items == 0 && use?.tombstones == 450)
  }

  @Test("a storage for one process refuses to be served by several")
  func notShared() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let error = try await storeError {
      try await store.service.join(host: "first", version: "1.0")
    }
    #expect(error == .notShared)
  }
}
