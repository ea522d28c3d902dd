internal import BellhopStore

/// A file that contains a secret: a private key or a token.
package enum SecretFile {
  /// Throws when other users than the file's owner may use it. A missing file passes.
  ///
  /// - Parameter credentials: The folder of this service's credentials, `$CREDENTIALS_DIRECTORY`
  ///   (systemd.exec(5)). The group bits of a file there are the mask of an access control list
  ///   that admits only the service, so they are ignored.
  /// - Throws: ``ServerError/exposedSecret(path:)``.
  package static func check(_ path: String, credentials: String? = nil) throws(ServerError) {
    guard let file = FileFacts(path: path, followsLink: true) else { return }
    let isCredential = credentials.map { path.hasPrefix($0 + "/") && !path.contains("/../") }
    guard file.mode & (isCredential == true ? 0o007 : 0o077) == 0 else {
      throw .exposedSecret(path: path)
    }
  }
}
