internal import BellhopStore
internal import Glibc

/// A file that contains a secret: a private key or a token.
package enum SecretFile {
  /// Throws when other users than the file's owner may use it. A missing file passes.
  ///
  /// If this process has another user than root, the group may read a file of root. In this way an
  /// administrator gives a key to services, such as with the group `ssl-cert` of Debian.
  ///
  /// - Parameter credentials: The folder of this service's credentials, `$CREDENTIALS_DIRECTORY`
  ///   (systemd.exec(5)). The group bits of a file there are the mask of an access control list
  ///   that admits only the service, so they are ignored.
  /// - Throws: ``ServerError/exposedSecret(path:)``.
  package static func check(_ path: String, credentials: String? = nil) throws(ServerError) {
    guard let file = FileFacts(path: path, followsLink: true) else { return }
    let isCredential = credentials.map { path.hasPrefix($0 + "/") && !path.contains("/../") }
    let forbidden = isCredential == true ? 0o007 : forbiddenBits(owner: file.owner, user: geteuid())
    guard file.mode & forbidden == 0 else {
      throw .exposedSecret(path: path)
    }
  }

  /// Returns the permission bits that expose a file of this owner to others than this user.
  static func forbiddenBits(owner: UInt32, user: UInt32) -> UInt32 {
    owner == 0 && user != 0 ? 0o037 : 0o077
  }
}
