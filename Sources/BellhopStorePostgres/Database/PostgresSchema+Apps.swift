#if BELLHOP_POSTGRES
/// The tables of apps and files.
extension PostgresSchema {
  /// Apps with their storage use, their settings, and the progress of a pass over their items.
  ///
  /// The use changes with every publication, but no indexed column does.
  static let apps = """
    CREATE TABLE app (
      user_id bigint NOT NULL REFERENCES users (id),
      app text COLLATE "C" NOT NULL,
      items bigint NOT NULL DEFAULT 0,
      tombstones bigint NOT NULL DEFAULT 0,
      bytes bigint NOT NULL DEFAULT 0,
      sequence bigint,                -- of the last change of the settings; NULL: never configured
      settings text COLLATE "C",      -- JSON
      retention_days bigint,          -- the settings' value
      "authorization" text COLLATE "C", -- the settings' value; NULL: authorized
      is_retaining boolean NOT NULL DEFAULT false,
      retained_arrival bigint,        -- items up to this place leave by the present retention
      retained_id bytea,
      PRIMARY KEY (user_id, app)
    ) WITH (fillfactor = 50);
    CREATE UNIQUE INDEX app_sequence ON app (user_id, sequence) WHERE sequence IS NOT NULL;
    CREATE INDEX app_retaining ON app (user_id, app) WHERE is_retaining;

    CREATE TABLE app_alias (
      user_id bigint NOT NULL REFERENCES users (id),
      alias text COLLATE "C" NOT NULL,
      app text COLLATE "C" NOT NULL,
      PRIMARY KEY (user_id, alias)
    );
    CREATE INDEX app_alias_app ON app_alias (user_id, app);

    -- The details of apps that Gotify clients set.
    CREATE TABLE app_profile (
      user_id bigint NOT NULL REFERENCES users (id),
      app text COLLATE "C" NOT NULL,
      description text COLLATE "C",   -- NULL: never set
      default_priority bigint,        -- a number of Gotify's; NULL: the store's own
      PRIMARY KEY (user_id, app)
    );
    """

  /// The files of attachments, and the holds of their blobs.
  ///
  /// Triggers track the size of files and the blobs that may be removed. So both stay correct
  /// however a row is removed: with its item, or with all rows of its user.
  ///
  /// A trigger changes the row of a hash that is listed already. So it waits for a transaction that
  /// locked this row to judge whether the blob is in use.
  static let files = """
    CREATE TABLE file (
      user_id bigint NOT NULL REFERENCES users (id),
      id text COLLATE "C" NOT NULL,
      hash text COLLATE "C" NOT NULL,
      token bytea NOT NULL,
      app text COLLATE "C" NOT NULL,  -- '': not known yet
      name text COLLATE "C" NOT NULL,
      type text COLLATE "C" NOT NULL,
      size bigint NOT NULL,
      charge bigint NOT NULL,         -- the size that it counts towards the limits
      created bigint NOT NULL,
      expires bigint NOT NULL,
      item bytea,
      PRIMARY KEY (user_id, id)
    );
    CREATE UNIQUE INDEX file_id ON file (id);
    CREATE INDEX file_hash ON file (hash);
    CREATE INDEX file_expires ON file (expires);
    CREATE INDEX file_token ON file (user_id, token, charge);

    CREATE TABLE file_use (
      user_id bigint NOT NULL REFERENCES users (id),
      app text COLLATE "C" NOT NULL,
      bytes bigint NOT NULL,
      PRIMARY KEY (user_id, app)
    );

    -- The hashes of removed files. They belong to no user.
    CREATE TABLE loose_file (hash text COLLATE "C" NOT NULL PRIMARY KEY);

    -- Blobs that are being placed. They belong to no user.
    CREATE TABLE blob_hold (
      id bytea NOT NULL PRIMARY KEY,
      hash text COLLATE "C" NOT NULL,
      ends bigint NOT NULL
    );
    CREATE INDEX blob_hold_hash ON blob_hold (hash);
    CREATE INDEX blob_hold_ends ON blob_hold (ends, id);

    CREATE FUNCTION file_added() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO file_use (user_id, app, bytes) VALUES (NEW.user_id, NEW.app, NEW.charge)
        ON CONFLICT (user_id, app) DO UPDATE SET bytes = file_use.bytes + excluded.bytes;
      RETURN NULL;
    END $$;
    CREATE FUNCTION file_moved() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE file_use SET bytes = bytes - OLD.charge WHERE user_id = OLD.user_id AND app = OLD.app;
      DELETE FROM file_use WHERE user_id = OLD.user_id AND app = OLD.app AND bytes <= 0;
      INSERT INTO file_use (user_id, app, bytes) VALUES (NEW.user_id, NEW.app, NEW.charge)
        ON CONFLICT (user_id, app) DO UPDATE SET bytes = file_use.bytes + excluded.bytes;
      RETURN NULL;
    END $$;
    CREATE FUNCTION file_removed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO loose_file (hash) VALUES (OLD.hash)
        ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash;
      UPDATE file_use SET bytes = bytes - OLD.charge WHERE user_id = OLD.user_id AND app = OLD.app;
      DELETE FROM file_use WHERE user_id = OLD.user_id AND app = OLD.app AND bytes <= 0;
      RETURN NULL;
    END $$;
    CREATE TRIGGER file_added AFTER INSERT ON file
      FOR EACH ROW EXECUTE FUNCTION file_added();
    CREATE TRIGGER file_moved AFTER UPDATE OF app ON file
      FOR EACH ROW WHEN (NEW.app <> OLD.app) EXECUTE FUNCTION file_moved();
    CREATE TRIGGER file_removed AFTER DELETE ON file
      FOR EACH ROW EXECUTE FUNCTION file_removed();
    """

  /// No tables: statistics count the rows of others.
  static let statistics = ""
}
#endif
