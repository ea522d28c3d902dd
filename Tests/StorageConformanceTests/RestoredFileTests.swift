import BellhopStore
import Foundation
import Testing

@testable import BellhopStoreSQLite

@Suite("The files of a backup")
struct RestoredFileTests {
  private func path(of file: StoredFile, on shelf: String) -> String {
    let hash = file.hash.rawValue
    return "\(shelf)/\(hash.prefix(2))/\(hash)"
  }

  @Test("a restore checks the hash of each attachment and lists missing or damaged ones")
  func hashes() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let names = ["good", "cut", "changed", "missing", "repaired"]
    var files: [String: StoredFile] = [:]
    for (index, name) in names.enumerated() {
      files[name] = try await store.upload(name, Array("content \(index)".utf8))
    }
    _ = try await store.publish("a", attaching: Array(files.values))
    let database = store.directory.file("store.sqlite")
    let own = store.directory.file("files")
    let copied = store.directory.file("backup.files")
    let shelf = try #require(store.shelf as? DirectoryBlobStore)
    let backup = DirectoryBlobStore(path: copied)
    // A copy, because damage through a link would affect both files.
    try FileManager.default.copyItem(atPath: own, toPath: copied)
    func damage(_ name: String, on folder: String, _ bytes: String) throws {
      let path = path(of: try #require(files[name]), on: folder)
      try Data(bytes.utf8).write(to: URL(filePath: path))
    }
    for (name, file) in files where name != "repaired" {
      try shelf.remove(file.hash)
      _ = name
    }
    try damage("repaired", on: own, "content X")
    try damage("cut", on: copied, "conte")
    try damage("changed", on: copied, "content Y")
    try FileManager.default.removeItem(
      atPath: path(of: try #require(files["missing"]), on: copied))

    let answer = try SQLiteFile.restoreFiles(of: database, from: backup, to: shelf)
    #expect(answer.restored == 2)
    let lost = Dictionary(uniqueKeysWithValues: answer.lost.map { ($0.name, $0.reason) })
    #expect(lost == ["cut": .damaged, "changed": .damaged, "missing": .missing])
    #expect(try await store.bytes(try #require(files["good"])) == Array("content 0".utf8))
    #expect(try await store.bytes(try #require(files["repaired"])) == Array("content 4".utf8))
    #expect(try await store.bytes(try #require(files["changed"])) == nil, "it is not put in place")
  }

  @Test("a link in place of a backed-up attachment is not followed")
  func links() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let file = try await store.upload("a", [1])
    let shelf = try #require(store.shelf as? DirectoryBlobStore)
    let copied = store.directory.file("backup.files")
    let target = path(of: file, on: copied)
    try FileManager.default.createDirectory(
      atPath: String(target.prefix { _ in true }.dropLast(65)), withIntermediateDirectories: true)
    let real = store.directory.file("real")
    try Data([1]).write(to: URL(filePath: real))
    try FileManager.default.createSymbolicLink(atPath: target, withDestinationPath: real)
    try shelf.remove(file.hash)
    let answer = try SQLiteFile.restoreFiles(
      of: store.directory.file("store.sqlite"), from: DirectoryBlobStore(path: copied), to: shelf)
    #expect(answer.restored == 0 && answer.lost.map(\.reason) == [.missing])
  }

  @Test("a folder of attachments that others may write to, or that is a link, is refused")
  func sharedFolder() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("backup.files")
    let shelf = DirectoryBlobStore(path: path)
    try shelf.refuseForeignDirectory()
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try shelf.refuseForeignDirectory()
    for mode: mode_t in [0o770, 0o707] {
      chmod(path, mode)
      let error = #expect(throws: StoreError.self) { try shelf.refuseForeignDirectory() }
      #expect(error?.description.contains("chmod go-w \(path)") == true)
    }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: directory.path)
    #expect(throws: StoreError.self) { try shelf.refuseForeignDirectory() }
  }

  @Test(
    "a pipe in place of an attachment is damage, and a later backup repairs it",
    .timeLimit(.minutes(2)))
  func pipe() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let shelf = DirectoryBlobStore(path: store.directory.file("files"))
    let bytes = Array("the log".utf8)
    var digest = FileDigest()
    digest.update(bytes)
    let draft = try await shelf.makeDraft(named: "a")
    try await draft.write(bytes)
    try await draft.place(as: digest.hash)
    let backup = DirectoryBlobStore(path: store.directory.file("backup.files"))
    #expect(try shelf.share(digest.hash, with: backup))
    let copy = try #require(backup.path(of: digest.hash))
    #expect(unlink(copy) == 0 && mkfifo(copy, 0o600) == 0)
    #expect(backup.isSound(digest.hash) == false)
    #expect(throws: StoreError.self) { try backup.put(digest.hash, on: shelf) }
    #expect(try shelf.share(digest.hash, with: backup))
    #expect(backup.isSound(digest.hash) == true)
    // A copy whose bytes have changed is repaired, too.
    #expect(unlink(copy) == 0)
    try Data("another".utf8).write(to: URL(filePath: copy))
    #expect(try shelf.share(digest.hash, with: backup))
    #expect(backup.isSound(digest.hash) == true)
  }

  @Test("a folder that was replaced after the check of a backup is refused (SECURITY-4)")
  func exchangedFolder() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let shelf = DirectoryBlobStore(path: store.directory.file("files"))
    let bytes = Array("secret".utf8)
    var digest = FileDigest()
    digest.update(bytes)
    let draft = try await shelf.makeDraft(named: "a")
    try await draft.write(bytes)
    try await draft.place(as: digest.hash)
    let path = store.directory.file("backup.files")
    let backup = DirectoryBlobStore(path: path)
    try backup.refuseForeignDirectory()
    let prefix = path + "/" + digest.hash.rawValue.prefix(2)
    for (folder, mode) in [(path, 0o770), (prefix, 0o770), (prefix, 0o707)] as [(String, mode_t)] {
      mkdir(folder, 0o700)
      chmod(folder, mode)
      let error = #expect(throws: StoreError.self) { try shelf.share(digest.hash, with: backup) }
      #expect(error?.description.contains("chmod go-w \(folder)") == true)
      chmod(folder, 0o700)
    }
    #expect(try await backup.size(of: digest.hash) == nil)
    rmdir(prefix)
    symlink(store.directory.path, prefix)
    #expect(throws: StoreError.self) { try shelf.share(digest.hash, with: backup) }
  }

  @Test(
    "a folder of attachments that belongs to another user is refused",
    .enabled(if: geteuid() == 0, "needs root: it changes the owner of a folder"))
  func foreignFolder() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("backup.files")
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    #expect(chown(path, 54_321, 54_321) == 0)
    let error = #expect(throws: StoreError.self) {
      try DirectoryBlobStore(path: path).refuseForeignDirectory()
    }
    #expect(error?.description.contains("belongs to another user") == true)
  }

  @Test("a backup is written in its own folder, and follows no existing link")
  func parts() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let database = store.directory.file("store.sqlite")
    let target = store.directory.file("backup.sqlite")
    let victim = store.directory.file("victim")
    try Data("precious".utf8).write(to: URL(filePath: victim))
    let part = "\(target).part-\(getpid())"
    let link = { try FileManager.default.createSymbolicLink(atPath: part, withDestinationPath: $0) }
    let folder = store.directory.file("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    for place in [victim, folder] {
      try link(place)
      let error = #expect(throws: StoreError.self) {
        try SQLiteFile.copy(from: database, to: target, replacing: true)
      }
      #expect(error?.description.contains("already exists") == true)
      try FileManager.default.removeItem(atPath: part)
    }
    #expect(FileManager.default.contents(atPath: victim) == Data("precious".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: target))
    // Leftovers of an interrupted run by this user do not prevent it.
    try FileManager.default.createDirectory(
      atPath: part, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try Data([1]).write(to: URL(filePath: part + "/file"))
    try SQLiteFile.copy(from: database, to: target, replacing: false)
    #expect(try SQLiteFile.problems(of: target).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: part))
  }
}
