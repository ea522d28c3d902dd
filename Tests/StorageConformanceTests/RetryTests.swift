import BellhopModel
import BellhopStore
import BellhopStoreMemory
import BellhopTestSupport
import Synchronization
import Testing

/// A backend that runs each body twice, or fails a commit after its body ran.
///
/// A group of writes that starts again does the former.
private final class RetryingBackend: StorageBackend {
  private struct RolledBack: Error {}

  private let inner = MemoryBackend()
  /// The number of writes before the failing one; nil if none fails.
  private let failing = Mutex<Int?>(nil)

  /// Fails the write after `count` others.
  func fail(after count: Int?) { failing.withLock { $0 = count } }

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
    do {
      _ = try inner.write(in: scope) { transaction -> Value in
        _ = try body(transaction)
        throw RolledBack()
      }
    } catch is RolledBack {}
    let isFailing = failing.withLock { count in
      guard let known = count else { return false }
      count = known - 1
      return known == 0
    }
    if isFailing { throw StoreError.unavailable(reason: "the commit failed") }
    return try inner.write(in: scope, body, committed: committed)
  }

  func catchUp() -> CatchUp { .done }
  func close() {}
}

@Suite("Transactions whose body runs twice")
struct RetryTests {
  private func store(
    _ backend: RetryingBackend, limits: StoreLimits, shelf: MemoryShelf
  ) async throws -> (StoreService, UserID) {
    let start = try #require(Timestamp("2026-03-01T12:00:00Z"))
    let random = TestRandom(seed: 7)
    let service = try await StoreService.open(
      .starting, on: backend,
      environment: StoreEnvironment(now: { start }, random: { random.next() }), limits: limits,
      shelf: shelf)
    return (service, try await service.addUser(named: "ada").id)
  }

  @Test("a publication counts once in the rate, and not at all if its commit fails")
  func rate() async throws {
    var limits = StoreLimits()
    limits.appPublishesPerMinute = 3
    let backend = RetryingBackend()
    let (service, user) = try await store(backend, limits: limits, shelf: MemoryShelf())
    func request(_ number: Int) -> PublishRequest {
      PublishRequest(Content(app: "ci", visual: VisualContent(title: "\(number)")))
    }
    backend.fail(after: 0)
    #expect(try await storeError { _ = try await service.publish(request(0), for: user) } != nil)
    let results = try await service.publish((1...5).map(request), for: user)
    #expect(results.map { (try? $0.get()) != nil } == [true, true, true, false, false])
    let error = try await storeError { _ = try await service.publish(request(6), for: user) }
    guard case .tooManyRequests? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await service.list(rows: 10, for: user).items.count == 3)
  }

  @Test("the bytes of a file are removed once the commit is done, and not before")
  func bytes() async throws {
    let backend = RetryingBackend()
    let shelf = MemoryShelf()
    let (service, user) = try await store(backend, limits: StoreLimits(), shelf: shelf)
    let token = try await service.mintToken(named: "laptop", scope: .device(nil), for: user)
    var intake = try await service.beginFile(
      named: "a.txt", size: nil, of: FileOwner(user: user, token: token.token.id, app: nil))
    try await intake.write(Array("a file".utf8))
    let file = try await intake.finish()
    try await service.sweep()
    try await service.removeUpload(file)
    var failures = 0
    for count in 0..<4 {
      backend.fail(after: count)
      guard try await storeError({ _ = try await service.sweep() }) != nil else { break }
      failures += 1
      #expect(shelf.open(file.hash) != nil, "the write after \(count) others failed")
    }
    #expect(failures == 2)
    backend.fail(after: nil)
    try await service.sweep()
    #expect(shelf.open(file.hash) == nil)
  }
}
