#if BELLHOP_POSTGRES
import BellhopServer
import BellhopStore
import BellhopStorePostgres
import BellhopTestSupport
import Foundation
import Glibc
import PostgresTestSupport
import Testing

@testable import BellhopStoreCommandLine

@Suite(
  "Commands over a database",
  .enabled(if: PostgresCluster.isInstalled, "PostgreSQL is not installed here"), .realPrograms,
  .timeLimit(.minutes(10)))
struct DatabasePlaceTests {
  private let settings = StoreSettings(version: "0")

  /// Returns a schema of the cluster with its tables.
  private func place(_ schema: String, on cluster: PostgresCluster) async throws -> DatabasePlace {
    var database = DatabaseSettings()
    database.address = cluster.address()
    database.schema = schema
    database.requireStandby = false
    let place = try DatabasePlace(database)
    try await PostgresBackend.migrate(place.postgres)
    return place
  }

  private func users(of place: DatabasePlace) async throws -> [String] {
    try await place.administer(.users, settings: settings).map(\.name)
  }

  @Test("a database is administered, checked, and begins an epoch")
  func administration() async throws {
    let cluster = try await PostgresCluster()
    defer { cluster.stop() }
    let place = try await place("bellhop", on: cluster)
    _ = try await place.administer(.addUser("alice"), settings: settings)
    #expect(try await users(of: place) == ["alice"])
    #expect(try await place.problems() == [])
    try await place.beginEpoch()
    #expect(try await users(of: place) == ["alice"])
    #expect(throws: ProgramError.self) { try place.administrationSocket() }
  }

  @Test("commands that need a store refuse an empty schema, and create none")
  func emptySchema() async throws {
    let cluster = try await PostgresCluster()
    defer { cluster.stop() }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = folder.path + "/store.backup"
    let empty = try await place("empty", on: cluster)
    let commands: [@Sendable () async throws -> Void] = [
      { _ = try await empty.problems() }, { try await empty.beginEpoch() },
      { try await empty.backUp(to: file, replacing: false) },
    ]
    for command in commands {
      let error = await #expect(throws: ProgramError.self) { try await command() }
      #expect(error?.exitCode == 66)
      #expect(error?.message.contains("schema empty) contains no store") == true)
    }
    #expect(access(file, F_OK) != 0)

    let full = try await place("full", on: cluster)
    _ = try await full.administer(.addUser("alice"), settings: settings)
    try await full.backUp(to: file, replacing: false)
    try await empty.restore(from: file)
    #expect(try await users(of: empty) == ["alice"])
  }

  @Test("a damaged backup is named and restored nowhere, and a failed replacement leaves no file")
  func damagedBackup() async throws {
    let cluster = try await PostgresCluster()
    defer { cluster.stop() }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = folder.path + "/store.backup"
    let first = try await place("first", on: cluster)
    _ = try await first.administer(.addUser("alice"), settings: settings)
    try await first.backUp(to: file, replacing: false)
    let whole = try Data(contentsOf: URL(filePath: file))
    try whole.dropLast(50).write(to: URL(filePath: file))

    let places: [any DataPlace] = [
      try await place("second", on: cluster), try DataDirectory(folder.path + "/data"),
    ]
    for place in places {
      let error = await #expect(throws: ProgramError.self) { try await place.restore(from: file) }
      #expect(error?.exitCode == 65)
      #expect(error?.message.hasPrefix("\(file) is damaged or incomplete") == true)
    }

    let error = await #expect(throws: ProgramError.self) {
      try await first.backUp(to: folder.path + "/data", replacing: true)
    }
    #expect(error?.exitCode == 74)
    #expect(access(folder.path + "/data.new", F_OK) != 0)
  }

  @Test("doctor finds the indexes, and what is wrong with the server of the tests")
  func doctor() async throws {
    let cluster = try await PostgresCluster()
    defer { cluster.stop() }
    let place = try await place("bellhop", on: cluster)
    let findings = try await place.findings(settings)
    let problems = findings.filter { $0.grade == .problem }.map(\.text)
    #expect(problems.count == 1 && problems[0].contains("fsync"), "\(findings)")
    for words in ["superuser", "wait for no standby", "require-standby is false"] {
      #expect(findings.contains { $0.grade == .warning && $0.text.contains(words) }, "\(words)")
    }
    for words in ["All indexes exist", "No table has many dead rows", "without a pooler"] {
      #expect(findings.contains { $0.grade == .ok && $0.text.contains(words) }, "\(words)")
    }
    var database = place.database
    database.schema = "missing"
    let missing = try await DatabasePlace(database).findings(settings)
    #expect(missing.contains { $0.text.contains("has no schema missing") })
  }

  @Test("doctor and check name the directory to which a store was moved")
  func moved() async throws {
    let cluster = try await PostgresCluster()
    defer { cluster.stop() }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let place = try await place("bellhop", on: cluster)
    _ = try await place.administer(.addUser("alice"), settings: settings)
    #expect(try await place.movedFinding() == nil)
    let target = try DataDirectory(folder.path + "/data")
    try await place.openStorage(isSource: true).use { source in
      try await target.openStorage(isSource: false).use { opened in
        let copy = StoreCopy(
          from: source.backend, files: source.files, to: opened.backend, files: opened.files)
        _ = try await copy.run(environment: .live, targetName: target.description)
      }
    }
    let finding = Finding.moved(to: target.path, from: "ADDRESS")
    #expect(finding.grade == .problem && finding.text.contains(target.path))
    #expect(try await place.findings(settings).contains(finding))
    #expect(try await place.movedFinding() == finding)
    #expect(try await place.problems() == [])
    #expect(try await target.movedFinding() == nil)
  }

  @Test("a backup is restored into another schema and into a directory")
  func backup() async throws {
    let cluster = try await PostgresCluster()
    defer { cluster.stop() }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = folder.path + "/store.backup"
    let first = try await place("first", on: cluster)
    _ = try await first.administer(.addUser("alice"), settings: settings)
    try await first.backUp(to: file, replacing: false)
    await #expect(throws: ProgramError.self) {
      try await first.backUp(to: file, replacing: false)
    }
    try await first.backUp(to: file, replacing: true)

    let second = try await place("second", on: cluster)
    try await second.restore(from: file)
    #expect(try await users(of: second) == ["alice"])

    let directory = try DataDirectory(folder.path + "/data")
    try await directory.restore(from: file)
    // The lock of the directory lasts as long as this process.
    let store = try await directory.open(.joining)
    #expect(try await store.users().map(\.name) == ["alice"])
    await store.close()
  }

  @Test("the role with the grants for rows restores a backup, and a missing right is named")
  func grants() async throws {
    let cluster = try await PostgresCluster()
    defer { cluster.stop() }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = folder.path + "/store.backup"
    let first = try await place("first", on: cluster)
    _ = try await first.administer(.addUser("alice"), settings: settings)
    try await first.backUp(to: file, replacing: false)

    let owner = try await place("second", on: cluster)
    let connection = try PostgresConnection.open(owner.postgres)
    defer { connection.close() }
    try connection.runScript("CREATE ROLE server LOGIN")
    try connection.runScript(ServeRole(name: "server", schema: "second").grants)
    var database = owner.database
    database.address = cluster.address(user: "server")
    let second = try DatabasePlace(database)
    try await second.restore(from: file)
    #expect(try await users(of: second) == ["alice"])
    let findings = try await second.findings(settings)
    #expect(findings.contains { $0.text.contains("may read and write rows, and change no tables") })

    try connection.runScript("REVOKE INSERT ON second.users FROM server")
    let error = await #expect(throws: AdminError.self) {
      try await second.administer(.addUser("bob"), settings: settings)
    }
    for words in ["permission denied for table users", "Run bellhopd migrate-schema"] {
      #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
    #expect(try await users(of: second) == ["alice"])
  }
}
#endif
