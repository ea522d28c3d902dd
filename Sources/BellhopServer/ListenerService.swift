internal import BellhopModel
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import ServiceLifecycle

/// One listener with its connections.
///
/// Does not use the library's own application type, which may send a date that is a second old.
/// Clients set their clocks by the date.
enum ListenerService {
  static func make(
    _ listener: Listener, _ server: StoreServer, _ responder: RouterResponder<StoreContext>,
    logger: Logger, opened: @escaping @Sendable (Listener) -> Void
  ) throws -> any Service {
    let limits = server.configuration
    let address: BindAddress
    switch listener {
    case .tcp(let host, let port), .tls(let host, let port):
      address = .hostname(host, port: port)
    case .unix(let path): address = .unixDomainSocket(path: path)
    case .administration(let path):
      address = .unixDomainSocket(path: try SocketFile.pathToListen(on: path))
    }
    guard !listener.isEncrypted || server.certificates != nil else {
      throw ServerError.noCertificate(listener.description)
    }
    let connectionsMax =
      listener.audience == .administration ? administrationsMax : limits.connectionsMax
    let builder = HTTPServerBuilder { responder in
      StoreChannel(
        base: HTTP1Channel(responder: responder, configuration: http(limits)),
        listener: listener, limits: limits, activity: server.activity,
        certificates: listener.isEncrypted ? server.certificates : nil)
    }
    return try builder.buildServer(
      configuration: HummingbirdCore.ServerConfiguration(
        address: address,
        availableConnectionsDelegate: MaximumAvailableConnections(
          connectionsMax, logger: logger)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger,
      responder: { request, writer, channel in
        let source = ApplicationRequestContextSource(channel: channel, logger: server.logger)
        var context = StoreContext(source: source)
        // A connection that was reset has lost its address, and must not count as a Unix socket,
        // whose reports about clients are trusted.
        guard context.peer != nil || listener.socketPath != nil else {
          throw ChannelError.ioOnClosedChannel
        }
        context.isEncrypted = listener.isEncrypted
        context.isLocal = listener.isLocal
        context.isServed = true
        let response = try await answer(to: request, context, server, by: responder)
        try await writer.write(response: response.head, body: response.body)
      },
      onServerRunning: { channel in
        channel.eventLoop.execute { [logger = server.logger] in
          let acceptGuard = AcceptGuard(listener, logger: logger) {
            [connections = server.activity.connections] in
            // The owner can connect even while the store refuses all other clients.
            listener.audience == .administration
              || OpenFiles.hasRoom(for: connections.figures.open)
          }
          try? channel.pipeline.syncOperations.addHandler(acceptGuard, position: .first)
        }
        switch listener {
        case .tcp(let host, let port):
          opened(.tcp(host: host, port: channel.localAddress?.port ?? port))
        case .tls(let host, let port):
          opened(.tls(host: host, port: channel.localAddress?.port ?? port))
        case .unix(let path), .administration(let path):
          try? SocketFile.protect(path)
          opened(listener)
        }
      })
  }

  /// Returns the router's response.
  ///
  /// The call stack to the router is deep, and a task keeps the stack memory that it once used. A
  /// stream stays open, so it runs this part in another task.
  private static func answer(
    to request: Request, _ context: StoreContext, _ server: StoreServer,
    by responder: RouterResponder<StoreContext>
  ) async throws -> Response {
    guard server.isStream(request.uri.path) else {
      return try await responder.respond(to: request, context: context)
    }
    return try await Task { [context] in
      try await responder.respond(to: request, context: context)
    }.value
  }

  private static func http(_ limits: ServerConfiguration) -> HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: [PaceMarks()],
      idleTimeout: TimeAmount(limits.idleTimeout),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: limits.headerBytesMax, maxHeaderListSize: limits.headerBytesMax,
        maxHeaderFieldCount: limits.headerFieldsMax))
  }

  /// The maximum number of connections to the admin socket.
  ///
  /// The socket has a limit of its own, so that other clients cannot keep the owner out.
  private static let administrationsMax = 16
}

/// A connection below HTTP: admission, pace limits and encryption.
struct StoreChannel: ServerChildChannel, HTTPChannelHandler {
  typealias Value = HTTP1Channel.Value

  let base: HTTP1Channel
  let listener: Listener
  let limits: ServerConfiguration
  let activity: ServerActivity
  let certificates: ServerCertificates?

  /// The address has reached its limit of connections.
  struct ConnectionLimitError: Error {}

  var responder: HTTPChannelHandler.Responder { base.responder }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let admitted =
      listener.audience == .administration
      ? PeerCheck.check(channel) : channel.eventLoop.makeCompletedFuture { try enter(channel) }
    return admitted.flatMapThrowing { try addHandlers(to: channel) }
      .flatMap { base.setup(channel: channel, logger: logger) }
      .flatMapThrowing { value in
        if listener.hasHost { try HostCheck.add(to: channel.pipeline.syncOperations) }
        // Accepted while the listener closed: the event to close when idle came before the pipeline
        // could receive it, and is not repeated.
        if channel.parent?.isActive == false {
          channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        return value
      }
      .flatMapErrorThrowing { error in
        channel.close(promise: nil)
        throw error
      }
  }

  private func enter(_ channel: any Channel) throws {
    let address = channel.remoteAddress?.ipAddress
    let connections = activity.connections
    guard connections.open(from: address) else { throw ConnectionLimitError() }
    channel.closeFuture.whenComplete { _ in connections.close(from: address) }
    guard address != nil else { return }
    // Detects a client that vanished silently by the next heartbeat, not after the system's quarter
    // of an hour; see tcp(7), TCP_USER_TIMEOUT.
    let milliseconds = limits.heartbeatInterval.milliseconds + limits.answerTimeout.milliseconds
    try? channel.syncOptions?.setOption(
      ChannelOptions.tcpOption(Self.userTimeout),
      value: SocketOptionValue(clamping: milliseconds))
  }

  private static let userTimeout = NIOBSDSocket.Option(rawValue: 18)

  private func addHandlers(to channel: any Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(
      PaceHandler(
        ReadingPace.Limits(
          head: limits.headerTimeout, body: limits.bodyTimeout,
          bytesPerSecondMin: limits.transferBytesPerSecondMin),
        answers: PaceHandler.AnswerLimits(
          timeout: limits.answerTimeout, bytesPerSecondMin: limits.transferBytesPerSecondMin),
        register: activity.connections))
    guard let certificates else { return }
    try pipeline.addHandler(NIOSSLServerHandler(context: certificates.context))
  }

  func handle(value: Value, logger: Logger) async {
    await withTaskExecutorPreference(EventLoopExecutor.of(value.channel.eventLoop)) {
      await base.handle(value: value, logger: logger)
    }
  }
}

/// The check of the peer of a Unix socket.
enum PeerCheck {
  /// The peer is a program of another user.
  struct UnknownPeerError: Error {}

  /// The kernel's `struct ucred`; see unix(7), `SO_PEERCRED`.
  ///
  /// Both languages lay out its three four-byte fields in order, so that the kernel can write into
  /// it through NIO.
  private struct Credentials: Sendable {
    var processID: Int32 = 0
    var userID: UInt32 = 0
    var groupID: UInt32 = 0
  }

  /// Fails unless the peer runs as this program's user or as root.
  static func check(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard let provider = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeFailedFuture(UnknownPeerError())
    }
    let answer: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(
      level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_PEERCRED))
    return answer.flatMapThrowing { peer in
      guard peer.userID == geteuid() || peer.userID == 0 else { throw UnknownPeerError() }
    }
  }
}
