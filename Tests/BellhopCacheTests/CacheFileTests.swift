import BellhopCache
import BellhopModel
import FoundationEssentials
import GRDB
import Glibc
import Testing

@Suite("The cache's file")
struct CacheFileTests {
  private let now = CacheFixture.start

  private func open(_ path: String) throws(CacheError) -> SQLiteCache {
    try SQLiteCache(path: path, identity: CacheFixture.identity())
  }

  private func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(filePath: path))
  }

  /// All file locks on this machine.
  ///
  /// The kernel returns the list in parts, and its length is not known in advance.
  private func systemLocks() -> String {
    guard let file = fopen("/proc/locks", "r") else { return "" }
    defer { fclose(file) }
    var text: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&part, 1, part.count, file), count > 0 { text += part[..<count] }
    return String(decoding: text, as: UTF8.self)
  }

  @Test("everything is there after reopening, readable by its owner only")
  func reopening() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/account/cache.sqlite"
    do {
      let cache = try open(path)
      _ = try cache.apply(
        ChangeChunk(
          request: .page(nil), generation: 1, changes: [.item(makeItem(1))],
          end: .page(
            next: PageCursor("p2"), start: DeltaToken("t1"), startSequence: SequenceNumber(1))),
        now: now)
      try cache.setAuthor(Author(kind: .device, id: "d", name: "desktop"))
      try cache.setClockOffset(.milliseconds(-1500))
      _ = try cache.enqueue([makeOperation(1, .delete, on: 1)], now: now, sealAfter: .seconds(5))
      for file in [path, path + "-wal", path + "-shm"] {
        var status = stat()
        #expect(stat(file, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600, "\(file)")
      }
    }
    let cache = try open(path)
    let state = try cache.syncState()
    #expect(state.firstSync?.nextPage == PageCursor("p2"))
    #expect(state.author?.name == "desktop")
    #expect(state.clockOffset == .milliseconds(-1500))
    #expect(try cache.seal(.all, now: now) == nil)
    #expect(try cache.sealedBatch(limit: 9).operations.map(\.operation.id) == [operationID(1)])
  }

  @Test("the content of removed items is overwritten, also in pages that became free")
  func secureDelete() throws {
    let cache = try CacheFixture(.sqlite)
    let planted = "planted text of an item "
    let queue = try DatabaseQueue(path: cache.path, configuration: CacheFixture.tokenizing)
    func isThere() throws -> Bool {
      _ = try queue.writeWithoutTransaction {
        try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
      return try bytes(cache.path).firstRange(of: Data(planted.utf8)) != nil
    }
    try cache.pull(
      (1...20).map { number in
        .item(
          makeItem(number) {
            $0.content.visual?.body = planted
            $0.content.raw = String(repeating: planted, count: 400)
          })
      })
    #expect(try isThere())
    try cache.pull((1...20).map { .removed(itemID($0), sequence: SequenceNumber(20 + $0)) })
    #expect(try cache.titles(.history) == [])
    #expect(try !isThere())
  }

  @Test("a newer schema is left unchanged")
  func newerSchema() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    do {
      let queue = try DatabaseQueue(path: path)
      try queue.write { try $0.execute(sql: "PRAGMA user_version = 9999; CREATE TABLE later (x)") }
      try queue.close()
    }
    let before = try bytes(path)
    #expect(throws: CacheError.newerSchema(path: path)) { try open(path) }
    #expect(throws: CacheError.newerSchema(path: path)) {
      try CacheReader(path: path, account: CacheFixture.account)
    }
    #expect(try bytes(path) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cache.sqlite"])
  }

  @Test("another account's cache is refused")
  func otherAccount() throws {
    let cache = try CacheFixture(.sqlite)
    let error = CacheError.otherAccount(path: cache.path, found: CacheFixture.account)
    #expect(throws: error) {
      try SQLiteCache(
        path: cache.path, identity: CacheFixture.identity(AccountName("bob@work")))
    }
    #expect(throws: error) {
      try CacheReader(path: cache.path, account: AccountName("bob@work"))
    }
  }

  @Test("a reader without a cache file reports that and creates no file")
  func missing() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    #expect(throws: CacheError.missing(path: path)) {
      try CacheReader(path: path, account: CacheFixture.account)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  /// A closed cache with two unsent operations, one of them held.
  private func makeUnsent(_ folder: TemporaryFolder) throws -> String {
    let path = folder.path + "/cache.sqlite"
    let cache = try open(path)
    try cache.setAuthor(Author(kind: .device, id: "d", name: "desktop"))
    _ = try cache.enqueue(
      [makeOperation(1, .dismiss, on: 1), makeOperation(2, .read, on: 2)], now: now,
      sealAfter: nil)
    _ = try cache.acknowledge(
      [OperationAnswer(id: operationID(1), result: .applied)], sequence: SequenceNumber(5),
      now: now)
    _ = try cache.enqueue([makeOperation(3, .delete, on: 3)], now: now, sealAfter: .seconds(5))
    return path
  }

  private func damage(_ path: String, from start: Int, count: Int) throws {
    var content = [UInt8](try bytes(path))
    var numbers = SeededNumbers(seed: 4)
    for index in start..<min(content.count, start + count) {
      content[index] = UInt8.random(in: 0...255, using: &numbers)
    }
    try Data(content).write(to: URL(filePath: path))
  }

  @Test("a damaged header loses nothing: the outbox is rescued, the file set aside")
  func damagedHead() throws {
    let folder = try TemporaryFolder()
    let path = try makeUnsent(folder)
    try damage(path, from: 0, count: 4096)
    #expect(throws: CacheError.self) { try open(path) }
    let report = try SQLiteCache.salvage(
      at: path, identity: CacheFixture.identity(), now: now)
    #expect(report.rescuedCount == 2)
    #expect(report.isComplete)
    #expect(FileManager.default.fileExists(atPath: report.keptAside))
    let cache = try open(path)
    #expect(try cache.syncState().firstSync?.isInitial == true)
    #expect(try cache.syncState().author?.name == "desktop")
    #expect(try cache.outboxCounts() == OutboxCounts(held: 1, waiting: 1, settling: 0))
    let batch = try cache.sealedBatch(limit: 9)
    #expect(batch.operations.map(\.number) == [2], "the numbering goes on")
    #expect(batch.operations.map(\.operation) == [makeOperation(2, .read, on: 2)])
  }

  @Test("results that were not shown yet are rescued with the outbox")
  func unreportedRejections() throws {
    let folder = try TemporaryFolder()
    let path = try makeUnsent(folder)
    let rejected = try open(path).acknowledge(
      [OperationAnswer(id: operationID(2), result: .superseded)], sequence: SequenceNumber(3),
      now: now
    ).rejected
    try damage(path, from: 0, count: 4096)
    let report = try SQLiteCache.salvage(
      at: path, identity: CacheFixture.identity(), now: now)
    #expect(report.rescuedCount == 1)
    #expect(rejected.map(\.operation.id) == [operationID(2)])
    #expect(try open(path).unreportedRejections() == rejected)
  }

  @Test("damaged items leave the outbox readable")
  func damagedItems() throws {
    let folder = try TemporaryFolder()
    let path = try makeUnsent(folder)
    try damage(path, from: 4096 * 12, count: .max / 2)
    let report = try SQLiteCache.salvage(
      at: path, identity: CacheFixture.identity(), now: now)
    #expect(report.rescuedCount == 2)
    #expect(report.isComplete)
  }

  @Test("operations before and after a damaged page of the outbox are rescued")
  func damagedOutbox() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    let count: Int64 = 300
    do {
      let cache = try open(path)
      let operations = (1...count).map { makeOperation($0, .dismiss, on: $0) }
      _ = try cache.enqueue(operations, now: now, sealAfter: nil)
    }
    // The page that contains the operation in the middle.
    let middle = operationID(count / 2).description
    let content = [UInt8](try bytes(path))
    let found = try #require(content.firstRange(of: Array(middle.utf8)))
    try damage(path, from: found.lowerBound / 4096 * 4096, count: 4096)
    let report = try SQLiteCache.salvage(
      at: path, identity: CacheFixture.identity(), now: now)
    #expect(!report.isComplete)
    #expect(report.rescuedCount > 2 && report.rescuedCount < Int(count))
    let rescued = try open(path).sealedBatch(limit: Int(count)).operations.map(\.operation.id)
    #expect(rescued.first == operationID(1))
    #expect(rescued.last == operationID(count))
  }

  @Test("damage found in use is remembered until it is gone or the outbox was rescued")
  func damageMetInUse() throws {
    let folder = try TemporaryFolder()
    let path = try makeUnsent(folder)
    let sound = try bytes(path)
    try damage(path, from: 4096, count: .max / 2)
    #expect(throws: CacheError.self) { try open(path).outboxCounts() }
    #expect(throws: CacheError.corrupt(path: path, detail: "found during use")) {
      try CacheReader(path: path, account: CacheFixture.account)
    }
    // A disk that failed once: the whole file is checked, and nothing is discarded.
    try sound.write(to: URL(filePath: path))
    #expect(try open(path).outboxCounts().unsent == 2)
    _ = try CacheReader(path: path, account: CacheFixture.account)

    try damage(path, from: 4096, count: .max / 2)
    #expect(throws: CacheError.self) { try open(path).outboxCounts() }
    let report = try SQLiteCache.salvage(
      at: path, identity: CacheFixture.identity(), now: now)
    #expect(FileManager.default.fileExists(atPath: report.keptAside))
    #expect(try open(path).outboxCounts().unsent == report.rescuedCount)
    _ = try CacheReader(path: path, account: CacheFixture.account)
  }

  @Test("a file that is not a cache is set aside and replaced")
  func garbage() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    try Data("no database at all, and rather short".utf8).write(to: URL(filePath: path))
    do {
      _ = try open(path)
      Issue.record("it was opened")
    } catch {
      guard case .corrupt = error else {
        Issue.record("\(error)")
        return
      }
    }
    let report = try SQLiteCache.salvage(
      at: path, identity: CacheFixture.identity(), now: now)
    #expect(report.rescuedCount == 0)
    #expect(!report.isComplete)
    #expect(try bytes(report.keptAside).count == 36)
    #expect(try open(path).outboxCounts().unsent == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!left.contains { $0.contains("template") || $0.contains("reading") })
  }

  @Test("an interrupted salvage ends at the next opening")
  func cutShort() throws {
    let folder = try TemporaryFolder()
    let path = try makeUnsent(folder)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".fresh")
    #expect(try open(path).outboxCounts().unsent == 2)
  }

  @Test("two processes' connections write to one file")
  func twoWriters() throws {
    let cache = try CacheFixture(.sqlite)
    try cache.pull([.item(makeItem(1)), .item(makeItem(2))])
    let other = try open(cache.path)
    let arrivals = try cache.reader.rows(of: .tray, .first, limit: 2)
    #expect(arrivals.count == 2)
    _ = try other.enqueue([makeOperation(1, .dismiss, on: 1)], now: now, sealAfter: nil)
    _ = try cache.storage.enqueue(
      [makeOperation(2, .dismiss, on: 2)], now: now, sealAfter: nil)
    #expect(try cache.titles(.tray) == [])
    #expect(try other.sealedBatch(limit: 9).operations.map(\.number) == [1, 2])
    let granted = try other.claimAnnouncements([
      Arrival(
        id: itemID(1), contentSequence: SequenceNumber(1), app: "ci", priority: .normal,
        placement: .tray)
    ])
    #expect(granted.count == 1)
    #expect(try cache.storage.claimAnnouncements(granted).isEmpty)
  }

  /// Opening must not release SQLite's locks.
  ///
  /// Without them another process would take itself for the last one and delete the WAL file.
  @Test("opening the file again releases none of SQLite's locks")
  func locks() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    let cache = try open(path)
    let reader = try CacheReader(path: path, account: CacheFixture.account)
    _ = try reader.totals()
    var status = stat()
    #expect(stat(path, &status) == 0)
    // The byte that SQLite locks for reading; see its `os.h`.
    let mark = ":\(status.st_ino) 1073741826 "
    // A list that changes while it is read may lack a line.
    func isLocked() -> Bool { (1...200).contains { _ in systemLocks().contains(mark) } }
    #expect(isLocked())
    _ = try CacheReader(path: path, account: CacheFixture.account).totals()
    _ = try open(path)
    #expect(throws: CacheError.self) {
      try CacheReader(path: path, account: AccountName("another"))
    }
    #expect(isLocked())
    _ = try cache.syncState()
  }

  @Test("search follows replacements and deletions, indexed or not")
  func searchIndex() throws {
    let cache = try CacheFixture(.sqlite)
    for isIndexed in [false, true] {
      func settle() throws { if isIndexed { try cache.indexEverything() } }
      let base: Int64 = isIndexed ? 100 : 0
      try cache.pull([
        .item(makeItem(base + 1, "备份全文搜索测试")), .item(makeItem(base + 2, "Crème brûlée burnt")),
        .item(makeItem(base + 3, "disk full") { $0.content.tags = ["warning"] }),
      ])
      try settle()
      #expect(try cache.titles(.search("搜索")) == ["备份全文搜索测试"])
      #expect(try cache.titles(.search("索搜")) == [])
      #expect(try cache.titles(.search("BRULEE cre")) == ["Crème brûlée burnt"])
      #expect(try cache.titles(.search("warn")) == ["disk full"])
      #expect(try cache.titles(.search("\" ( * AND")) == [])
      let item = makeItem(base + 3)
      try cache.pull([
        .item(
          makeItem(base + 3, "disk repaired", sequence: base + 50, arrival: item.arrival)),
        .removed(itemID(base + 1), sequence: SequenceNumber(base + 51)),
      ])
      #expect(try cache.titles(.search("full")) == [], "the index still has the old text")
      #expect(try cache.titles(.search("repaired")) == ["disk repaired"])
      #expect(try cache.titles(.search("搜索")) == [])
      try settle()
      #expect(try cache.titles(.search("full")) == [])
      #expect(try cache.titles(.search("repaired")) == ["disk repaired"])
      try cache.pull([
        .removed(itemID(base + 2), sequence: SequenceNumber(base + 52)),
        .removed(itemID(base + 3), sequence: SequenceNumber(base + 53)),
      ])
    }
    try cache.indexEverything()
    let queue = try DatabaseQueue(path: cache.path, configuration: CacheFixture.tokenizing)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "INSERT INTO item_index (item_index, rank) VALUES ('integrity-check', 1)")
      #expect(
        try Int.fetchOne(
          db, sql: "SELECT count(*) FROM item_index WHERE item_index MATCH '\"disk\" OR \"b\" *'")
          == 0)
    }
  }

  @Test("results for a common word are newest first, whether indexing has finished or not")
  func commonWords() throws {
    let cache = try CacheFixture(.sqlite)
    try cache.pull(
      (1...400).map { number in
        .item(makeItem(number, number % 40 == 0 ? "building \(number)" : "built \(number)"))
      })
    try cache.indexEverything()
    #expect(
      try cache.titles(.search("build"), limit: 3) == [
        "building 400", "building 360", "building 320",
      ])
    #expect(try cache.titles(.search("build")).count == 10)
    let third = try cache.reader.rows(of: .search("build"), .first, limit: 3)[2]
    let position = third.position(in: .search("build"))
    #expect(try cache.titles(.search("build"), .below(position), limit: 1) == ["building 280"])
    #expect(
      try cache.titles(.search("build"), .above(position)) == ["building 400", "building 360"])
    #expect(try cache.titles(.search("buil"), limit: 2) == ["building 400", "built 399"])
  }

  @Test("an interrupt without a running search does not affect the next one")
  func interrupt() throws {
    let cache = try CacheFixture(.sqlite)
    try cache.pull([.item(makeItem(1))])
    cache.reader.interruptSearch()
    #expect(try cache.titles(.search("item")) == ["item 1"])
    cache.reader.interruptSearch()
    #expect(try cache.titles(.search("item")) == ["item 1"])
  }
}
