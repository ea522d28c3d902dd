import Dispatch
import Synchronization

/// A bridge from a thread that may block to asynchronous code.
enum Waiting {
  private final class Answer<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, any Error>?>(nil)
    let isThere = DispatchSemaphore(value: 0)
  }

  private struct NoAnswer: Error {}

  /// Runs `body` in a task of its own and blocks this thread until it completes.
  ///
  /// The thread must not belong to the pool that runs tasks.
  static func wait<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let answer = Answer<Value>()
    Task.detached {
      let result: Result<Value, any Error>
      do {
        result = .success(try await body())
      } catch {
        result = .failure(error)
      }
      answer.value.withLock { $0 = result }
      answer.isThere.signal()
    }
    answer.isThere.wait()
    guard let result = answer.value.withLock({ $0 }) else { throw NoAnswer() }
    return try result.get()
  }
}
