#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

extension PostgresBlobStore {
  /// The number of blobs whose chunks one transaction deletes.
  private static let deletedMax = 20
  /// The number of blobs that a sweep checks.
  private static let checkedMax = 1000

  /// The condition that neither a file nor a hold has the blob's hash.
  private static let isUnused = """
    NOT EXISTS (SELECT FROM file WHERE file.hash = encode(blob.hash, 'hex'))
      AND NOT EXISTS (SELECT FROM blob_hold WHERE blob_hold.hash = encode(blob.hash, 'hex'))
    """

  /// Waits until removals so far are done or have failed.
  package func settle() async { await leftovers.settle() }

  /// Marks removed blobs and deletes discarded drafts. A sweep makes up for a failure.
  func clear(_ step: BlobLeftovers.Step) async {
    do {
      if !step.keys.isEmpty { try await mark(step.keys) }
      if !step.drafts.isEmpty { try await delete(drafts: step.drafts) }
    } catch {}
  }

  /// Marks blobs as removed, unless they are in use.
  private func mark(_ keys: [BlobKey]) async throws {
    let bytes: [[UInt8]] = keys.map(\.bytes)
    try await write { connection in
      let hashes = PostgresValue.byteStrings(bytes)
      // First the locks, then the check: a hold that was committed before the lock is seen, and after
      // a later one the blob is placed again, which waits for this transaction.
      _ = try connection.run(
        "SELECT FROM blob WHERE hash = ANY ($1) AND removed IS NULL ORDER BY hash FOR UPDATE",
        hashes)
      try connection.queue(
        """
        UPDATE blob SET removed = \(PostgresSchema.now)
        WHERE hash = ANY ($1) AND removed IS NULL AND \(Self.isUnused)
        """, hashes)
    }
  }

  private func delete(drafts names: [String]) async throws {
    try await attempt { connection in
      _ = try connection.run("DELETE FROM blob_draft WHERE name = ANY ($1)", .texts(names))
    }
  }

  // MARK: - Sweeps

  /// Deletes the drafts whose newest chunk is old. A running upload adds chunks far more often.
  package func removeDrafts() async throws {
    let life = draftLife.milliseconds
    try await attempt { connection in
      _ = try connection.run(
        """
        DELETE FROM blob_draft WHERE name IN (
          SELECT name FROM blob_draft GROUP BY name
          HAVING max(started) <= \(PostgresSchema.now) - $1)
        """, .integer(life))
    }
  }

  /// Deletes blobs whose grace period is over and old drafts, and removes some unused blobs.
  ///
  /// Each call checks the blobs of one random first byte. So every blob that a process did not remove
  /// before its end is found at some time.
  package func reclaimSpace() async throws {
    await settle()
    while try await deleteRemoved() == Self.deletedMax, !Task.isCancelled {}
    try await removeDrafts()
    let unused = try await unusedBlobs(firstByte: UInt8(truncatingIfNeeded: random()))
    if !unused.isEmpty { try await mark(unused) }
  }

  /// Deletes some of the blobs whose grace period is over.
  ///
  /// - Returns: The number of those it found.
  private func deleteRemoved() async throws -> Int {
    let grace = grace.milliseconds
    return try await write { connection in
      let found = try connection.run(
        """
        SELECT hash FROM blob WHERE removed <= \(PostgresSchema.now) - $1
        ORDER BY removed LIMIT $2 FOR UPDATE SKIP LOCKED
        """, .integer(grace), .integer(Int64(Self.deletedMax)))
      var keys: [[UInt8]] = []
      for row in found { keys.append(try row.value("hash", as: [UInt8].self)) }
      guard !keys.isEmpty else { return 0 }
      let hashes = PostgresValue.byteStrings(keys)
      // After a restore, files may name them again.
      try connection.queue(
        "UPDATE blob SET removed = NULL WHERE hash = ANY ($1) AND NOT (\(Self.isUnused))", hashes)
      try connection.queue(
        """
        WITH gone AS (
          DELETE FROM blob WHERE hash = ANY ($1) AND removed IS NOT NULL RETURNING hash)
        DELETE FROM blob_chunk USING gone WHERE blob_chunk.hash = gone.hash
        """, hashes)
      return keys.count
    }
  }

  /// Returns unused blobs that no process has removed.
  private func unusedBlobs(firstByte: UInt8) async throws -> [BlobKey] {
    let grace = grace.milliseconds
    let start: [UInt8] = [firstByte]
    let end: [UInt8]? = firstByte == .max ? nil : [firstByte + 1]
    return try await attempt { connection in
      let rows = try connection.run(
        """
        SELECT hash FROM blob
        WHERE hash >= $1 AND ($2 IS NULL OR hash < $2) AND removed IS NULL
          AND created <= \(PostgresSchema.now) - $3 AND \(Self.isUnused)
        LIMIT $4
        """, .bytes(start), .bytes(end), .integer(grace), .integer(Int64(Self.checkedMax)))
      return try rows.map { row in BlobKey(bytes: try row.value("hash", as: [UInt8].self)) }
    }
  }

  // MARK: - Checks

  /// The number of blobs whose chunks one statement of a check counts.
  ///
  /// So each statement ends well within the time limit for an answer, also if the disk is slow.
  static let checkedPerStatement = 100

  /// Returns a description of the blobs whose chunks are incomplete; none if all are whole.
  package func problems() async throws -> [String] {
    var count = 0
    var last: [UInt8]? = []
    while let hash = last {
      let page = try await checkBlobs(after: hash)
      count += page.incomplete
      last = page.last
    }
    return count == 0 ? [] : [count.counted("attachment") + " whose bytes are incomplete"]
  }

  /// The result of a check of some blobs.
  private struct CheckedPage: Sendable {
    var incomplete: Int
    /// The hash of the last blob; nil if no blobs follow.
    var last: [UInt8]?
  }

  /// Checks the next blobs in the order of their hashes.
  private func checkBlobs(after hash: [UInt8]) async throws -> CheckedPage {
    try await attempt { connection -> CheckedPage in
      let rows = try connection.run(
        """
        SELECT hash, bytes <> (
          SELECT coalesce(sum(octet_length(data)), 0) FROM blob_chunk
          WHERE blob_chunk.hash = blob.hash) AS is_incomplete
        FROM blob WHERE hash > $1 AND removed IS NULL ORDER BY hash LIMIT $2
        """, .bytes(hash), .integer(Int64(Self.checkedPerStatement)))
      var page = CheckedPage(incomplete: 0, last: nil)
      for row in rows {
        let isIncomplete: Bool = try row.value("is_incomplete")
        if isIncomplete { page.incomplete += 1 }
      }
      if rows.count == Self.checkedPerStatement, let row = rows.last {
        page.last = try row.value("hash", as: [UInt8].self)
      }
      return page
    }
  }

  /// Returns the number and size of the blobs.
  package func figures() async throws -> Figures {
    try await attempt { connection in
      let row = try connection.run(
        """
        SELECT count(*) FILTER (WHERE removed IS NULL) AS blobs,
          coalesce(sum(bytes) FILTER (WHERE removed IS NULL), 0)::bigint AS bytes,
          coalesce(sum(bytes) FILTER (WHERE removed IS NOT NULL), 0)::bigint AS removed
        FROM blob
        """
      ).first()
      return Figures(
        blobs: try row.value("blobs"), bytes: try row.value("bytes"),
        removedBytes: try row.value("removed"))
    }
  }

  /// The number and size of the stored blobs.
  package struct Figures: Hashable, Sendable {
    package var blobs: Int
    package var bytes: Int64
    /// The size of removed blobs that have not been deleted yet.
    package var removedBytes: Int64
  }
}
#endif
