package import BellhopModel
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS

/// The period in which a certificate is valid.
package struct CertificateValidity: Hashable, Sendable {
  package var begin: Timestamp
  package var end: Timestamp
}

/// A TLS handshake that shows a server's certificate, without sending a request.
package enum CertificateCheck {
  /// Returns the validity period of the certificate of `host`, after the checks of every request.
  ///
  /// - Parameters:
  ///   - authorityFile: Certificates in PEM that are trusted in addition to the system's.
  ///   - isChecked: Whether the certificate must be valid. Without the checks the result only
  ///     serves to explain why a certificate was rejected.
  /// - Throws: ``NetworkError`` if the connection fails or the certificate is not trusted.
  package static func life(
    ofCertificateAt host: String, port: Int, authorityFile: String?, isChecked: Bool = true,
    within limit: Duration
  ) async throws(NetworkError) -> CertificateValidity {
    let peer = NetworkPeer.port(port, host: host, isEncrypted: true)
    do {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      if !isChecked { tls.certificateVerification = .none }
      if let authorityFile { tls.additionalTrustRoots = [.file(authorityFile)] }
      let context = try NIOSSLContext(configuration: tls)
      // Server name indication takes no IP address (RFC 6066 §3).
      let isNumber = (try? SocketAddress(ipAddress: host, port: port)) != nil
      let time = TimeAmount.nanoseconds(limit.components.seconds * 1_000_000_000)
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let done = loop.makePromise(of: Void.self)
      let bootstrap = ClientBootstrap(group: loop).connectTimeout(time)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let handler = try NIOSSLClientHandler(
              context: context, serverHostname: isNumber ? nil : host)
            try channel.pipeline.syncOperations.addHandler(handler)
            try channel.pipeline.syncOperations.addHandler(HandshakeWait(done, peer))
          }
        }
      let channel: any Channel
      do {
        channel = try await bootstrap.connect(host: host, port: port).get()
      } catch {
        done.fail(error)
        throw error
      }
      let alarm = loop.scheduleTask(in: time) {
        done.fail(NetworkError.timedOut(peer))
        channel.close(promise: nil)
      }
      defer {
        alarm.cancel()
        channel.close(promise: nil)
      }
      try await done.futureResult.get()
      guard let certificate = try await channel.nioSSL_peerCertificate().get() else {
        throw NetworkError.untrustedCertificate(peer)
      }
      return CertificateValidity(
        begin: Timestamp(seconds: Int64(certificate.notValidBefore)),
        end: Timestamp(seconds: Int64(certificate.notValidAfter)))
    } catch {
      throw NetworkError(error, at: peer, authorityFile: authorityFile)
    }
  }
}

extension NetworkError {
  /// Returns the same error, or a more exact one if the certificate is not valid at `now`.
  ///
  /// The TLS library does not say why it does not trust a certificate, so this makes another
  /// handshake and checks the dates.
  package func diagnosed(now: Timestamp, within limit: Duration) async -> NetworkError {
    guard case .untrustedCertificate(let peer) = self, case .port(let port, let host, _) = peer,
      let life = try? await CertificateCheck.life(
        ofCertificateAt: host, port: port, authorityFile: nil, isChecked: false, within: limit)
    else { return self }
    if now >= life.end { return .expiredCertificate(peer, end: life.end) }
    return now < life.begin ? .earlyCertificate(peer, begin: life.begin) : self
  }
}

/// A handler that completes a promise when the handshake succeeds or fails.
private final class HandshakeWait: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  private let done: EventLoopPromise<Void>
  private let peer: NetworkPeer

  init(_ done: EventLoopPromise<Void>, _ peer: NetworkPeer) {
    self.done = done
    self.peer = peer
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent { done.succeed() }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    done.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    done.fail(NetworkError.handshakeClosed(peer))
    context.fireChannelInactive()
  }
}
