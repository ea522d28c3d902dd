extension Schema {
  /// The effect of rules on items, and an index of the items that they move to another app.
  static let effects = """
    ALTER TABLE item ADD COLUMN applied TEXT;            -- JSON; NULL: no rule has acted
    ALTER TABLE item ADD COLUMN applied_previous TEXT;
    ALTER TABLE item ADD COLUMN applied_at INTEGER;
    ALTER TABLE item ADD COLUMN applied_by TEXT;
    ALTER TABLE item ADD COLUMN applied_operation BLOB;
    ALTER TABLE item ADD COLUMN moved_app TEXT;          -- the effective app, if a rule has set one
    CREATE INDEX item_moved ON item (user) WHERE moved_app IS NOT NULL;
    """

  /// The repeats of items and the resolutions of alerts, with the settings of apps for both.
  ///
  /// An item has aliases if publications with several app notification ids have collapsed into it. A
  /// resolution without a live item is kept for a day.
  static let repeats = """
    ALTER TABLE item ADD COLUMN meaning_sequence INTEGER; -- NULL: content_sequence
    ALTER TABLE item ADD COLUMN resolved INTEGER;
    ALTER TABLE item ADD COLUMN repeats TEXT;             -- JSON
    ALTER TABLE item ADD COLUMN collapse_key BLOB;        -- NULL: nothing collapses into the item
    CREATE INDEX item_collapse ON item (user, collapse_key)
      WHERE collapse_key IS NOT NULL AND deleted IS NULL;

    ALTER TABLE app ADD COLUMN repeats TEXT;              -- NULL: each is an item of its own
    ALTER TABLE app ADD COLUMN resolutions TEXT;          -- NULL: they mark the alert

    CREATE TABLE item_alias (
      user INTEGER NOT NULL REFERENCES user(id),
      app TEXT NOT NULL,
      app_notification_id TEXT NOT NULL,
      item BLOB NOT NULL,
      is_resolved INTEGER NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (user, app, app_notification_id)
    ) WITHOUT ROWID;
    CREATE INDEX item_alias_item ON item_alias (user, item);

    CREATE TABLE resolution (
      user INTEGER NOT NULL REFERENCES user(id),
      app TEXT NOT NULL,
      app_notification_id TEXT NOT NULL,
      resolved INTEGER NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (user, app, app_notification_id)
    ) WITHOUT ROWID;
    CREATE INDEX resolution_at ON resolution (at);
    """

  /// The rules of users, and the sequence of the last change of any rule of a user.
  ///
  /// A removed rule keeps its row for as long as a tombstone, so that devices learn of it.
  static let rules = """
    CREATE TABLE rule (
      user INTEGER NOT NULL REFERENCES user(id),
      id BLOB NOT NULL,
      sequence INTEGER NOT NULL,
      rule TEXT,                -- JSON; NULL: removed
      removed INTEGER,
      PRIMARY KEY (user, id)
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX rule_sequence ON rule (user, sequence);
    CREATE INDEX rule_removed ON rule (removed) WHERE removed IS NOT NULL;
    ALTER TABLE user ADD COLUMN rules INTEGER NOT NULL DEFAULT 0;
    """
}
