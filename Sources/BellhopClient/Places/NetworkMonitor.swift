internal import Dispatch

/// A source of events for when the networks of the device may have changed.
///
/// No code runs meanwhile: the wait is a blocked thread.
enum NetworkMonitor {
  /// Returns a stream with an element for each change of the gateways. Changes that come together
  /// are one element.
  ///
  /// The stream ends when its reader is cancelled.
  ///
  /// - Parameter open: Opens a socket that receives changes, or one that reads the tables.
  /// - Throws: ``ClientError`` if the system does not report changes.
  static func stream(
    open: (_ hearsChanges: Bool) throws(ClientError) -> NetworkSocket = {
      hearsChanges throws(ClientError) in try NetworkSocket(hearsChanges: hearsChanges)
    }
  ) throws(ClientError) -> AsyncStream<Void> {
    let end = try EndPipe()
    let sockets = Sockets(changes: try open(true), tables: try open(false))
    // Read after the socket for changes was opened, so that none is missed.
    let start = try sockets.tables.readTables()
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { _ in end.end() }
    DispatchQueue(label: "bellhop.places.network").async {
      var tables = start
      while sockets.changes.waitForChange(of: tables, until: end) {
        guard let now = try? sockets.tables.readTables() else { break }
        if now != tables { continuation.yield() }
        tables = now
      }
      continuation.finish()
    }
    return stream
  }

  /// Both sockets of the thread.
  ///
  /// `@unchecked Sendable`: ``stream(open:)`` hands them to the one block of a queue of its own, and
  /// uses them only before that.
  private final class Sockets: @unchecked Sendable {
    let changes: NetworkSocket
    let tables: NetworkSocket

    init(changes: NetworkSocket, tables: NetworkSocket) {
      self.changes = changes
      self.tables = tables
    }
  }
}
