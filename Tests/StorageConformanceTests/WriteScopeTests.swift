import BellhopModel
import BellhopStore
import BellhopStoreMemory
import BellhopTestSupport
import Synchronization
import Testing

/// The users whose rows a write may change.
///
/// Only the backend in memory checks it.
@Suite("Scopes of writes")
struct WriteScopeTests {
  /// A way to write rows of a user.
  struct Step: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable (any StoreTransaction, UserID) throws -> Void
  }

  static let steps: [Step] = [
    Step(testDescription: "counters") { try $0.setCounters(UserCounters(), of: $1) },
    Step(testDescription: "starts") { try $0.insertStartSequence(.zero, start: 9, of: $1) },
    Step(testDescription: "items") { transaction, user in
      for item in try WriteScopeTests.items(of: user, in: transaction) {
        try transaction.put(item, leaves: nil, of: user)
      }
    },
    Step(testDescription: "tombstones") { transaction, user in
      for item in try WriteScopeTests.items(of: user, in: transaction) {
        let tombstone = Tombstone(of: item, sequence: item.state.sequence, deleted: item.arrival)
        try transaction.put(tombstone, of: user)
      }
    },
    Step(testDescription: "devices") { try $0.removeDevice(DeviceID("laptop"), of: $1) },
    Step(testDescription: "tokens") { transaction, user in
      for token in try transaction.accessTokens(of: user) { try transaction.update(token) }
    },
    Step(testDescription: "apps") { try $0.put(AppSettings(app: "ci"), of: $1) },
    Step(testDescription: "the user") { transaction, user in
      while try transaction.removeRows(of: user, limit: 100) > 0 {}
      try transaction.removeUser(user)
    },
  ]

  private static func items(
    of user: UserID, in state: any StoreReading
  ) throws -> [UserNotification] {
    try state.items(ItemQuery(now: nil, limit: PageLimit(rows: 9, bytes: .max)), of: user)
  }

  @Test("a write outside of its scope fails, and changes nothing", arguments: steps)
  func outside(step: Step) async throws {
    let store = try await StoreUnderTest(.memory)
    let kept = try await store.publish("kept").item
    let user = store.user
    let other = try await store.service.addUser(named: "grace").id
    for scope in [WriteScope.user(other), .users, .store] {
      let error = try await storeError {
        try await store.backend.write(
          in: scope,
          { transaction in
            if scope == .users { try transaction.lock(other) }
            try step.run(transaction, user)
          }, committed: { _ in })
      }
      let fault = "writes rows of user \(user.rawValue) without a lock"
      #expect(error == .unavailable(reason: "a write in the scope \(scope) \(fault)"))
      #expect(try await store.service.item(kept.id, of: user) == kept)
      #expect(try await store.service.users().count == 2)
      let principal = try await store.service.authenticate(store.token.secret)
      #expect(principal.device?.id == store.device.id)
    }
  }

  @Test(
    "a write changes rows of the users that are locked", arguments: BackendKind.allCases, steps)
  func inside(kind: BackendKind, step: Step) async throws {
    for isFound in [false, true] {
      let store = try await StoreUnderTest(kind)
      try await store.publish("a")
      let user = store.user
      try await store.backend.write(
        in: isFound ? .users : .user(user),
        { transaction in
          if isFound { try transaction.lock(user) }
          try step.run(transaction, user)
        }, committed: { _ in })
    }
  }

  @Test("only a write in the scope of several users locks them, in ascending order")
  func order() async throws {
    let store = try await StoreUnderTest(.memory)
    let first = store.user
    let second = try await store.service.addUser(named: "grace").id
    let cases: [(scope: WriteScope, users: [UserID], fault: String?)] = [
      (.users, [first, first, second], nil),
      (.users, [second, first], "locks user \(first.rawValue) after user \(second.rawValue)"),
      (.user(first), [first], "locks user \(first.rawValue)"),
      (.store, [first], "locks user \(first.rawValue)"),
    ]
    for (scope, users, fault) in cases {
      let error = try await storeError {
        try await store.backend.write(
          in: scope,
          { transaction in
            for user in users { try transaction.lock(user) }
          }, committed: { _ in })
      }
      let expected = fault.map {
        StoreError.unavailable(reason: "a write in the scope \(scope) \($0)")
      }
      #expect(error == expected)
    }
  }

  @Test("a user whom a write adds is locked by it", arguments: BackendKind.allCases)
  func added(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let now = store.clock.now
    let user = try await store.backend.write(
      in: .store,
      { transaction in
        let user = try transaction.insertUser(named: "grace", created: now)
        try transaction.put(AppSettings(app: "ci"), of: user.id)
        return user
      }, committed: { _ in })
    #expect(try await store.service.users().last == user)
  }

  @Test("rows that belong to no user are written in every scope", arguments: BackendKind.allCases)
  func ofNoUser(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    for (number, scope) in [WriteScope.user(store.user), .users, .store].enumerated() {
      let value = [UInt8(number)]
      try await store.backend.write(
        in: scope, { try $0.setMetadata(value, for: .probe) }, committed: { _ in })
      #expect(try await store.backend.read { try $0.metadata(.probe) } == value)
    }
  }

  @Test("a method that finds rows of any user needs no lock", arguments: BackendKind.allCases)
  func ofAnyUser(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let key = IdempotencyKey(token: store.token.token.id, key: "k", bodyHash: [1])
    let content = Content(app: "ci", visual: VisualContent(title: "a"))
    _ = try await store.service.publish(
      PublishRequest(content, idempotency: key), for: store.user)
    let removed = try await store.backend.write(
      in: .user(UserID(rawValue: 99)),
      { transaction in
        try transaction.beginRetentionPasses()
        return try transaction.removePublications(before: .distantFuture, limit: 10)
      }, committed: { _ in })
    #expect(removed == 1)
    #expect(try await store.backend.read { try $0.retentionPasses(limit: 10) }.count == 1)
  }

  @Test("maintenance locks the users whose rows it writes")
  func maintenance() async throws {
    let backend = FailingBackend()
    let clock = TestClock(try #require(Timestamp("2026-03-01T12:00:00Z")))
    let random = TestRandom(seed: 7)
    let service = try await StoreService.open(
      .starting, on: backend,
      environment: StoreEnvironment(now: { clock.now }, random: { random.next() }),
      shelf: MemoryShelf())
    for name in ["ada", "grace", "lin"] { try await Self.addUser(named: name, to: service) }
    backend.isFailing.store(true, ordering: .relaxed)
    #expect(try await storeError { _ = try await service.addUser(named: "mary") } != nil)
    backend.isFailing.store(false, ordering: .relaxed)
    // After a failure it rehearses publications of all users.
    try await service.probe()
    clock.advance(by: .seconds(400 * 86_400))
    let report = try await service.sweep()
    #expect(report.expired == 3 && report.filesRemoved == 3)
    clock.advance(by: .seconds(40 * 86_400))
    #expect(try await service.sweep().tombstonesDropped == 3)
    let former = try await service.formerState()
    #expect(try await service.adopt(after: former).users == 3)
  }

  /// Adds a user with an item, an idempotency key and an upload.
  private static func addUser(named name: String, to service: StoreService) async throws {
    let user = try await service.addUser(named: name).id
    let token = try await service.mintToken(named: "ci", scope: .publish(.any), for: user).token.id
    let key = IdempotencyKey(token: token, key: "k", bodyHash: [1])
    let content = Content(app: "ci", visual: VisualContent(title: "a"))
    _ = try await service.publish(PublishRequest(content, idempotency: key), for: user)
    var upload = try await service.beginFile(
      named: "a", size: nil, of: FileOwner(user: user, token: token, app: nil))
    try await upload.write([1])
    _ = try await upload.finish()
  }
}

/// A backend in memory whose writes can be made to fail.
private final class FailingBackend: StorageBackend {
  let isFailing = Atomic<Bool>(false)
  private let inner = MemoryBackend()

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) throws -> Value {
    try inner.read(body)
  }

  func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) throws -> Value {
    if isFailing.load(ordering: .relaxed) { throw StoreError.unavailable(reason: "it failed") }
    return try inner.write(in: scope, body, committed: committed)
  }

  func catchUp() -> CatchUp { .done }
  func close() {}
}
