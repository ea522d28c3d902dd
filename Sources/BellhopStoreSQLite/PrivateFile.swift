internal import BellhopStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Files that only their owner can read (SECURITY rule 4).
enum PrivateFile {
  /// Makes the file at `path` unless it is there, with mode 0600 either way. SQLite gives the log
  /// and its index the mode of the database file.
  static func make(_ path: String) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw StoreError.unavailable(reason: "the database file can't be opened: \(reason)")
    }
    defer { close(descriptor) }
    guard fchmod(descriptor, 0o600) == 0 else {
      throw StoreError.unavailable(reason: "the database file can't be made private")
    }
  }
}
