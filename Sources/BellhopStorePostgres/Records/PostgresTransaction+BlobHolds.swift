#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// The holds of blobs. They belong to no user.
extension PostgresTransaction {
  /// Waits, in a write, for transactions that remove a file with these bytes.
  func isHeld(_ hash: FileHash) throws -> Bool {
    try lockOrphan(hash)
    return try !rows(
      "SELECT FROM blob_hold WHERE hash = $1 LIMIT 1", [.text(hash.rawValue)]
    ).isEmpty
  }

  func endedHolds(by now: Timestamp, limit: Int) throws -> [BlobHold] {
    try all(
      "SELECT id, hash, ends FROM blob_hold WHERE ends <= $1 ORDER BY ends, id LIMIT $2",
      [.time(now), .count(limit)]
    ) { row in
      BlobHold(id: try row.id("id"), hash: try row.name("hash"), ends: try row.time("ends"))
    }
  }

  func insert(_ hold: BlobHold) throws {
    try write(
      "INSERT INTO blob_hold (id, hash, ends) VALUES ($1, $2, $3)",
      [.id(hold.id), .text(hold.hash.rawValue), .time(hold.ends)])
  }

  /// Waits for another transaction that removes the hold. The one that commits finds it.
  func removeHold(_ id: UniqueID<BlobHold>) throws -> Bool {
    try count("DELETE FROM blob_hold WHERE id = $1", [.id(id)]) > 0
  }

  /// Waits for a transaction that judges whether the blob is in use, as the trigger of a removed
  /// file does.
  func noteOrphan(_ hash: FileHash) throws {
    try write(
      """
      INSERT INTO loose_file (hash) VALUES ($1)
      ON CONFLICT (hash) DO UPDATE SET hash = excluded.hash
      """, [.text(hash.rawValue)])
  }

  /// Locks the row of a hash that is listed as orphaned, in a write.
  ///
  /// A transaction that removes a file with these bytes changes this row. Either it has ended before
  /// the lock, and this transaction sees the removal. Or it waits, and lists the hash again after this
  /// transaction has forgotten it. Without the lock, a sweep could still see the file and forget the
  /// hash for good.
  func lockOrphan(_ hash: FileHash) throws {
    guard context.kind != .snapshot else { return }
    try write("SELECT FROM loose_file WHERE hash = $1 FOR UPDATE", [.text(hash.rawValue)])
  }
}
#endif
