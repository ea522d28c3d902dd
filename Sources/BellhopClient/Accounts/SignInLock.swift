internal import Glibc

/// A lock that `bellhop login` holds during a sign-in of this device.
///
/// A program that finds no account in the meantime then does not create a private store. The lock
/// belongs to the open file, so it disappears with the process, however that ends.
package final class SignInLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock, which other sign-ins in progress may share.
  ///
  /// - Throws: ``ClientError`` if its file cannot be created.
  package init(in directories: Directories) throws {
    try Directories.make(directories.runtime)
    let path = Self.path(in: directories)
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw ClientError(.cannotCreate, "Cannot open \(path): \(systemMessage(errno)).")
    }
    while flock(descriptor, LOCK_SH) != 0 {
      guard errno == EINTR else {
        let reason = errno
        close(descriptor)
        throw ClientError(.tryLater, "Cannot lock \(path): \(systemMessage(reason)).")
      }
    }
  }

  deinit { close(descriptor) }

  /// Whether a process holds the lock; false if that is unknown.
  static func isHeld(in directories: Directories) -> Bool {
    let descriptor = open(path(in: directories), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private static func path(in directories: Directories) -> String {
    directories.runtime + "/sign-in.lock"
  }
}
