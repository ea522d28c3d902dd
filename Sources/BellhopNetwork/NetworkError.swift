package import BellhopModel
internal import Glibc

/// A failure below HTTP: name resolution, a connection or TLS. Owns the texts of these failures.
package enum NetworkError: Error, Hashable, Sendable {
  /// A host name that does not exist.
  case unknownHost(String)
  /// A lack of response from all name servers.
  case namesUnavailable(host: String)
  case noSocket(path: String)
  /// A path that is too long for a socket address.
  case socketPathTooLong(path: String)
  /// A port or socket on which no process listens.
  case refused(NetworkPeer)
  case noRoute(NetworkPeer)
  /// A connection that the system or a firewall forbids this user.
  case notPermitted(NetworkPeer)
  case timedOut(NetworkPeer)
  /// A connection that ended before the response was complete.
  case closed(NetworkPeer)
  /// A connection that ended during the TLS handshake.
  case handshakeClosed(NetworkPeer)
  /// A server that does not speak TLS.
  case notTLS(NetworkPeer)
  /// A server that does not speak HTTP.
  case notHTTP(NetworkPeer)
  /// A server that does not support TLS 1.2 or newer.
  case oldTLS(NetworkPeer)
  /// A TLS handshake that failed for another reason.
  case tlsRefused(NetworkPeer)
  /// A certificate that no trusted authority issued.
  ///
  /// ``diagnosed(now:within:)`` checks whether it has expired or is not yet valid.
  case untrustedCertificate(NetworkPeer)
  case expiredCertificate(NetworkPeer, end: Timestamp)
  case earlyCertificate(NetworkPeer, begin: Timestamp)
  /// A certificate that does not cover the host's name.
  case certificateOfOtherHost(NetworkPeer)
  /// A file of trusted authorities without certificates; the path is nil if not known.
  case badAuthorityFile(path: String?)
  /// Another system error.
  case system(code: Int32, NetworkPeer)
  /// A network failure without a case of its own.
  case unexpected(NetworkPeer)
  /// A description that another process reported.
  case reported(String)
}

extension NetworkError: ExplainedError {
  /// A description of the failure, as a clause without a capital letter or a full stop.
  package var description: String {
    switch self {
    case .unknownHost(let host): "there is no host named \(host)"
    case .namesUnavailable(let host): "no name server answered, so \(host) was not found"
    case .noSocket(let path): "the socket \(path) does not exist"
    case .socketPathTooLong(let path): "the socket path \(path) is too long"
    case .refused(let peer): "nothing is listening on \(peer.words)"
    case .noRoute(let peer): "this machine has no route to \(peer.host)"
    case .notPermitted(let peer): "this user may not connect to \(peer.words)"
    case .timedOut(let peer): "\(peer.words) did not answer in time"
    case .closed(let peer): "\(peer.words) closed the connection before the response was complete"
    case .handshakeClosed(let peer): "\(peer.words) closed the connection before TLS began"
    case .notTLS(let peer): "\(peer.words) does not speak TLS"
    case .notHTTP(let peer): "\(peer.words) does not speak HTTP"
    case .oldTLS(let peer): "the server \(peer.host) supports no secure version of TLS"
    case .tlsRefused(let peer): "the TLS handshake with \(peer.host) failed"
    case .untrustedCertificate(let peer):
      "this machine does not trust the issuer of the certificate of \(peer.host)"
    case .expiredCertificate(let peer, let end):
      "the certificate of \(peer.host) expired on \(Self.day(end))"
    case .earlyCertificate(let peer, let begin):
      "the certificate of \(peer.host) is not valid before \(Self.day(begin))"
    case .certificateOfOtherHost(let peer): "the server's certificate is not for \(peer.host)"
    case .badAuthorityFile(let path):
      path.map { "the file \($0) contains no certificates in PEM format" }
        ?? "the file of trusted authorities contains no certificates in PEM format"
    case .system(let code, let peer):
      "the system could not connect to \(peer.words): "
        + String(cString: strerror(code)).clause
    case .unexpected(let peer): "the connection to \(peer.words) failed"
    case .reported(let words): words
    }
  }

  /// A description of the failure, as a sentence.
  package var sentence: String { description.sentence }

  /// Advice for the user, in one or more sentences; nil if another process has already given it.
  package var advice: String? {
    switch self {
    case .unknownHost: "Check the spelling of the address."
    case .namesUnavailable, .noRoute: "Check this machine's network connection."
    case .noSocket, .refused: "Check the address, and that the server is running."
    case .socketPathTooLong: "Choose a shorter path."
    case .notPermitted: "Check its permissions, and the firewall."
    case .timedOut: "Check the address and the firewall, or try again later."
    case .closed: "Try again. If it happens again, check the server's log."
    case .handshakeClosed(let peer), .notTLS(let peer), .notHTTP(let peer):
      peer.otherURL.map { "Is it \($0)?" } ?? "Check the address."
    case .oldTLS: "The server needs TLS 1.2 or newer."
    case .tlsRefused: "Ask the server's administrator to check its TLS settings."
    case .untrustedCertificate:
      "If you use your own certificate authority, set ca-file in config.toml."
    case .expiredCertificate:
      "Check this machine's clock, or ask the server's administrator to renew it."
    case .earlyCertificate: "Check this machine's clock."
    case .certificateOfOtherHost: "Use a host name that the certificate contains."
    case .badAuthorityFile: "Correct ca-file in config.toml."
    case .system, .unexpected: "Try again. To check the connection: bellhop doctor."
    case .reported: nil
    }
  }

  /// Whether the failure concerns TLS or the certificate.
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

  /// Returns the date in UTC, as in `2026-12-24`.
  private static func day(_ time: Timestamp) -> String { String(time.description.prefix(10)) }
}
