#if BELLHOP_POSTGRES
internal import BellhopModel
internal import CPostgres

/// A failure of a connection, of a statement, or of the pool.
///
/// No text contains a password, a connection string, a statement or its values. A server's own
/// message may repeat a value, so only ``log`` has it, except for messages of kinds that repeat none.
package enum PostgresError: ExplainedError, Hashable, Sendable {
  // MARK: The address
  /// The connection string is not valid, or has an option that is not supported.
  case invalidAddress(reason: String)
  /// The connection string contains a secret.
  case secretInAddress
  /// Other users may read the password file.
  case exposedPasswordFile(path: String)
  /// The server is on the network, and its certificate would not be verified.
  case unverifiedServer(host: String)

  // MARK: Opening
  /// None of the hosts could be used. Each reason names its host.
  case unreachable(reasons: [String])
  /// The server refused the user, or the password is missing.
  case accessDenied(reason: String)
  case serverTooOld(version: Int)

  // MARK: Running
  /// The connection broke before the transaction was committed.
  case connectionLost(reason: String)
  /// The server did not answer in time, so the connection was dropped.
  case timedOut(after: Duration)
  /// The server stops, starts, or ended the connection.
  case shuttingDown
  /// The server does not accept writes: it is a standby, or set to read only.
  case readOnly
  /// The transaction lost against another one: a serialization failure or a deadlock.
  case conflict
  /// Another transaction held a lock for longer than `lock_timeout`.
  case lockTimeout
  case tooManyConnections
  case diskFull
  case outOfMemory
  /// An earlier statement failed, so the transaction can only be rolled back.
  case failedTransaction
  /// The role lacks a right. `message` names the table or the schema, in the server's language.
  case missingRight(message: String)
  /// Any other error of the server. `message` is in the server's language.
  case refused(sqlState: String, message: String, constraint: String?)

  // MARK: Results
  /// A value has another type than expected, or is NULL.
  case unexpectedValue(column: String, expected: String, found: String)
  case missingColumn(String)
  case missingRow

  // MARK: The pool
  /// More calls are waiting for a connection than the pool accepts.
  case tooManyWaiting
  /// The connection or the pool was closed.
  case closed
}

extension PostgresError {
  /// A way to deal with a failed transaction. In all of them, nothing was committed.
  package enum Remedy: Hashable, Sendable {
    /// Run the transaction again at once, a limited number of times.
    case retry
    /// Refuse the request as one that may succeed a little later.
    case wait
    /// Report the failure: it will occur again.
    case report
  }

  package var remedy: Remedy {
    switch self {
    case .connectionLost, .shuttingDown, .readOnly, .conflict: .retry
    case .unreachable, .timedOut, .lockTimeout, .tooManyConnections, .diskFull, .outOfMemory,
      .tooManyWaiting:
      .wait
    case .invalidAddress, .secretInAddress, .exposedPasswordFile, .unverifiedServer,
      .accessDenied, .serverTooOld, .failedTransaction, .missingRight, .refused,
      .unexpectedValue, .missingColumn, .missingRow, .closed:
      .report
    }
  }

  /// A line for the log of a store, with the server's own message.
  package var log: String {
    guard case .refused(_, let message, _) = self else { return description }
    return "\(description) The server said: \(message)"
  }
}

extension PostgresError {
  package var description: String {
    switch self {
    case .invalidAddress(let reason):
      "The address of the database is not valid: \(reason). "
        + "Use an address such as postgres://db.example.com/bellhop. Nothing was changed."
    case .secretInAddress:
      "The address of the database contains a password. Put it into a password file, and name that "
        + "file with ?passfile=PATH or PGPASSFILE. Nothing was changed."
    case .exposedPasswordFile(let path):
      "Other users may read the password file \(path). Run: chmod 600 \(path)."
    case .unverifiedServer(let host):
      "The server \(host) is on the network, so its certificate must be verified. "
        + "Use sslmode=verify-full. Nothing was sent."
    case .unreachable(let reasons):
      "No database server can be used: \(reasons.joined(separator: "; ")). Nothing was changed."
    case .accessDenied(let reason):
      "The database server refused the connection: \(reason). Nothing was changed."
    case .serverTooOld(let version):
      "The database server has version \(version / 10_000). "
        + "Version \(PostgresFacts.versionMin / 10_000) or later is needed."
    case .connectionLost(let reason):
      "The connection to the database was lost: \(reason). Nothing was changed."
    case .timedOut(let limit):
      "The database did not answer within \(limit.inSeconds). Nothing was changed."
    case .shuttingDown: "The database server is stopping or starting. Nothing was changed."
    case .readOnly: "The database server does not accept writes. Nothing was changed."
    case .conflict: "Another transaction changed the same rows. Nothing was changed."
    case .lockTimeout: "Another transaction holds a lock for too long. Nothing was changed."
    case .tooManyConnections: "The database server has no free connection. Nothing was changed."
    case .diskFull: "The disk of the database server is full. Nothing was changed."
    case .outOfMemory: "The database server is out of memory. Nothing was changed."
    case .failedTransaction:
      "An earlier statement of the transaction failed. Nothing was changed."
    case .missingRight(let message):
      "The role lacks a right in the database: \(message). Run bellhopd migrate-schema with the role "
        + "of the owner, and the grants that it prints. Nothing was changed."
    case .refused(let state, _, let constraint):
      "The database refused a statement with SQLSTATE \(state)"
        + (constraint.map { ", constraint \($0)" } ?? "") + ". Nothing was changed."
    case .unexpectedValue(let column, let expected, let found):
      "The database returned \(found) in the column \(column), and not \(expected)."
    case .missingColumn(let column): "The database returned no column \(column)."
    case .missingRow: "The database returned no row."
    case .tooManyWaiting: "Too many requests wait for the database. Nothing was changed."
    case .closed: "The connection to the database is closed. Nothing was changed."
    }
  }
}

// MARK: - From the server

extension PostgresError {
  /// Creates the error for an SQLSTATE, which does not depend on the server's language.
  init(sqlState: String, message: String, constraint: String? = nil) {
    switch sqlState {
    case "40001", "40P01": self = .conflict
    case "55P03": self = .lockTimeout
    case "25006": self = .readOnly
    case "25P02": self = .failedTransaction
    case "53100": self = .diskFull
    case "53200": self = .outOfMemory
    case "53300": self = .tooManyConnections
    case "57P01", "57P02", "57P03", "57P04", "57P05": self = .shuttingDown
    case "28000", "28P01": self = .accessDenied(reason: message)
    case "42501": self = .missingRight(message: message)
    default:  // open: String
      self = .refused(sqlState: sqlState, message: message, constraint: constraint)
    }
  }

  /// Creates the error of a failed statement; nil if the result has no SQLSTATE.
  ///
  /// libpq makes such a result when the connection broke.
  init?(_ result: OpaquePointer) {
    guard let state = Self.field(CPOSTGRES_SQLSTATE, of: result) else { return nil }
    let message = Self.field(CPOSTGRES_MESSAGE, of: result) ?? ""
    if Self.isFatal(result) {
      self.init(fatal: state, message: message)
    } else {
      self.init(
        sqlState: state, message: message,
        constraint: Self.field(CPOSTGRES_CONSTRAINT, of: result))
    }
  }

  /// Creates the error for an SQLSTATE with which the server, or a proxy, ends the connection.
  init(fatal state: String, message: String) {
    self.init(sqlState: state, message: message)
    if case .refused = self {
      self = .connectionLost(reason: "the server ended the session with SQLSTATE \(state)")
    }
  }

  /// Whether the server ends the connection with this result.
  static func isFatal(_ result: OpaquePointer) -> Bool {
    switch field(CPOSTGRES_SEVERITY, of: result) {
    case "FATAL", "PANIC": true
    default: false  // open: String
    }
  }

  private static func field(_ code: Int, of result: OpaquePointer) -> String? {
    PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
  }
}

extension Duration {
  /// The duration as a text in whole seconds, rounded up.
  var inSeconds: String { "\(Int64((self / .seconds(1)).rounded(.up))) s" }
}
#endif
