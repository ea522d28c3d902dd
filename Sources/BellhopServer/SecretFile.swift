internal import BellhopStore

/// A file that holds a secret: a private key, a token.
package enum SecretFile {
  /// Fails when more than the file's owner may use it. A file that is not there passes.
  ///
  /// - Parameter credentials: the folder of this service's credentials, `$CREDENTIALS_DIRECTORY`
  ///   (systemd.exec(5)). The group bits of a file there are the mask of a list of access that lets
  ///   in the service alone, so that they are passed over.
  /// - Throws: ``ServerError/exposedSecret(path:)``.
  package static func check(_ path: String, credentials: String? = nil) throws(ServerError) {
    guard let file = FileFacts(path: path, followsLink: true) else { return }
    let isCredential = credentials.map { path.hasPrefix($0 + "/") && !path.contains("/../") }
    guard file.mode & (isCredential == true ? 0o007 : 0o077) == 0 else {
      throw .exposedSecret(path: path)
    }
  }
}
