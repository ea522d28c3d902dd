#if BELLHOP_POSTGRES
/// The tables of devices, access tokens, sign-ins and processes.
///
/// The keys of a user's rows begin with the user.
extension PostgresSchema {
  /// Devices and access tokens.
  ///
  /// A token is found by its hash, whichever user it belongs to. `ends` is the time at which it was
  /// revoked or expires, whichever is first.
  static let access = """
    CREATE TABLE device (
      user_id bigint NOT NULL REFERENCES users (id),
      id text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      platform text COLLATE "C" NOT NULL,
      channel text COLLATE "C" NOT NULL,
      environment text COLLATE "C", -- NULL: production
      registered bigint NOT NULL,
      renewed bigint NOT NULL,
      expires bigint NOT NULL,
      PRIMARY KEY (user_id, id)
    );

    CREATE TABLE access_token (
      user_id bigint NOT NULL REFERENCES users (id),
      id bytea NOT NULL,
      hash bytea NOT NULL UNIQUE,
      name text COLLATE "C" NOT NULL,
      scope text COLLATE "C" NOT NULL,
      scope_value text COLLATE "C",
      created bigint NOT NULL,
      expires bigint,
      revoked bigint,
      revoked_by text COLLATE "C",
      last_used bigint,
      ends bigint GENERATED ALWAYS AS (least(revoked, expires)) STORED,
      PRIMARY KEY (user_id, id)
    );
    CREATE INDEX access_token_hash_head ON access_token (substring(hash, 1, 8));
    CREATE INDEX access_token_ends ON access_token (ends) WHERE ends IS NOT NULL;
    CREATE INDEX access_token_user_ends ON access_token (user_id, ends, id)
      WHERE ends IS NOT NULL;
    CREATE INDEX access_token_unrevoked ON access_token (user_id, id) INCLUDE (expires)
      WHERE revoked IS NULL;

    -- Revoked tokens whose rows are gone.
    CREATE TABLE forgotten_token (
      user_id bigint NOT NULL REFERENCES users (id),
      id bytea NOT NULL,
      PRIMARY KEY (user_id, id)
    );
    """

  /// Users who sign in through an identity provider. A subject belongs to one user.
  static let signIns = """
    CREATE TABLE subject (
      user_id bigint NOT NULL REFERENCES users (id),
      issuer text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      PRIMARY KEY (user_id, issuer)
    );
    CREATE UNIQUE INDEX subject_of ON subject (issuer, subject);

    CREATE TABLE sign_in (
      user_id bigint NOT NULL REFERENCES users (id),
      token bytea NOT NULL,
      issuer text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      client text COLLATE "C" NOT NULL,
      session text COLLATE "C",
      PRIMARY KEY (user_id, token)
    );
    """

  /// Devices that wait to be signed in, and the attempts that are limited. They belong to no user.
  static let grants = """
    CREATE TABLE device_grant (
      id bytea NOT NULL PRIMARY KEY,
      device_code_hash bytea NOT NULL UNIQUE,
      user_code_hash bytea NOT NULL UNIQUE,
      client text COLLATE "C" NOT NULL,
      address text COLLATE "C" NOT NULL,
      network text COLLATE "C" NOT NULL,
      site text COLLATE "C" NOT NULL,
      device text COLLATE "C",      -- NULL, like the next three: the device registers later
      name text COLLATE "C",
      platform text COLLATE "C",
      channel text COLLATE "C",
      environment text COLLATE "C", -- NULL: production
      requested bigint NOT NULL,
      expires bigint NOT NULL,
      forgotten bigint NOT NULL,
      poll_interval bigint NOT NULL,
      state text COLLATE "C" NOT NULL,
      user_id bigint REFERENCES users (id) -- NULL: pending
    );
    CREATE INDEX device_grant_site ON device_grant (site, state, expires);
    CREATE INDEX device_grant_forgotten ON device_grant (forgotten, id);
    CREATE INDEX device_grant_user ON device_grant (user_id) WHERE user_id IS NOT NULL;

    CREATE TABLE attempt (
      kind text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      forgotten bigint NOT NULL,
      PRIMARY KEY (kind, key)
    );
    CREATE INDEX attempt_forgotten ON attempt (kind, forgotten, key);
    """

  /// The processes that serve the database, and their leases. They belong to no user.
  ///
  /// Heartbeats and renewals change no indexed column, so that they leave the indexes alone. Both
  /// tables are small.
  static let processes = """
    CREATE TABLE process (
      id bytea NOT NULL PRIMARY KEY,
      host text COLLATE "C" NOT NULL,
      version text COLLATE "C" NOT NULL,
      started bigint NOT NULL,
      last_seen bigint NOT NULL
    ) WITH (fillfactor = 50);

    CREATE TABLE lease (
      name text COLLATE "C" NOT NULL PRIMARY KEY,
      holder bytea,                 -- NULL: released
      number bigint NOT NULL,
      expires bigint NOT NULL
    ) WITH (fillfactor = 50);
    """
}
#endif
