internal import Glibc

/// The kind, owner and mode of a file, as reported by the system.
package struct FileFacts: Sendable {
  package let isSocket: Bool
  /// The id of the owning user.
  package let owner: UInt32
  /// The permission bits.
  package let mode: UInt32

  /// - Parameter followsLink: whether a link at the path is resolved to its target.
  /// - Returns: nil if nothing exists at the path, or access is denied.
  package init?(path: String, followsLink: Bool) {
    var information = stat()
    let result = followsLink ? stat(path, &information) : lstat(path, &information)
    guard result == 0 else { return nil }
    isSocket = information.st_mode & S_IFMT == S_IFSOCK
    owner = information.st_uid
    mode = information.st_mode & 0o7777
  }
}
