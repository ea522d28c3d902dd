import BellhopStore
import BellhopStoreSQLite
import Foundation
import Synchronization
import Testing

@Suite("Data directories of another user")
struct DataOwnerTests {
  private static let service = DataOwner.Identity(user: 54_321, group: 54_322)

  /// Creates everything that commands create in a data directory.
  ///
  /// These are a database with its log, the file of an attachment, and a restored database with its
  /// attachment.
  private func work(in store: StoreUnderTest, as owner: DataOwner) async throws {
    let database = store.directory.file("store.sqlite")
    let shelf = try #require(store.shelf as? DirectoryBlobStore)
    _ = try await store.publish("a", attaching: [try await store.upload("a.txt", [1])])
    let backup = DirectoryBlobStore(path: store.directory.file("backup.files"))
    #expect(try SQLiteFile.copyFiles(of: database, from: shelf, to: backup) == (1, 0))
    let prepared = store.directory.file("restoring.sqlite")
    try SQLiteFile.copy(from: database, to: prepared, replacing: true, owner: owner)
    let restored = DirectoryBlobStore(path: store.directory.file("restored"), owner: owner)
    let answer = try SQLiteFile.restoreFiles(of: prepared, from: backup, to: restored)
    #expect(answer.restored == 1 && answer.lost.isEmpty)
  }

  @Test("files created by root get the directory's owner")
  func given() async throws {
    let given = Mutex<[String]>([])
    let system = DataOwner.System(
      user: { 0 }, owner: { _ in Self.service },
      give: { descriptor, identity in
        var name = [CChar](repeating: 0, count: 4096)
        readlink("/proc/self/fd/\(descriptor)", &name, name.count - 1)
        #expect(identity == Self.service)
        given.withLock {
          $0.append(
            String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return 0
      })
    let store = try await StoreUnderTest(.sqlite) { DataOwner(of: $0.path, system: system) }
    try await work(in: store, as: DataOwner(of: store.directory.path, system: system))
    let names = given.withLock { $0.map { $0.dropFirst(store.directory.path.count + 1) } }
    let folders = ["files", "files/incoming", "restored"]
    for name in ["store.sqlite"] + folders {
      #expect(names.contains(name[...]), "\(name): \(names)")
    }
    for beginning in ["files/incoming/", "restoring.sqlite.part-", "restored/"] {
      #expect(names.contains { $0.hasPrefix(beginning) }, "\(beginning): \(names)")
    }
    #expect(!names.contains { $0.hasPrefix("backup.files") }, "it was made for the process's user")
  }

  @Test(
    "no file changes its owner for a command of another user, or in a directory of root's",
    arguments: [(1000, 54_321), (0, 0), (54_321, 54_321)])
  func kept(user: UInt32, owner: UInt32) async throws {
    let system = DataOwner.System(
      user: { user }, owner: { _ in .init(user: owner, group: owner) },
      give: { _, _ in
        Issue.record("a file was given away")
        return 0
      })
    let store = try await StoreUnderTest(.sqlite) { DataOwner(of: $0.path, system: system) }
    try await work(in: store, as: DataOwner(of: store.directory.path, system: system))
  }

  @Test("a file whose owner cannot be changed is an error")
  func refused() async throws {
    let system = DataOwner.System(
      user: { 0 }, owner: { _ in Self.service },
      give: { _, _ in
        errno = EPERM
        return -1
      })
    let error = try await storeError {
      _ = try await StoreUnderTest(.sqlite) { DataOwner(of: $0.path, system: system) }
    }
    guard case .unavailable(let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("cannot be given to the owner of the data directory"))
  }

  @Test(
    "everything belongs to the directory's owner, the log and its index too",
    .enabled(if: geteuid() == 0, "needs root: it changes the owner of a folder"))
  func owned() async throws {
    let store = try await StoreUnderTest(.sqlite) { directory in
      #expect(chown(directory.path, Self.service.user, Self.service.group) == 0)
      return DataOwner(of: directory.path)
    }
    try await work(in: store, as: DataOwner(of: store.directory.path))
    var owners: [String: UInt32] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: store.directory.path) {
      var status = stat()
      #expect(lstat(store.directory.file(name), &status) == 0)
      owners[name] = status.st_uid
    }
    #expect(owners["store.sqlite-wal"] != nil && owners["store.sqlite-shm"] != nil)
    let foreign = owners.filter {
      !$0.key.hasPrefix("backup.files") && $0.value != Self.service.user
    }
    #expect(foreign.isEmpty, "\(foreign)")
  }
}
