/// A write that waits for its commit, which it may share with others.
///
/// `Context` is what the storage gives the body, such as its transaction.
package struct WriteRequest<Context>: Sendable {
  /// Runs the body, which may run again.
  package let attempt: @Sendable (Context) -> WriteAttempt
  /// Answers a request whose body has no effects.
  package let refuse: @Sendable (any Error) -> Void

  /// Creates the request of a caller who waits for the answer.
  ///
  /// - Parameter committed: Called after the commit, before the answer.
  package init<Value: Sendable>(
    answering caller: CheckedContinuation<Value, any Error>,
    committed: @escaping @Sendable (Value) -> Void,
    _ body: @escaping @Sendable (Context) throws -> Value
  ) {
    attempt = { context in
      do {
        let value = try body(context)
        return WriteAttempt(error: nil) { failure in
          if let failure {
            caller.resume(throwing: failure)
          } else {
            committed(value)
            caller.resume(returning: value)
          }
        }
      } catch {
        return WriteAttempt(error: error) { caller.resume(throwing: $0 ?? error) }
      }
    }
    refuse = { caller.resume(throwing: $0) }
  }
}

/// A run of the body of a write.
package struct WriteAttempt: Sendable {
  /// The error that the body threw.
  package let error: (any Error)?
  /// Answers the request once the outcome of the commit is known.
  package let answer: @Sendable (_ commitFailure: (any Error)?) -> Void

  package init(
    error: (any Error)?, answer: @escaping @Sendable (_ commitFailure: (any Error)?) -> Void
  ) {
    self.error = error
    self.answer = answer
  }
}
