internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// One listener with its connections. The library's own application type is passed over, because
/// it puts a date on answers that may be a second old; clients set their clocks by it.
enum ListenerService {
  static func make(
    _ listener: Listener, _ server: StoreServer, _ responder: RouterResponder<StoreContext>,
    logger: Logger, opened: @escaping @Sendable (Listener) -> Void
  ) throws -> any Service {
    let limits = server.configuration
    let address: BindAddress
    switch listener {
    case .tcp(let host, let port): address = .hostname(host, port: port)
    case .unix(let path): address = .unixDomainSocket(path: path)
    case .administration(let path):
      address = .unixDomainSocket(path: try SocketFile.pathToListen(on: path))
    }
    let connectionsMax =
      listener.audience == .administration ? administrationsMax : limits.connectionsMax
    let builder = HTTPServerBuilder { responder in
      StoreChannel(
        base: HTTP1Channel(responder: responder, configuration: http(limits)),
        isForOwnerOnly: listener.audience == .administration)
    }
    return try builder.buildServer(
      configuration: HummingbirdCore.ServerConfiguration(
        address: address,
        availableConnectionsDelegate: MaximumAvailableConnections(
          connectionsMax, logger: logger)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
      responder: { request, writer, channel in
        let source = ApplicationRequestContextSource(channel: channel, logger: server.logger)
        let response = try await responder.respond(
          to: request, context: StoreContext(source: source))
        try await writer.write(response: response.head, body: response.body)
      },
      onServerRunning: { channel in
        switch listener {
        case .tcp(let host, let port):
          opened(.tcp(host: host, port: channel.localAddress?.port ?? port))
        case .unix(let path), .administration(let path):
          try? SocketFile.protect(path)
          opened(listener)
        }
      })
  }

  private static func http(_ limits: ServerConfiguration) -> HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      idleTimeout: TimeAmount(limits.idleTimeout),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: limits.headerBytesMax, maxHeaderListSize: limits.headerBytesMax,
        maxHeaderFieldCount: limits.headerFieldsMax))
  }

  /// Administration at the same time, on a socket of its own so that a crowd elsewhere does not
  /// keep the owner out.
  private static let administrationsMax = 16
}

/// A connection before and under HTTP.
struct StoreChannel: ServerChildChannel, HTTPChannelHandler {
  typealias Value = HTTP1Channel.Value

  let base: HTTP1Channel
  /// Whether the other end has to be a program of this program's user, or of root.
  let isForOwnerOnly: Bool

  var responder: HTTPChannelHandler.Responder { base.responder }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let admitted =
      isForOwnerOnly ? PeerCheck.check(channel) : channel.eventLoop.makeSucceededVoidFuture()
    return admitted.flatMap { base.setup(channel: channel, logger: logger) }
      .flatMapErrorThrowing { error in
        channel.close(promise: nil)
        throw error
      }
  }

  func handle(value: Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

/// Who is at the other end of a Unix socket.
enum PeerCheck {
  /// The other end is a program of another user.
  struct Stranger: Error {}

  /// The kernel's `struct ucred`; see unix(7), `SO_PEERCRED`.
  private struct Credentials: Sendable {
    var processID: Int32 = 0
    var userID: UInt32 = 0
    var groupID: UInt32 = 0
  }

  /// Fails unless this program's user, or root, is at the other end.
  static func check(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard let provider = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeFailedFuture(Stranger())
    }
    let answer: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(
      level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_PEERCRED))
    return answer.flatMapThrowing { peer in
      guard peer.userID == geteuid() || peer.userID == 0 else { throw Stranger() }
    }
  }
}
