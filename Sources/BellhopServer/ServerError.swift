internal import BellhopModel

/// The reason why a server does not start or stopped early.
package enum ServerError: ExplainedError, Sendable {
  /// Another program listens on the address. Nothing was changed.
  case addressInUse(String)
  /// A store already accepts connections on the socket.
  case socketAnswers(path: String)
  /// The system does not allow this program to listen on the address.
  case notPermitted(String)
  /// The file at the path is not a socket. It was not changed.
  case notASocket(path: String)
  /// The path is too long for a socket's address.
  case pathTooLong(path: String, bytesMax: Int)
  /// A certificate or key cannot be used. A certificate already in use stays in use.
  case badCertificate(path: String, reason: String)
  /// The address needs TLS, but no certificate is configured.
  case noCertificate(String)
  case cannotListen(String, reason: String)
  /// Other users than its owner may use a file that contains a secret.
  case exposedSecret(path: String)
  /// The system allows too few open files to run a store.
  case tooFewOpenFiles(limit: Int, needed: Int)
  case failed(reason: String)

  package var description: String {
    switch self {
    case .addressInUse(let address):
      "Another program already uses \(address). Stop it, or choose another address with --listen."
    case .socketAnswers(let path):
      "Another store already uses \(path). Nothing was changed."
    case .notPermitted(let address):
      "This user may not listen on \(address). Choose another address with --listen or --unix."
    case .notASocket(let path):
      "\(path) is not a socket. It was not changed. Choose another path with --unix."
    case .pathTooLong(let path, let bytesMax):
      "\(path) is too long for a socket: at most \(bytesMax) bytes. Choose another with --unix."
    case .badCertificate(let path, let reason):
      "\(path) cannot be used for TLS: \(reason)."
    case .noCertificate(let address):
      "\(address) needs a certificate. Give --tls-cert and --tls-key, or [tls] in the "
        + "configuration file."
    case .cannotListen(let address, let reason): "Cannot listen on \(address): \(reason)."
    case .exposedSecret(let path):
      "\(path) contains a secret, but its group or others can access it. It was not read. Fix: "
        + "chmod go= \(path). If the service has its own user, let systemd provide a copy "
        + "(LoadCredential= in its unit), or let root own the file and the service's group read "
        + "it: chmod 640."
    case .tooFewOpenFiles(let limit, let needed):
      "The system allows this program \(limit) open files; at least \(needed) are needed. The store "
        + "was not started. Raise the limit: ulimit -n 1024, or LimitNOFILE=1024 in its unit."
    case .failed(let reason): "The server failed: \(reason). Every acknowledged change is stored."
    }
  }
}
