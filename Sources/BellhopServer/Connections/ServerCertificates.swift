package import BellhopModel
internal import Glibc
internal import NIOSSL
internal import Synchronization

/// The certificate of a server, which can be reloaded while it runs.
package final class ServerCertificates: Sendable {
  private struct State {
    var context: NIOSSLContext
    var expires: Timestamp
  }

  private let certificate: String
  private let key: String
  private let credentials: String?
  private let state: Mutex<State>

  /// Reads the certificate chain and the private key, both PEM.
  ///
  /// - Parameter credentials: See ``SecretFile/check(_:credentials:)``.
  /// - Throws: ``ServerError/badCertificate(path:reason:)``, ``ServerError/exposedSecret(path:)``.
  package init(
    certificate: String, key: String, credentials: String? = nil
  ) throws(ServerError) {
    self.certificate = certificate
    self.key = key
    self.credentials = credentials
    try SecretFile.check(key, credentials: credentials)
    state = Mutex(try Self.read(certificate: certificate, key: key))
  }

  /// Reloads the files. New connections use the new certificate.
  ///
  /// If the files are invalid, the old certificate stays in use.
  ///
  /// - Throws: ``ServerError/badCertificate(path:reason:)``, ``ServerError/exposedSecret(path:)``.
  package func reload() throws(ServerError) {
    try SecretFile.check(key, credentials: credentials)
    let fresh = try Self.read(certificate: certificate, key: key)
    state.withLock { $0 = fresh }
  }

  /// The time at which the certificate expires.
  package var expires: Timestamp { state.withLock(\.expires) }

  var context: NIOSSLContext { state.withLock(\.context) }

  private static func read(certificate: String, key: String) throws(ServerError) -> State {
    let chain: [NIOSSLCertificate]
    do { chain = try NIOSSLCertificate.fromPEMFile(certificate) } catch {
      throw .badCertificate(
        path: certificate, reason: reason(certificate, "expected a PEM certificate"))
    }
    guard let first = chain.first else {
      throw .badCertificate(path: certificate, reason: "it contains no certificate")
    }
    let privateKey: NIOSSLPrivateKey
    do { privateKey = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
      throw .badCertificate(
        path: key, reason: reason(key, "expected a PEM private key without a password"))
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    do {
      return State(
        context: try NIOSSLContext(configuration: configuration),
        expires: Timestamp(seconds: Int64(first.notValidAfter)))
    } catch {
      throw .badCertificate(path: key, reason: "it does not match \(certificate)")
    }
  }

  /// Returns the system's reason why a file cannot be read, or `otherwise` if it is readable.
  private static func reason(_ path: String, _ otherwise: String) -> String {
    access(path, R_OK) == 0 ? otherwise : String(cString: strerror(errno)).lowercased()
  }
}
