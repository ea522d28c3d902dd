package import BellhopStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension DirectoryShelf {
  /// The size of what is there; nil for nothing.
  func size(of hash: FileHash) -> Int? {
    var information = stat()
    guard let file = path(of: hash), stat(file, &information) == 0 else { return nil }
    return Int(information.st_size)
  }

  /// Whether the bytes under a hash have that hash; nil where there are none, or they cannot be read.
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

  /// Refuses a directory that another user made, or may write to: the attachments of all users of
  /// the store would be copied into it.
  ///
  /// - Throws: ``StoreError/unavailable(reason:)``.
  package func refuseForeignDirectory() throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    try Disk.refuseForeign(status, path, owner: owner)
  }

  /// Has the bytes of this hash also on another shelf: as another name of the same file where both
  /// are on one disk and have one owner, else as a copy.
  ///
  /// - Returns: whether they are there now; false when this shelf has none.
  package func share(_ hash: FileHash, with other: DirectoryShelf) throws -> Bool {
    if other.isSound(hash) == true { return true }
    return try put(hash, on: other)
  }

  /// Puts the bytes of this hash on another shelf, in the place of what is there.
  ///
  /// - Returns: whether they are there now; false when this shelf has none.
  func put(_ hash: FileHash, on other: DirectoryShelf) throws -> Bool {
    guard let source = path(of: hash), let target = other.path(of: hash) else { return false }
    guard access(source, F_OK) == 0 else { return false }
    close(try Disk.openFile(source))
    let directory = "\(other.path)/\(hash.rawValue.prefix(2))"
    for made in [other.path, directory] { try Disk.makeDirectory(made, owner: other.owner) }
    let part = target + ".part"
    unlink(part)
    defer { unlink(part) }
    // A name of a file that another user owns would not be readable for the owner of the shelf.
    if other.owner.isOther || link(source, part) != 0 {
      try Disk.copy(source, to: part, owner: other.owner)
    }
    try Disk.check(rename(part, target), "put in place", target)
    try Disk.sync(directory)
    return true
  }
}
