internal import Dispatch
internal import Synchronization

/// Runs asynchronous work to completion from an ordinary thread.
///
/// The calling thread sleeps meanwhile, so it must not belong to the concurrency pool. `main` does
/// not.
package func runBlocking<Result: Sendable>(
  _ work: @escaping @Sendable () async throws -> Result
) throws -> Result {
  let box = Mutex<Swift.Result<Result, any Error>?>(nil)
  let shared = Shared(box)
  let finished = DispatchSemaphore(value: 0)
  Task.detached {
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(try await work())
    } catch {
      result = .failure(error)
    }
    shared.value.withLock { $0 = result }
    finished.signal()
  }
  finished.wait()
  guard let result = shared.value.withLock({ $0 }) else {
    throw ClientError(.software, "An internal task ended without a result.")
  }
  return try result.get()
}

/// A reference to a value that cannot be copied.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
  let value: Value
  init(_ value: consuming Value) { self.value = value }
}
