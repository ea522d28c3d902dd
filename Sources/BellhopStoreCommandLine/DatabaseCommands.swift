internal import ArgumentParser
internal import BellhopServer

#if BELLHOP_POSTGRES
  internal import BellhopStorePostgres
#endif

struct MigrateSchemaCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate-schema",
    abstract: "Create or update the tables of a database, as their owner.",
    discussion: """
      Needs a role that may create tables, and the extension btree_gin if the database lacks it. \
      bellhopd serve needs a role that may only read and write rows; this command prints its \
      grants as SQL. Either all changes are made or none. Processes of the previous version keep \
      serving during an upgrade.

      Example: bellhopd migrate-schema --database postgres://owner@db.example.com/bellhop > grants.sql
      """)
  @Option(help: ArgumentHelp("The role of bellhopd serve.", valueName: "name"))
  var role = "bellhop"
  @OptionGroup var data: DataOptions

  func perform() async throws {
    let settings = try data.settings()
    guard settings.database.address != nil else {
      throw ProgramError.usage(
        "A data directory needs no migrate-schema: give --database. Nothing was changed.")
    }
    guard DatabaseSettings.isSchema(role) else {
      throw ProgramError.usage(
        "That is not a valid --role. Use at most 63 small letters, digits and _, such as bellhop. "
          + "Nothing was changed.")
    }
    try await DataPlaces.migrateSchema(settings.database)
    Output.error("The schema \(settings.database.schema) has the tables of this version.")
    Output.error("The role of bellhopd serve needs these grants:")
    Output.text(ServeRole(name: role, schema: settings.database.schema).grants)
  }
}

extension DataPlaces {
  /// Creates or updates the tables.
  fileprivate static func migrateSchema(_ settings: DatabaseSettings) async throws {
    #if BELLHOP_POSTGRES
      try await PostgresBackend.migrate(DatabasePlace(settings).postgres)
    #else
      throw ProgramError.withoutPostgres
    #endif
  }
}

/// The role with which processes serve a database, which may only read and write rows.
struct ServeRole: Hashable, Sendable {
  var name: String
  var schema: String

  /// The grants as SQL, for the tables that exist and those of later versions.
  ///
  /// A restore or a move sets the number of the last user, which needs `UPDATE` on its sequence.
  var grants: String {
    """
    GRANT USAGE ON SCHEMA \(schema) TO \(name);
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema) TO \(name);
    GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA \(schema) TO \(name);
    ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema)
      GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO \(name);
    ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema)
      GRANT USAGE, UPDATE ON SEQUENCES TO \(name);

    """
  }
}

struct NewEpochCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "new-epoch",
    abstract: "Make all devices fetch everything again, after the data went back.",
    discussion: """
      Run it after a database was restored with PostgreSQL's own tools, such as pg_restore or \
      point-in-time recovery, before a process serves it. bellhopd restore does this by itself. \
      Devices send the changes that they still have. Numbers continue with a gap, so that none is \
      issued twice. Tokens that were revoked after the restored state are valid again: revoke them \
      once more.

      Example: bellhopd new-epoch --database postgres://db.example.com/bellhop
      """)
  @OptionGroup var data: DataOptions

  func perform() async throws {
    let place = try data.place()
    try await place.beginEpoch()
    Output.error("A new epoch began in \(place). Check the tokens of each user.")
  }
}
