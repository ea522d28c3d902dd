import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Foundation
import GRDB
import Synchronization
import Testing

@Suite("The SQLite backend")
struct SQLiteTests {
  private func sqlite(_ store: StoreUnderTest) throws -> SQLiteBackend {
    try #require(store.backend as? SQLiteBackend)
  }

  private func open(_ store: StoreUnderTest) async throws -> (SQLiteBackend, StoreService) {
    let backend = try SQLiteBackend(path: store.directory.file("store.sqlite"))
    return (
      backend,
      try await StoreService.open(.starting, on: backend, environment: store.environment)
    )
  }

  @Test("the database, its log and its index are readable by their owner only")
  func modes() async throws {
    let store = try await StoreUnderTest(.sqlite)
    try await store.publish("a")
    for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: store.directory.file(name))
      let mode = try #require(attributes[.posixPermissions] as? NSNumber)
      #expect(mode.intValue & 0o777 == 0o600, "\(name)")
    }
  }

  @Test("commits go to the disk before they are answered")
  func durability() async throws {
    let backend = try sqlite(try await StoreUnderTest(.sqlite))
    #expect(try await backend.inspect("PRAGMA journal_mode") == [["wal"]])
    #expect(try await backend.inspect("PRAGMA synchronous") == [["2"]])
  }

  @Test("a write is answered when its commit is visible to every reader")
  func answeredAfterCommit() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let (environment, user) = (store.environment, store.user)
    let path = store.directory.file("store.sqlite")
    let logic = try await store.backend.write(
      in: .store, { try StoreLogic.open(.joining, environment: environment, in: $0) },
      committed: { _ in })
    let request = PublishRequest(Content(app: "ci", visual: VisualContent(title: "a")))
    let seen = Mutex<Int?>(nil)
    _ = try await store.backend.write(
      in: .user(user), { try logic.publish(request, for: user, in: $0) },
      committed: { _ in
        let reader = try? DatabaseQueue(path: path)
        let count = try? reader?.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM item") }
        seen.withLock { $0 = count ?? nil }
      })
    #expect(seen.withLock { $0 } == 1)
  }

  @Test("purged content is overwritten, also in pages that became free")
  func secureDelete() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let backend = try sqlite(store)
    #expect(try await backend.inspect("PRAGMA secure_delete") == [["1"]])
    let planted = "planted text of an item "
    let path = store.directory.file("store.sqlite")
    func isThere() throws -> Bool {
      try Data(contentsOf: URL(filePath: path)).range(of: Data(planted.utf8)) != nil
    }
    var items: [UserNotification] = []
    for number in 0..<20 {
      items.append(
        try await store.publish("\(number)") {
          $0.visual?.body = planted
          $0.raw = String(repeating: planted, count: 400)
        }.item)
    }
    _ = try await backend.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try isThere())
    for item in items { try await store.service.delete(item.id, for: store.user) }
    _ = try await backend.inspect("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try !isThere())
  }

  @Test("a log that was never checkpointed is recovered whole")
  func reopen() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let item = try await store.publish("a", appID: "x").item
    let operation = store.operation(.dismiss, item)
    _ = try await store.send([operation])
    let (_, token) = try await store.pull(from: .beginning)
    // The files as a crash leaves them: copied while the log holds changes that the database lacks.
    let copy = try TemporaryDirectory()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: store.directory.file("store.sqlite" + suffix),
        toPath: copy.file("store.sqlite" + suffix))
    }
    let backend = try SQLiteBackend(path: copy.file("store.sqlite"))
    let revived = try await StoreService.open(
      .starting, on: backend, environment: store.environment)
    let stored = try await revived.item(item.id, of: store.user)
    #expect(stored == (try await store.service.item(item.id, of: store.user)))
    #expect(stored.state.userActionState.value == .dismissed)
    #expect(try await revived.authenticate(store.token.secret).user.id == store.user)
    #expect(
      try await revived.delta(from: .since(token), rows: 10, for: store.user).changes.isEmpty)
    let batch = OperationBatch(
      device: store.device.id, lineage: Lineage("l1"),
      operations: [NumberedOperation(number: 1, operation: operation)])
    #expect(try await revived.apply(batch, for: store.user).results == [.alreadyApplied])
    await revived.close()
  }

  @Test("a closed store refuses further calls and opens again unchanged")
  func closeAndOpen() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let item = try await store.publish("a").item
    await store.service.close()
    guard case .unavailable? = try await storeError({ try await store.publish("b") }) else {
      Issue.record("a closed store took a publication")
      return
    }
    let (_, service) = try await open(store)
    #expect(try await service.list(rows: 10, for: store.user).items == [item])
    await service.close()
  }

  @Test("a database of a newer version is refused, and not touched")
  func newerSchema() async throws {
    let store = try await StoreUnderTest(.sqlite)
    try await store.publish("a")
    _ = try await sqlite(store).inspect(
      "INSERT INTO grdb_migrations (identifier) VALUES ('99 from the future')")
    await store.service.close()
    let path = store.directory.file("store.sqlite")
    let before = FileManager.default.contents(atPath: path)
    #expect(throws: StoreError.newerSchema) { try SQLiteBackend(path: path) }
    #expect(FileManager.default.contents(atPath: path) == before)
  }

  @Test("migrations keep their names and their order, and later ones follow")
  func migrations() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let sql = "SELECT identifier FROM grdb_migrations ORDER BY rowid"
    let names = try await sqlite(store).inspect(sql).flatMap(\.self)
    let known = [
      "store", "who revoked", "bulk work", "sign-ins", "subscriptions", "apps", "search",
      "chosen actions", "files", "app profiles", "publication ordinals", "outboxes", "ended tokens",
      "files by token", "triggers", "cancelled triggers", "hook times", "awaited responses",
      "authorizations", "crossings", "environments", "contents of operations",
      "refused publications", "life of the data", "device grants", "effects of rules",
      "repeats and resolutions", "rules",
    ].enumerated().map { "\($0 + 1) \($1)" }
    #expect(names.starts(with: known))
    #expect(names.enumerated().allSatisfy { $1.hasPrefix("\($0 + 1) ") })
  }

  @Test("each app's usage is counted when a database of an earlier version is opened")
  func countingOldItems() async throws {
    let store = try await StoreUnderTest(.sqlite)
    try await store.publish("été", app: "ci", appID: "x") { content in
      content.group = "main"
      content.tags = ["a", "\"b\"\n", "ü"]
      content.visual?.subtitle = "s"
      content.raw = "raw"
      content.clickURL = "https://example.com"
      content.extras.sound = "bell"
      content.extras.actions = [
        .init(id: "1", title: "Öffnen", options: ["foreground"], url: "https://a.example/"),
        .init(
          id: "2", title: "Run", kind: .http, url: "https://a.example/", method: "PUT",
          headers: ["X-B": "c"], body: "ü"),
        .init(id: "3", title: "Copy", kind: .copy, text: "ö"),
        .init(id: "4", title: "Answer", kind: .reply, placeholder: "?"),
      ]
      content.extras.attachments = [.init(name: "n", url: "https://b.example/", size: 5)]
      content.extras.targetPolicy = .init(platformTypes: ["ios"])
      content.extras.fallbackPolicy = .init(
        platformTypes: ["all"], fallbackDelayInSeconds: 60,
        visualContent: VisualContent(title: "t", body: "b"))
    }
    for number in 0..<3 { try await store.publish("\(number)", app: "nas", appID: "\(number)") }
    try await store.service.withdraw(app: "nas", appNotificationID: "1", for: store.user)
    let before = try await store.service.apps(of: store.user)
    let backend = try sqlite(store)
    let counters = try await backend.inspect("SELECT apps, items, tombstones, bytes FROM user")
    for sql in [
      "DROP TABLE app", "DROP TABLE app_alias", "DROP INDEX item_app_arrival",
      "ALTER TABLE user DROP COLUMN apps", "ALTER TABLE user DROP COLUMN items",
      "ALTER TABLE user DROP COLUMN tombstones", "ALTER TABLE user DROP COLUMN bytes",
      "DELETE FROM grdb_migrations WHERE identifier IN ('6 apps', '19 authorizations')",
    ] {
      _ = try await backend.inspect(sql)
    }
    await store.service.close()
    let (opened, service) = try await open(store)
    #expect(try await service.apps(of: store.user) == before)
    #expect(before.map(\.use.items) == [1, 2])
    #expect(
      try await opened.inspect("SELECT apps, items, tombstones, bytes FROM user") == counters)
    await service.close()
  }

  @Test("a file that is not a database is refused with the next step")
  func damaged() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("store.sqlite")
    try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: StoreError.self) { try SQLiteBackend(path: path) }
    #expect(error.map { "\($0)" }?.contains("backup") == true)
  }

  @Test("a missing directory is a clear error")
  func missingDirectory() throws {
    let directory = try TemporaryDirectory()
    let error = #expect(throws: StoreError.self) {
      try SQLiteBackend(path: directory.file("none/store.sqlite"))
    }
    #expect(error.map { "\($0)" }?.contains("cannot be opened") == true)
  }

  @Test("a revocation by another process applies at once, and both processes write")
  func secondProcess() async throws {
    let store = try await StoreUnderTest(.sqlite)
    _ = try await store.service.authenticate(store.token.secret)
    let backend = try SQLiteBackend(path: store.directory.file("store.sqlite"))
    let administration = try await StoreService.open(
      .joining, on: backend, environment: store.environment)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await administration.addUser(named: "user\(number)")
        }
        group.addTask { try await store.publish("\(number)") }
      }
      try await group.waitForAll()
    }
    #expect(try await store.service.users().count == 21)
    #expect(try await store.titles().count == 20)
    try await administration.revokeToken(store.token.token.id, of: store.user)
    #expect(
      try await storeError { _ = try await store.service.authenticate(store.token.secret) }
        == .revoked(Revocation(at: store.clock.now)))
    await administration.close()
  }

  @Test("64 publishers at once share commits, and a refused one does not affect the others")
  func groupCommit() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let backend = try sqlite(store)
    let before = backend.commitCount
    let perPublisher = 10
    let refusals = try await withThrowingTaskGroup(of: Int.self) { group in
      for publisher in 0..<64 {
        group.addTask {
          var refusals = 0
          for number in 0..<perPublisher {
            let isRefused = publisher % 8 == 0
            let error = try await storeError {
              try await store.publish(isRefused ? "" : "\(publisher)/\(number)")
            }
            if error != nil { refusals += 1 }
          }
          return refusals
        }
      }
      return try await group.reduce(0, +)
    }
    let commits = backend.commitCount - before
    #expect(refusals == 8 * perPublisher)
    #expect(commits < 64 * perPublisher / 2, "\(commits) commits for 640 publications")
    let items = try await store.service.list(rows: 1000, for: store.user).items
    #expect(items.count == 56 * perPublisher)
    #expect(Set(items.map(\.state.sequence)).count == items.count)
    #expect(
      Set(items.map(\.shortNumber)) == Set(1...Int64(items.count)), "no number is lost")
  }

  @Test("writes that fail half-way leave nothing, and do not affect others")
  func halfWay() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let backend = try sqlite(store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 {
        group.addTask {
          let error = try await storeError {
            _ = try await backend.write(
              in: .store,
              { transaction in
                _ = try transaction.insertUser(named: "user\(number)", created: store.clock.now)
                if number.isMultiple(of: 3) { throw StoreError.busy }
              }, committed: { #expect(!number.isMultiple(of: 3)) })
          }
          #expect((error == .busy) == number.isMultiple(of: 3))
        }
      }
      try await group.waitForAll()
    }
    let names = Set(try await store.service.users().map(\.name))
    let expected = (0..<60).filter { !$0.isMultiple(of: 3) }.map { "user\($0)" } + ["ada"]
    #expect(names == Set(expected))
  }

  @Test("a cancelled request is completed all the same")
  func cancellation() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.publish("a")
    }
    #expect(try await task.value.outcome == .created)
    #expect(try await store.titles() == ["a"])
  }

  @Test("a full disk is reported, leaves nothing half done, and the store recovers")
  func storageFull() async throws {
    let store = try await StoreUnderTest(.sqlite)
    try await store.publish("before")
    let backend = try sqlite(store)
    let pages = try #require(
      Int(try await backend.inspect("PRAGMA page_count")[0][0]))
    _ = try await backend.inspect("PRAGMA max_page_count = \(pages + 4)")
    var errors: [StoreError] = []
    for number in 0..<40 where errors.isEmpty {
      if let error = try await storeError({
        try await store.publish("big \(number)") {
          $0.raw = String(repeating: "x", count: 8000)
        }
      }) {
        errors.append(error)
      }
    }
    #expect(errors == [.storageFull])
    let stored = try await store.titles()
    #expect(stored.last == "before")
    #expect(
      try await store.service.position(of: store.user).sequence
        == SequenceNumber(Int64(stored.count)))
    #expect(try await store.service.authenticate(store.token.secret).user.id == store.user)
    _ = try await backend.inspect("PRAGMA max_page_count = 1073741823")
    #expect(try await store.publish("after").item.shortNumber == Int64(stored.count) + 1)
  }

  @Test(
    "every request's queries use an index, whatever the number of items",
    arguments: [
      ("SELECT * FROM item WHERE user = 1 AND sequence > 5 ORDER BY sequence", "item_sequence"),
      (
        """
        SELECT * FROM item INDEXED BY item_arrival WHERE user = 1 AND deleted IS NULL
        AND (arrival, id) < (5, x'00') ORDER BY arrival DESC, id DESC
        """, "item_arrival"
      ),
      (
        """
        SELECT * FROM item WHERE user = 1 AND app = 'a' AND app_notification_id = 'b'
        AND deleted IS NULL
        """, "item_app"
      ),
      ("SELECT * FROM item WHERE user = 1 AND short_number = 5", "item_number"),
      ("SELECT user, id FROM item WHERE leaves <= 5 ORDER BY leaves", "item_leaves"),
      ("SELECT user, id FROM item WHERE deleted < 5 ORDER BY deleted", "item_deleted"),
      (
        """
        SELECT * FROM item INDEXED BY item_app_arrival WHERE user = 1 AND app = 'a'
        AND deleted IS NULL AND (arrival, id) > (5, x'00') ORDER BY arrival, id
        """, "item_app_arrival"
      ),
      (
        """
        SELECT rowid, id, arrival, priority = 4 FROM item INDEXED BY item_app_arrival
        WHERE user = 1 AND deleted IS NULL AND app = 'a' AND (arrival, id) < (5, x'00')
        AND arrival >= 2 ORDER BY arrival DESC, id DESC
        """, "item_app_arrival (user=? AND app=? AND arrival>? AND (arrival,id)<(?,?)"
      ),
      (
        """
        SELECT * FROM item INDEXED BY item_app_arrival WHERE user = 1 AND deleted IS NULL
        AND (leaves IS NULL OR leaves > 5) AND (arrival, id) < (5, x'00') AND app = 'a'
        ORDER BY arrival DESC, id DESC
        """, "item_app_arrival (user=? AND app=?"
      ),
      ("SELECT app FROM app WHERE user = 1 AND sequence > 5 ORDER BY sequence", "app_sequence"),
      ("SELECT description FROM app_profile WHERE user = 1 AND app = 'a'", "PRIMARY KEY"),
      ("SELECT app FROM app_profile WHERE user = 1", "PRIMARY KEY"),
      ("SELECT user, app FROM app WHERE is_retaining = 1 ORDER BY user, app", "app_retaining"),
      ("SELECT * FROM access_token WHERE hash_head = 5", "access_token_hash_head"),
    ])
  func plans(sql: String, index: String) async throws {
    let backend = try sqlite(try await StoreUnderTest(.sqlite))
    let rows = try await backend.inspect("EXPLAIN QUERY PLAN " + sql)
    let plan = rows.joined().joined(separator: " ")
    #expect(plan.contains("SEARCH"))
    #expect(plan.contains(index))
    #expect(!plan.contains("TEMP B-TREE"))
  }
}
