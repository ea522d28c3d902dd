extension Schema {
  /// A numbering of idempotency records per token, oldest first, so that a token's oldest ones are
  /// found without counting.
  static let publicationOrdinals = """
    ALTER TABLE publication ADD COLUMN ordinal INTEGER NOT NULL DEFAULT 0;
    UPDATE publication SET ordinal = numbered.place FROM (
      SELECT rowid AS record, row_number() OVER (PARTITION BY user, token ORDER BY at, rowid) AS place
      FROM publication
    ) AS numbered
    WHERE publication.rowid = numbered.record;
    CREATE UNIQUE INDEX publication_ordinal ON publication (user, token, ordinal);
    """

  /// Short ids for outboxes, so that the operations of a device's whole life take little space.
  ///
  /// Each takes an id and a number, and an entry in the index that finds an operation under another
  /// number.
  static let outboxes = """
    ALTER TABLE outbox RENAME TO outbox_before;
    ALTER TABLE outbox_number RENAME TO outbox_number_before;
    DROP INDEX outbox_number_operation;

    CREATE TABLE outbox (
      id INTEGER PRIMARY KEY,             -- rises with the time at which it was begun
      user INTEGER NOT NULL REFERENCES user(id),
      device TEXT NOT NULL,
      lineage TEXT NOT NULL,
      epoch TEXT NOT NULL,
      last INTEGER NOT NULL,
      forgotten INTEGER NOT NULL DEFAULT 0 -- operations up to this number are not remembered
    );
    CREATE UNIQUE INDEX outbox_key ON outbox (user, device, lineage, epoch);

    CREATE TABLE outbox_number (
      user INTEGER NOT NULL REFERENCES user(id),
      outbox INTEGER NOT NULL,
      number INTEGER NOT NULL,
      operation BLOB NOT NULL,
      PRIMARY KEY (user, outbox, number)
    ) WITHOUT ROWID;

    INSERT INTO outbox (user, device, lineage, epoch, last, forgotten)
    SELECT user, device, lineage, epoch, last, ifnull((
      SELECT min(number) - 1 FROM outbox_number_before AS n
      WHERE n.user = o.user AND n.device = o.device AND n.lineage = o.lineage AND n.epoch = o.epoch
    ), last)
    FROM outbox_before AS o;

    INSERT INTO outbox_number (user, outbox, number, operation)
    SELECT n.user, o.id, n.number, n.operation FROM outbox_number_before AS n
    JOIN outbox AS o ON o.user = n.user AND o.device = n.device AND o.lineage = n.lineage
      AND o.epoch = n.epoch;
    CREATE INDEX outbox_number_operation ON outbox_number (user, operation);

    DROP TABLE outbox_number_before;
    DROP TABLE outbox_before;
    """

  /// Indexes that find tokens by their end, and unrevoked tokens, without reading all tokens.
  static let endedTokens = """
    ALTER TABLE access_token ADD COLUMN ends INTEGER
      GENERATED ALWAYS AS (coalesce(min(revoked, expires), revoked, expires)) VIRTUAL;
    CREATE INDEX access_token_ends ON access_token (ends);
    CREATE INDEX access_token_user_ends ON access_token (user, ends);
    CREATE INDEX access_token_unrevoked ON access_token (user, id, expires) WHERE revoked IS NULL;

    -- Revoked tokens whose rows are gone.
    CREATE TABLE forgotten_token (
      user INTEGER NOT NULL REFERENCES user(id),
      id BLOB NOT NULL,
      PRIMARY KEY (user, id)
    ) WITHOUT ROWID;
    """
}
