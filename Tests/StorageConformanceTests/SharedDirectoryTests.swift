import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Foundation
import Testing

/// A folder of attachments that several processes use, each with its own view.
@Suite("A shared folder of attachments")
struct SharedDirectoryTests {
  private static let hash = FileHash(String(repeating: "ab", count: 32))

  private static func bytes(_ hash: FileHash, of shelf: DirectoryBlobStore) async throws -> [UInt8]?
  {
    guard let blob = try await shelf.open(hash) else { return nil }
    return try await blob.read(at: 0, count: blob.size)
  }

  private static func drafts(_ directory: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.file("files/incoming")).sorted()
  }

  /// Makes all drafts look as if they had not changed for a long time.
  private static func age(_ directory: TemporaryDirectory) throws {
    for name in try drafts(directory) {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 0)],
        ofItemAtPath: directory.file("files/incoming/" + name))
    }
  }

  /// Creates a draft that no process is writing.
  private static func leaveDraft(_ name: String, in directory: TemporaryDirectory) {
    #expect(
      FileManager.default.createFile(
        atPath: directory.file("files/incoming/" + name), contents: Data([1])))
  }

  @Test("a draft survives the start and the sweep of another process, however old it is")
  func liveDrafts() async throws {
    let directory = try TemporaryDirectory()
    let first = DirectoryBlobStore(path: directory.file("files"))
    let second = DirectoryBlobStore(path: directory.file("files"))
    let draft = try await first.makeDraft(named: "running")
    try await draft.write([1, 2])
    try Self.age(directory)
    for shelf in [first, second] {
      try await shelf.removeDrafts()
      try await shelf.reclaimSpace()
    }
    #expect(try Self.drafts(directory) == ["running"])
    try await draft.place(as: Self.hash)
    #expect(try await Self.bytes(Self.hash, of: second) == [1, 2])
    #expect(try Self.drafts(directory).isEmpty)
    // A placed blob stays locked as long as its draft exists, and is not a draft.
    try await second.removeDrafts()
    #expect(try await Self.bytes(Self.hash, of: first) == [1, 2])
    withExtendedLifetime(draft) {}
  }

  @Test("a start removes the drafts of ended processes, and a sweep does so after an hour")
  func endedDrafts() async throws {
    let directory = try TemporaryDirectory()
    let shelf = DirectoryBlobStore(path: directory.file("files"))
    let draft = try await shelf.makeDraft(named: "running")
    Self.leaveDraft("left", in: directory)
    try await shelf.reclaimSpace()
    #expect(try Self.drafts(directory) == ["left", "running"])
    try Self.age(directory)
    try await shelf.reclaimSpace()
    #expect(try Self.drafts(directory) == ["running"])
    Self.leaveDraft("left", in: directory)
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("files/incoming/link"), withDestinationPath: directory.path)
    try await shelf.removeDrafts()
    #expect(try Self.drafts(directory) == ["running"])
    withExtendedLifetime(draft) {}
  }

  @Test("the same bytes, placed by several processes at once, are one whole file")
  func sameBytes() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("files")
    let bytes = [UInt8](repeating: 7, count: 300_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let shelf = DirectoryBlobStore(path: path)
          let draft = try await shelf.makeDraft(named: "draft \(number)")
          try await draft.write(bytes)
          try await draft.place(as: Self.hash)
          #expect(try await Self.bytes(Self.hash, of: shelf) == bytes)
          try await shelf.removeDrafts()
        }
      }
      try await group.waitForAll()
    }
    let shelf = DirectoryBlobStore(path: path)
    #expect(try await shelf.hashes(beginningWith: "ab") == [Self.hash])
    #expect(try await shelf.size(of: Self.hash) == bytes.count)
    #expect(try Self.drafts(directory).isEmpty)
  }

  @Test("an open blob stays readable when another process removes it")
  func openBlobs() async throws {
    let directory = try TemporaryDirectory()
    let first = DirectoryBlobStore(path: directory.file("files"))
    let second = DirectoryBlobStore(path: directory.file("files"))
    let draft = try await first.makeDraft(named: "draft")
    try await draft.write([1])
    try await draft.place(as: Self.hash)
    let blob = try #require(try await first.open(Self.hash))
    try second.remove(Self.hash)
    try first.remove(Self.hash)
    #expect(try await blob.read(at: 0, count: 1) == [1])
    #expect(try await Self.bytes(Self.hash, of: first) == nil)
    #expect(try await second.size(of: Self.hash) == nil)
  }

  @Test("the sweep of another process leaves a running upload alone", arguments: BackendKind.shared)
  func uploads(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let path = store.directory.file("files")
    let first = try await store.peer("first", shelf: DirectoryBlobStore(path: path))
    let second = try await store.peer("second", shelf: DirectoryBlobStore(path: path))
    let owner = FileOwner(user: store.user, token: store.token.token.id, app: nil)
    var upload = try await first.beginFile(named: "a", size: nil, of: owner)
    try await upload.write([1, 2])
    Self.leaveDraft("left", in: store.directory)
    try Self.age(store.directory)
    try await second.sweep()
    #expect(try Self.drafts(store.directory).count == 1)
    let file = try await upload.finish()
    #expect(first.figures.attachments == 1)
    #expect(first.figures.attachmentBytes == 2)
    try await second.sweep()
    let (_, blob) = try await second.openFile(file.id)
    #expect(try await blob.read(at: 0, count: 2) == [1, 2])
    try await first.removeUpload(file)
    try await second.sweep()
    #expect(
      try await DirectoryBlobStore(path: path)
        .hashes(beginningWith: String(file.hash.rawValue.prefix(2))).isEmpty)
  }

  @Test("a check compares any blob store with the files")
  func missing() async throws {
    let directory = try TemporaryDirectory()
    let shelf = DirectoryBlobStore(path: directory.file("files"))
    let draft = try await shelf.makeDraft(named: "draft")
    try await draft.write([1])
    try await draft.place(as: Self.hash)
    let other = FileHash(String(repeating: "cd", count: 32))
    #expect(try await shelf.missing(among: [(hash: Self.hash, size: 1)]).isEmpty)
    #expect(
      try await shelf.missing(among: [(hash: Self.hash, size: 2), (hash: other, size: 1)])
        == [Self.hash, other])
  }
}
