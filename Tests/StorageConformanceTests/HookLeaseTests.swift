import BellhopModel
import BellhopStoreSQLite
import BellhopTestSupport
import Testing

@testable import BellhopStore

@Suite("Deliveries to hooks by several processes")
struct HookLeaseTests {
  @Test(
    "one process delivers to a user's hooks, and the others rest until its lease expires",
    arguments: BackendKind.shared)
  func oneProcess(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let store = hooked.store
    let first = try await store.peer("first")
    let second = try await store.peer("second")
    let atRest = HookStep.rest(until: hooked.subscription.request.expires)
    #expect(try await hooked.step(in: first) == atRest)
    #expect(first.heldLease(.hooks(store.user)) == nil, "there is nothing to send")
    try await store.publish("a")
    let message = try await Self.message(hooked, in: first)
    let end = store.clock.now.advanced(by: .seconds(60))
    #expect(try await hooked.step(in: second) == .rest(until: end))
    #expect(try await first.record(.accepted, of: message) == .advanced)
    #expect(try await hooked.step(in: second) == atRest)
    // The lease of the first one is renewed when half of it has passed, and not before.
    let number = message.lease?.number
    for pause in [20, 20] {
      store.clock.advance(by: .seconds(pause))
      try await store.publish("b")
      let next = try await Self.message(hooked, in: first)
      #expect(next.lease?.number == number)
      #expect(try await first.record(.accepted, of: next) == .advanced)
    }
    let renewed = store.clock.now.advanced(by: .seconds(60))
    #expect(first.heldLease(.hooks(store.user))?.expires == renewed)
  }

  @Test(
    "an outcome under a lease that another process took is not recorded",
    arguments: BackendKind.shared)
  func fencing(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let store = hooked.store
    let first = try await store.peer("first")
    let second = try await store.peer("second")
    try await store.publish("a")
    let stale = try await Self.message(hooked, in: first)
    store.clock.advance(by: .seconds(60))
    let message = try await Self.message(hooked, in: second)
    #expect(message.content == stale.content)
    #expect(try await first.record(.failed(retryAfter: nil), of: stale) == .superseded)
    #expect(try await second.record(.accepted, of: message) == .advanced)
    #expect(try await first.record(.accepted, of: stale) == .superseded)
    let known = try await store.service.hooks(of: store.user).first?.progress
    #expect(known?.delivery.failures == 0)
    // The old number stays refused when the first process is the holder again.
    store.clock.advance(by: .seconds(60))
    try await store.publish("b")
    let next = try await Self.message(hooked, in: first)
    #expect(try await hooked.words(next) == ["created 2"])
    #expect(try await first.record(.failed(retryAfter: nil), of: stale) == .superseded)
    #expect(try await first.record(.accepted, of: next) == .advanced)
  }

  @Test(
    "an outcome is recorded after its lease expired, unless another process took it",
    arguments: BackendKind.shared)
  func late(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let first = try await hooked.store.peer("first")
    try await hooked.store.publish("a")
    let message = try await Self.message(hooked, in: first)
    hooked.store.clock.advance(by: .seconds(600))
    #expect(try await first.record(.accepted, of: message) == .advanced)
  }

  @Test(
    "a process that takes a lease over sends nothing that was delivered before",
    arguments: BackendKind.shared)
  func takeover(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let store = hooked.store
    let first = try await store.peer("first")
    let second = try await store.peer("second")
    try await store.publish("a")
    let message = try await Self.message(hooked, in: first)
    #expect(try await first.record(.accepted, of: message) == .advanced)
    try await store.publish("b")
    await first.leave()
    let next = try await Self.message(hooked, in: second)
    #expect(try await hooked.words(next) == ["created 2"])
    #expect(next.lease?.number == 2)
  }

  @Test("a process that serves alone writes no heartbeats and claims no leases")
  func alone() async throws {
    let hooked = try await HookedStore(.sqlite)
    let service = hooked.store.service
    let backend = try #require(hooked.store.backend as? SQLiteBackend)
    try await hooked.store.publish("a")
    let count = backend.commitCount
    try await service.beat()
    #expect(service.doesUpkeep && service.processes.count == 1 && !service.isShared)
    let message = try await hooked.message()
    #expect(message.lease == nil)
    #expect(backend.commitCount == count)
    #expect(try await service.record(.accepted, of: message) == .advanced)
    #expect(backend.commitCount == count + 1)
  }

  /// Returns the message that a process must send now.
  private static func message(
    _ hooked: HookedStore, in service: StoreService
  ) async throws -> HookMessage {
    let step = try await hooked.step(in: service)
    guard case .tell(let message) = step else { throw NotSeen("a message", seen: "\(step)") }
    return message
  }
}
