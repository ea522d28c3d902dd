package import BellhopModel
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS

/// The first and the last instant at which a certificate is valid.
package struct CertificateLife: Hashable, Sendable {
  package var begin: Timestamp
  package var end: Timestamp
}

/// A TLS handshake that shows a server's certificate. Nothing is asked of the server.
package enum CertificateLook {
  /// The life of the certificate of `host`, after the same checks that every request makes.
  ///
  /// - Parameters:
  ///   - authorityFile: Certificates in PEM, trusted beside the system's.
  ///   - isChecked: Whether the certificate has to be valid. Without the checks the answer only
  ///     serves to say what is wrong with it.
  /// - Throws: ``NetworkError``: no connection, or a certificate that is not trusted.
  package static func life(
    ofCertificateAt host: String, port: Int, authorityFile: String?, isChecked: Bool = true,
    within limit: Duration
  ) async throws(NetworkError) -> CertificateLife {
    let peer = NetworkPeer.port(port, host: host, isEncrypted: true)
    do {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      if !isChecked { tls.certificateVerification = .none }
      if let authorityFile { tls.additionalTrustRoots = [.file(authorityFile)] }
      let context = try NIOSSLContext(configuration: tls)
      // A number is no name that a server could choose its certificate by (RFC 6066 §3).
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
      return CertificateLife(
        begin: Timestamp(seconds: Int64(certificate.notValidBefore)),
        end: Timestamp(seconds: Int64(certificate.notValidAfter)))
    } catch {
      throw NetworkError(error, at: peer, authorityFile: authorityFile)
    }
  }
}

extension NetworkError {
  /// The same, but for a certificate that is not trusted: the library does not say why, so another
  /// handshake looks whether it is out of date.
  package func diagnosed(now: Timestamp, within limit: Duration) async -> NetworkError {
    guard case .untrustedCertificate(let peer) = self, case .port(let port, let host, _) = peer,
      let life = try? await CertificateLook.life(
        ofCertificateAt: host, port: port, authorityFile: nil, isChecked: false, within: limit)
    else { return self }
    if now >= life.end { return .expiredCertificate(peer, end: life.end) }
    return now < life.begin ? .earlyCertificate(peer, begin: life.begin) : self
  }
}

/// Tells when the handshake is done, or why it failed.
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
