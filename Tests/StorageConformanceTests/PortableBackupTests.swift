import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import Foundation
import Testing

/// A storage whose connection is lost at the end of each read, so that the read runs again.
private final class RepeatingBackend: StorageBackend {
  private let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value {
    _ = try await inner.read(body)
    return try await inner.read(body)
  }

  func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) async throws -> Value {
    try await inner.write(in: scope, body, committed: committed)
  }

  func catchUp() async throws -> CatchUp { try await inner.catchUp() }

  func close() async { await inner.close() }
}

@Suite("Portable backups")
struct PortableBackupTests {
  private func backUp(_ moved: CopiedStore) async throws -> String {
    let path = moved.store.directory.file("backup.bellhop")
    try await PortableBackup.write(
      from: moved.source, files: moved.store.shelf, to: path, at: moved.store.clock.now)
    return path
  }

  private func restore(
    _ path: String, of moved: CopiedStore, to target: CopiedStore.Target
  ) async throws -> RestoreReport {
    try await PortableBackup.restore(
      path, to: target.backend, files: target.files, environment: moved.store.environment
    ).restore
  }

  @Test("a restored backup has everything, in another epoch")
  func roundTrip() async throws {
    let moved = try await CopiedStore()
    let path = try await backUp(moved)
    let summary = try PortableBackup.check(path)
    #expect(summary.users == 2)
    #expect(summary.blobs == 1)
    #expect(summary.made == moved.store.clock.now)
    #expect(summary.rows["item"] == 7)
    let target = try moved.target()
    let report = try await restore(path, of: moved, to: target)
    #expect(report.users == 2)
    let service = try await moved.open(target)
    #expect(service.epoch != moved.store.service.epoch)
    try await moved.expectSameContent(in: service)
    #expect(try await service.addUser(named: "dora").id.rawValue == 4)
    let (_, token) = try await moved.store.pull(from: .beginning)
    guard
      case .resyncRequired? = try await storeError({
        _ = try await service.delta(from: .since(token), rows: 10, for: moved.store.user)
      })
    else {
      Issue.record("A token of the earlier epoch was followed.")
      return
    }
  }

  @Test("a backup is private, and never replaces a file")
  func file() async throws {
    let moved = try await CopiedStore()
    let path = try await backUp(moved)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let before = FileManager.default.contents(atPath: path)
    let error = try await storeError { _ = try await backUp(moved) }
    #expect(error == .alreadyExists(what: "the file"))
    #expect(FileManager.default.contents(atPath: path) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: moved.store.directory.path)
    #expect(names.allSatisfy { !$0.contains(".part") })
    #expect(try PortableBackup.isPortable(path))
    #expect(try !PortableBackup.isPortable(moved.store.directory.file("store.sqlite")))
    #expect(throws: StoreError.notFound(what: "backup file")) {
      try PortableBackup.check(moved.store.directory.file("none"))
    }
  }

  @Test("a backup whose rows are read again after a lost connection is whole")
  func repeatedRead() async throws {
    let moved = try await CopiedStore()
    let path = try await backUp(moved)
    let repeated = moved.store.directory.file("repeated.bellhop")
    try await PortableBackup.write(
      from: RepeatingBackend(moved.source), files: moved.store.shelf, to: repeated,
      at: moved.store.clock.now)
    let (bytes, expected) = (
      FileManager.default.contents(atPath: repeated), FileManager.default.contents(atPath: path)
    )
    #expect(bytes == expected)
    #expect(try PortableBackup.check(repeated).rows["item"] == 7)
  }

  @Test("a damaged or incomplete backup is refused, and nothing is changed")
  func damage() async throws {
    let moved = try await CopiedStore()
    let path = try await backUp(moved)
    let whole = try #require(FileManager.default.contents(atPath: path))
    let target = try moved.target()
    let damaged = moved.store.directory.file("damaged.bellhop")
    var copies = [Data(), whole.dropLast(), whole.prefix(whole.count / 2), whole + Data([0])]
    for place in stride(from: 0, to: whole.count, by: max(1, whole.count / 50)) {
      var bytes = whole
      bytes[bytes.startIndex + place] ^= 0x10
      copies.append(bytes)
    }
    for (number, bytes) in copies.enumerated() {
      try Data(bytes).write(to: URL(filePath: damaged))
      let error = try await storeError { _ = try await restore(damaged, of: moved, to: target) }
      #expect(error != nil, "copy \(number)")
      #expect(throws: StoreError.self, "copy \(number)") { try PortableBackup.check(damaged) }
    }
    // The target is still empty.
    _ = try await restore(path, of: moved, to: target)
  }

  @Test("a backup of a later version is refused as such")
  func newer() async throws {
    let moved = try await CopiedStore()
    let path = moved.store.directory.file("newer.bellhop")
    let header = Array(
      #"{"created":0,"lastUser":1,"tables":[],"version":2}"#.utf8)
    var bytes = Array("bellhop-backup\nH".utf8)
    bytes += [0, 0, 0, UInt8(header.count)]
    bytes += header
    try Data(bytes).write(to: URL(filePath: path))
    #expect(throws: StoreError.newerSchema) { try PortableBackup.check(path) }
    #expect(try PortableBackup.isPortable(path))
  }

  @Test("an interrupted restore continues with the same file, and refuses another one")
  func interrupted() async throws {
    let moved = try await CopiedStore()
    let path = try await backUp(moved)
    let target = try moved.target()
    let environment = moved.store.environment
    let result = await Task {
      try await PortableBackup.restore(
        path, to: target.backend, files: target.files, environment: environment
      ) { _ in CopiedStore.cancelTask() }.restore
    }.result
    #expect(throws: (any Error).self) { try result.get() }
    #expect(try await storeError { _ = try await moved.open(target) } == .unfinishedCopy)
    try await moved.store.publish("later")
    let later = moved.store.directory.file("later.bellhop")
    try await PortableBackup.write(
      from: moved.source, files: moved.store.shelf, to: later, at: moved.store.clock.now)
    guard
      case .unavailable? = try await storeError({
        _ = try await restore(later, of: moved, to: target)
      })
    else {
      Issue.record("Another backup continued the restore.")
      return
    }
    let report = try await restore(path, of: moved, to: target)
    #expect(report.users == 2)
    _ = try await moved.open(target)
  }

  @Test("a moved store can be backed up, and an unfinished target cannot")
  func states() async throws {
    let moved = try await CopiedStore()
    let target = try moved.target()
    _ = try await moved.move(to: target)
    _ = try await backUp(moved)
    let other = try moved.target("other")
    let path = moved.store.directory.file("backup.bellhop")
    let environment = moved.store.environment
    _ = await Task {
      try await PortableBackup.restore(
        path, to: other.backend, files: nil, environment: environment
      ) { _ in CopiedStore.cancelTask() }.restore
    }.result
    let error = try await storeError {
      try await PortableBackup.write(
        from: other.backend, files: nil, to: moved.store.directory.file("unfinished"),
        at: moved.store.clock.now)
    }
    #expect(error == .unfinishedCopy)
  }
}
