import BellhopModel
import BellhopStore
import Synchronization
import Testing

/// A backend that runs a closure after each read or write, or stops writing after some.
final class BetweenWrites: StorageBackend {
  private struct State {
    var writes = 0
    var action: (@Sendable () async throws -> Void)?
    var readAction: (@Sendable () async throws -> Void)?
  }

  private let backend: any StorageBackend
  private let writesMax: Int
  private let state = Mutex(State())

  init(_ backend: any StorageBackend, failsAfter writesMax: Int = .max) {
    self.backend = backend
    self.writesMax = writesMax
  }

  var writes: Int { state.withLock(\.writes) }

  func afterEach(_ action: @escaping @Sendable () async throws -> Void) {
    state.withLock { $0.action = action }
  }

  func afterEachRead(_ action: @escaping @Sendable () async throws -> Void) {
    state.withLock { $0.readAction = action }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value {
    let value = try await backend.read(body)
    try await state.withLock(\.readAction)?()
    return value
  }

  func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) async throws -> Value {
    guard writes < writesMax else { throw StoreError.unavailable(reason: "crashed") }
    let value = try await backend.write(in: scope, body, committed: committed)
    let action = state.withLock { state in
      state.writes += 1
      return state.action
    }
    try await action?()
    return value
  }

  func catchUp() async throws -> CatchUp { try await backend.catchUp() }

  func close() async {}
}

extension StoreUnderTest {
  /// The operations as the first ones of the device's outbox.
  func batch(_ operations: [BellhopModel.Operation]) -> OperationBatch {
    OperationBatch(
      device: device.id, lineage: Lineage("l1"),
      operations: operations.enumerated().map {
        NumberedOperation(number: Int64($0.offset) + 1, operation: $0.element)
      })
  }

  /// Sends the operations to a store whose storage fails permanently after some writes.
  func crash(
    sending operations: [BellhopModel.Operation], afterWrites count: Int
  ) async throws {
    let failing = BetweenWrites(backend, failsAfter: count + 1)
    let service = try await StoreService.open(
      .joining, on: failing, environment: environment, limits: limits)
    let error = try await storeError {
      _ = try await service.apply(batch(operations), for: user)
    }
    #expect(error == .unavailable(reason: "crashed"))
  }
}
