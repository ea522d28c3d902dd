internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

extension NetworkError {
  /// Translates an error of AsyncHTTPClient, SwiftNIO, its TLS library or a system call.
  ///
  /// - Parameters:
  ///   - peer: The server that the program connected to.
  ///   - authorityFile: The file of certificates that are trusted in addition to the system's.
  package init(_ error: any Error, at peer: NetworkPeer, authorityFile: String? = nil) {
    switch error {
    case let error as NetworkError: self = error
    case let error as HTTPClientError: self.init(error, at: peer)
    case let error as NIOConnectionError:
      self.init(error, at: peer, authorityFile: authorityFile)
    case let error as SocketAddressError.UnknownHost:
      self.init(lookUpCode: Int32(clamping: error.errorCode), host: error.host)
    case SocketAddressError.unixDomainSocketPathTooLong:
      self = .socketPathTooLong(path: peer.host)
    case let error as IOError: self.init(code: error.errnoCode, at: peer)
    case let error as ChannelError: self.init(error, at: peer)
    case let error as NIOSSLError:
      self.init(error, at: peer, authorityFile: authorityFile)
    case let error as BoringSSLError: self.init(error, at: peer)
    case let error as NIOSSLExtraError: self.init(error, at: peer)
    case is NIOSSLCloseTimedOutError: self = .closed(peer)
    case HTTPParserError.invalidEOFState: self = .closed(peer)
    case is HTTPParserError, is NIOHTTPDecoderError: self = .notHTTP(peer)
    default: self = .unexpected(peer)  // open: any Error
    }
  }

  /// Translates the `errno` of a failed system call.
  package init(code: Int32, at peer: NetworkPeer) {
    switch code {
    case ECONNREFUSED: self = .refused(peer)
    case ENOENT:
      if case .socket(let path) = peer {
        self = .noSocket(path: path)
      } else {
        self = .system(code: code, peer)
      }
    case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: self = .noRoute(peer)
    case EACCES, EPERM: self = .notPermitted(peer)
    case ETIMEDOUT: self = .timedOut(peer)
    case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN, ESHUTDOWN: self = .closed(peer)
    default: self = .system(code: code, peer)  // open: Int32
    }
  }

  /// Translates an error code of `getaddrinfo(3)`.
  package init(lookUpCode code: Int32, host: String) {
    switch code {
    case EAI_AGAIN, EAI_FAIL, EAI_SYSTEM, EAI_MEMORY:
      self = .namesUnavailable(host: String(host.prefix(253)))
    default: self = .unknownHost(String(host.prefix(253)))  // open: Int32
    }
  }

  private init(_ error: HTTPClientError, at peer: NetworkPeer) {
    switch error {
    case .connectTimeout, .deadlineExceeded, .readTimeout, .writeTimeout, .tlsHandshakeTimeout,
      .getConnectionFromPoolTimeout:
      self = .timedOut(peer)
    case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled: self = .closed(peer)
    default: self = .unexpected(peer)  // open: HTTPClientError
    }
  }

  /// Prefers the first address whose failure is not a missing route.
  private init(_ error: NIOConnectionError, at peer: NetworkPeer, authorityFile: String?) {
    let failures = error.connectionErrors.map {
      NetworkError($0.error, at: peer, authorityFile: authorityFile)
    }
    if let failure = failures.first(where: { $0 != .noRoute(peer) }) ?? failures.first {
      self = failure
    } else if let lookUp = error.dnsAError ?? error.dnsAAAAError {
      self.init(lookUp, at: peer)
    } else {
      self = .timedOut(peer)
    }
  }

  private init(_ error: ChannelError, at peer: NetworkPeer) {
    switch error {
    case .connectTimeout: self = .timedOut(peer)
    case .eof, .ioOnClosedChannel, .alreadyClosed, .inputClosed, .outputClosed:
      self = .closed(peer)
    default: self = .unexpected(peer)  // open: ChannelError
    }
  }

  private init(_ error: NIOSSLError, at peer: NetworkPeer, authorityFile: String?) {
    switch error {
    case .handshakeFailed(let cause): self.init(cause, at: peer)
    case .failedToLoadCertificate, .noSuchFilesystemObject:
      self = .badAuthorityFile(path: authorityFile)
    case .noCertificateToValidate, .unableToValidateCertificate:
      self = .untrustedCertificate(peer)
    case .uncleanShutdown, .shutdownFailed: self = .closed(peer)
    default: self = .tlsRefused(peer)  // open: NIOSSLError
    }
  }

  private init(_ error: NIOSSLExtraError, at peer: NetworkPeer) {
    switch error {
    case .failedToValidateHostname, .serverHostnameImpossibleToMatch:
      self = .certificateOfOtherHost(peer)
    default: self = .tlsRefused(peer)  // open: NIOSSLExtraError
    }
  }

  private init(_ error: BoringSSLError, at peer: NetworkPeer) {
    switch error {
    case .sslError(let stack), .unknownError(let stack):
      guard !stack.contains(.eofDuringHandshake) else {
        self = .handshakeClosed(peer)
        return
      }
      self.init(tlsReasons: stack.map { Self.reason(of: $0.description) }, at: peer)
    case .zeroReturn, .syscallError: self = .handshakeClosed(peer)
    default: self = .tlsRefused(peer)  // open: BoringSSLError
    }
  }

  private init(tlsReasons reasons: [String], at peer: NetworkPeer) {
    func isAny(of names: Set<String>) -> Bool { !names.isDisjoint(with: reasons) }
    if isAny(of: ["CERTIFICATE_VERIFY_FAILED"]) {
      self = .untrustedCertificate(peer)
    } else if isAny(of: ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"]) {
      self = .notTLS(peer)
    } else if isAny(of: [
      "UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION", "WRONG_SSL_VERSION",
      "UNKNOWN_PROTOCOL",
    ]) {
      self = .oldTLS(peer)
    } else {
      self = .tlsRefused(peer)
    }
  }

  /// Extracts the reason from `error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER
  /// at …`.
  ///
  /// The Swift wrapper of BoringSSL reports the reason in no other form.
  private static func reason(of text: String) -> String {
    guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return "" }
    return String(text[start...].prefix { $0.isUppercase || $0.isNumber || $0 == "_" })
  }
}
