internal import BellhopSettings

/// The settings of a store whose data is in a PostgreSQL database.
package struct DatabaseSettings: Hashable, Sendable {
  /// The place of attachments.
  package enum Attachments: Hashable, Sendable {
    case database
    /// A folder that all processes share.
    case folder(String)

    /// The text in a configuration file.
    var text: String {
      switch self {
      case .database: "database"
      case .folder(let path): path
      }
    }

    init?(_ text: String) {
      guard (1...4096).contains(text.utf8.count) else { return nil }
      self = text == "database" ? .database : .folder(text)
    }
  }

  /// The address of the database, without a secret; nil for a store in a data directory.
  package var address: String?
  /// The schema of the store's tables.
  package var schema = "bellhop"
  /// The number of connections for reads and writes. Others carry messages and attachments.
  package var connections = 16
  /// The highest number of connections for reads and writes.
  ///
  /// Each has a thread of its own, and Dispatch runs at most 255 threads that block. Beyond that, the store
  /// would wait for ever at its start.
  static let connectionsMax = 200
  /// Whether the store refuses a database whose commits wait for no standby.
  package var requireStandby = true
  /// Whether the certificate of a server on the network may stay unverified.
  package var acceptUnverifiedServers = false
  package var attachments = Attachments.database

  package init() {}

  /// Whether PostgreSQL takes the name of a schema as it is written, without quotes.
  package static func isSchema(_ name: String) -> Bool {
    name.wholeMatch(of: /[a-z_][a-z0-9_]{0,62}/) != nil && !name.hasPrefix("pg_")
  }
}

/// The settings of the table `database`.
extension StoreSettings {
  static let databasePlace: [Setting<StoreSettings>] = [
    .text(
      "database.address", \.database.address,
      expected: "an address without a password, such as \"\(DatabaseAddress.example)\"",
      example: "\"postgres://h1,h2/bellhop?passfile=/etc/bellhop/pgpass\"",
      "The address of the database, which is used instead of a data directory. Put its password "
        + "into a password file.",
      where: { DatabaseAddress($0) != nil }),
    .value(
      "database.schema", \.database.schema,
      expected: "a name of at most 63 small letters, digits and _, such as \"bellhop\"",
      "The schema of the tables. Stores that share a database need one each.",
      written: { TOMLText.quoted($0) },
      read: { $0.text.flatMap { DatabaseSettings.isSchema($0) ? $0 : nil } }),
    .count(
      "database.connections", \.database.connections, 4...DatabaseSettings.connectionsMax,
      "The connections of one process: half of them write, the others read. Five more carry "
        + "messages and attachments, and watch the server."),
    .flag(
      "database.require-standby", \.database.requireStandby,
      "Whether the store refuses a database whose commits wait for no standby. A failover of such "
        + "a database loses what was confirmed."),
    .flag(
      "database.accept-unverified-servers", \.database.acceptUnverifiedServers,
      "Whether the address may name an sslmode that does not verify the certificate of a server "
        + "on the network."),
    .value(
      "database.attachments", \.database.attachments,
      expected: "\"database\", or a folder such as \"/srv/bellhop/files\"",
      "Where attachments are: in the database, or in a folder that all processes share.",
      written: { TOMLText.quoted($0.text) },
      read: { $0.text.flatMap(DatabaseSettings.Attachments.init) }),
  ]
}
