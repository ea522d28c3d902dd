package import BellhopModel
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// From when until when a certificate holds.
package struct CertificateLife: Hashable, Sendable {
  package var begin: Timestamp
  package var end: Timestamp
}

/// A handshake with a store, to look at its certificate. Nothing is asked of the store.
package enum CertificateLook {
  /// How long the certificate of `host` holds, after the same checks that every request makes.
  ///
  /// - Parameters:
  ///   - authorityFile: certificates in PEM, trusted beside the system's.
  ///   - isChecked: false looks at any certificate: to say what is wrong with it, and for nothing else.
  /// - Throws: ``TransportError``: no connection, or a certificate that is not trusted.
  package static func life(
    ofCertificateAt host: String, port: Int, authorityFile: String?, isChecked: Bool = true,
    within limit: Duration
  ) async throws(TransportError) -> CertificateLife {
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
            try channel.pipeline.syncOperations.addHandler(HandshakeWait(done))
          }
        }
      let channel: any Channel
      do {
        channel = try await bootstrap.connect(host: host, port: port).get()
      } catch {
        done.fail(error)
        throw error
      }
      let alarm = loop.scheduleTask(in: time) { channel.close(promise: nil) }
      defer {
        alarm.cancel()
        channel.close(promise: nil)
      }
      try await done.futureResult.get()
      guard let certificate = try await channel.nioSSL_peerCertificate().get() else {
        throw TransportError.badAnswer("it showed no certificate")
      }
      return CertificateLife(
        begin: Timestamp(seconds: Int64(certificate.notValidBefore)),
        end: Timestamp(seconds: Int64(certificate.notValidAfter)))
    } catch {
      throw TransportError(transportFailure: error)
    }
  }
}

/// Says when the handshake is done, or why it failed.
private final class HandshakeWait: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  let done: EventLoopPromise<Void>

  init(_ done: EventLoopPromise<Void>) { self.done = done }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent { done.succeed() }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    done.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    done.fail(TransportError.timedOut)
    context.fireChannelInactive()
  }
}
