internal import BellhopModel
internal import Synchronization

/// An upload in progress. It is discarded unless it is finished.
package struct FileUpload: Sendable {
  private let service: StoreService
  private let desk: ActiveUploads
  private let owner: FileOwner
  /// The name; nil if the publisher provides none.
  private let name: String?
  private let ticket: ActiveUploads.Ticket
  private let draft: any BlobDraft
  private var digest = FileDigest()
  private var head: [UInt8] = []
  /// The number of bytes received.
  package private(set) var size = 0

  fileprivate init(
    _ service: StoreService, _ desk: ActiveUploads, _ owner: FileOwner, name: String?
  ) async throws {
    self.service = service
    self.desk = desk
    self.owner = owner
    self.name = name
    ticket = try desk.begin(for: owner.user)
    draft = try await desk.shelf.makeDraft(named: Base64URL.encode(service.randomBytes(16)))
  }

  /// Writes the next bytes; the caller must enforce ``StoreLimits/attachmentBytesMax``.
  package mutating func write(_ bytes: [UInt8]) async throws(StoreError) {
    size += bytes.count
    if head.count < FileKind.headBytes { head += bytes.prefix(FileKind.headBytes - head.count) }
    digest.update(bytes)
    do { try await draft.write(bytes) } catch { throw StoreError(error) }
  }

  /// Creates a file from the received bytes. It is on the disk when this returns, and is removed
  /// again unless a publication names it within ``StoreLimits/uploadLife``.
  ///
  /// - Throws: ``StoreError/quotaReached(what:)``, ``StoreError/storageFull``.
  package func finish() async throws(StoreError) -> StoredFile {
    let hash = digest.hash
    let type = FileKind.type(of: head, isWhole: size == head.count)
    let file = ArrivedFile(
      hash: hash, name: name ?? FileName.fallback(for: type), type: type, size: size)
    desk.hold(hash)
    var hold: BlobHold?
    do {
      hold = try await service.hold(hash)
      try await draft.place(as: hash)
      let stored = try await service.write(in: .user(owner.user)) { [owner, hold] in
        try $0.add(file, of: owner, holding: hold, in: $1)
      }
      desk.release(hash)
      service.counted.withLock { figures in
        figures.attachments += 1
        figures.attachmentBytes += size
      }
      return stored
    } catch {
      desk.release(hash)
      await service.abandon(hold)
      await service.removeUnlessUsed(hash)
      throw StoreError(error)
    }
  }
}

extension StoreService {
  /// Whether files can be uploaded.
  package var keepsFiles: Bool { desk != nil }

  /// Begins an upload.
  ///
  /// - Parameters:
  ///   - name: the name from the publisher; it is cleaned.
  ///   - size: the size if known, so that a file without space is refused before its bytes arrive.
  /// - Throws: ``StoreError/quotaReached(what:)``, ``StoreError/busy``,
  ///   ``StoreError/notSupported(what:)`` for a store that keeps no files.
  package func beginFile(
    named name: String?, size: Int?, of owner: FileOwner
  ) async throws(StoreError) -> FileUpload {
    guard let desk else { throw StoreError.notSupported(what: "uploading files") }
    try await read { try $0.checkRoom(forFileOf: size ?? 0, of: owner, in: $1) }
    do {
      return try await FileUpload(self, desk, owner, name: name.flatMap(FileName.cleaned))
    } catch {
      throw StoreError(error)
    }
  }

  /// Opens a readable file with its bytes.
  ///
  /// - Throws: ``StoreError/notFound(what:)``.
  package func openFile(
    _ id: FileID
  ) async throws(StoreError) -> (file: StoredFile, bytes: any StoredBlob) {
    let file = try await read { try $0.file(id, in: $1) }
    do {
      guard let bytes = try await desk?.shelf.open(file.hash), bytes.size == file.size else {
        throw StoreError.notFound(what: "file")
      }
      return (file, bytes)
    } catch {
      throw StoreError(error)
    }
  }

  /// Removes a file at once if no publication names it.
  package func removeUpload(_ file: StoredFile) async throws(StoreError) {
    try await write(in: .user(file.user)) { _, transaction in
      guard let file = try transaction.file(file.id), file.item == nil else { return }
      try transaction.removeFile(file.id, of: file.user)
    }
  }

  fileprivate func removeUnlessUsed(_ hash: FileHash) async {
    guard let desk else { return }
    // The next start finds any blobs left behind.
    try? await removeUnlessUsed([hash], from: desk)
  }

  /// Removes blobs that no row uses. They are found in a write and removed when it is committed,
  /// because its body may run twice and the commit may fail.
  ///
  /// In a shared storage they are removed within the write: while it runs, no other process can hold
  /// and place the same blob. Removing it again after a failed commit does no harm.
  private func removeUnlessUsed(
    _ hashes: some Collection<FileHash> & Sendable, from desk: ActiveUploads
  ) async throws(StoreError) {
    let isShared = isShared
    _ = try await write(
      in: .store,
      { logic, transaction in
        let unused = try logic.unusedBlobs(among: hashes, isShared: isShared, in: transaction)
        if isShared {
          for hash in unused { try desk.shelf.remove(hash) }
        }
        for hash in hashes { try transaction.forgetOrphan(hash) }
        return isShared ? [] : unused
      }, committed: { desk.remove($0) })
  }

  /// The number of blobs removed in one transaction: unlinking is slow on some disks.
  private static let hashesPerStep = 20

  /// Removes expired files.
  ///
  /// - Returns: the number of removed files.
  func sweepFiles() async throws(StoreError) -> Int {
    var count = 0
    while case let files = try await read({
      try $1.expiredFiles(by: $0.expiryNow, limit: $0.limits.sweepItemsMax)
    }), !files.isEmpty {
      count += try await write(in: .users) { try $0.expire(files, in: $1) }
      if Task.isCancelled { return count }
    }
    return count
  }

  /// Removes blobs that no file uses any more; the first time also blobs that a crash left behind.
  func sweepBytes() async throws(StoreError) {
    guard let desk else { return }
    try await abandonEndedHolds()
    while case let hashes = try await read({ try $1.orphanedHashes(limit: Self.hashesPerStep) }),
      !hashes.isEmpty
    {
      try await removeUnlessUsed(hashes, from: desk)
      if Task.isCancelled { return }
    }
    if desk.takeTidying() { try await tidy(desk) }
    guard isShared, !Task.isCancelled else { return }
    do { try await desk.shelf.reclaimSpace() } catch { throw StoreError(error) }
  }

  /// Searches the blob store for unused blobs, a few hashes at a time.
  private func tidy(_ desk: ActiveUploads) async throws(StoreError) {
    for first in 0..<256 {
      if Task.isCancelled { return }
      let prefix = (first < 16 ? "0" : "") + String(first, radix: 16)
      let hashes: [FileHash]
      do {
        hashes = try await desk.shelf.hashes(beginningWith: prefix)
      } catch {
        throw StoreError(error)
      }
      guard !hashes.isEmpty else { continue }
      let unused = try await read { _, state in try hashes.filter { try !state.isInUse($0) } }
      for start in stride(from: 0, to: unused.count, by: Self.hashesPerStep) {
        let step = unused[start...].prefix(Self.hashesPerStep)
        try await removeUnlessUsed(Array(step), from: desk)
      }
    }
  }
}
