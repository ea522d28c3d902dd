import BellhopModel
import Synchronization
import Testing

@testable import BellhopStore

/// A view of a blob store that runs a closure after each blob was placed.
private final class WatchedShelf: BlobStore {
  private let inner: any BlobStore
  private let action = Mutex<(@Sendable () async throws -> Void)?>(nil)

  init(_ inner: any BlobStore) { self.inner = inner }

  func afterPlacing(_ action: @escaping @Sendable () async throws -> Void) {
    self.action.withLock { $0 = action }
  }

  func makeDraft(named name: String) async throws -> any BlobDraft {
    Draft(shelf: self, inner: try await inner.makeDraft(named: name))
  }

  func open(_ hash: FileHash) async throws -> (any StoredBlob)? { try await inner.open(hash) }
  func remove(_ hash: FileHash) throws { try inner.remove(hash) }
  func hashes(beginningWith prefix: String) async throws -> [FileHash] {
    try await inner.hashes(beginningWith: prefix)
  }
  func removeDrafts() async throws { try await inner.removeDrafts() }

  private final class Draft: BlobDraft {
    private let shelf: WatchedShelf
    private let inner: any BlobDraft

    init(shelf: WatchedShelf, inner: any BlobDraft) {
      self.shelf = shelf
      self.inner = inner
    }

    func write(_ bytes: [UInt8]) async throws { try await inner.write(bytes) }

    func place(as hash: FileHash) async throws {
      try await inner.place(as: hash)
      let action = shelf.action.withLock { $0 }
      try await action?()
    }
  }
}

/// Blobs that several processes place and remove.
@Suite("Holds of blobs in a shared storage")
struct BlobHoldTests {
  private static func upload(
    _ bytes: [UInt8], to service: StoreService, of store: StoreUnderTest
  ) async throws -> StoredFile {
    let owner = FileOwner(user: store.user, token: store.token.token.id, app: nil)
    var upload = try await service.beginFile(named: "a", size: nil, of: owner)
    try await upload.write(bytes)
    return try await upload.finish()
  }

  private static func holdCount(_ store: StoreUnderTest) async throws -> Int {
    try await store.backend.read { try $0.endedHolds(by: .distantFuture, limit: 100) }.count
  }

  @Test(
    "a sweep of another process keeps the bytes of an upload that has no row yet",
    arguments: BackendKind.shared)
  func betweenBytesAndRow(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let shelf = WatchedShelf(store.shelf)
    let first = try await store.peer("first", shelf: shelf)
    let second = try await store.peer("second")
    // The same bytes belonged to a file that was removed.
    try await second.removeUpload(try await Self.upload([1, 2], to: second, of: store))
    shelf.afterPlacing { _ = try await second.sweep() }
    let file = try await Self.upload([1, 2], to: first, of: store)
    #expect(try await store.bytes(file) == [1, 2])
    #expect(try await Self.holdCount(store) == 0)
    try await second.sweep()
    #expect(try await store.bytes(file) == [1, 2])
    try await second.removeUpload(file)
    try await second.sweep()
    #expect(try await store.shelved() == 0)
  }

  @Test("an upload that fails leaves neither bytes nor a hold", arguments: BackendKind.shared)
  func failed(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.userAttachmentsBytesMax = StoredFile.chargeMin
    let store = try await StoreUnderTest(kind, limits: limits)
    let shelf = WatchedShelf(store.shelf)
    let first = try await store.peer("first", shelf: shelf)
    let second = try await store.peer("second")
    // Another upload takes the last space while the bytes of this one are placed.
    shelf.afterPlacing { _ = try await Self.upload([2], to: second, of: store) }
    let error = try await storeError { _ = try await Self.upload([1], to: first, of: store) }
    guard case .quotaReached? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await Self.holdCount(store) == 0)
    #expect(try await store.shelved() == 1)
  }

  @Test(
    "the bytes of an upload whose process died are removed when its hold has ended",
    arguments: BackendKind.shared)
  func died(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.peer("first")
    let second = try await store.peer("second")
    let hash = FileHash("ab" + String(repeating: "0", count: 62))
    let draft = try await store.shelf.makeDraft(named: "upload")
    try await draft.write([1])
    _ = try await first.hold(hash)
    try await draft.place(as: hash)
    store.clock.advance(by: BlobHold.life - .seconds(1))
    try await second.sweep()
    #expect(try await store.shelved() == 1)
    store.clock.advance(by: .seconds(1))
    try await second.sweep()
    #expect(try await store.shelved() == 0)
    #expect(try await Self.holdCount(store) == 0)
  }

  @Test(
    "an upload that takes longer than its hold is refused, and leaves nothing",
    arguments: BackendKind.shared)
  func slow(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let shelf = WatchedShelf(store.shelf)
    let first = try await store.peer("first", shelf: shelf)
    let second = try await store.peer("second")
    shelf.afterPlacing {
      store.clock.advance(by: BlobHold.life)
      _ = try await second.sweep()
    }
    let error = try await storeError { _ = try await Self.upload([1], to: first, of: store) }
    #expect(error == .busy)
    #expect(try await store.shelved() == 0)
    #expect(try await store.backend.read { try $0.fileCharge(of: store.user) } == 0)
  }

  @Test("a process that serves alone holds no blobs in its storage")
  func alone() async throws {
    let store = try await StoreUnderTest(.sqlite)
    #expect(try await store.service.hold(FileHash("ab")) == nil)
    let file = try await store.upload("a", [1])
    #expect(try await store.bytes(file) == [1])
  }
}
