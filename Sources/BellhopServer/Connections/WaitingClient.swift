internal import BellhopWire
internal import HTTPTypes
internal import NIOCore

/// The client that waits for the answer to a request.
///
/// A client that closes its side of the connection has left, as for `net/http` and nginx: its lists
/// are read for it no further. What it asked to be changed is done in any case.
struct WaitingClient: Sendable {
  private let channel: any Channel

  init(_ channel: any Channel) { self.channel = channel }

  /// Does something in a task of its own, which is cancelled when the client leaves.
  ///
  /// - Throws: ``Failure/clientLeft`` then, else what `work` throws.
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
      throw task.isCancelled ? Failure.clientLeft : error
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
  /// Reads what may take long, until the client leaves.
  package func untilClientLeaves<Value: Sendable>(
    _ read: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let client else { return try await read() }
    return try await client.whileWaiting(read)
  }
}

extension Failure {
  /// For the log and the metrics: the client closed the connection before the answer.
  static let clientLeft = Failure(
    .clientClosedRequest, .generalException, "The client closed the connection.")
}

extension HTTPResponse.Status {
  /// nginx's number for it.
  fileprivate static let clientClosedRequest = Self(
    code: 499, reasonPhrase: "Client Closed Request")
}
