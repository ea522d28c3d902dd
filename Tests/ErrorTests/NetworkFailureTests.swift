import AsyncHTTPClient
import BellhopClient
import BellhopModel
import BellhopNetwork
import BellhopOutbound
import BellhopSync
import BellhopTestSupport
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

@testable import BellhopCommands

/// Real failures, caused by the test's own sockets.
@Suite("Failures of the network and TLS")
struct NetworkFailureTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  /// The error of a request for the store's health.
  private func failure(of url: String, trusting authority: String? = nil) async throws
    -> TransportError?
  {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = folder.path + "/ca.pem"
    if let authority { try PrivateFile.write(authority, to: file) }
    let transport = try HTTPTransport(
      HTTPTransport.Configuration(
        url: url, device: DeviceID("desk"), deviceName: "desk",
        authorityFile: authority == nil ? nil : file),
      localTime: { Self.now }, token: { nil })
    var failure: TransportError?
    do throws(TransportError) {
      _ = try await transport.health()
    } catch {
      failure = error
    }
    await transport.shutdown()
    return failure
  }

  private func port(_ port: Int, isEncrypted: Bool = true, host: String = "localhost")
    -> NetworkPeer
  {
    .port(port, host: host, isEncrypted: isEncrypted)
  }

  @Test("a port without a listener, and a missing socket, are reported")
  func refused() async throws {
    let held = try ClosedPort()
    defer { withExtendedLifetime(held) {} }
    let closed = held.number
    let failure = try await failure(of: "http://127.0.0.1:\(closed)")
    let peer = port(closed, isEncrypted: false, host: "127.0.0.1")
    #expect(failure == .offline(.refused(peer)))
    #expect(failure?.sentence == "Nothing is listening on port \(closed) of 127.0.0.1.")
    #expect(throws: NetworkError.refused(peer)) { try Network.connect(peer) }
    let socket = try await self.failure(of: "unix:/nonexistent/store.sock")
    #expect(socket == .offline(.noSocket(path: "/nonexistent/store.sock")))
    #expect(socket?.sentence == "The socket /nonexistent/store.sock does not exist.")
  }

  @Test("an unknown host name is reported")
  func unknownHost() async throws {
    let failure = try await failure(of: "https://nonexistent.invalid")
    // A machine without a network has no name server to answer.
    let known = [
      "There is no host named nonexistent.invalid.",
      "No name server answered, so nonexistent.invalid was not found.",
    ]
    let sentence = try #require(failure).sentence
    #expect(known.contains(sentence), "\(sentence)")
    let peer = port(443, host: "nonexistent.invalid")
    let looked = #expect(throws: NetworkError.self) { try Network.connect(peer) }
    #expect(known.contains(looked?.sentence ?? ""))
  }

  @Test("https to a plain port is reported")
  func notTLS() async throws {
    try await TestServer.with(.answers("HTTP/1.1 400 Bad Request\r\n\r\n")) { port in
      let failure = try await failure(of: "https://localhost:\(port)")
      #expect(failure?.sentence == "Port \(port) of localhost does not speak TLS.")
      #expect(failure?.advice == "Is it http://localhost:\(port)?")
    }
  }

  @Test("http to a TLS port, and another protocol on a port, are reported")
  func notHTTP() async throws {
    try await TestServer.with(.tls(certificate: Certificates.valid)) { port in
      let failure = try await failure(of: "http://localhost:\(port)")
      let peer = self.port(port, isEncrypted: false)
      #expect(failure == .offline(.closed(peer)) || failure == .offline(.notHTTP(peer)))
    }
    try await TestServer.with(.answers("SSH-2.0-OpenSSH_9.6\r\n")) { port in
      let failure = try await failure(of: "http://localhost:\(port)")
      #expect(failure?.sentence == "Port \(port) of localhost does not speak HTTP.")
      #expect(failure?.advice == "Is it https://localhost:\(port)?")
    }
  }

  @Test("a connection that closes at once, or in the middle of an answer, is reported")
  func closed() async throws {
    try await TestServer.with(.hangsUp) { port in
      let failure = try await failure(of: "https://localhost:\(port)")
      let peer = self.port(port)
      #expect(failure == .offline(.handshakeClosed(peer)) || failure == .offline(.closed(peer)))
    }
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"status\":"
    try await TestServer.with(.answers(half)) { port in
      let failure = try await failure(of: "http://localhost:\(port)")
      #expect(failure == .offline(.closed(self.port(port, isEncrypted: false))))
    }
  }

  @Test(
    "a certificate that is untrusted, out of date, or for another host is reported",
    arguments: [
      (Certificates.valid, false, "does not trust the issuer of the certificate of localhost."),
      (Certificates.expired, true, "expired on 2025-03-01."),
      (Certificates.early, true, "is not valid before 2097-01-01."),
      (Certificates.ofOtherHost, true, "The server's certificate is not for localhost."),
    ])
  func certificates(shown: String, isTrusted: Bool, words: String) async throws {
    let authority = isTrusted ? Certificates.authority : nil
    try await TestServer.with(.tls(certificate: shown)) { port in
      // On a busy machine the time for the second check may run out: then the first error is
      // reported.
      var last = ""
      let advice = try await eventually("a failure that \(words)", last: last) { () -> String?? in
        let failure = try await failure(of: "https://localhost:\(port)", trusting: authority)
        last = failure?.sentence ?? "none"
        return last.hasSuffix(words) ? .some(failure?.advice) : nil
      }
      #expect(advice?.isEmpty == false)

      // A provider's certificate is checked in the same way.
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      if let authority { try PrivateFile.write(authority, to: folder.path + "/ca.pem") }
      let provider = ProviderClient(
        authorityFile: isTrusted ? folder.path + "/ca.pem" : nil, localTime: { Self.now })
      let told = try await eventually("a refusal that \(words)", last: last) { () -> String? in
        let refused = await #expect(throws: TransportError.self) {
          try await provider.endpoints(of: "https://localhost:\(port)")
        }
        last = try #require(refused).description
        return last.contains(words.dropLast().dropFirst()) ? last : nil
      }
      #expect(told.hasPrefix("the identity provider cannot be reached ("), "\(told)")
    }
  }

  @Test("a trusted certificate is checked for its dates")
  func life() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = folder.path + "/ca.pem"
    try PrivateFile.write(Certificates.authority, to: file)
    try await TestServer.with(.tls(certificate: Certificates.valid)) { port in
      let life = try await CertificateCheck.life(
        ofCertificateAt: "localhost", port: port, authorityFile: file, within: patience)
      #expect(life.end.description.hasPrefix("2098-01-01"))
    }
  }

  @Test("a file of authorities without a certificate is reported")
  func badAuthorities() async throws {
    try await TestServer.with(.tls(certificate: Certificates.valid)) { port in
      let failure = try await failure(of: "https://localhost:\(port)", trusting: "not PEM")
      let sentence = try #require(failure).sentence
      #expect(sentence.hasPrefix("The file /tmp/"), "\(sentence)")
      #expect(sentence.hasSuffix("/ca.pem contains no certificates in PEM format."), "\(sentence)")
    }
  }

  @Test("requests to untrusted hosts report the same failures")
  func outbound() async throws {
    func failure(_ url: String) async throws -> OutboundError? {
      let caller = GuardedHTTPClient(
        OutboundRules(
          allowedNetworks: AddressKind.nearbyNetworks, answerTimeout: patience,
          answerBytesMax: 1024), userAgent: "test",
        sleep: { try await ContinuousClock().sleep(for: $0) })
      let url = try OutboundURL(url, OutboundURL.Rules(allowsPlain: true))
      do throws(OutboundError) {
        _ = try await caller.call(OutboundRequest(url: url))
        return nil
      } catch {
        return error
      }
    }
    let closed = try ClosedPort()
    #expect(
      try await failure("http://localhost:\(closed.number)/")
        == .unconnected(.refused(port(closed.number, isEncrypted: false))))
    withExtendedLifetime(closed) {}
    try await TestServer.with(.answers("HTTP/1.1 400 Bad Request\r\n\r\n")) { port in
      let failure = try await failure("https://localhost:\(port)/")
      #expect(failure == .unconnected(.notTLS(self.port(port))))
    }
    try await TestServer.with(.tls(certificate: Certificates.valid)) { port in
      let failure = try await failure("https://localhost:\(port)/")
      #expect(failure == .unconnected(.untrustedCertificate(self.port(port))))
    }
    try await TestServer.with(.hangsUp) { port in
      let failure = try await failure("http://localhost:\(port)/")
      #expect(failure == .brokenAnswer(.closed(self.port(port, isEncrypted: false))))
    }
  }

  private static let peer = NetworkPeer.port(443, host: "store.example.com", isEncrypted: true)

  @Test(
    "errors of libraries and of the system become network errors",
    arguments: [
      (HTTPClientError.connectTimeout, NetworkError.timedOut(peer)),
      (HTTPClientError.remoteConnectionClosed, .closed(peer)),
      (HTTPClientError.invalidProxyResponse, .unexpected(peer)),
      (IOError(errnoCode: 111, reason: "connect"), .refused(peer)),
      (IOError(errnoCode: 113, reason: "connect"), .noRoute(peer)),
      (IOError(errnoCode: 101, reason: "connect"), .noRoute(peer)),
      (IOError(errnoCode: 110, reason: "connect"), .timedOut(peer)),
      (IOError(errnoCode: 104, reason: "read"), .closed(peer)),
      (IOError(errnoCode: 13, reason: "connect"), .notPermitted(peer)),
      (IOError(errnoCode: 24, reason: "socket"), .system(code: 24, peer)),
      (ChannelError.connectTimeout(.seconds(1)), .timedOut(peer)),
      (ChannelError.eof, .closed(peer)),
      (NIOSSLError.uncleanShutdown, .closed(peer)),
      (NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])), .handshakeClosed(peer)),
      (NIOSSLError.handshakeFailed(.sslError([])), .tlsRefused(peer)),
      (NIOSSLExtraError.failedToValidateHostname, .certificateOfOtherHost(peer)),
      (HTTPParserError.invalidVersion, .notHTTP(peer)),
      (HTTPParserError.invalidEOFState, .closed(peer)),
      (CancellationError(), .unexpected(peer)),
    ] as [(any Error, NetworkError)])
  func libraries(error: any Error, meaning: NetworkError) {
    #expect(NetworkError(error, at: Self.peer) == meaning)
  }

  @Test(
    "an address gives its peer: a host and port, or a socket",
    arguments: [
      (
        "https://store.example.com",
        NetworkPeer.port(443, host: "store.example.com", isEncrypted: true)
      ),
      ("http://[::1]:8642/a", .port(8642, host: "::1", isEncrypted: false)),
      (
        "https://alice@store.example.com:99?q",
        .port(99, host: "store.example.com", isEncrypted: true)
      ),
      ("unix:/run/store.sock", .socket(path: "/run/store.sock")),
      ("http+unix://%2Frun%2Fa%20b.sock/x", .socket(path: "/run/a b.sock")),
      ("https://", nil), ("https://h:port", nil), ("https://h:70000", nil), ("ftp://h", nil),
    ] as [(String, NetworkPeer?)])
  func places(url: String, peer: NetworkPeer?) {
    #expect(NetworkPeer(url: url) == peer)
  }
}
