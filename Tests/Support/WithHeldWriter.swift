package import BellhopStore
import Dispatch
import Synchronization

/// Runs `body` while a write occupies the only writer of a backend.
///
/// The write ends after `body`, also if that throws.
package func withHeldWriter<Value>(
  of backend: any StorageBackend, isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Value
) async throws -> Value {
  let begun = Atomic<Bool>(false)
  let gate = DispatchSemaphore(value: 0)
  let held = Task { @Sendable in
    try await backend.write(
      in: .store,
      { _ in
        begun.store(true, ordering: .relaxed)
        gate.wait()
      }, committed: { _ in })
  }
  let value: Value
  do {
    defer { gate.signal() }
    try await eventually("a held writer") { begun.load(ordering: .relaxed) }
    value = try await body()
  }
  try await held.value
  return value
}
