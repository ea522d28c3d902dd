#if BELLHOP_POSTGRES

extension PostgresSchema {
  /// Items and tombstones. Times are milliseconds since 1970, ids are 16 bytes.
  ///
  /// Each has a row in both tables. `item` has what only a publication or a deletion changes, and
  /// `item_state` what devices change, so that a dismissal writes a short row with few indexes.
  static let items = """
    CREATE TABLE item (
      user_id bigint NOT NULL,
      id bytea NOT NULL,
      short_number bigint NOT NULL,
      created bigint NOT NULL,
      arrival bigint NOT NULL,
      deleted bigint,               -- NULL: a live item
      app text COLLATE "C" NOT NULL,
      app_notification_id text COLLATE "C",
      group_name text COLLATE "C",
      priority bigint NOT NULL,
      tags text COLLATE "C",        -- JSON
      title text COLLATE "C",
      subtitle text COLLATE "C",
      body text COLLATE "C",
      raw text COLLATE "C",
      click_url text COLLATE "C",
      expiration bigint,
      display_time_to_live bigint,
      deliver_at bigint,
      delivery_trigger text COLLATE "C", -- JSON
      extras text COLLATE "C",      -- JSON
      environment text COLLATE "C", -- NULL: production
      PRIMARY KEY (user_id, id)
    );
    CREATE UNIQUE INDEX item_number ON item (user_id, short_number);
    CREATE INDEX item_arrival ON item (user_id, arrival, id) WHERE deleted IS NULL;
    CREATE INDEX item_app_arrival ON item (user_id, app, arrival, id) WHERE deleted IS NULL;
    CREATE UNIQUE INDEX item_app ON item (user_id, app, app_notification_id)
      WHERE deleted IS NULL AND app_notification_id IS NOT NULL;
    CREATE INDEX item_deleted ON item (deleted, id) WHERE deleted IS NOT NULL;
    CREATE INDEX item_triggered ON item (user_id, short_number) WHERE delivery_trigger IS NOT NULL;
    CREATE INDEX item_development ON item (user_id, id) WHERE environment IS NOT NULL;

    CREATE TABLE item_state (
      user_id bigint NOT NULL,
      id bytea NOT NULL,
      sequence bigint NOT NULL,
      content_sequence bigint NOT NULL,
      changed bigint NOT NULL,
      crossed bigint,
      leaves bigint,                -- NULL: never, or a tombstone
      read_state text COLLATE "C" NOT NULL,
      read_previous text COLLATE "C",
      read_at bigint,
      read_by text COLLATE "C",
      read_operation bytea,
      read_occurrence text COLLATE "C",
      action text COLLATE "C" NOT NULL,
      action_until bigint,
      action_previous text COLLATE "C",
      action_previous_until bigint,
      action_at bigint,
      action_by text COLLATE "C",
      action_operation bytea,
      action_choice text COLLATE "C", -- JSON
      action_occurrence text COLLATE "C",
      kept boolean NOT NULL,
      kept_previous boolean,
      kept_at bigint,
      kept_by text COLLATE "C",
      kept_operation bytea,
      cancelled boolean NOT NULL,
      cancelled_previous boolean,
      cancelled_at bigint,
      cancelled_by text COLLATE "C",
      cancelled_operation bytea,
      cancelled_occurrence text COLLATE "C",
      PRIMARY KEY (user_id, id)
    ) WITH (fillfactor = 80);
    CREATE UNIQUE INDEX item_sequence ON item_state (user_id, sequence);
    CREATE INDEX item_leaves ON item_state (leaves, id) WHERE leaves IS NOT NULL;
    """

  /// The words of items for searches, as the shared tokenizer splits them.
  ///
  /// A publication adds them to the index itself: deferred work would need a process that does it.
  /// The index needs the extension `btree_gin`, which the migration creates before.
  static let search = """
    ALTER TABLE item ADD COLUMN words tsvector; -- NULL: a tombstone
    -- Whether a text is too long for `words` to have all positions.
    ALTER TABLE item ADD COLUMN has_cut_words boolean NOT NULL DEFAULT false;
    CREATE INDEX item_words ON item USING gin (user_id, words) WITH (fastupdate = off)
      WHERE deleted IS NULL;
    """

  /// Bulk operations in progress. Operation and author are JSON.
  static let bulkWork = """
    CREATE TABLE bulk_work (
      user_id bigint NOT NULL,
      id bytea NOT NULL,
      operation text COLLATE "C" NOT NULL,
      author text COLLATE "C" NOT NULL,
      below_arrival bigint,
      below_id bytea,
      result text COLLATE "C",
      latest bigint,
      begun bigint NOT NULL,
      environment text COLLATE "C", -- NULL: production
      PRIMARY KEY (user_id, id)
    );
    CREATE INDEX bulk_work_begun ON bulk_work (begun, id);
    """

  /// The answers for which publishers wait. A row outlives its item until the wait ends.
  static let responses = """
    CREATE TABLE awaited_response (
      user_id bigint NOT NULL,
      item bytea NOT NULL,
      token bytea NOT NULL,
      content_sequence bigint NOT NULL,
      expires bigint NOT NULL,
      action text COLLATE "C",      -- NULL: no answer yet
      text text COLLATE "C",
      answered bigint,
      is_superseded boolean NOT NULL,
      PRIMARY KEY (user_id, item)
    );
    CREATE INDEX awaited_response_expires ON awaited_response (expires, item);
    """
}
#endif
