extension Schema {
  /// The migrations after the one that is named "triggers".
  static let later = [
    Migration(
      name: "cancelled triggers",
      sql: """
        ALTER TABLE item ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE item ADD COLUMN base_cancelled INTEGER NOT NULL DEFAULT 0;
        """),
    Migration(
      name: "time zone of the device",
      sql: """
        -- The zone in which items were last placed: see WallClock.ownZoneMark.
        ALTER TABLE sync ADD COLUMN zone_mark TEXT;
        """),
    Migration(
      name: "form of items",
      sql: """
        -- The form in which items were read from the store: see CacheIdentity.form.
        ALTER TABLE sync ADD COLUMN form INTEGER NOT NULL DEFAULT 1;
        """),
    Migration(
      name: "triggers for places",
      sql: """
        -- The last crossing that delivered the item, as last sent by the store.
        ALTER TABLE item ADD COLUMN crossed INTEGER;
        CREATE INDEX item_triggered ON item (id) WHERE delivery_trigger IS NOT NULL;
        """),
    Migration(
      name: "groups by level",
      sql: """
        -- The lists of groups read item_group_priority.
        DROP INDEX item_group;
        """),
    Migration(
      name: "content of the device itself",
      sql: """
        -- The schedule that operations in the outbox make; NULL for what the store last sent.
        ALTER TABLE item ADD COLUMN own_deliver_at INTEGER;
        ALTER TABLE item ADD COLUMN own_trigger TEXT;
        ALTER TABLE item ADD COLUMN own_arrival INTEGER;
        ALTER TABLE item ADD COLUMN own_operation BLOB;
        """),
    Migration(
      name: "refused publications",
      sql: """
        -- The reason for which the store refused a publication.
        ALTER TABLE outcome ADD COLUMN reason TEXT;
        """),
    Migration(
      name: "effects of rules",
      sql: """
        -- JSON; NULL while no rule has an effect on the item.
        ALTER TABLE item ADD COLUMN applied TEXT;
        ALTER TABLE item ADD COLUMN base_applied TEXT;
        """),
    repeats,
    Migration(
      name: "effective fields",
      sql: """
        -- The columns app, group_name, priority and tags have the fields that lists show.
        -- JSON of the published ones; NULL if they are the same.
        ALTER TABLE item ADD COLUMN published TEXT;
        """),
    Migration(
      name: "rules",
      sql: """
        CREATE TABLE rule (
          id BLOB PRIMARY KEY,
          generation INTEGER NOT NULL,
          rule TEXT NOT NULL       -- JSON as it is received
        ) WITHOUT ROWID;
        -- The rule that the operation changes; NULL for one that changes anything else.
        ALTER TABLE outbox ADD COLUMN rule BLOB;
        CREATE INDEX outbox_rule ON outbox (rule) WHERE rule IS NOT NULL;
        """),
  ]
}
