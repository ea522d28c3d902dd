package import BellhopStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension DirectoryBlobStore {
  /// Returns the size of a blob; nil if it does not exist.
  package func size(of hash: FileHash) async throws -> Int? {
    guard let file = path(of: hash) else { return nil }
    return try await run {
      var information = stat()
      return stat(file, &information) == 0 ? Int(information.st_size) : nil
    }
  }

  /// Whether the bytes of a blob match its hash; nil if it does not exist or cannot be read.
  func isSound(_ hash: FileHash) -> Bool? {
    guard let file = path(of: hash) else { return nil }
    let descriptor = Disk.open(file, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // A pipe without a writer would block.
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    var digest = FileDigest()
    do { try Disk.forEachPiece(of: descriptor) { digest.update($0) } } catch { return false }
    return digest.hash == hash
  }

  /// Refuses a directory that another user created or may write to. The attachments of all users of
  /// the store would be copied into it.
  ///
  /// - Throws: `StoreError.unavailable(reason:)`.
  package func refuseForeignDirectory() throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    try Disk.refuseForeign(status, path, owner: owner)
  }

  /// Shares a blob with another blob store. It becomes a hard link if both are on one disk and have
  /// the same owner, otherwise a copy.
  ///
  /// - Returns: whether the blob exists there now; false if this blob store does not have it.
  package func share(_ hash: FileHash, with other: DirectoryBlobStore) throws -> Bool {
    if other.isSound(hash) == true { return true }
    return try put(hash, on: other)
  }

  /// Copies or links a blob to another blob store, replacing the existing one.
  ///
  /// - Returns: whether the blob exists there now; false if this blob store does not have it.
  func put(_ hash: FileHash, on other: DirectoryBlobStore) throws -> Bool {
    guard let source = path(of: hash), let target = other.path(of: hash) else { return false }
    guard access(source, F_OK) == 0 else { return false }
    close(try Disk.openFile(source))
    let directory = "\(other.path)/\(hash.rawValue.prefix(2))"
    for made in [other.path, directory] { try Disk.makeDirectory(made, owner: other.owner) }
    let part = target + ".part"
    unlink(part)
    defer { unlink(part) }
    // The owner of the blob store could not read a hard link to another user's file.
    if other.owner.isOther || link(source, part) != 0 {
      try Disk.copy(source, to: part, owner: other.owner)
    }
    try Disk.check(rename(part, target), "moved into place", target)
    try Disk.sync(directory)
    return true
  }
}
