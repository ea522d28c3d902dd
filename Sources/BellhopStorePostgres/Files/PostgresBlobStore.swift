#if BELLHOP_POSTGRES
internal import BellhopModel
package import BellhopStore

/// A blob store in the database, in the tables of the store's files and holds.
///
/// Bytes arrive in a table for drafts, chunk by chunk. Placing a blob moves them in one transaction.
/// A removal only marks the blob, unless a file or a hold has its hash by then; its chunks stay for
/// readers that have opened it. Placing the blob again clears the mark. Both lock the blob's row, and a
/// hold is committed before its blob is placed, so that no blob in use is ever marked.
package final class PostgresBlobStore: BlobStore {
  /// The size of a blob's chunks, except for its last one.
  ///
  /// Stored blobs are read by it, so it never changes.
  static let chunkBytes = 256 << 10
  /// The time for which an open blob stays readable after its removal.
  package static let grace = Duration.seconds(600)
  /// The age of a draft's newest chunk at which its process counts as ended.
  package static let draftLife = Duration.seconds(86_400)
  /// The number of connections of a blob store with a pool of its own.
  private static let poolSize = 2
  /// The calls that wait for those. A call needs memory for a chunk.
  private static let waitingMax = 200
  /// The number of times that a transaction is tried.
  private static let attemptsMax = 3
  /// The rate below which the placing of bytes counts as not answered.
  private static let placedBytesPerSecondMin = 4 << 20

  let pool: PostgresPool
  let grace: Duration
  let draftLife: Duration
  let random: @Sendable () -> UInt64
  private let closesPool: Bool
  let leftovers = BlobLeftovers()

  /// Creates a blob store that uses connections of others.
  ///
  /// - Parameters:
  ///   - random: Random bits that choose the blobs which a sweep checks.
  ///   - grace: The time for which a removed blob can be read.
  ///   - draftLife: The age of an abandoned draft.
  package init(
    pool: PostgresPool, random: @escaping @Sendable () -> UInt64,
    grace: Duration = PostgresBlobStore.grace, draftLife: Duration = PostgresBlobStore.draftLife
  ) {
    self.pool = pool
    self.random = random
    self.grace = grace
    self.draftLife = draftLife
    closesPool = false
  }

  /// Creates a blob store with connections of its own, which ``close()`` closes.
  ///
  /// - Parameter prepare: Checks each new connection before its first call.
  package init(
    _ settings: PostgresSettings, random: @escaping @Sendable () -> UInt64,
    prepare: @escaping @Sendable (PostgresConnection) throws -> Void = { _ in }
  ) {
    pool = PostgresPool(
      settings, size: PostgresBlobStore.poolSize, waitingMax: PostgresBlobStore.waitingMax,
      random: random, prepare: prepare)
    self.random = random
    grace = PostgresBlobStore.grace
    draftLife = PostgresBlobStore.draftLife
    closesPool = true
  }

  /// Finishes removals and closes the connections, unless they belong to others.
  package func close() async {
    await settle()
    if closesPool { await pool.close() }
  }

  /// Replaces the connections, unless they belong to others.
  package func reconnect() { if closesPool { pool.reset() } }

  // MARK: - The blob store

  package func makeDraft(named name: String) async throws -> any BlobDraft {
    PostgresBlobDraft(self, name: name)
  }

  package func open(_ hash: FileHash) async throws -> (any StoredBlob)? {
    guard let key = BlobKey(hash), let size = try await size(of: hash) else { return nil }
    return PostgresBlob(self, key: key, size: size)
  }

  package func size(of hash: FileHash) async throws -> Int? {
    guard let key = BlobKey(hash) else { return nil }
    return try await attempt { connection in
      try connection.run(
        "SELECT bytes FROM blob WHERE hash = $1 AND removed IS NULL", .bytes(key.bytes)
      ).first?.value("bytes", as: Int.self)
    }
  }

  /// Removes the blob soon after the call. A removal that fails is made up for by a sweep.
  package func remove(_ hash: FileHash) throws {
    guard let key = BlobKey(hash) else { return }
    leftovers.add(key, of: self)
  }

  package func hashes(beginningWith prefix: String) async throws -> [FileHash] {
    guard let range = BlobKey.range(ofPrefix: prefix) else { return [] }
    await settle()
    return try await attempt { connection in
      try connection.run(
        """
        SELECT encode(hash, 'hex') AS hash FROM blob
        WHERE hash >= $1 AND ($2 IS NULL OR hash < $2) AND removed IS NULL ORDER BY hash
        """, .bytes(range.start), .bytes(range.end)
      ).map { row in FileHash(try row.value("hash", as: String.self)) }
    }
  }

  // MARK: - Drafts

  /// Stores the bytes of a draft, whose commit need not reach the disk.
  func add(_ chunk: BlobChunk, toDraft name: String) async throws {
    try await attempt { connection in
      _ = try connection.run(
        """
        INSERT INTO blob_draft (name, number, data, started)
        VALUES ($1, $2, $3, \(PostgresSchema.now)) ON CONFLICT DO NOTHING
        """, .text(name), .integer(chunk.number), .bytes(chunk.data))
    }
  }

  /// Turns the chunks of a draft, and its last bytes, into the blob with this hash.
  ///
  /// It may run again after an unknown outcome: then it finds the blob, and its commit confirms the
  /// earlier one.
  func place(_ name: String, followedBy last: BlobChunk, as key: BlobKey) async throws {
    let count = Int(last.number)
    let size = count * Self.chunkBytes + last.data.count
    let extra = Duration.seconds(size / Self.placedBytesPerSecondMin)
    try await write(extraTime: extra) { connection in
      if try Self.claim(key, size: size, on: connection) {
        let moved = try connection.run(
          """
          INSERT INTO blob_chunk (hash, number, data)
          SELECT $1, number, data FROM blob_draft WHERE name = $2
          """, .bytes(key.bytes), .text(name)
        ).affected
        guard moved == count else {
          throw StoreError.unavailable(reason: "the database lost a part of the attachment")
        }
        if !last.data.isEmpty {
          try connection.queue(
            "INSERT INTO blob_chunk (hash, number, data) VALUES ($1, $2, $3)",
            .bytes(key.bytes), .integer(last.number), .bytes(last.data))
        }
      }
      if count > 0 {
        try connection.queue("DELETE FROM blob_draft WHERE name = $1", .text(name))
      }
    }
  }

  /// Locks the row of a blob and clears its mark, or inserts the row if it is missing.
  ///
  /// - Returns: Whether it was inserted.
  private static func claim(
    _ key: BlobKey, size: Int, on connection: PostgresConnection
  ) throws(PostgresError) -> Bool {
    for _ in 0..<attemptsMax {
      // Waits for another transaction that places or deletes the same blob.
      let inserted = try connection.run(
        """
        INSERT INTO blob (hash, bytes, created) VALUES ($1, $2, \(PostgresSchema.now))
        ON CONFLICT DO NOTHING
        """, .bytes(key.bytes), .integer(Int64(size))
      ).affected
      if inserted == 1 { return true }
      let found = try connection.run(
        "UPDATE blob SET removed = NULL WHERE hash = $1", .bytes(key.bytes)
      ).affected
      if found == 1 { return false }
    }
    throw .conflict
  }

  // MARK: - Transactions

  /// Runs a transaction, again if it lost against another one or its outcome is unknown.
  ///
  /// The body must be right to run again after it was committed.
  func write<Value: Sendable>(
    extraTime: Duration = .zero, _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await attempt { connection in
      let limit = connection.answerTimeout
      connection.answerTimeout = limit + extraTime
      defer { connection.answerTimeout = limit }
      try connection.begin()
      let value = try body(connection)
      switch connection.commit(within: connection.commitTimeout + extraTime) {
      case .committed: return value
      case .notCommitted(let error): throw error
      case .unknown:
        throw PostgresError.connectionLost(reason: "the outcome of a commit is not known")
      }
    }
  }

  /// Runs a call on a connection, on another one if that breaks.
  func attempt<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    var attempts = 1
    while true {
      do {
        return try await pool.run(body)
      } catch let error as PostgresError {
        guard error.remedy == .retry, attempts < Self.attemptsMax, !Task.isCancelled else {
          throw PostgresBackend.storeError(error)
        }
        attempts += 1
      }
    }
  }
}
#endif
