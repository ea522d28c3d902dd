internal import GRDB

extension Schema {
  /// Adds apps with their settings and their storage use, which is counted once for existing items.
  ///
  /// The size is that of `Content.storedByteCount`: the bytes of all text. From then on, an item's
  /// app record is written in the item's own transaction.
  static func addApps(_ database: Database) throws {
    try database.execute(sql: apps)
    try database.execute(sql: countWhatIsThere)
  }

  private static let apps = """
    CREATE TABLE app (
      user INTEGER NOT NULL REFERENCES user(id),
      app TEXT NOT NULL,
      items INTEGER NOT NULL DEFAULT 0,
      tombstones INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      sequence INTEGER,         -- of the last change of the settings; NULL: never configured
      settings TEXT,            -- JSON
      retention_days INTEGER,   -- the settings' value
      is_retaining INTEGER NOT NULL DEFAULT 0,
      retained_arrival INTEGER, -- items up to this place leave by the present retention
      retained_id BLOB,
      PRIMARY KEY (user, app)
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX app_sequence ON app (user, sequence) WHERE sequence IS NOT NULL;
    CREATE INDEX app_retaining ON app (is_retaining, user, app) WHERE is_retaining = 1;

    CREATE TABLE app_alias (
      user INTEGER NOT NULL REFERENCES user(id),
      alias TEXT NOT NULL,
      app TEXT NOT NULL,
      PRIMARY KEY (user, alias)
    ) WITHOUT ROWID;
    CREATE INDEX app_alias_app ON app_alias (user, app);

    CREATE INDEX item_app_arrival ON item (user, app, arrival, id) WHERE deleted IS NULL;

    ALTER TABLE user ADD COLUMN apps INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE user ADD COLUMN items INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE user ADD COLUMN tombstones INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE user ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
    """

  /// The details of apps that Gotify clients set.
  static let appProfiles = """
    CREATE TABLE app_profile (
      user INTEGER NOT NULL REFERENCES user(id),
      app TEXT NOT NULL,
      description TEXT,         -- NULL: nobody has said anything
      default_priority INTEGER, -- a number of Gotify's; NULL: the store's own
      PRIMARY KEY (user, app)
    ) WITHOUT ROWID;
    """

  private static let countWhatIsThere = """
    INSERT INTO app (user, app, items, tombstones, bytes)
    SELECT user, app, count(*) FILTER (WHERE deleted IS NULL),
      count(*) FILTER (WHERE deleted IS NOT NULL),
      ifnull(sum(
        length(CAST(app AS BLOB))
        + ifnull(length(CAST(app_notification_id AS BLOB)), 0)
        + ifnull(length(CAST(group_name AS BLOB)), 0)
        + ifnull(length(CAST(title AS BLOB)), 0)
        + ifnull(length(CAST(subtitle AS BLOB)), 0)
        + ifnull(length(CAST(body AS BLOB)), 0)
        + ifnull(length(CAST(raw AS BLOB)), 0)
        + ifnull(length(CAST(click_url AS BLOB)), 0)
        + CASE WHEN tags IS NULL THEN 0 ELSE ifnull((
            SELECT sum(length(CAST(atom AS BLOB))) FROM json_tree(tags) WHERE type = 'text'
          ), 0) END
        + CASE WHEN extras IS NULL THEN 0 ELSE ifnull((
            SELECT sum(length(CAST(atom AS BLOB))) FROM json_tree(extras) WHERE type = 'text'
          ), 0) END
      ) FILTER (WHERE deleted IS NULL), 0)
    FROM item GROUP BY user, app;

    UPDATE user SET
      apps = (SELECT count(*) FROM app WHERE app.user = user.id),
      items = (SELECT ifnull(sum(items), 0) FROM app WHERE app.user = user.id),
      tombstones = (SELECT ifnull(sum(tombstones), 0) FROM app WHERE app.user = user.id),
      bytes = (SELECT ifnull(sum(bytes), 0) FROM app WHERE app.user = user.id);
    """
}
