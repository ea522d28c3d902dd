package import BellhopModel
internal import Glibc

/// A failure below HTTP: of names, connections and TLS. The one place that has words for it.
package enum NetworkError: Error, Hashable, Sendable {
  /// No name server knows the host.
  case unknownHost(String)
  /// No name server answers.
  case namesUnavailable(host: String)
  case noSocket(path: String)
  /// A path that does not fit a socket's address.
  case socketPathTooLong(path: String)
  /// Nothing listens there.
  case refused(NetworkPeer)
  case noRoute(NetworkPeer)
  /// The system, or a firewall, does not let this user connect.
  case notPermitted(NetworkPeer)
  case timedOut(NetworkPeer)
  /// The connection ended before the answer was complete.
  case closed(NetworkPeer)
  /// The connection ended before TLS was agreed on.
  case handshakeClosed(NetworkPeer)
  /// Something else than TLS answers.
  case notTLS(NetworkPeer)
  /// Something else than HTTP answers.
  case notHTTP(NetworkPeer)
  /// The server has no TLS 1.2 or newer.
  case oldTLS(NetworkPeer)
  /// TLS was not agreed on for another reason.
  case tlsRefused(NetworkPeer)
  /// No authority that is trusted vouches for the certificate; ``diagnosed(now:within:)`` looks
  /// whether it is out of date.
  case untrustedCertificate(NetworkPeer)
  case expiredCertificate(NetworkPeer, end: Timestamp)
  case earlyCertificate(NetworkPeer, begin: Timestamp)
  /// The certificate is for other names than the host's.
  case certificateOfOtherHost(NetworkPeer)
  /// The file of trusted authorities holds no certificates; nil when its path is not known.
  case badAuthorityFile(path: String?)
  /// Another error of the system.
  case system(code: Int32, NetworkPeer)
  /// The network failed in a way that is not known here.
  case unexpected(NetworkPeer)
  /// The words of another process that met the failure.
  case reported(String)
}

extension NetworkError: ExplainedError {
  /// What failed, as a clause without a capital letter and a full stop.
  package var description: String {
    switch self {
    case .unknownHost(let host): "there is no host named \(host)"
    case .namesUnavailable(let host): "no name server answers, so \(host) was not found"
    case .noSocket(let path): "there is no socket \(path)"
    case .socketPathTooLong(let path): "the path \(path) is too long for a socket"
    case .refused(let peer): "nothing listens on \(peer.words)"
    case .noRoute(let peer): "this machine has no route to \(peer.host)"
    case .notPermitted(let peer): "this user may not connect to \(peer.words)"
    case .timedOut(let peer): "\(peer.words) did not answer in time"
    case .closed(let peer): "\(peer.words) closed the connection before the answer was complete"
    case .handshakeClosed(let peer): "\(peer.words) closed the connection before TLS began"
    case .notTLS(let peer): "\(peer.words) does not speak TLS"
    case .notHTTP(let peer): "\(peer.words) does not speak HTTP"
    case .oldTLS(let peer): "the server \(peer.host) has no TLS version that is safe"
    case .tlsRefused(let peer): "no TLS connection to \(peer.host) could be agreed on"
    case .untrustedCertificate(let peer):
      "the certificate of \(peer.host) is from no authority that this machine trusts"
    case .expiredCertificate(let peer, let end):
      "the certificate of \(peer.host) expired on \(Self.day(end))"
    case .earlyCertificate(let peer, let begin):
      "the certificate of \(peer.host) is not valid before \(Self.day(begin))"
    case .certificateOfOtherHost(let peer): "the certificate there is not for \(peer.host)"
    case .badAuthorityFile(let path):
      path.map { "the file \($0) holds no certificates in PEM" }
        ?? "the file of trusted authorities holds no certificates in PEM"
    case .system(let code, let peer):
      "the system could not connect to \(peer.words): "
        + String(cString: strerror(code)).clause
    case .unexpected(let peer): "the connection to \(peer.words) failed"
    case .reported(let words): words
    }
  }

  /// What failed, as a sentence.
  package var sentence: String { description.sentence }

  /// What the person can do, in one or more sentences; nil where another process has said it.
  package var advice: String? {
    switch self {
    case .unknownHost: "Check the spelling of the address."
    case .namesUnavailable, .noRoute: "Check this machine's network connection."
    case .noSocket, .refused: "Check the address, and that the server runs."
    case .socketPathTooLong: "Choose a shorter one."
    case .notPermitted: "Check its permissions, and the firewall."
    case .timedOut: "Check the address and the firewall, or try again later."
    case .closed: "Try again. If it happens again, look into the server's log."
    case .handshakeClosed(let peer), .notTLS(let peer), .notHTTP(let peer):
      peer.otherURL.map { "Is it \($0)?" } ?? "Check the address."
    case .oldTLS: "The server needs TLS 1.2 or newer."
    case .tlsRefused: "Ask the server's administrator to check its TLS settings."
    case .untrustedCertificate: "For an authority of your own, set ca-file in config.toml."
    case .expiredCertificate:
      "Ask the server's administrator to renew it, and check this machine's clock."
    case .earlyCertificate: "Check this machine's clock."
    case .certificateOfOtherHost: "Write the address with a name that the certificate is for."
    case .badAuthorityFile: "Correct ca-file in config.toml."
    case .system, .unexpected: "Try again; bellhop doctor checks the way to the store."
    case .reported: nil
    }
  }

  /// Whether the certificate, or TLS itself, is at fault.
  package var isAboutTLS: Bool {
    switch self {
    case .handshakeClosed, .notTLS, .oldTLS, .tlsRefused, .untrustedCertificate,
      .expiredCertificate, .earlyCertificate, .certificateOfOtherHost, .badAuthorityFile:
      true
    case .unknownHost, .namesUnavailable, .noSocket, .socketPathTooLong, .refused, .noRoute,
      .notPermitted, .timedOut, .closed, .notHTTP, .system, .unexpected, .reported:
      false
    }
  }

  /// `2026-12-24`, in UTC.
  private static func day(_ time: Timestamp) -> String { String(time.description.prefix(10)) }
}
