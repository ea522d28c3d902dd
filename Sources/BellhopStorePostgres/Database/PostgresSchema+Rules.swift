#if BELLHOP_POSTGRES
extension PostgresSchema {
  /// The effect of rules on items, and an index of the items that they move to another app.
  static let effects = """
    ALTER TABLE item_state
      ADD COLUMN applied text COLLATE "C", -- JSON; NULL: no rule has acted
      ADD COLUMN applied_previous text COLLATE "C",
      ADD COLUMN applied_at bigint,
      ADD COLUMN applied_by text COLLATE "C",
      ADD COLUMN applied_operation bytea,
      ADD COLUMN moved_app text COLLATE "C"; -- the effective app, if a rule has set one
    CREATE INDEX item_moved ON item_state (user_id) WHERE moved_app IS NOT NULL;
    """

  /// The repeats of items and the resolutions of alerts, with the settings of apps for both.
  ///
  /// An item has aliases if publications with several app notification ids have collapsed into it. A
  /// resolution without a live item is kept for a day.
  static let repeats = """
    ALTER TABLE item_state
      ADD COLUMN meaning_sequence bigint, -- NULL: content_sequence
      ADD COLUMN resolved bigint;
    ALTER TABLE item
      ADD COLUMN repeats text COLLATE "C", -- JSON
      ADD COLUMN collapse_key bytea;       -- NULL: nothing collapses into the item
    CREATE INDEX item_collapse ON item (user_id, collapse_key)
      WHERE collapse_key IS NOT NULL AND deleted IS NULL;

    ALTER TABLE app
      ADD COLUMN repeats text COLLATE "C",     -- NULL: each is an item of its own
      ADD COLUMN resolutions text COLLATE "C"; -- NULL: they mark the alert

    CREATE TABLE item_alias (
      user_id bigint NOT NULL,
      app text COLLATE "C" NOT NULL,
      app_notification_id text COLLATE "C" NOT NULL,
      item bytea NOT NULL,
      is_resolved boolean NOT NULL,
      at bigint NOT NULL,
      PRIMARY KEY (user_id, app, app_notification_id)
    );
    CREATE INDEX item_alias_item ON item_alias (user_id, item);

    CREATE TABLE resolution (
      user_id bigint NOT NULL,
      app text COLLATE "C" NOT NULL,
      app_notification_id text COLLATE "C" NOT NULL,
      resolved bigint NOT NULL,
      at bigint NOT NULL,
      PRIMARY KEY (user_id, app, app_notification_id)
    );
    CREATE INDEX resolution_at ON resolution (at);
    """

  /// The rules of users, and the sequence of the last change of any rule of a user.
  ///
  /// A removed rule keeps its row for as long as a tombstone, so that devices learn of it.
  static let rules = """
    CREATE TABLE rule (
      user_id bigint NOT NULL REFERENCES users (id),
      id bytea NOT NULL,
      sequence bigint NOT NULL,
      rule text COLLATE "C",    -- JSON; NULL: removed
      removed bigint,
      PRIMARY KEY (user_id, id)
    );
    CREATE UNIQUE INDEX rule_sequence ON rule (user_id, sequence);
    CREATE INDEX rule_removed ON rule (removed) WHERE removed IS NOT NULL;
    ALTER TABLE users ADD COLUMN rules bigint NOT NULL DEFAULT 0;
    """
}
#endif
