#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStore
import BellhopTestSupport
import PostgresTestSupport
import Synchronization
import Testing

@testable import BellhopStorePostgres

/// A blob store over tables in a schema of its own.
private struct BlobDesk: Sendable {
  let shelf: PostgresBlobStore
  let pool: PostgresPool
  let settings: PostgresSettings

  /// The columns of the files and holds that blobs depend on.
  private static let uses = """
    CREATE TABLE file (hash text COLLATE "C" NOT NULL, size bigint NOT NULL DEFAULT 1);
    CREATE TABLE blob_hold (hash text COLLATE "C" NOT NULL);
    """

  /// - Parameter firstByte: The first byte of the hashes that a sweep checks.
  init(
    _ schema: String, grace: Duration = .seconds(600), draftLife: Duration = .seconds(86_400),
    firstByte: UInt64 = 0
  ) throws {
    let cluster = try ServerTests.cluster()
    try ServerTests.connect().run("CREATE SCHEMA \(schema)")
    let settings = try cluster.settings(schema: schema)
    self.settings = settings
    try PostgresConnection.open(settings).runScript(PostgresSchema.blobs + Self.uses)
    pool = PostgresPool(settings, size: 2, waitingMax: 100, random: { 0 })
    shelf = PostgresBlobStore(
      pool: pool, random: { firstByte }, grace: grace, draftLife: draftLife)
  }

  func close() async {
    await shelf.close()
    await pool.close()
  }

  /// Stores bytes in pieces, and returns their hash.
  @discardableResult
  func store(_ bytes: [UInt8], named name: String = "draft") async throws -> FileHash {
    let draft = try await shelf.makeDraft(named: name)
    var digest = FileDigest()
    for start in stride(from: 0, to: bytes.count, by: 100_000) {
      let piece = Array(bytes[start...].prefix(100_000))
      digest.update(piece)
      try await draft.write(piece)
    }
    try await draft.place(as: digest.hash)
    return digest.hash
  }

  func bytes(_ hash: FileHash) async throws -> [UInt8]? {
    guard let blob = try await shelf.open(hash) else { return nil }
    return try await blob.read(at: 0, count: blob.size)
  }

  /// Opens a connection to the tables.
  func connect() throws -> PostgresConnection { try PostgresConnection.open(settings) }

  /// Records a use of a blob, as the store's transactions do.
  func insert(_ hash: FileHash, into table: String) throws {
    try connect().run("INSERT INTO \(table) (hash) VALUES ($1)", .text(hash.rawValue))
  }

  func count(_ table: String) throws -> Int {
    try connect().run("SELECT count(*) AS n FROM \(table)").first().value("n")
  }

  /// The prefix of a hash.
  static func prefix(_ hash: FileHash) -> String { String(hash.rawValue.prefix(2)) }
}

extension ServerTests {
  @Suite("Attachments in the database")
  struct BlobStoreTests {
    private static let bytes = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    @Test("bytes of several chunks are read in any part, and a draft leaves no rows")
    func reading() async throws {
      let desk = try BlobDesk("reading")
      let bytes = Self.bytes
      let hash = try await desk.store(bytes)
      #expect(try desk.count("blob_chunk") == 3)
      #expect(try desk.count("blob_draft") == 0)
      let blob = try #require(try await desk.shelf.open(hash))
      #expect(blob.size == bytes.count)
      #expect(try await desk.shelf.size(of: hash) == bytes.count)
      let chunk = PostgresBlobStore.chunkBytes
      let places = [
        0..<1, 0..<bytes.count, chunk - 1..<chunk + 1, chunk..<2 * chunk,
        chunk - 5..<2 * chunk + 5, bytes.count - 1..<bytes.count,
      ]
      for place in places {
        let part = try await blob.read(at: place.lowerBound, count: place.count)
        #expect(part == Array(bytes[place]), "\(place)")
      }
      #expect(try await blob.read(at: bytes.count - 2, count: 100) == Array(bytes.suffix(2)))
      #expect(try await blob.read(at: bytes.count, count: 1).isEmpty)
      #expect(try await desk.shelf.problems().isEmpty)
      #expect(try await desk.shelf.figures().bytes == Int64(bytes.count))
      await desk.close()
    }

    @Test("bytes that fill their chunks, few bytes and none are stored")
    func sizes() async throws {
      let desk = try BlobDesk("sizes")
      for count in [0, 1, PostgresBlobStore.chunkBytes, 2 * PostgresBlobStore.chunkBytes] {
        let bytes = [UInt8](repeating: 7, count: count)
        #expect(try await desk.bytes(try await desk.store(bytes)) == bytes, "\(count) bytes")
      }
      #expect(try desk.count("blob") == 4)
      #expect(try desk.count("blob_draft") == 0)
      await desk.close()
    }

    @Test("the same bytes, placed by several uploads at once, are stored once")
    func sameBytes() async throws {
      let desk = try BlobDesk("same")
      let bytes = Self.bytes
      let hashes = try await withThrowingTaskGroup(of: FileHash.self) { group in
        for number in 0..<8 {
          group.addTask { try await desk.store(bytes, named: "draft \(number)") }
        }
        return try await group.reduce(into: Set<FileHash>()) { $0.insert($1) }
      }
      let hash = try #require(hashes.first)
      #expect(hashes.count == 1)
      #expect(try desk.count("blob") == 1)
      #expect(try desk.count("blob_chunk") == 3)
      #expect(try await desk.bytes(hash) == bytes)
      #expect(try await desk.shelf.hashes(beginningWith: BlobDesk.prefix(hash)) == [hash])
      #expect(try await desk.shelf.hashes(beginningWith: "") == [hash])
      await desk.close()
    }

    @Test("a discarded draft leaves no rows, and one without all its chunks is refused")
    func drafts() async throws {
      let desk = try BlobDesk("drafts", draftLife: .zero)
      let bytes = [UInt8](repeating: 1, count: PostgresBlobStore.chunkBytes + 1)
      var draft: (any BlobDraft)? = try await desk.shelf.makeDraft(named: "discarded")
      try await draft?.write(bytes)
      #expect(try desk.count("blob_draft") == 1)
      draft = nil
      await desk.shelf.settle()
      #expect(try desk.count("blob_draft") == 0)
      // As after a crash of the server, which empties the table.
      let lost = try await desk.shelf.makeDraft(named: "lost")
      try await lost.write(bytes)
      try await desk.shelf.removeDrafts()
      #expect(try desk.count("blob_draft") == 0)
      let hash = FileHash(String(repeating: "ab", count: 32))
      await #expect(throws: StoreError.self) { try await lost.place(as: hash) }
      #expect(try desk.count("blob") == 0)
      await #expect(throws: StoreError.self) { try await lost.place(as: FileHash("../x")) }
      await desk.close()
    }

    @Test("drafts of running uploads stay, those of ended processes go after a day")
    func oldDrafts() async throws {
      let desk = try BlobDesk("old_drafts")
      let draft = try await desk.shelf.makeDraft(named: "running")
      try await draft.write(Self.bytes)
      try desk.connect().run(
        """
        INSERT INTO blob_draft SELECT 'ended', number, data, started - 86500000 FROM blob_draft
        """)
      // The first chunks of a slow upload are old, too.
      try desk.connect().run(
        "UPDATE blob_draft SET started = started - 86500000 WHERE name = 'running' AND number = 0")
      try await desk.shelf.reclaimSpace()
      #expect(try desk.count("blob_draft WHERE name = 'ended'") == 0)
      #expect(try desk.count("blob_draft") == 2)
      withExtendedLifetime(draft) {}
      await desk.close()
    }

    @Test("a removed blob is gone at once, stays readable where it is open, and is deleted later")
    func removal() async throws {
      let desk = try BlobDesk("removal")
      let hash = try await desk.store(Self.bytes)
      let open = try #require(try await desk.shelf.open(hash))
      try desk.shelf.remove(hash)
      #expect(try await desk.shelf.hashes(beginningWith: BlobDesk.prefix(hash)).isEmpty)
      #expect(try await desk.bytes(hash) == nil)
      #expect(try await open.read(at: 0, count: open.size) == Self.bytes)
      try await desk.shelf.reclaimSpace()
      #expect(try desk.count("blob_chunk") == 3, "the grace period is not over")
      #expect(try await desk.shelf.figures().removedBytes == Int64(Self.bytes.count))
      try desk.connect().run("UPDATE blob SET removed = removed - 600000")
      try await desk.shelf.reclaimSpace()
      #expect(try desk.count("blob_chunk") == 0)
      #expect(try desk.count("blob") == 0)
      await #expect(throws: StoreError.self) { try await open.read(at: 0, count: 1) }
      await desk.close()
    }

    @Test("a blob that is placed again after its removal stays")
    func again() async throws {
      let desk = try BlobDesk("again", grace: .zero)
      let hash = try await desk.store(Self.bytes)
      try desk.shelf.remove(hash)
      await desk.shelf.settle()
      try await desk.store(Self.bytes)
      try desk.insert(hash, into: "file")
      try await desk.shelf.reclaimSpace()
      #expect(try await desk.bytes(hash) == Self.bytes)
      #expect(try desk.count("blob_chunk") == 3)
      #expect(try desk.count("blob_draft") == 0)
      await desk.close()
    }

    @Test("a blob that a file or a hold names is not removed", arguments: ["file", "blob_hold"])
    func inUse(table: String) async throws {
      let desk = try BlobDesk("used_\(table)", grace: .zero)
      let hash = try await desk.store([1])
      try desk.insert(hash, into: table)
      try desk.shelf.remove(hash)
      await desk.shelf.settle()
      #expect(try await desk.bytes(hash) == [1])
      // The sweep clears a removal mark that a restore brought back, instead of deleting the blob.
      try desk.connect().run("UPDATE blob SET removed = 1")
      try await desk.shelf.reclaimSpace()
      #expect(try await desk.bytes(hash) == [1])
      await desk.close()
    }

    @Test("a removal that waits for a placed blob sees the hold of its upload")
    func race() async throws {
      let desk = try BlobDesk("race")
      let hash = try await desk.store([1])
      let key = try #require(BlobKey(hash))
      // Another process has found the blob unused, when an upload holds and places it.
      let connection = try desk.connect()
      try connection.begin()
      try connection.run("UPDATE blob SET removed = NULL WHERE hash = $1", .bytes(key.bytes))
      try desk.shelf.remove(hash)
      let watcher = try desk.connect()
      try await eventually("a removal that waits") {
        try !watcher.run(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM blob %'"
        ).isEmpty
      }
      try connection.run("INSERT INTO blob_hold (hash) VALUES ($1)", .text(hash.rawValue))
      #expect(connection.commit() == .committed)
      await desk.shelf.settle()
      #expect(try await desk.bytes(hash) == [1])
      await desk.close()
    }

    @Test("a sweep removes blobs that a process left without a file, and keeps others")
    func strays() async throws {
      let hash = Self.hash(of: [1])
      let first = try #require(BlobKey(hash)?.bytes.first)
      let desk = try BlobDesk("strays", grace: .zero, firstByte: UInt64(first))
      try await desk.store([1])
      let other = try await desk.store([2])
      try #require(BlobDesk.prefix(other) != BlobDesk.prefix(hash))
      try await desk.shelf.reclaimSpace()
      #expect(try await desk.bytes(hash) == nil)
      #expect(try await desk.bytes(other) == [2], "another sweep checks it")
      try await desk.shelf.reclaimSpace()
      #expect(try desk.count("blob") == 1)
      await desk.close()
    }

    /// The tables that an upload fills, each with the number of inserted rows and the lost one.
    private static let uploadSteps = [("blob_draft", 3), ("blob", 2), ("blob_chunk", 4)]

    @Test("an upload goes on if its connection breaks at any step", arguments: uploadSteps)
    func brokenConnection(table: String, tries: Int) async throws {
      let desk = try BlobDesk("broken_\(table)")
      // The server ends the session that inserts the first row, before the row is stored.
      try desk.connect().runScript(
        """
        CREATE SEQUENCE tries;
        CREATE FUNCTION end_session_once() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN
            IF nextval('tries') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
            RETURN NEW;
          END $$;
        CREATE TRIGGER broken BEFORE INSERT ON \(table)
          FOR EACH ROW EXECUTE FUNCTION end_session_once();
        """)
      let hash = try await desk.store(Self.bytes)
      #expect(hash == Self.hash(of: Self.bytes))
      let found: Int = try desk.connect().run("SELECT last_value FROM tries").first()
        .value("last_value")
      #expect(found == tries)
      #expect(try await desk.bytes(hash) == Self.bytes)
      #expect(try desk.count("blob_draft") == 0)
      await desk.close()
    }

    @Test("after an unknown outcome of a commit, the blob is placed once")
    func unknownOutcome() async throws {
      let desk = try BlobDesk("unknown")
      // The first commit succeeds with a warning, as after a cancelled wait for a standby.
      try desk.connect().runScript(
        """
        CREATE SEQUENCE commits;
        CREATE FUNCTION warn_once() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN
            IF nextval('commits') = 1 THEN RAISE WARNING 'of COMMIT'; END IF; RETURN NULL;
          END $$;
        CREATE CONSTRAINT TRIGGER warn AFTER INSERT OR UPDATE ON blob DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION warn_once();
        """)
      let hash = try await desk.store(Self.bytes)
      let commits: Int = try desk.connect().run("SELECT last_value FROM commits").first()
        .value("last_value")
      #expect(commits == 2)
      #expect(try await desk.bytes(hash) == Self.bytes)
      #expect(try desk.count("blob_draft") == 0)
      await desk.close()
    }

    @Test("a failure of the database is reported as one of the store")
    func failure() async throws {
      let desk = try BlobDesk("failure")
      let hash = try await desk.store([1])
      await desk.close()
      await #expect(throws: StoreError.unavailable(reason: "the store is closed")) {
        _ = try await desk.shelf.size(of: hash)
      }
    }

    @Test("a check finds incomplete and missing blobs")
    func problems() async throws {
      let desk = try BlobDesk("problems")
      let hash = try await desk.store([1])
      try desk.insert(hash, into: "file")
      #expect(try await PostgresFiles.problems(on: desk.pool, shelf: desk.shelf).isEmpty)
      try desk.insert(Self.hash(of: [2]), into: "file")
      #expect(
        try await PostgresFiles.problems(on: desk.pool, shelf: desk.shelf)
          == ["1 attachment whose file is missing"])
      let found = try await PostgresFiles.problems(
        desk.settings, random: { 0 }, shelf: desk.shelf)
      #expect(found.count == 1)
      try desk.connect().run("DELETE FROM blob_chunk")
      #expect(try await desk.shelf.problems() == ["1 attachment whose bytes are incomplete"])
      let blob = try #require(try await desk.shelf.open(hash))
      await #expect(throws: StoreError.self) { try await blob.read(at: 0, count: 1) }
      await desk.close()
    }

    @Test("a check counts incomplete blobs in several statements, each of few blobs")
    func checkInBatches() async throws {
      let desk = try BlobDesk("batches")
      // Every third one has its chunk, and every fifth one was removed: two batches and one blob remain.
      let numbers = 1...(2 * PostgresBlobStore.checkedPerStatement + 1) * 5 / 4
      try desk.connect().runScript(
        """
        INSERT INTO blob (hash, bytes, created, removed)
          SELECT sha256(n::text::bytea), 1, 0, CASE WHEN n % 5 = 0 THEN 1 END
          FROM generate_series(1, \(numbers.count)) AS n;
        INSERT INTO blob_chunk (hash, number, data)
          SELECT sha256(n::text::bytea), 0, 'x'::bytea
          FROM generate_series(3, \(numbers.count), 3) AS n;
        """)
      let sent = Mutex<[String]>([])
      var settings = desk.settings
      settings.onStep = { _, step in
        guard case .statement(let sql, _) = step, sql.contains("blob_chunk") else { return }
        sent.withLock { $0.append(sql) }
      }
      let shelf = PostgresBlobStore(settings, random: { 0 })
      let problems = try await shelf.problems()
      let incomplete = numbers.count { !$0.isMultiple(of: 3) && !$0.isMultiple(of: 5) }
      #expect(problems == [incomplete.counted("attachment") + " whose bytes are incomplete"])
      let statements = sent.withLock { $0 }
      #expect(statements.count == 3)
      await shelf.close()
      await desk.close()
    }

    private static func hash(of bytes: [UInt8]) -> FileHash {
      var digest = FileDigest()
      digest.update(bytes)
      return digest.hash
    }
  }
}
#endif
