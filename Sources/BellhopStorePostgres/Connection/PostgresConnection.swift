#if BELLHOP_POSTGRES
internal import BellhopStore
internal import CPostgres

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A session on a PostgreSQL server, for one thread at a time.
///
/// Calls block the thread, but never longer than their time limit. When one passes, or the connection
/// breaks, the connection is dropped and every later call throws. Dropping is also the only way to
/// cancel a statement.
///
/// The connection stays in libpq's pipeline mode. ``queue(_:_:)`` sends statements whose answers are
/// read later, together with that of the next ``run(_:_:)``, ``flush()`` or ``commit()``.
package final class PostgresConnection {
  package let host: PostgresSettings.Host
  package let serverVersion: Int
  /// The process of the server that has this session. It may outlive a dropped connection.
  package let processID: Int32
  /// The time limit for each answer, except to `COMMIT`.
  package var answerTimeout: Duration
  package let commitTimeout: Duration
  /// The key of the data's life on the server; nil until a store has determined it.
  var lifeKey: LifeKey?

  /// libpq's connection; nil when it was dropped.
  private(set) var handle: OpaquePointer?
  /// The reason why the connection was dropped.
  private(set) var failure = PostgresError.closed
  let notices: UnsafeMutablePointer<cpostgres_notices>
  var statements = StatementCache()
  var parameters = ParameterBuffer()
  /// The answers that the server still owes, in order.
  var awaited: [AwaitedAnswer] = []
  /// The size of the parameters that were sent without waiting for an answer.
  var queuedBytes = 0
  /// See ``PostgresSettings/onStep``.
  let onStep: (@Sendable (_ session: Int32, _ step: StatementStep) -> Void)?

  /// Takes over a connection that libpq has opened.
  ///
  /// - Parameter notices: The memory for its notices.
  init(
    _ handle: OpaquePointer, notices: UnsafeMutablePointer<cpostgres_notices>,
    host: PostgresSettings.Host, settings: PostgresSettings
  ) {
    self.handle = handle
    self.notices = notices
    self.host = host
    serverVersion = Int(PQserverVersion(handle))
    processID = PQbackendPID(handle)
    answerTimeout = settings.answerTimeout
    commitTimeout = settings.commitTimeout
    onStep = settings.onStep
  }

  deinit {
    if let handle { PQfinish(handle) }
    notices.deallocate()
  }

  /// Closes the connection. An open transaction is not committed.
  package func close() { drop(.closed) }

  /// Closes the connection for a reason that later calls throw.
  @discardableResult
  func drop(_ error: PostgresError) -> PostgresError {
    if let handle {
      failure = error
      PQfinish(handle)
    }
    handle = nil
    awaited = []
    return error
  }

  /// Returns libpq's connection.
  func live() throws(PostgresError) -> OpaquePointer {
    guard let handle else { throw failure }
    return handle
  }

  /// Whether the connection can be used, as far as this machine knows.
  ///
  /// Reads what the server has sent meanwhile, such as the end of the session. Sends nothing.
  package var isUsable: Bool {
    guard let handle else { return false }
    while PQstatus(handle) == CONNECTION_OK, notices.pointee.is_fatal == 0 {
      guard Readiness.wait(for: PQsocket(handle), POLLIN, until: .now) else { return true }
      PQconsumeInput(handle)
      _ = PQisBusy(handle)
    }
    drop(lossReason())
    return false
  }

  /// Whether the connection was not dropped. Unlike ``isUsable``, this reads nothing.
  var isOpen: Bool { handle != nil }

  /// Whether a transaction is open or begun.
  package var isInTransaction: Bool {
    guard let handle else { return false }
    return !awaited.isEmpty || PQtransactionStatus(handle) != PQTRANS_IDLE
  }

  /// Returns the error for a connection that libpq or the server has ended.
  func lossReason() -> PostgresError {
    if notices.pointee.is_fatal != 0 {
      return PostgresError(fatal: noticeState, message: noticeMessage)
    }
    return .connectionLost(reason: Self.reason(handle.flatMap { PQerrorMessage($0) }))
  }

  /// The SQLSTATE of the session's end, or else of the first warning since the last reset.
  var noticeState: String { withUnsafeBytes(of: notices.pointee.sqlstate, Self.text) }

  /// The server's text for ``noticeState``.
  var noticeMessage: String { withUnsafeBytes(of: notices.pointee.message, Self.text) }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns the first line of a text of libpq as the end of a sentence.
  static func reason(_ text: UnsafePointer<CChar>?) -> String {
    let line = text.map { String(cString: $0) }?.split(separator: "\n").first ?? ""
    let words = line.split(separator: " ").joined(separator: " ")
    return words.isEmpty ? "the server closed it" : words
  }

  // MARK: - Waiting

  /// Waits until libpq can return the next result without blocking.
  ///
  /// - Throws: ``PostgresError/timedOut(after:)``, and drops the connection. A broken connection is
  ///   a result too.
  func waitForResult(until end: ContinuousClock.Instant, limit: Duration) throws(PostgresError) {
    let handle = try live()
    while true {
      let hasMore = PQflush(handle) > 0
      if PQisBusy(handle) == 0 || PQstatus(handle) == CONNECTION_BAD { return }
      let events = hasMore ? POLLIN | POLLOUT : POLLIN
      let isReady = Readiness.wait(for: PQsocket(handle), events, until: end)
      // Also when nothing is ready: TLS may have read more from the socket than libpq asked for.
      PQconsumeInput(handle)
      guard isReady || ContinuousClock.now < end else { throw drop(.timedOut(after: limit)) }
    }
  }
}

/// Waits for sockets.
enum Readiness {
  /// The longest wait before the caller gets the chance to look at the connection, whatever the time
  /// limit.
  private static let pause = Duration.seconds(1)

  /// Waits for the events, at most until the time and at most ``pause``.
  ///
  /// - Returns: Whether an event has happened, which may be the end of the connection.
  static func wait(
    for socket: Int32, _ events: Int32, until end: ContinuousClock.Instant
  ) -> Bool {
    var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
    let rest = min(ContinuousClock.now.duration(to: end), pause)
    let milliseconds = max(0, (rest / .milliseconds(1)).rounded(.up))
    return poll(&entry, 1, Int32(milliseconds)) > 0
  }
}
#endif
