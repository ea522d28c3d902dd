internal import BellhopWire
internal import HTTPTypes
internal import NIOCore

/// The client that waits for the response to a request.
///
/// A client that closes its side of the connection has left, as for `net/http` and nginx: reading
/// its lists stops. Changes that it requested are still made.
struct WaitingClient: Sendable {
  private let channel: any Channel

  init(_ channel: any Channel) { self.channel = channel }

  /// Runs `work` in a task of its own, which is cancelled when the client leaves.
  ///
  /// - Throws: ``RequestError/clientLeft`` when the client leaves, else the errors of `work`.
  func whileWaiting<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await work() }
    watch { task.cancel() }
    defer { watch(nil) }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      throw task.isCancelled ? RequestError.clientLeft : error
    }
  }

  private func watch(_ leaves: (@Sendable () -> Void)?) {
    channel.eventLoop.execute { [channel] in
      guard let marks = try? channel.pipeline.syncOperations.handler(type: PaceMarks.self),
        !marks.isInputClosed
      else {
        leaves?()
        return
      }
      marks.whenRequestIsMoot = leaves
    }
  }
}

extension Exchange {
  /// Runs a read that may take long, until the client leaves.
  package func untilClientLeaves<Value: Sendable>(
    _ read: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let client else { return try await read() }
    return try await client.whileWaiting(read)
  }
}

extension RequestError {
  /// The client closed the connection before the response; for the log and the metrics.
  static let clientLeft = RequestError(
    .clientClosedRequest, .generalException, "The client closed the connection.")
}

extension HTTPResponse.Status {
  /// nginx's status for a client that closed the connection.
  fileprivate static let clientClosedRequest = Self(
    code: 499, reasonPhrase: "Client Closed Request")
}
