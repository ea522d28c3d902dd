#if BELLHOP_POSTGRES
internal import CPostgres

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

extension PostgresConnection {
  /// Opens a session on the first of the hosts that can be used.
  ///
  /// The hosts are tried one by one here, because libpq has no time limit for each in its calls
  /// that do not block. The lookup of a name blocks as long as the system's resolver does.
  ///
  /// - Throws: ``PostgresError/exposedPasswordFile(path:)``; the error of the only host; or
  ///   ``PostgresError/unreachable(reasons:)``.
  package static func open(
    _ settings: PostgresSettings
  ) throws(PostgresError) -> PostgresConnection {
    try settings.checkPasswordFile()
    var reasons: [String] = []
    for host in settings.hosts {
      do {
        return try open(settings, on: host)
      } catch {
        if settings.hosts.count == 1, !error.isUnreachable { throw error }
        reasons.append("\(host): \(error.reason)")
      }
    }
    throw .unreachable(reasons: reasons)
  }

  /// Opens a session on the first of the hosts that can be used and that `check` accepts.
  ///
  /// So an old primary, which still accepts writes, does not hide the new one.
  ///
  /// - Throws: The errors of ``open(_:)``; if `check` refused a host, its error for the last of them.
  static func open(
    _ settings: PostgresSettings, check: (PostgresConnection) throws -> Void
  ) throws -> PostgresConnection {
    try settings.checkPasswordFile()
    var reasons: [String] = []
    var refusal: (any Error)?
    for host in settings.hosts {
      var one = settings
      one.hosts = [host]
      do {
        let connection = try open(one)
        do {
          try check(connection)
          return connection
        } catch {
          connection.close()
          refusal = error
        }
      } catch {
        if settings.hosts.count == 1 { throw error }
        if case .unreachable(let known) = error {
          // Each reason names its host already.
          reasons += known
        } else {
          reasons.append("\(host): \(error.reason)")
        }
      }
    }
    throw refusal ?? PostgresError.unreachable(reasons: reasons)
  }

  private static func open(
    _ settings: PostgresSettings, on host: PostgresSettings.Host
  ) throws(PostgresError) -> PostgresConnection {
    let handle = try start(settings, on: host)
    let notices = UnsafeMutablePointer<cpostgres_notices>.allocate(capacity: 1)
    cpostgres_collect(handle, notices)
    do {
      try finish(handle, within: settings.connectTimeout)
    } catch {
      PQfinish(handle)
      notices.deallocate()
      throw error
    }
    // From here on, the connection frees both.
    let connection = PostgresConnection(handle, notices: notices, host: host, settings: settings)
    try connection.check(settings.target)
    guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
      throw connection.lossReason()
    }
    try connection.run(
      """
      SELECT set_config(name, value, false)
      FROM unnest($1, $2) AS setting(name, value)
      """,
      .texts(settings.session.map(\.key)), .texts(settings.session.map(\.value)))
    return connection
  }

  private static func start(
    _ settings: PostgresSettings, on host: PostgresSettings.Host
  ) throws(PostgresError) -> OpaquePointer {
    var keywords = settings.keywords
    keywords["host"] = host.name.isEmpty ? nil : host.name
    keywords["port"] = host.port
    let names = keywords.keys.map { strdup($0) }
    let values = keywords.values.map { strdup($0) }
    defer { for text in names + values { free(text) } }
    guard
      let handle = PQconnectStartParams(
        names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 0)
    else { throw .outOfMemory }
    // With the SQLSTATE, which libpq tells of a failed connection in no other way.
    PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    // A service file may have set it; nothing has been sent yet.
    let options = PQconninfo(handle)
    defer { PQconninfoFree(options) }
    if let options, AddressParser.values(of: options)["hostaddr"] != nil {
      PQfinish(handle)
      throw .invalidAddress(reason: "hostaddr in a service file is not supported")
    }
    return handle
  }

  private static func finish(
    _ handle: OpaquePointer, within limit: Duration
  ) throws(PostgresError) {
    let end = ContinuousClock.now + limit
    // As libpq wants it: a new connection waits for writing first.
    var events = POLLOUT
    while PQstatus(handle) != CONNECTION_BAD {
      if !Readiness.wait(for: PQsocket(handle), events, until: end) {
        guard ContinuousClock.now < end else {
          throw .unreachable(reasons: ["no answer within \(limit.inSeconds)"])
        }
        continue
      }
      switch PQconnectPoll(handle) {
      case PGRES_POLLING_OK:
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        return
      case PGRES_POLLING_READING: events = POLLIN
      case PGRES_POLLING_WRITING: events = POLLOUT
      default: throw refusal(of: handle)  // open: PostgresPollingStatusType
      }
    }
    throw refusal(of: handle)
  }

  /// Refuses a server that is too old or not of the wanted kind.
  ///
  /// The server reports both kinds with every session, so that no question is needed.
  private func check(_ target: PostgresSettings.Target) throws(PostgresError) {
    let handle = try live()
    guard serverVersion >= PostgresFacts.versionMin else {
      throw .serverTooOld(version: serverVersion)
    }
    guard target == .readWrite else { return }
    for name in ["in_hot_standby", "default_transaction_read_only"] {
      if let value = PQparameterStatus(handle, name), strcmp(value, "on") == 0 { throw .readOnly }
    }
  }

  /// Returns the error of a connection that could not be opened.
  private static func refusal(of handle: OpaquePointer) -> PostgresError {
    if PQconnectionNeedsPassword(handle) == 1 {
      return .accessDenied(reason: "it wants a password, and no password file has one")
    }
    let line = reason(PQerrorMessage(handle))
    // `connection to server at "h1", port 5432 failed: FATAL: 28P01: password authentication …`
    let text = line.split(separator: " failed: ", maxSplits: 1).last ?? ""
    let parts = text.split(separator: ": ", maxSplits: 2)
    if parts.count == 3, parts[1].utf8.count == 5 {
      let error = PostgresError(sqlState: String(parts[1]), message: String(parts[2]))
      if case .missingRight(let reason) = error { return .accessDenied(reason: reason) }
      guard case .refused = error else { return error }
      return .accessDenied(reason: String(parts[2]))
    }
    return .unreachable(reasons: [String(text)])
  }
}

extension PostgresError {
  fileprivate var isUnreachable: Bool {
    if case .unreachable = self { true } else { false }
  }

  /// The error as one of several reasons in a sentence.
  fileprivate var reason: String {
    switch self {
    case .unreachable(let reasons): reasons.joined(separator: ", ")
    case .accessDenied(let reason): reason
    case .readOnly: "it does not accept writes"
    case .shuttingDown: "it is stopping or starting"
    case .tooManyConnections: "it has no free connection"
    case .serverTooOld(let version): "its version \(version / 10_000) is too old"
    case .invalidAddress, .secretInAddress, .exposedPasswordFile, .unverifiedServer,
      .connectionLost, .timedOut, .conflict, .lockTimeout, .diskFull, .outOfMemory,
      .failedTransaction, .missingRight, .refused, .unexpectedValue, .missingColumn, .missingRow,
      .tooManyWaiting, .closed:
      String(description.prefix { $0 != "." })
    }
  }
}
#endif
