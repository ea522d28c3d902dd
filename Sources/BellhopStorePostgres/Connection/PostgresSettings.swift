#if BELLHOP_POSTGRES
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The servers to connect to, the limits of waiting, and the settings of each session.
///
/// It holds no password: libpq reads it from the password file, the environment or a service file.
package struct PostgresSettings: Sendable {
  /// A server: a name, an address or the folder of a socket.
  package struct Host: Hashable, Sendable, CustomStringConvertible {
    /// Empty for the socket in libpq's own folder.
    package var name: String
    /// nil for libpq's own port.
    package var port: String?

    /// Whether the server is on this machine, so that the connection crosses no network.
    var isLocal: Bool {
      name.isEmpty || name.hasPrefix("/") || name.hasPrefix("@") || name == "localhost"
        || name == "::1" || name.hasPrefix("127.")
    }

    package var description: String {
      let shown = name.isEmpty ? "the local socket" : name
      return port.map { shown + ":" + $0 } ?? shown
    }
  }

  /// The servers that a session can be opened on.
  package enum Target: String, Sendable {
    case any
    /// Neither in recovery nor read only by default.
    case readWrite = "read-write"
  }

  /// The hosts in the order in which they are tried.
  package var hosts: [Host]
  package var target: Target
  package let database: String?
  /// libpq's other keywords with their values.
  let keywords: [String: String]

  /// The time limit for opening a session on one host, without the lookup of its name.
  package var connectTimeout: Duration
  /// The time limit for each answer of the server, except to `COMMIT`.
  package var answerTimeout = Duration.seconds(30)
  /// The time limit for the answer to `COMMIT`.
  package var commitTimeout = Duration.seconds(10)
  /// The settings of each session, by their names in PostgreSQL.
  package var session = Self.session(schema: "bellhop")
  /// Receives each step of each connection, for measurements; nil in a store that serves.
  ///
  /// The values contain what users wrote. The number is that of the server's process.
  package var onStep: (@Sendable (_ session: Int32, _ step: StatementStep) -> Void)?

  /// Returns the settings of a session whose tables are in the schema.
  ///
  /// An abandoned statement ends by `client_connection_check_interval`, because the server otherwise
  /// notices only at its end that the connection was dropped.
  ///
  /// A session whose process has vanished, such as behind a cut network, ends after 30 s, because the
  /// server then receives no answer to keepalives or data. By the system's limits it would go on for up
  /// to two hours, and use up the server's connections. PostgreSQL ignores them for Unix sockets.
  ///
  /// Every read of the store follows an index. But a prepared statement has one plan for all users, which
  /// is made for the average user and may sort or join all rows of a user with many. So the planner is kept
  /// from such plans. A search needs a bitmap, and switches bitmaps on for its statement.
  package static func session(schema: String) -> [String: String] {
    [
      // With another schema here, PostgreSQL would create tables there while this one is missing.
      "search_path": "\"\(schema.replacing("\"", with: "\"\""))\"",
      "client_encoding": "UTF8",
      "TimeZone": "UTC",
      "default_transaction_isolation": "read committed",
      "synchronous_commit": "on",
      "lock_timeout": "5s",
      "statement_timeout": "0",
      "idle_in_transaction_session_timeout": "30s",
      "client_connection_check_interval": "2s",
      "tcp_keepalives_idle": "10s",
      "tcp_keepalives_interval": "5s",
      "tcp_keepalives_count": "4",
      "tcp_user_timeout": "30s",
      "enable_bitmapscan": "off",
      "enable_hashjoin": "off",
      "enable_mergejoin": "off",
      "enable_seqscan": "off",
      "jit": "off",
    ]
  }

  /// The number of seconds after which an unanswered packet ends the connection.
  private static let silentSecondsMax = 10
  /// The keywords that are set unless the address sets them.
  private static let defaults = [
    "connect_timeout": "\(silentSecondsMax)",
    "tcp_user_timeout": "\(silentSecondsMax * 1000)",
    "keepalives": "1",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "fallback_application_name": "bellhopd",
    // Otherwise a Kerberos ticket would replace TLS, and with it sslmode=verify-full.
    "gssencmode": "disable",
  ]

  /// Reads an address such as `postgres://h1,h2/bellhop?target_session_attrs=read-write`.
  ///
  /// - Parameters:
  /// - acceptsUnverifiedServers: Whether the address may name another `sslmode` than `verify-full`
  ///   for a server on the network.
  /// - environment: The environment variables that libpq reads too.
  /// - Throws: ``PostgresError/invalidAddress(reason:)``, ``PostgresError/secretInAddress``,
  ///   ``PostgresError/unverifiedServer(host:)``, ``PostgresError/exposedPasswordFile(path:)``.
  package init(
    address: String, acceptsUnverifiedServers: Bool = false,
    environment: (String) -> String? = Self.variable
  ) throws(PostgresError) {
    var keywords = try AddressParser.keywords(of: address)
    for secret in ["password", "sslpassword"] where keywords[secret] != nil {
      throw .secretInAddress
    }
    hosts = try AddressParser.takeHosts(from: &keywords, environment: environment)
    target = try AddressParser.takeTarget(from: &keywords)
    database = keywords["dbname"]
    let isOnNetwork = hosts.first { !$0.isLocal }
    if let host = isOnNetwork {
      let mode = keywords["sslmode"] ?? "verify-full"
      guard mode == "verify-full" || acceptsUnverifiedServers else {
        throw .unverifiedServer(host: host.name)
      }
      keywords["sslmode"] = mode
    }
    keywords.merge(Self.defaults) { given, _ in given }
    // Checked here, and not by libpq or PGTARGETSESSIONATTRS.
    keywords["target_session_attrs"] = "any"
    // libpq would ignore an exposed file, or find another one than was checked.
    keywords["passfile"] =
      keywords["passfile"] ?? environment("PGPASSFILE")
      ?? environment("HOME").map { $0 + "/.pgpass" }
    // In seconds; libpq leaves this limit to the caller.
    guard let seconds = keywords.removeValue(forKey: "connect_timeout").flatMap({ Int($0) }) else {
      throw .invalidAddress(reason: "connect_timeout is not a number of seconds")
    }
    connectTimeout = .seconds(seconds > 0 ? seconds : Self.silentSecondsMax)
    self.keywords = keywords
    try checkPasswordFile()
  }

  /// Refuses a password file that other users may read, as libpq does without saying so.
  ///
  /// - Throws: ``PostgresError/exposedPasswordFile(path:)``.
  func checkPasswordFile() throws(PostgresError) {
    guard let path = keywords["passfile"] else { return }
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
    if facts.st_mode & (S_IRWXG | S_IRWXO) != 0 { throw .exposedPasswordFile(path: path) }
  }

  /// Returns the value of an environment variable of this process.
  package static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

extension PostgresSettings: CustomStringConvertible, CustomDebugStringConvertible {
  /// The hosts and the database.
  package var description: String {
    let hosts = hosts.map(\.description).joined(separator: ", ")
    return (database.map { "\($0) at " } ?? "") + hosts
  }

  package var debugDescription: String { description }
}

extension PostgresSettings: CustomReflectable {
  package var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}
#endif
