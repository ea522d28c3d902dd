extension Schema {
  /// Web hooks. `through` and `known_number` are the whole queue; the columns after them count the
  /// consecutive failures of the two hooks.
  static let subscriptions = """
    CREATE TABLE subscription (
      user INTEGER NOT NULL REFERENCES user(id),
      id BLOB NOT NULL,
      token BLOB NOT NULL,
      change_types TEXT NOT NULL,
      resource TEXT NOT NULL,
      notification_url TEXT NOT NULL,
      lifecycle_url TEXT,
      client_state TEXT,
      tls_version TEXT,
      created INTEGER NOT NULL,
      expires INTEGER NOT NULL,
      epoch TEXT NOT NULL,
      through INTEGER NOT NULL,
      known_number INTEGER NOT NULL,
      failures INTEGER NOT NULL,
      failing_since INTEGER,
      retry_at INTEGER,
      pending TEXT,
      lifecycle_failures INTEGER NOT NULL,
      lifecycle_failing_since INTEGER,
      lifecycle_retry_at INTEGER,
      PRIMARY KEY (user, id)
    ) WITHOUT ROWID;
    """
}
