internal import BellhopModel

/// A file on its way in. Nothing of it stays unless it is finished.
package struct FileIntake: Sendable {
  private let service: StoreService
  private let desk: FileDesk
  private let owner: FileOwner
  /// Nil where the publisher says none.
  private let name: String?
  private let ticket: FileDesk.Ticket
  private let draft: any FileDraft
  private var digest = FileDigest()
  private var head: [UInt8] = []
  /// How many bytes have come.
  package private(set) var size = 0

  fileprivate init(
    _ service: StoreService, _ desk: FileDesk, _ owner: FileOwner, name: String?
  ) async throws {
    self.service = service
    self.desk = desk
    self.owner = owner
    self.name = name
    ticket = try desk.begin(for: owner.user)
    draft = try await desk.shelf.makeDraft(named: Base64URL.encode(service.randomBytes(16)))
  }

  /// Takes the next bytes; the caller sees to ``StoreLimits/attachmentBytesMax``.
  package mutating func write(_ bytes: [UInt8]) async throws(StoreError) {
    size += bytes.count
    if head.count < FileKind.headBytes { head += bytes.prefix(FileKind.headBytes - head.count) }
    digest.update(bytes)
    do { try await draft.write(bytes) } catch { throw StoreError(error) }
  }

  /// Makes a file of what has come. It is on the disk when this returns, and is removed again
  /// unless a publication names it within ``StoreLimits/uploadLife``.
  ///
  /// - Throws: ``StoreError/quotaReached(what:)``, ``StoreError/storageFull``.
  package func finish() async throws(StoreError) -> StoredFile {
    let hash = digest.hash
    let type = FileKind.type(of: head, isWhole: size == head.count)
    let file = ArrivedFile(
      hash: hash, name: name ?? FileName.fallback(for: type), type: type, size: size)
    desk.hold(hash)
    do {
      try await draft.place(as: hash)
      let stored = try await service.write { [owner] in try $0.add(file, of: owner, in: $1) }
      desk.release(hash)
      return stored
    } catch {
      desk.release(hash)
      await service.removeUnlessUsed(hash)
      throw StoreError(error)
    }
  }
}

extension StoreService {
  /// Whether files can be uploaded.
  package var keepsFiles: Bool { desk != nil }

  /// Begins to take a file in.
  ///
  /// - Parameters:
  ///   - name: as the publisher says it; it is cleaned.
  ///   - size: as far as it is known, so that a file without room is refused before its bytes come.
  /// - Throws: ``StoreError/quotaReached(what:)``, ``StoreError/busy``,
  ///   ``StoreError/notSupported(what:)`` for a store that keeps no files.
  package func beginFile(
    named name: String?, size: Int?, of owner: FileOwner
  ) async throws(StoreError) -> FileIntake {
    guard let desk else { throw StoreError.notSupported(what: "uploading files") }
    try await read { try $0.checkRoom(forFileOf: size ?? 0, of: owner, in: $1) }
    do {
      return try await FileIntake(self, desk, owner, name: name.flatMap(FileName.cleaned))
    } catch {
      throw StoreError(error)
    }
  }

  /// A file that may be read, with its bytes.
  ///
  /// - Throws: ``StoreError/notFound(what:)``.
  package func openFile(
    _ id: FileID
  ) async throws(StoreError) -> (file: StoredFile, bytes: any ShelvedFile) {
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

  /// Removes a file that nothing names, at once.
  package func removeUpload(_ file: StoredFile) async throws(StoreError) {
    try await write { _, transaction in
      guard let file = try transaction.file(file.id), file.item == nil else { return }
      try transaction.removeFile(file.id, of: file.user)
    }
  }

  fileprivate func removeUnlessUsed(_ hash: FileHash) async {
    guard let desk else { return }
    // What stays behind is found when the store is started again.
    try? await removeUnlessUsed([hash], from: desk)
  }

  /// Removes bytes that no row has: found within a write, removed when it is committed, because its
  /// body may run twice and the commit may fail.
  private func removeUnlessUsed(
    _ hashes: some Collection<FileHash> & Sendable, from desk: FileDesk
  ) async throws(StoreError) {
    _ = try await write(
      { _, transaction in
        let unused = try hashes.filter { try !transaction.isInUse($0) }
        for hash in hashes { try transaction.forgetLoose(hash) }
        return unused
      }, committed: { desk.remove($0) })
  }

  /// Bytes removed in one transaction: unlinking takes its time on some disks.
  private static let hashesPerStep = 20

  /// Removes files whose time is over.
  ///
  /// - Returns: how many.
  func sweepFiles() async throws(StoreError) -> Int {
    var count = 0
    while case let files = try await read({
      try $1.expiredFiles(by: $0.expiryNow, limit: $0.limits.sweepItemsMax)
    }), !files.isEmpty {
      count += try await write { try $0.expire(files, in: $1) }
      if Task.isCancelled { return count }
    }
    return count
  }

  /// Removes bytes that belong to no file any more; the first time also bytes that a crash left.
  func sweepBytes() async throws(StoreError) {
    guard let desk else { return }
    while case let hashes = try await read({ try $1.looseHashes(limit: Self.hashesPerStep) }),
      !hashes.isEmpty
    {
      try await removeUnlessUsed(hashes, from: desk)
      if Task.isCancelled { return }
    }
    if desk.takeTidying() { try await tidy(desk) }
  }

  /// Looks through the shelf, some hashes at a time.
  private func tidy(_ desk: FileDesk) async throws(StoreError) {
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
