internal import Glibc

/// That a sign-in of this device is under way: `bellhop login` holds it, so that a program which
/// finds no account meanwhile does not make a private store.
///
/// The lock belongs to the open file: it is gone with the process, in whatever way that ends.
package final class SignInMark: Sendable {
  private let descriptor: Int32

  /// Takes it, together with other sign-ins that are under way.
  ///
  /// - Throws: ``ClientError`` when there is no place for it.
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

  /// Whether a process holds it; false if that cannot be found out.
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
