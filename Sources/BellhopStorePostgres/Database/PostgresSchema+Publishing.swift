#if BELLHOP_POSTGRES
/// The tables of publications, operations and subscriptions.
///
/// Rows of publications and operations are many, and refer to no other table.
extension PostgresSchema {
  /// The results of publications under an idempotency key. The ordinals number those of a token,
  /// oldest first, so that its oldest ones are found without counting.
  static let publications = """
    CREATE TABLE publication (
      user_id bigint NOT NULL,
      token bytea NOT NULL,
      key text COLLATE "C" NOT NULL,
      body_hash bytea NOT NULL,
      item bytea NOT NULL,
      short_number bigint NOT NULL,
      created bigint NOT NULL,
      arrival bigint NOT NULL,
      expiration bigint,
      sequence bigint NOT NULL,
      outcome text COLLATE "C" NOT NULL,
      at bigint NOT NULL,
      ordinal bigint NOT NULL,
      PRIMARY KEY (user_id, token, key)
    );
    CREATE UNIQUE INDEX publication_ordinal ON publication (user_id, token, ordinal);
    CREATE INDEX publication_at ON publication (at);
    """

  /// The outboxes of devices, their numbers, and the results of operations.
  ///
  /// An outbox has a short id of its user, so that the operations of a device's whole life take
  /// little space.
  static let operations = """
    CREATE TABLE outbox (
      user_id bigint NOT NULL REFERENCES users (id),
      id bigint NOT NULL,                  -- rises with the time at which it was begun
      device text COLLATE "C" NOT NULL,
      lineage text COLLATE "C" NOT NULL,
      epoch text COLLATE "C" NOT NULL,
      last bigint NOT NULL,
      forgotten bigint NOT NULL DEFAULT 0, -- operations up to this number are not remembered
      PRIMARY KEY (user_id, id)
    ) WITH (fillfactor = 70);
    CREATE UNIQUE INDEX outbox_key ON outbox (user_id, device, lineage, epoch);

    CREATE TABLE outbox_number (
      user_id bigint NOT NULL,
      outbox bigint NOT NULL,
      number bigint NOT NULL,
      operation bytea NOT NULL,
      PRIMARY KEY (user_id, outbox, number)
    );
    CREATE INDEX outbox_number_operation ON outbox_number (user_id, operation);

    CREATE TABLE operation (
      user_id bigint NOT NULL,
      id bytea NOT NULL,
      result text COLLATE "C" NOT NULL,
      latest bigint,
      at bigint NOT NULL,
      item bytea,                          -- the item whose content it made; NULL: none
      content_sequence bigint,
      reason text COLLATE "C",             -- of a refused publication
      PRIMARY KEY (user_id, id)
    );
    CREATE INDEX operation_at ON operation (at);
    """

  /// Web hooks. `through`, `known_number` and `occurred_through` are the whole queue; the columns
  /// after them count the consecutive failures of the two hooks.
  static let subscriptions = """
    CREATE TABLE subscription (
      user_id bigint NOT NULL REFERENCES users (id),
      id bytea NOT NULL,
      token bytea NOT NULL,
      change_types text COLLATE "C" NOT NULL,
      resource text COLLATE "C" NOT NULL,
      notification_url text COLLATE "C" NOT NULL,
      lifecycle_url text COLLATE "C",
      client_state text COLLATE "C",
      tls_version text COLLATE "C",
      created bigint NOT NULL,
      expires bigint NOT NULL,
      epoch text COLLATE "C" NOT NULL,
      through bigint NOT NULL,
      known_number bigint NOT NULL,
      occurred_through bigint NOT NULL,
      failures bigint NOT NULL,
      failing_since bigint,
      retry_at bigint,
      pending text COLLATE "C",
      lifecycle_failures bigint NOT NULL,
      lifecycle_failing_since bigint,
      lifecycle_retry_at bigint,
      PRIMARY KEY (user_id, id)
    ) WITH (fillfactor = 70);
    """
}
#endif
