#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// The files of attachments.
extension PostgresTransaction {
  /// Finds the file of any user, because only its id is known.
  func file(_ id: FileID) throws -> StoredFile? {
    try first(
      "SELECT \(StoredFile.columns) FROM file WHERE id = $1", [.text(id.rawValue)],
      StoredFile.init(row:))
  }

  func fileCharge(of user: UserID) throws -> Int {
    try charge(
      "SELECT sum(bytes)::bigint AS bytes FROM file_use WHERE user_id = $1", [.user(user)])
  }

  func fileCharge(ofApp app: String?, of user: UserID) throws -> Int {
    try charge(
      "SELECT bytes FROM file_use WHERE user_id = $1 AND app = $2",
      [.user(user), .text(app ?? "")])
  }

  func fileCharge(of user: UserID, token: AccessTokenID) throws -> Int {
    try charge(
      "SELECT sum(charge)::bigint AS bytes FROM file WHERE user_id = $1 AND token = $2",
      [.user(user), .id(token)])
  }

  private func charge(_ sql: String, _ values: [PostgresValue]) throws -> Int {
    let bytes: Int?? = try first(sql, values) { try $0.optional("bytes") }
    return bytes.flatMap { $0 } ?? 0
  }

  func expiredFiles(by now: Timestamp, limit: Int) throws -> [StoredFile] {
    try all(
      "SELECT \(StoredFile.columns) FROM file WHERE expires <= $1 ORDER BY expires LIMIT $2",
      [.time(now), .count(limit)], StoredFile.init(row:))
  }

  /// Waits, in a write, for transactions that remove a file with these bytes.
  func isInUse(_ hash: FileHash) throws -> Bool {
    try lockOrphan(hash)
    return try !rows("SELECT FROM file WHERE hash = $1 LIMIT 1", [.text(hash.rawValue)]).isEmpty
  }

  func orphanedHashes(limit: Int) throws -> [FileHash] {
    try all("SELECT hash FROM loose_file ORDER BY hash LIMIT $1", [.count(limit)]) {
      try $0.name("hash")
    }
  }

  func insert(_ file: StoredFile) throws {
    try write(
      """
      INSERT INTO file (\(StoredFile.columns), charge)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      """,
      [
        .user(file.user), .text(file.id.rawValue), .text(file.hash.rawValue), .id(file.token),
        .text(file.app ?? ""), .text(file.name), .text(file.type), .count(file.size),
        .time(file.created), .time(file.expires), .id(file.item), .count(file.charge),
      ])
  }

  func update(_ file: StoredFile) throws {
    try write(
      "UPDATE file SET app = $3, expires = $4, item = $5 WHERE user_id = $1 AND id = $2",
      [
        .user(file.user), .text(file.id.rawValue), .text(file.app ?? ""), .time(file.expires),
        .id(file.item),
      ])
  }

  func removeFile(_ id: FileID, of user: UserID) throws {
    try write(
      "DELETE FROM file WHERE user_id = $1 AND id = $2", [.user(user), .text(id.rawValue)])
  }

  func forgetOrphan(_ hash: FileHash) throws {
    try write("DELETE FROM loose_file WHERE hash = $1", [.text(hash.rawValue)])
  }
}

extension StoredFile {
  fileprivate static let columns = """
    user_id, id, hash, token, app, name, type, size, created, expires, item
    """

  fileprivate init(row: PostgresRow) throws {
    let app = try row.text("app")
    self.init(
      id: try row.name("id"), user: try row.user("user_id"), hash: try row.name("hash"),
      token: try row.id("token"), app: app.isEmpty ? nil : app, name: try row.text("name"),
      type: try row.text("type"), size: try row.value("size"), created: try row.time("created"),
      expires: try row.time("expires"), item: try row.idIfAny("item"))
  }
}
#endif
