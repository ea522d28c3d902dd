internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  func file(_ id: FileID) throws -> StoredFile? {
    try first(
      "SELECT \(FileColumn.list) FROM file WHERE id = ?", [id.rawValue], StoredFile.init(row:))
  }

  func fileCharge(of user: UserID) throws -> Int {
    try first("SELECT coalesce(sum(bytes), 0) FROM file_use WHERE user = ?", [user.rawValue]) {
      $0[0]
    } ?? 0
  }

  func fileCharge(ofApp app: String?, of user: UserID) throws -> Int {
    try first(
      "SELECT bytes FROM file_use WHERE user = ? AND app = ?", [user.rawValue, app ?? ""]
    ) { $0[0] } ?? 0
  }

  func fileCharge(of user: UserID, token: AccessTokenID) throws -> Int {
    try first(
      "SELECT coalesce(sum(charge), 0) FROM file INDEXED BY file_token WHERE user = ? AND token = ?",
      [user.rawValue, token.blob]
    ) { $0[0] } ?? 0
  }

  func expiredFiles(by now: Timestamp, limit: Int) throws -> [StoredFile] {
    try all(
      "SELECT \(FileColumn.list) FROM file WHERE expires <= ? ORDER BY expires LIMIT ?",
      [now.milliseconds, limit], StoredFile.init(row:))
  }

  func isInUse(_ hash: FileHash) throws -> Bool {
    try first("SELECT 1 FROM file WHERE hash = ? LIMIT 1", [hash.rawValue]) { _ in true } ?? false
  }

  func orphanedHashes(limit: Int) throws -> [FileHash] {
    try all("SELECT hash FROM loose_file ORDER BY hash LIMIT ?", [limit]) { FileHash($0[0]) }
  }

  func insert(_ file: StoredFile) throws {
    try run(
      """
      INSERT INTO file (\(FileColumn.list), charge) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        file.user.rawValue, file.id.rawValue, file.hash.rawValue, file.token.blob, file.app ?? "",
        file.name, file.type, file.size, file.created.milliseconds, file.expires.milliseconds,
        file.item?.blob, file.charge,
      ])
  }

  func update(_ file: StoredFile) throws {
    try run(
      "UPDATE file SET app = ?, expires = ?, item = ? WHERE user = ? AND id = ?",
      [
        file.app ?? "", file.expires.milliseconds, file.item?.blob, file.user.rawValue,
        file.id.rawValue,
      ])
  }

  func removeFile(_ id: FileID, of user: UserID) throws {
    try run("DELETE FROM file WHERE user = ? AND id = ?", [user.rawValue, id.rawValue])
  }

  func forgetOrphan(_ hash: FileHash) throws {
    try run("DELETE FROM loose_file WHERE hash = ?", [hash.rawValue])
  }
}

private enum FileColumn: Int, TableColumn {
  case user, id, hash, token, app, name, type, size, created, expires, item
}

extension StoredFile {
  fileprivate init(row: Row) throws {
    let row = NamedRow<FileColumn>(row)
    let app: String = row[.app]
    self.init(
      id: FileID(row[.id]), user: UserID(rawValue: row[.user]), hash: FileHash(row[.hash]),
      token: try row.id(.token), app: app.isEmpty ? nil : app, name: row[.name], type: row[.type],
      size: row[.size], created: row.time(.created), expires: row.time(.expires),
      item: try row.optionalID(.item))
  }
}

extension Schema {
  /// An index that finds the size of one token's files without reading all files of the user.
  ///
  /// A token with its own share has few files: each counts as at least `StoredFile.chargeMin`
  /// bytes.
  static let filesByToken = "CREATE INDEX file_token ON file (user, token, charge);"

  /// The files of attachments.
  ///
  /// Triggers track their size and the blobs that may be removed. So both stay correct however a
  /// row is removed: with its item, or with all rows of its user.
  static let files = """
    CREATE TABLE file (
      user INTEGER NOT NULL REFERENCES user(id),
      id TEXT NOT NULL,
      hash TEXT NOT NULL,
      token BLOB NOT NULL,
      app TEXT NOT NULL,        -- '': not known yet
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      size INTEGER NOT NULL,
      charge INTEGER NOT NULL,  -- what it takes of the limits
      created INTEGER NOT NULL,
      expires INTEGER NOT NULL,
      item BLOB,
      PRIMARY KEY (user, id)
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX file_id ON file (id);
    CREATE INDEX file_hash ON file (hash);
    CREATE INDEX file_expires ON file (expires);

    CREATE TABLE file_use (
      user INTEGER NOT NULL REFERENCES user(id),
      app TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (user, app)
    ) WITHOUT ROWID;

    CREATE TABLE loose_file (hash TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;

    CREATE TRIGGER file_added AFTER INSERT ON file BEGIN
      INSERT INTO file_use (user, app, bytes) VALUES (NEW.user, NEW.app, NEW.charge)
        ON CONFLICT (user, app) DO UPDATE SET bytes = bytes + NEW.charge;
    END;
    CREATE TRIGGER file_moved AFTER UPDATE OF app ON file WHEN NEW.app <> OLD.app BEGIN
      UPDATE file_use SET bytes = bytes - OLD.charge WHERE user = OLD.user AND app = OLD.app;
      DELETE FROM file_use WHERE user = OLD.user AND app = OLD.app AND bytes <= 0;
      INSERT INTO file_use (user, app, bytes) VALUES (NEW.user, NEW.app, NEW.charge)
        ON CONFLICT (user, app) DO UPDATE SET bytes = bytes + NEW.charge;
    END;
    CREATE TRIGGER file_removed AFTER DELETE ON file BEGIN
      INSERT INTO loose_file (hash) VALUES (OLD.hash) ON CONFLICT DO NOTHING;
      UPDATE file_use SET bytes = bytes - OLD.charge WHERE user = OLD.user AND app = OLD.app;
      DELETE FROM file_use WHERE user = OLD.user AND app = OLD.app AND bytes <= 0;
    END;
    """
}
