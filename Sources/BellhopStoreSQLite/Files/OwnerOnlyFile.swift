internal import BellhopStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Files that only their owner can read (SECURITY-4).
enum OwnerOnlyFile {
  /// Creates the file at `path` unless it exists, and sets its mode to 0600 in either case. SQLite
  /// gives the log and its index the mode and the owner of the database file.
  static func make(_ path: String, owner: DataOwner) throws {
    try make(path, O_CREAT, owner: owner)
  }

  /// Creates a new file with mode 0600 at `path`, which must not exist yet.
  static func makeNew(_ path: String, owner: DataOwner) throws {
    try make(path, O_CREAT | O_EXCL, owner: owner)
  }

  private static func make(_ path: String, _ flags: Int32, owner: DataOwner) throws {
    let descriptor = Disk.open(path, O_RDWR | flags, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      if code == ENOSPC || code == EDQUOT { throw StoreError.storageFull }
      let reason = String(cString: strerror(code))
      throw StoreError.unavailable(reason: "the database file cannot be opened: \(reason)")
    }
    defer { close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0 else {
      throw StoreError.unavailable(reason: "the database file cannot be made private")
    }
    try owner.adopt(descriptor, path)
  }
}

/// A folder with mode 0700 for the parts of a file that is being written beside it.
///
/// In a folder that others may write to, such as `/tmp`, another user could otherwise replace a
/// part with a link or a journal of their own.
struct PrivateTemporaryFolder {
  let path: String

  /// Creates the folder, or empties the one that an interrupted run of this user left.
  ///
  /// - Throws: ``StoreError/unavailable(reason:)`` when another user has created something at its
  ///   path.
  init(for target: String) throws {
    path = "\(target).part-\(getpid())"
    let made = mkdir(path, 0o700)
    guard made != 0 else { return }
    if errno != EEXIST { try Disk.check(made, "made", path) }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid(), status.st_mode & 0o077 == 0
    else {
      throw StoreError.unavailable(
        reason: "\(path) already exists and is not a private directory of this user; remove it")
    }
    for name in try Disk.names(in: path) { unlink("\(path)/\(name)") }
  }

  /// The path of the part that finally becomes the whole file.
  var file: String { path + "/file" }

  /// Removes the folder with its remaining contents.
  func remove() {
    for name in (try? Disk.names(in: path)) ?? [] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}
