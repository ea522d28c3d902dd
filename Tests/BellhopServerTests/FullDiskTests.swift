import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Synchronization
import Testing

@testable import BellhopServer

/// A shelf on a small disk, where partial files use space too.
private final class SmallShelf: BlobStore {
  private let placed = MemoryShelf()
  private let room: Mutex<Int>

  init(bytes: Int) { room = Mutex(bytes) }

  var free: Int { room.withLock { $0 } }

  func makeDraft(named name: String) -> any BlobDraft {
    Draft(self, placed.makeDraft(named: name))
  }

  func open(_ hash: FileHash) -> (any StoredBlob)? { placed.open(hash) }

  func remove(_ hash: FileHash) {
    if let file = placed.open(hash) { give(file.size) }
    placed.remove(hash)
  }

  func hashes(beginningWith prefix: String) -> [FileHash] {
    placed.hashes(beginningWith: prefix)
  }

  func removeDrafts() {}

  private func take(_ count: Int) throws {
    try room.withLock { room in
      guard room >= count else { throw StoreError.storageFull }
      room -= count
    }
  }

  private func give(_ count: Int) { room.withLock { $0 += count } }

  private final class Draft: BlobDraft {
    private let shelf: SmallShelf
    private let inner: any BlobDraft
    private let taken = Mutex(0)

    init(_ shelf: SmallShelf, _ inner: any BlobDraft) {
      self.shelf = shelf
      self.inner = inner
    }

    deinit { shelf.give(taken.withLock { $0 }) }

    func write(_ bytes: [UInt8]) async throws {
      try shelf.take(bytes.count)
      taken.withLock { $0 += bytes.count }
      try await inner.write(bytes)
    }

    func place(as hash: FileHash) async throws {
      try await inner.place(as: hash)
      taken.withLock { $0 = 0 }
    }
  }
}

@Suite("A disk that fills up during an upload")
struct FullDiskTests {
  private static let file = [UInt8](repeating: 7, count: 100_000)

  /// A file for each interface that accepts files.
  private static let ways: [(path: String, headers: [String: String], body: [UInt8])] = [
    ("/v1.0/me/attachments?name=a.bin", [:], file),
    ("/nas", ["Filename": "a.bin"], file),
    (
      "/notify/nas", ["Content-Type": "application/json"],
      Array(
        #"{"body":"m","attachments":[{"filename":"a","base64":"aGk="},{"filename":"b","base64":""#
          .utf8) + Array(Base64.encode(file).utf8) + Array(#""}]}"#.utf8)
    ),
  ]

  @Test("it is refused whole, and none of it stays", arguments: ways.indices)
  func refused(index: Int) async throws {
    let way = Self.ways[index]
    let shelf = SmallShelf(bytes: 60_000)
    let store = try await InProcessStore(shelf: shelf)
    let token = try await store.publishToken(for: .app("nas"))
    let answer = try await store.send(
      way.path.hasPrefix("/nas") ? .put : .post, way.path, token: token, body: way.body,
      headers: way.headers)
    #expect(answer.status == 507, "\(way.path): \(answer.status) \(answer.text)")
    // The bytes of a file that was completed before go with the next sweep.
    try await store.service.sweep()
    #expect(shelf.free == 60_000, "\(way.path)")
    let user = try await store.service.user(named: "me")
    #expect(try await store.service.list(rows: 10, for: user.id).items.isEmpty, "\(way.path)")

    let small = try await store.send(
      .put, "/nas", token: token, body: Array(Self.file.prefix(1000)),
      headers: ["Filename": "a.bin"])
    #expect(small.status == 200, "\(way.path): \(small.text)")
    #expect(shelf.free == 59_000)
  }
}
