#if BELLHOP_POSTGRES
internal import BellhopStore

/// The tables. Times are milliseconds since 1970, ids are 16 bytes.
///
/// Migrations are append-only: a published one is never changed. Processes of two versions may serve the
/// same database during an upgrade. So a migration first only adds, and a later version removes what
/// no process needs then. A migration that the previous version cannot work with raises
/// ``Migration/programMin``, and that version refuses to start.
enum PostgresSchema {
  /// A step of the schema, in one transaction with those after it.
  struct Migration {
    let number: Int64
    let name: String
    /// The number of the last migration that a program must know to use the schema from then on.
    let programMin: Int64
    let statements: [String]
  }

  static let migrations = [
    Migration(
      number: 1, name: "store", programMin: 1,
      statements: [
        core, items, search, access, publications, operations, signIns, subscriptions, apps, files,
        responses, bulkWork, grants, processes, statistics, blobs,
      ]),
    // A process that does not know rules would publish without them, leave the meaning of an item
    // stale when it replaces the content, and call an item damaged whose registers a rule has set.
    Migration(number: 2, name: "rules", programMin: 2, statements: [effects, repeats, rules]),
  ]

  /// The SQL expression for the server's time, as the tables have times.
  static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::int8"

  /// The number of the last migration that this program knows.
  static var newest: Int64 { migrations.last?.number ?? 0 }

  /// The state of a database's schema.
  struct Version: Hashable {
    /// The number of the last migration; 0 for none.
    var number: Int64
    /// See ``Migration/programMin``.
    var programMin: Int64
  }

  /// Returns the version of the schema; nil if the database has none. Needs the right to read only.
  static func version(of connection: PostgresConnection) throws -> Version? {
    do {
      let row = try connection.run(
        """
        SELECT coalesce(max(number), 0) AS number, coalesce(max(program_min), 0) AS program_min
        FROM schema_migration
        """
      ).first()
      return Version(
        number: try row.value("number"), programMin: try row.value("program_min"))
    } catch PostgresError.refused("42P01", _, _) {
      // The table does not exist.
      return nil
    }
  }

  /// Checks that this program can use the schema, and changes nothing.
  ///
  /// - Throws: ``StoreError/newerSchema``, ``StoreError/unavailable(reason:)`` for an older one.
  static func check(_ connection: PostgresConnection) throws {
    guard let version = try version(of: connection) else {
      let path = try connection.run("SELECT current_setting('search_path') AS path").first()
        .text("path")
      throw StoreError.unavailable(
        reason: "the database has no tables of Bellhop in the schema \(path), or the role may not "
          + "use it; run bellhopd migrate-schema, and the grants that it prints")
    }
    if version.programMin > newest { throw StoreError.newerSchema }
    if version.number < newest {
      throw StoreError.unavailable(
        reason: "the database has the tables of an earlier version; run bellhopd migrate-schema")
    }
  }

  /// Creates the schema, or brings it to this program's version. Needs the rights of its owner.
  ///
  /// Everything happens in one transaction, or not at all. Only one process at a time does it.
  ///
  /// - Throws: ``StoreError/newerSchema`` before anything is changed.
  static func migrate(_ connection: PostgresConnection) throws {
    try connection.begin()
    try connection.queue(
      "SELECT pg_advisory_xact_lock(hashtext('bellhop ' || current_setting('search_path')), 3)")
    try createSchema(connection)
    try connection.runScript(ledger)
    let version = try version(of: connection) ?? Version(number: 0, programMin: 0)
    if version.programMin > newest { throw StoreError.newerSchema }
    for migration in migrations where migration.number > version.number {
      for statements in migration.statements { try connection.runScript(statements) }
      try connection.queue(
        """
        INSERT INTO schema_migration (number, name, program_min, applied)
        VALUES ($1, $2, $3, \(now))
        """, .integer(migration.number), .text(migration.name), .integer(migration.programMin))
    }
    switch connection.commit() {
    case .committed: return
    case .notCommitted(let error): throw error
    case .unknown:
      throw StoreError.unavailable(
        reason: "the outcome of the migration is unknown; run bellhopd migrate-schema again")
    }
  }

  private static func createSchema(_ connection: PostgresConnection) throws {
    let row = try connection.run(
      """
      SELECT current_setting('search_path') AS path,
        to_regnamespace(current_setting('search_path')) IS NULL AS is_missing,
        to_regnamespace('public') IS NULL AS has_no_public,
        NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'btree_gin') AS has_no_extension
      """
    ).first()
    let isMissing: Bool = try row.value("is_missing")
    let hasNoPublic: Bool = try row.value("has_no_public")
    let hasNoExtension: Bool = try row.value("has_no_extension")
    // Not `IF NOT EXISTS`, which needs the right to create schemas even if this one exists.
    if isMissing {
      // Quoted already: see `PostgresSettings.session(schema:)`.
      try connection.runScript("CREATE SCHEMA \(try row.text("path"))")
    }
    guard hasNoExtension else { return }
    try connection.run("SELECT pg_advisory_xact_lock(hashtext('bellhop btree_gin'), 3)")
    // A database has an extension only once. In the schema of one store, it would be dropped with that
    // store. An index finds the default operator class of its type in any schema.
    let place = hasNoPublic ? "" : " SCHEMA public"
    try connection.runScript("CREATE EXTENSION IF NOT EXISTS btree_gin\(place)")
  }

  private static let ledger = """
    CREATE TABLE IF NOT EXISTS schema_migration (
      number bigint PRIMARY KEY,
      name text COLLATE "C" NOT NULL,
      program_min bigint NOT NULL,
      applied bigint NOT NULL
    );
    """

  /// Users with their counters, starts, and the marks of transactions and processes.
  ///
  /// A user's row changes with every write, so that pages keep room for its next version.
  static let core = """
    CREATE TABLE metadata (
      key text COLLATE "C" PRIMARY KEY,
      value bytea NOT NULL
    );

    CREATE TABLE start (
      ordinal bigint PRIMARY KEY,
      id bytea NOT NULL UNIQUE,
      at bigint NOT NULL,
      life text COLLATE "C"     -- NULL: the storage that it comes from had none
    );

    CREATE TABLE users (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE,
      created bigint NOT NULL,
      sequence bigint NOT NULL DEFAULT 0,
      floor bigint NOT NULL DEFAULT 0,
      short_number bigint NOT NULL DEFAULT 0,
      start bigint NOT NULL DEFAULT 0,
      apps bigint NOT NULL DEFAULT 0,
      items bigint NOT NULL DEFAULT 0,
      tombstones bigint NOT NULL DEFAULT 0,
      bytes bigint NOT NULL DEFAULT 0,
      changed bigint,           -- NULL: no sequence was issued
      marks bytea[] NOT NULL DEFAULT '{}' -- of each process's last transaction, the newest first
    ) WITH (fillfactor = 50);

    CREATE TABLE start_sequence (
      user_id bigint NOT NULL REFERENCES users(id),
      start bigint NOT NULL,
      sequence bigint NOT NULL,
      PRIMARY KEY (user_id, start)
    );

    -- The marks of transactions that are not those of one user.
    CREATE TABLE commit_mark (
      mark bytea PRIMARY KEY,
      at bigint NOT NULL,
      is_void boolean NOT NULL DEFAULT false -- true: the transaction was not and cannot be committed
    );
    CREATE INDEX commit_mark_at ON commit_mark (at);

    -- One row for each process, which it writes to see that commits are confirmed.
    CREATE TABLE heartbeat (
      process bytea PRIMARY KEY,
      at bigint NOT NULL
    ) WITH (fillfactor = 50);
    """
}
#endif
