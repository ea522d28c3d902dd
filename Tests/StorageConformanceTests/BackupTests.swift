import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Foundation
import Testing

@Suite("Backups, and restoring one")
struct BackupTests {
  private func database(_ store: StoreUnderTest) -> String {
    store.directory.file("store.sqlite")
  }

  private func open(_ path: String, like store: StoreUnderTest) async throws -> StoreService {
    try await StoreService.open(
      .starting, on: SQLiteBackend(path: path), environment: store.environment)
  }

  @Test("a backup made during writes is whole, private, one file, and has all acknowledged changes")
  func underWriters() async throws {
    let store = try await StoreUnderTest(.sqlite)
    for number in 0..<50 { try await store.publish("before \(number)") }
    let backup = store.directory.file("backup.sqlite")
    let path = database(store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<100 { try await store.publish("during \(number)") }
      }
      group.addTask { try SQLiteFile.copy(from: path, to: backup, replacing: false) }
      try await group.waitForAll()
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: backup)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    for suffix in ["-wal", "-journal", "-shm"] {
      #expect(!FileManager.default.fileExists(atPath: backup + suffix))
    }
    #expect(try SQLiteFile.problems(of: backup).isEmpty)
    let copy = try await open(backup, like: store)
    let titles = try await copy.list(rows: 1000, for: store.user).items
      .compactMap { $0.content.visual?.title }
    #expect(Set(titles).isSuperset(of: (0..<50).map { "before \($0)" }))
    let during = titles.filter { $0.hasPrefix("during") }.count
    #expect(Set(titles).isSuperset(of: (0..<during).map { "during \($0)" }), "one state")
    await copy.close()
  }

  @Test("an existing file is not overwritten by default, and an incomplete copy is never visible")
  func overwriting() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let backup = store.directory.file("backup.sqlite")
    try Data("precious".utf8).write(to: URL(filePath: backup))
    #expect(throws: StoreError.alreadyExists(what: "the file")) {
      try SQLiteFile.copy(from: database(store), to: backup, replacing: false)
    }
    #expect(FileManager.default.contents(atPath: backup) == Data("precious".utf8))
    let nonsense = store.directory.file("nonsense.sqlite")
    try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: nonsense))
    #expect(throws: StoreError.self) {
      try SQLiteFile.copy(from: nonsense, to: backup, replacing: true)
    }
    #expect(FileManager.default.contents(atPath: backup) == Data("precious".utf8))
    try SQLiteFile.copy(from: database(store), to: backup, replacing: true)
    #expect(try SQLiteFile.problems(of: backup).isEmpty)
    let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.path)
    #expect(names.allSatisfy { !$0.contains(".part") })
    #expect(throws: StoreError.notFound(what: "database")) {
      try SQLiteFile.copy(
        from: store.directory.file("none.sqlite"), to: backup, replacing: true)
    }
  }

  @Test(
    "after a restore clients start again, no sequence is used twice, revocations hold",
    arguments: [true, false])
  func restore(isFormerKnown: Bool) async throws {
    let store = try await StoreUnderTest(.sqlite)
    let kept = try await store.publish("kept", appID: "k").item
    let stolen = try await store.service.mintToken(
      named: "stolen", scope: .device(nil), for: store.user)
    let (_, position) = try await store.pull(from: .beginning)
    let batch = [store.operation(.read, kept)]
    _ = try await store.send(batch)
    let backup = store.directory.file("backup.sqlite")
    try SQLiteFile.copy(from: database(store), to: backup, replacing: false)

    let lost = try await store.publish("lost").item
    try await store.service.revokeToken(stolen.token.id, of: store.user)
    try await store.service.addUser(named: "newcomer")
    let former = isFormerKnown ? try await store.service.formerState() : nil
    let highest = try await store.service.position(of: store.user).sequence
    let epoch = store.service.epoch
    await store.service.close()

    let preparing = try await StoreService.open(
      .joining, on: SQLiteBackend(path: backup), environment: store.environment)
    let report = try await preparing.adopt(after: former)
    await preparing.close()
    #expect(report.users == 1)
    #expect(report.lost == (isFormerKnown ? ["newcomer"] : []))
    #expect(report.revokedAgain == (isFormerKnown ? 1 : 0))
    let aside = store.directory.file("aside.sqlite")
    try SQLiteFile.install(backup, at: database(store), keepingOldAt: aside)
    #expect(FileManager.default.fileExists(atPath: aside))
    #expect(!FileManager.default.fileExists(atPath: backup))

    let restored = try await open(database(store), like: store)
    #expect(restored.epoch != epoch)
    #expect(
      try await restored.list(rows: 10, for: store.user).items.map(\.id) == [kept.id])
    guard
      case .resyncRequired? = try await storeError({
        _ = try await restored.delta(from: .since(position), rows: 10, for: store.user)
      })
    else {
      Issue.record("a position of the former epoch was followed")
      return
    }
    let next = try await restored.publish(
      PublishRequest(Content(app: "a", visual: VisualContent(title: "next"))), for: store.user
    ).item
    #expect(next.state.sequence > highest)
    #expect(next.shortNumber > lost.shortNumber)
    #expect(
      try await storeError { _ = try await restored.authenticate(stolen.secret) } != nil
        || !isFormerKnown)
    #expect(try await restored.authenticate(store.token.secret).user.id == store.user)
    // A device numbers from 1 again and sends its outbox; nothing is applied twice.
    let again = OperationBatch(
      device: store.device.id, lineage: Lineage("l1"),
      operations: [NumberedOperation(number: 1, operation: batch[0])])
    #expect(try await restored.apply(again, for: store.user).results == [.alreadyApplied])
    #expect(try SQLiteFile.problems(of: database(store)).isEmpty)
    await restored.close()
  }

  @Test("damage and broken rules are found and named")
  func damage() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let item = try await store.publish("secret words").item
    #expect(try await store.service.problems().isEmpty)
    let backend = try #require(store.backend as? SQLiteBackend)
    _ = try await backend.inspect("UPDATE user SET sequence = 0, short_number = 0")
    _ = try await backend.inspect("UPDATE item SET deleted = 1")
    let problems = try await store.service.problems()
    #expect(problems.contains("1 users whose sequence is behind their items"))
    #expect(problems.contains("1 users whose short numbers are behind their items"))
    #expect(problems.contains("1 deleted items with content"))
    #expect(problems.allSatisfy { !$0.contains("secret") })
    _ = item
  }

  @Test("the state before a migration is kept beside it")
  func beforeMigration() async throws {
    let store = try await StoreUnderTest(.sqlite)
    try await store.publish("old")
    await store.service.close()
    let path = database(store)
    #expect(!FileManager.default.fileExists(atPath: path + ".before-migration"))
    // As if the last migration had not run, without its tables.
    let backend = try SQLiteBackend(path: path)
    let last = try await backend.inspect(
      "SELECT identifier FROM grdb_migrations ORDER BY rowid DESC LIMIT 1")
    _ = try await backend.inspect("DELETE FROM grdb_migrations WHERE identifier = '\(last[0][0])'")
    await backend.close()
    // Whether the migration can run again does not matter here: the copy comes before it.
    let again = try? SQLiteBackend(path: path)
    await again?.close()
    let copy = path + ".before-migration"
    let attributes = try FileManager.default.attributesOfItem(atPath: copy)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(try SQLiteFile.problems(of: copy).isEmpty)
  }

  @Test("each user's data is counted", arguments: BackendKind.allCases)
  func statistics(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("äb") { $0.raw = "1234" }
    let gone = try await store.publish("gone").item
    try await store.service.delete(gone.id, for: store.user)
    try await store.service.addUser(named: "empty")
    let all = try await store.service.statistics()
    #expect(all.map(\.user.name) == ["ada", "empty"])
    #expect(
      all.map(\.statistics) == [
        UserStatistics(items: 1, tombstones: 1, bytes: 7, devices: 1, tokens: 1),
        UserStatistics(items: 0, tombstones: 0, bytes: 0, devices: 0, tokens: 0),
      ])
  }
}
