import BellhopTestSupport
import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing

/// A server on a port of this machine that fails in a given way.
final class TestServer: Sendable {
  /// The server's behaviour on a connection.
  enum Behaviour: Sendable {
    /// Presents a certificate, and closes after the handshake.
    case tls(certificate: String)
    /// Answers the first bytes with this text, and closes.
    case answers(String)
    /// Closes at once.
    case hangsUp
  }

  private let channel: any Channel

  init(_ behaviour: Behaviour) async throws {
    let tls = try Self.context(behaviour)
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
          try pipeline.addHandler(Connection(behaviour))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  private static func context(_ behaviour: Behaviour) throws -> NIOSSLContext? {
    guard case .tls(let certificate) = behaviour else { return nil }
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
    let key = try NIOSSLPrivateKey(bytes: Array(Certificates.key.utf8), format: .pem)
    return try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
  }

  var port: Int { channel.localAddress?.port ?? 0 }

  func stop() async { try? await channel.close().get() }

  /// Runs `body` with a server, and stops it afterwards.
  static func with<Result>(
    _ behaviour: Behaviour, _ body: (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let server = try await TestServer(behaviour)
    do {
      let result = try await body(server.port)
      await server.stop()
      return result
    } catch {
      await server.stop()
      throw error
    }
  }

}

/// A port on which nothing listens, and that no other program can take while this exists.
final class ClosedPort: Sendable {
  private let descriptor: Int32
  let number: Int

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Bound, but not listening: every connection is refused.
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    number = Int(UInt16(bigEndian: address.sin_port))
    try #require(isBound)
  }

  deinit { close(descriptor) }
}

private final class Connection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let behaviour: TestServer.Behaviour

  init(_ behaviour: TestServer.Behaviour) { self.behaviour = behaviour }

  func channelActive(context: ChannelHandlerContext) {
    if case .hangsUp = behaviour { context.close(promise: nil) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .answers(let text) = behaviour {
      context.writeAndFlush(
        wrapOutboundOut(context.channel.allocator.buffer(string: text)), promise: nil)
    }
    context.close(promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
