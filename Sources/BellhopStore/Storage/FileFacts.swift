internal import Glibc

/// What the system says of a file: its kind, owner and mode.
package struct FileFacts: Sendable {
  package let isSocket: Bool
  /// The user it belongs to.
  package let owner: UInt32
  /// The permission bits.
  package let mode: UInt32

  /// - Parameter followsLink: whether a link at the path stands for what it names.
  /// - Returns: nil when there is nothing at the path, or nothing that may be looked at.
  package init?(path: String, followsLink: Bool) {
    var information = stat()
    let result = followsLink ? stat(path, &information) : lstat(path, &information)
    guard result == 0 else { return nil }
    isSocket = information.st_mode & S_IFMT == S_IFSOCK
    owner = information.st_uid
    mode = information.st_mode & 0o7777
  }
}
