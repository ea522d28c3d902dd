internal import GRDB

/// The tables. Times are milliseconds since 1970, ids are blobs of 16 bytes.
///
/// Migrations are append-only: a published one is never changed.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 store") { try $0.execute(sql: store) }
    migrator.registerMigration("2 who revoked") { try $0.execute(sql: revokedBy) }
    migrator.registerMigration("3 bulk work") { try $0.execute(sql: bulkWork) }
    migrator.registerMigration("4 sign-ins") { try $0.execute(sql: signIns) }
    migrator.registerMigration("5 subscriptions") { try $0.execute(sql: subscriptions) }
    migrator.registerMigration("6 apps", migrate: addApps)
    // The new tables are empty, so the old ones need no check.
    migrator.registerMigration("7 search", foreignKeyChecks: .immediate) {
      try $0.execute(sql: search)
    }
    migrator.registerMigration("8 chosen actions", foreignKeyChecks: .immediate) {
      try $0.execute(sql: chosenActions)
    }
    migrator.registerMigration("9 files", foreignKeyChecks: .immediate) {
      try $0.execute(sql: files)
    }
    migrator.registerMigration("10 app profiles", foreignKeyChecks: .immediate) {
      try $0.execute(sql: appProfiles)
    }
    migrator.registerMigration("11 publication ordinals", foreignKeyChecks: .immediate) {
      try $0.execute(sql: publicationOrdinals)
    }
    migrator.registerMigration("12 outboxes", foreignKeyChecks: .immediate) {
      try $0.execute(sql: outboxes)
    }
    migrator.registerMigration("13 ended tokens", foreignKeyChecks: .immediate) {
      try $0.execute(sql: endedTokens)
    }
    migrator.registerMigration("14 files by token", foreignKeyChecks: .immediate) {
      try $0.execute(sql: filesByToken)
    }
    migrator.registerMigration("15 triggers", foreignKeyChecks: .immediate) {
      try $0.execute(sql: triggers)
    }
    migrator.registerMigration("16 cancelled triggers", foreignKeyChecks: .immediate) {
      try $0.execute(sql: cancelledTriggers)
    }
    migrator.registerMigration("17 hook times", foreignKeyChecks: .immediate) {
      try $0.execute(sql: hookOccurrences)
    }
    migrator.registerMigration("18 awaited responses", foreignKeyChecks: .immediate) {
      try $0.execute(sql: awaitedResponses)
    }
    migrator.registerMigration("19 authorizations", foreignKeyChecks: .immediate) {
      try $0.execute(sql: authorizations)
    }
    migrator.registerMigration("20 crossings", foreignKeyChecks: .immediate) {
      try $0.execute(sql: crossings)
    }
    migrator.registerMigration("21 environments", foreignKeyChecks: .immediate) {
      try $0.execute(sql: environments)
    }
    migrator.registerMigration("22 contents of operations", foreignKeyChecks: .immediate) {
      try $0.execute(sql: operationContents)
    }
    migrator.registerMigration("23 refused publications", foreignKeyChecks: .immediate) {
      try $0.execute(sql: publicationRefusals)
    }
    migrator.registerMigration("24 life of the data", foreignKeyChecks: .immediate) {
      try $0.execute(sql: lifeOfData)
    }
    migrator.registerMigration("25 device grants", foreignKeyChecks: .immediate) {
      try $0.execute(sql: deviceGrants)
    }
    migrator.registerMigration("26 effects of rules", foreignKeyChecks: .immediate) {
      try $0.execute(sql: effects)
    }
    migrator.registerMigration("27 repeats and resolutions", foreignKeyChecks: .immediate) {
      try $0.execute(sql: repeats)
    }
    migrator.registerMigration("28 rules", foreignKeyChecks: .immediate) {
      try $0.execute(sql: rules)
    }
    return migrator
  }

  /// The key of the data's life at a start, and the time of each user's last sequence.
  ///
  /// The time is NULL before the first sequence of this version. The key is NULL in this storage.
  private static let lifeOfData = """
    ALTER TABLE start ADD COLUMN life TEXT;
    ALTER TABLE user ADD COLUMN changed INTEGER;
    """

  /// The reason for which the publication of a device was refused; NULL for other results.
  private static let publicationRefusals = """
    ALTER TABLE operation ADD COLUMN reason TEXT;
    """

  /// The content that a device's operation made; NULL for an operation that made none.
  private static let operationContents = """
    ALTER TABLE operation ADD COLUMN item BLOB;
    ALTER TABLE operation ADD COLUMN content_sequence INTEGER;
    """

  /// The environments of devices, items and bulk operations in progress; NULL for production.
  ///
  /// The index has only items for development, which are few.
  private static let environments = """
    ALTER TABLE device ADD COLUMN environment TEXT;
    ALTER TABLE bulk_work ADD COLUMN environment TEXT;
    ALTER TABLE item ADD COLUMN environment TEXT;
    CREATE INDEX item_development ON item (user, leaves) WHERE environment IS NOT NULL;
    """

  /// The last crossing of a place's boundary that delivered the item.
  private static let crossings = "ALTER TABLE item ADD COLUMN crossed INTEGER;"

  /// The authorization in the app's settings; NULL for an authorized app.
  private static let authorizations = "ALTER TABLE app ADD COLUMN authorization TEXT;"

  /// The time up to which a hook was notified of deliveries by triggers.
  private static let hookOccurrences =
    "ALTER TABLE subscription ADD COLUMN occurred_through INTEGER NOT NULL DEFAULT 0;"

  /// Whether the trigger was cancelled, and the latest occurrence that was shown then.
  private static let cancelledTriggers = """
    ALTER TABLE item ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE item ADD COLUMN cancelled_previous INTEGER;
    ALTER TABLE item ADD COLUMN cancelled_at INTEGER;
    ALTER TABLE item ADD COLUMN cancelled_by TEXT;
    ALTER TABLE item ADD COLUMN cancelled_operation BLOB;
    ALTER TABLE item ADD COLUMN cancelled_occurrence TEXT;
    """

  /// The answers for which publishers wait. A row outlives its item until the wait ends.
  private static let awaitedResponses = """
    CREATE TABLE awaited_response (
      user INTEGER NOT NULL REFERENCES user(id),
      item BLOB NOT NULL,
      token BLOB NOT NULL,
      content_sequence INTEGER NOT NULL,
      expires INTEGER NOT NULL,
      action TEXT,              -- NULL: no answer yet
      text TEXT,
      answered INTEGER,
      is_superseded INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (user, item)
    ) WITHOUT ROWID;
    CREATE INDEX awaited_response_expires ON awaited_response (expires);
    """

  /// The trigger as JSON, and the occurrences for which registers were set.
  private static let triggers = """
    ALTER TABLE item ADD COLUMN delivery_trigger TEXT;
    ALTER TABLE item ADD COLUMN read_occurrence TEXT;
    ALTER TABLE item ADD COLUMN action_occurrence TEXT;
    CREATE INDEX item_triggered ON item (user, short_number) WHERE delivery_trigger IS NOT NULL;
    """

  /// The chosen action as JSON; NULL if the state was set in another way.
  private static let chosenActions = "ALTER TABLE item ADD COLUMN action_choice TEXT;"

  private static let revokedBy = "ALTER TABLE access_token ADD COLUMN revoked_by TEXT;"

  /// The search index.
  ///
  /// Items of earlier versions are added to it gradually, like new ones. A change of the tokenizer
  /// or of the searched text needs another migration that rebuilds the index, because an item can
  /// only be removed from it with the same words.
  private static let search = """
    CREATE TABLE search_entry (
      key INTEGER PRIMARY KEY,
      user INTEGER NOT NULL REFERENCES user(id),
      id BLOB NOT NULL,
      content_sequence INTEGER NOT NULL
    );
    CREATE UNIQUE INDEX search_entry_item ON search_entry (user, id);

    CREATE TABLE search_progress (
      user INTEGER PRIMARY KEY REFERENCES user(id),
      sequence INTEGER NOT NULL,
      turn INTEGER NOT NULL
    );

    CREATE VIRTUAL TABLE search_index USING fts5(
      user, title, subtitle, body, app, group_name, tags,
      content = '', columnsize = 0, prefix = '1 2 3', tokenize = 'bellhop'
    );
    -- Half the rewriting of the usual 4 while many items are indexed.
    INSERT INTO search_index (search_index, rank) VALUES ('automerge', 8);
    """

  private static let store = """
    CREATE TABLE metadata (
      key TEXT NOT NULL PRIMARY KEY,
      value BLOB NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE start (
      ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
      id BLOB NOT NULL UNIQUE,
      at INTEGER NOT NULL
    );

    CREATE TABLE user (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      created INTEGER NOT NULL,
      sequence INTEGER NOT NULL DEFAULT 0,
      floor INTEGER NOT NULL DEFAULT 0,
      short_number INTEGER NOT NULL DEFAULT 0,
      start INTEGER NOT NULL DEFAULT 0
    );

    CREATE TABLE start_sequence (
      user INTEGER NOT NULL REFERENCES user(id),
      start INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      PRIMARY KEY (user, start)
    ) WITHOUT ROWID;

    CREATE TABLE item (
      user INTEGER NOT NULL REFERENCES user(id),
      id BLOB NOT NULL,
      short_number INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      content_sequence INTEGER NOT NULL,
      created INTEGER NOT NULL,
      changed INTEGER NOT NULL,
      arrival INTEGER NOT NULL,
      leaves INTEGER,
      deleted INTEGER,
      app TEXT NOT NULL,
      app_notification_id TEXT,
      group_name TEXT,
      priority INTEGER NOT NULL,
      tags TEXT,
      title TEXT,
      subtitle TEXT,
      body TEXT,
      raw TEXT,
      click_url TEXT,
      expiration INTEGER,
      display_time_to_live INTEGER,
      deliver_at INTEGER,
      extras TEXT,
      read_state TEXT NOT NULL,
      read_previous TEXT,
      read_at INTEGER,
      read_by TEXT,
      read_operation BLOB,
      action TEXT NOT NULL,
      action_until INTEGER,
      action_previous TEXT,
      action_previous_until INTEGER,
      action_at INTEGER,
      action_by TEXT,
      action_operation BLOB,
      kept INTEGER NOT NULL,
      kept_previous INTEGER,
      kept_at INTEGER,
      kept_by TEXT,
      kept_operation BLOB,
      PRIMARY KEY (user, id)
    );
    CREATE UNIQUE INDEX item_sequence ON item (user, sequence);
    CREATE UNIQUE INDEX item_number ON item (user, short_number);
    CREATE INDEX item_arrival ON item (user, arrival, id) WHERE deleted IS NULL;
    CREATE UNIQUE INDEX item_app ON item (user, app, app_notification_id)
      WHERE deleted IS NULL AND app_notification_id IS NOT NULL;
    CREATE INDEX item_leaves ON item (leaves) WHERE leaves IS NOT NULL;
    CREATE INDEX item_deleted ON item (deleted) WHERE deleted IS NOT NULL;

    CREATE TABLE device (
      user INTEGER NOT NULL REFERENCES user(id),
      id TEXT NOT NULL,
      name TEXT NOT NULL,
      platform TEXT NOT NULL,
      channel TEXT NOT NULL,
      registered INTEGER NOT NULL,
      renewed INTEGER NOT NULL,
      expires INTEGER NOT NULL,
      PRIMARY KEY (user, id)
    ) WITHOUT ROWID;

    CREATE TABLE access_token (
      user INTEGER NOT NULL REFERENCES user(id),
      id BLOB NOT NULL,
      hash_head INTEGER NOT NULL,
      hash BLOB NOT NULL UNIQUE,
      name TEXT NOT NULL,
      scope TEXT NOT NULL,
      scope_value TEXT,
      created INTEGER NOT NULL,
      expires INTEGER,
      revoked INTEGER,
      last_used INTEGER,
      PRIMARY KEY (user, id)
    ) WITHOUT ROWID;
    CREATE INDEX access_token_hash_head ON access_token (hash_head);

    CREATE TABLE publication (
      user INTEGER NOT NULL REFERENCES user(id),
      token BLOB NOT NULL,
      key TEXT NOT NULL,
      body_hash BLOB NOT NULL,
      item BLOB NOT NULL,
      short_number INTEGER NOT NULL,
      created INTEGER NOT NULL,
      arrival INTEGER NOT NULL,
      expiration INTEGER,
      sequence INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (user, token, key)
    );
    CREATE INDEX publication_at ON publication (at);

    CREATE TABLE outbox (
      user INTEGER NOT NULL REFERENCES user(id),
      device TEXT NOT NULL,
      lineage TEXT NOT NULL,
      epoch TEXT NOT NULL,
      last INTEGER NOT NULL,
      PRIMARY KEY (user, device, lineage, epoch)
    ) WITHOUT ROWID;

    CREATE TABLE outbox_number (
      user INTEGER NOT NULL REFERENCES user(id),
      device TEXT NOT NULL,
      lineage TEXT NOT NULL,
      epoch TEXT NOT NULL,
      number INTEGER NOT NULL,
      operation BLOB NOT NULL,
      PRIMARY KEY (user, device, lineage, epoch, number)
    ) WITHOUT ROWID;
    CREATE INDEX outbox_number_operation ON outbox_number (user, operation);

    CREATE TABLE operation (
      user INTEGER NOT NULL REFERENCES user(id),
      id BLOB NOT NULL,
      result TEXT NOT NULL,
      latest INTEGER,
      at INTEGER NOT NULL,
      PRIMARY KEY (user, id)
    );
    CREATE INDEX operation_at ON operation (at);
    """
}
