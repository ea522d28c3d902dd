import GRDB

/// The tables of the cache, as an append-only list of migrations.
enum Schema {
  struct Migration {
    /// The name of the migration, stored in the file for people who inspect it.
    var name: String
    var sql: String
  }

  /// The number of migrations of a current file, stored as SQLite's `user_version`.
  static var version: Int64 { Int64(migrations.count) }

  /// Migrates the file in one transaction, even if two processes try it at once.
  static func migrate(_ db: Database) throws {
    try db.inTransaction(.immediate) {
      let present = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      for migration in migrations.dropFirst(Int(present)) {
        try db.execute(sql: migration.sql)
        try db.execute(
          sql: "INSERT INTO migration (name) VALUES (?)", arguments: [migration.name])
      }
      try db.execute(sql: "PRAGMA user_version = \(version)")
      return .commit
    }
  }

  /// All migrations. New ones are appended to ``later``.
  static let migrations = earlier + later

  private static let earlier = [
    Migration(
      name: "items, counters, outbox and search index",
      sql: """
        CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL);

        -- Made first, so that its pages stand at fixed places at the beginning of the file.
        CREATE TABLE outbox (
          position INTEGER PRIMARY KEY AUTOINCREMENT,
          id BLOB NOT NULL UNIQUE,
          number INTEGER,          -- in the lineage; NULL while held
          seal_at INTEGER,         -- end of the grace time; NULL once sealed
          answered INTEGER,        -- the change counter that contains the effect
          made_at INTEGER NOT NULL,
          author TEXT NOT NULL,    -- JSON
          operation TEXT NOT NULL  -- JSON as it is sent
        );
        CREATE TABLE outbox_item (
          item BLOB NOT NULL,
          position INTEGER NOT NULL,
          PRIMARY KEY (item, position)
        ) WITHOUT ROWID;
        CREATE TABLE sync (
          only INTEGER PRIMARY KEY CHECK (only = 1),
          account TEXT NOT NULL,
          generation INTEGER NOT NULL,
          epoch TEXT,
          token TEXT,
          sequence INTEGER NOT NULL,
          is_first_sync INTEGER NOT NULL,
          is_initial INTEGER NOT NULL,
          start_token TEXT,
          start_sequence INTEGER NOT NULL,
          next_page TEXT,
          pages_are_in INTEGER NOT NULL,
          lineage TEXT NOT NULL,
          next_number INTEGER NOT NULL,
          author TEXT,             -- JSON
          clock_offset INTEGER NOT NULL,
          sweep_below INTEGER
        );
        CREATE TABLE tombstone (id BLOB PRIMARY KEY) WITHOUT ROWID;

        -- Times are milliseconds since 1970. What a list shows stands before what may be long.
        CREATE TABLE item (
          arrival_key INTEGER PRIMARY KEY,
          id BLOB NOT NULL,
          short_number INTEGER NOT NULL,
          created INTEGER NOT NULL,
          arrival INTEGER NOT NULL,
          generation INTEGER NOT NULL,
          announced INTEGER NOT NULL,
          sequence INTEGER NOT NULL,
          content_sequence INTEGER NOT NULL,
          changed INTEGER NOT NULL,
          base_read INTEGER NOT NULL,
          base_action INTEGER NOT NULL,
          base_snoozed_until INTEGER,
          base_kept INTEGER NOT NULL,
          base_provenance BLOB,
          read INTEGER NOT NULL,
          action INTEGER NOT NULL,
          snoozed_until INTEGER,
          kept INTEGER NOT NULL,
          provenance BLOB,         -- NULL: what is shown is base
          pending INTEGER NOT NULL,
          pending_delete INTEGER NOT NULL,
          placement INTEGER NOT NULL,
          placement_until INTEGER,
          due INTEGER,
          tray_from INTEGER,
          tray_until INTEGER,
          app TEXT NOT NULL,
          group_name TEXT,
          app_notification_id TEXT,
          priority INTEGER NOT NULL,
          tags TEXT,
          expiration INTEGER,
          display_time INTEGER,
          deliver_at INTEGER,
          click_url TEXT,
          title TEXT,              -- NULL: no visual content
          subtitle TEXT,
          body TEXT,
          raw TEXT,
          extras TEXT              -- JSON
        );
        CREATE UNIQUE INDEX item_id ON item (id);
        CREATE INDEX item_number ON item (short_number);
        CREATE INDEX item_placement ON item (placement);
        CREATE INDEX item_until ON item (placement_until) WHERE placement_until IS NOT NULL;
        CREATE INDEX item_due ON item (due) WHERE due IS NOT NULL;
        CREATE INDEX item_group ON item (app, ifnull(group_name, '')) WHERE placement = 1;
        CREATE INDEX item_unannounced ON item (placement)
          WHERE placement = 1 AND announced < content_sequence;

        CREATE TABLE hour_count (
          hour INTEGER NOT NULL, app TEXT NOT NULL, placement INTEGER NOT NULL,
          count INTEGER NOT NULL, unread INTEGER NOT NULL,
          PRIMARY KEY (hour, app, placement)
        ) WITHOUT ROWID;
        CREATE TABLE app_count (
          app TEXT NOT NULL, placement INTEGER NOT NULL,
          count INTEGER NOT NULL, unread INTEGER NOT NULL,
          PRIMARY KEY (app, placement)
        ) WITHOUT ROWID;
        CREATE TABLE total_count (
          placement INTEGER PRIMARY KEY, count INTEGER NOT NULL, unread INTEGER NOT NULL
        );
        CREATE TABLE tray_group (
          app TEXT NOT NULL, group_name TEXT NOT NULL, newest INTEGER NOT NULL,
          count INTEGER NOT NULL, unread INTEGER NOT NULL,
          PRIMARY KEY (app, group_name)
        ) WITHOUT ROWID;
        CREATE INDEX tray_group_newest ON tray_group (newest);

        CREATE VIRTUAL TABLE item_index USING fts5(
          title, subtitle, body, app, group_name, tags,
          content = 'item', content_rowid = 'arrival_key', columnsize = 0,
          prefix = '1 2 3', tokenize = 'bellhop'
        );
        -- Half the rewriting of the usual 4 while many items are indexed; searches then look into
        -- a few more segments, which they hardly notice.
        INSERT INTO item_index (item_index, rank) VALUES ('automerge', 8);
        -- What the index does not have yet, and what it still has.
        CREATE TABLE index_queue (
          arrival_key INTEGER PRIMARY KEY,
          wants_new INTEGER NOT NULL,
          has_old INTEGER NOT NULL,
          title TEXT, subtitle TEXT, body TEXT, app TEXT, group_name TEXT, tags TEXT
        );
        """),
    Migration(
      name: "settings of apps",
      sql: """
        CREATE TABLE app_settings (
          app TEXT PRIMARY KEY,
          generation INTEGER NOT NULL,
          settings TEXT NOT NULL   -- JSON as it is received
        ) WITHOUT ROWID;
        -- Base is built anew, because what was pulled so far passed over the settings.
        UPDATE sync SET generation = generation + 1, token = NULL, sequence = 0,
          is_initial = is_first_sync AND is_initial, is_first_sync = 1, start_token = NULL,
          start_sequence = 0, next_page = NULL, pages_are_in = 0, sweep_below = NULL;
        DELETE FROM tombstone;
        """),
    Migration(
      name: "settings in the outbox",
      sql: """
        -- The app whose settings the operation changes; NULL for one that is meant for items.
        ALTER TABLE outbox ADD COLUMN app TEXT;
        CREATE INDEX outbox_app ON outbox (app) WHERE app IS NOT NULL;
        """),
    Migration(
      name: "clocks that are set back",
      sql: """
        ALTER TABLE sync ADD COLUMN looked_at INTEGER;
        """),
    Migration(
      name: "log of changes",
      sql: """
        -- The ids that a transaction changed, 16 bytes each and numbered one by one: number is
        -- the last one's. What is older than the log has the number 0.
        CREATE TABLE change_log (
          number INTEGER PRIMARY KEY,
          made_at INTEGER NOT NULL,
          ids BLOB NOT NULL,
          removed TEXT             -- JSON; NULL: nothing was removed
        );
        ALTER TABLE item ADD COLUMN change_number INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sync ADD COLUMN change_log TEXT NOT NULL DEFAULT '';
        ALTER TABLE sync ADD COLUMN change_number INTEGER NOT NULL DEFAULT 0;
        UPDATE sync SET change_log = lineage;
        """),
    Migration(
      name: "outcomes of operations",
      sql: """
        -- What the store did not carry out, for the person to read; bounded.
        CREATE TABLE outcome (
          position INTEGER PRIMARY KEY AUTOINCREMENT,
          item BLOB,               -- NULL for settings, and for several items
          number INTEGER,          -- the item's #N
          made_at INTEGER NOT NULL,
          decided_at INTEGER NOT NULL,
          result TEXT NOT NULL,
          latest INTEGER,          -- of a refused snooze
          operation TEXT NOT NULL  -- JSON as it was sent
        );
        CREATE INDEX outcome_item ON outcome (item) WHERE item IS NOT NULL;
        """),
    Migration(
      name: "rows ahead of the token",
      sql: """
        ALTER TABLE sync ADD COLUMN applied_through INTEGER NOT NULL DEFAULT 0;
        UPDATE sync SET applied_through = max(
          sequence, ifnull((SELECT max(sequence) FROM item WHERE generation = sync.generation), 0));
        """),
    Migration(
      name: "outcomes that nobody was told of",
      sql: """
        -- What was kept before counts as told: a screen said it then.
        ALTER TABLE outcome ADD COLUMN told INTEGER NOT NULL DEFAULT 1;
        """),
    Migration(
      name: "bulk operations",
      sql: """
        -- Whether the operation says which items are meant, instead of naming them.
        ALTER TABLE outbox ADD COLUMN is_bulk INTEGER NOT NULL DEFAULT 0;
        UPDATE outbox SET is_bulk = json_extract(operation, '$.matching') IS NOT NULL;
        CREATE INDEX outbox_bulk ON outbox (position) WHERE is_bulk = 1;
        ALTER TABLE sync ADD COLUMN overlay_below INTEGER;
        UPDATE sync SET overlay_below = 9223372036854775807
          WHERE EXISTS (SELECT 1 FROM outbox WHERE is_bulk = 1);
        """),
    Migration(
      name: "folded groups",
      sql: """
        -- The tray with its groups folded is walked along two indexes: what is of no group, and
        -- groups by their newest item.
        CREATE INDEX item_alone ON item (placement)
          WHERE placement = 1 AND ifnull(group_name, '') = '';
        CREATE INDEX tray_group_named ON tray_group (newest) WHERE group_name <> '';
        CREATE INDEX item_group_priority ON item (app, ifnull(group_name, ''), priority)
          WHERE placement = 1 AND ifnull(group_name, '') <> '';
        """),
    Migration(
      name: "when apps were last seen",
      sql: """
        -- The highest arrival key that was ever counted in the row. What was counted before is known
        -- to the hour.
        ALTER TABLE app_count ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;
        UPDATE app_count SET newest = seen.newest FROM (
          SELECT app, placement, max(hour) * 3600000 << 20 AS newest FROM hour_count
          GROUP BY app, placement
        ) AS seen WHERE seen.app = app_count.app AND seen.placement = app_count.placement;
        """),
    Migration(
      name: "owners of held operations",
      sql: """
        -- The run of the process that holds a delete back; NULL for what was made before, which is
        -- sealed when its time has come.
        ALTER TABLE outbox ADD COLUMN owner TEXT;
        """),
    Migration(
      name: "changes of commands",
      sql: """
        -- How to take back what commands changed, the newest first; bounded.
        CREATE TABLE command_change (
          position INTEGER PRIMARY KEY AUTOINCREMENT,
          made_at INTEGER NOT NULL,
          change TEXT NOT NULL     -- JSON
        );
        """),
    Migration(
      name: "sections of sorted lists",
      sql: """
        -- A section of a sorted list is one range of these, in the order of arrival. The items are
        -- those of the tray, the snoozed ones and the history; see Placement.isSorted.
        CREATE INDEX item_level ON item (placement, priority) WHERE placement > 0 AND placement < 4;
        CREATE INDEX item_app ON item (placement, app) WHERE placement > 0 AND placement < 4;
        """),
    Migration(
      name: "triggers",
      sql: """
        -- JSON as it is received; NULL for an item that is delivered once.
        ALTER TABLE item ADD COLUMN delivery_trigger TEXT;
        -- The label and the time of the latest occurrence; NULL before the first.
        ALTER TABLE item ADD COLUMN occurrence TEXT;
        ALTER TABLE item ADD COLUMN occurred INTEGER;
        ALTER TABLE item ADD COLUMN next_occurrence INTEGER;
        ALTER TABLE item ADD COLUMN announced_occurrence TEXT;
        DROP INDEX item_unannounced;
        CREATE INDEX item_unannounced ON item (placement) WHERE placement = 1
          AND (announced < content_sequence OR announced_occurrence IS NOT occurrence);
        CREATE INDEX item_occurred ON item (occurred) WHERE occurred IS NOT NULL;
        -- Items in the tray and handled ones that are delivered again: see ItemRecord.isRepeating.
        CREATE INDEX item_repeating ON item (app, read, placement, next_occurrence)
          WHERE next_occurrence IS NOT NULL AND placement IN (1, 3);
        """),
  ]
}
