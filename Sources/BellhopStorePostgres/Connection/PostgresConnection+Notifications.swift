#if BELLHOP_POSTGRES
internal import CPostgres

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A message by `NOTIFY`.
package struct PostgresNotification: Hashable, Sendable {
  package let channel: String
  package let payload: String
  /// The process of the server that has sent it.
  package let processID: Int32
}

extension PostgresConnection {
  /// Subscribes to a channel. Messages that were sent before are not delivered.
  package func listen(to channel: String) throws(PostgresError) {
    try run("LISTEN \"\(channel.replacing("\"", with: "\"\""))\"")
  }

  /// Waits for the next message of the channels.
  ///
  /// No transaction may be open, because the server would keep all messages until its end.
  ///
  /// - Returns: nil when none came in time.
  /// - Throws: The reason why the connection broke.
  package func nextNotification(
    until end: ContinuousClock.Instant
  ) throws(PostgresError) -> PostgresNotification? {
    precondition(!isInTransaction, "a transaction is open")
    let handle = try live()
    while true {
      // Parses what has been read.
      _ = PQisBusy(handle)
      if let found = PQnotifies(handle) {
        defer { PQfreemem(found) }
        return PostgresNotification(
          channel: String(cString: found.pointee.relname),
          payload: String(cString: found.pointee.extra), processID: found.pointee.be_pid)
      }
      guard PQstatus(handle) == CONNECTION_OK, notices.pointee.is_fatal == 0 else {
        throw drop(lossReason())
      }
      guard ContinuousClock.now < end else { return nil }
      _ = Readiness.wait(for: PQsocket(handle), POLLIN, until: end)
      PQconsumeInput(handle)
    }
  }
}
#endif
