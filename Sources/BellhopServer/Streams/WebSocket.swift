internal import BellhopModel
internal import Crypto
internal import HTTPTypes
package import Hummingbird
package import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// A WebSocket for clients that only listen (RFC 6455).
///
/// It sends texts. Of the received frames, only pings and close frames have an effect.
///
/// It takes over a connection from HTTP during the request. Its handlers are placed next to the
/// network and block all traffic between HTTP and the network. The response to the request is never
/// written; the connection ends with the socket.
package final class WebSocket: Sendable {
  private let channel: any Channel
  private let handler: NIOLoopBound<WebSocketHandler>

  /// The maximum size of a received frame. Listeners send small ones.
  private static let frameBytesMax = 4096
  private static let version = HTTPField.Name("Sec-WebSocket-Version")!
  private static let keyName = HTTPField.Name("Sec-WebSocket-Key")!
  private static let upgrade = HTTPField.Name("Upgrade")!
  /// The constant of RFC 6455 §1.3.
  private static let mark = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  private init(channel: any Channel, handler: NIOLoopBound<WebSocketHandler>) {
    self.channel = channel
    self.handler = handler
  }

  /// Returns the client's key; nil if the request is not for a WebSocket.
  package static func key(in exchange: Exchange) -> String? {
    let headers = exchange.request.headers
    guard headers[upgrade]?.lowercased() == "websocket", headers[version]?.trimmed == "13",
      let key = headers[keyName], Base64.decodeLeniently(key)?.count == 16
    else { return nil }
    return key
  }

  /// Takes over the connection while `body` runs.
  ///
  /// - Parameters:
  ///   - server: The server. If it is stopping, the socket closes with code 1001.
  ///   - ended: Called when the listener leaves; `body` must return then.
  /// - Returns: A response for the log only, which is never sent.
  package static func serve(
    _ key: String, on channel: any Channel, of server: StoreServer,
    ended: @escaping @Sendable () -> Void, _ body: (WebSocket) async throws -> Void
  ) async throws -> Response {
    let socket = try await open(key, on: channel, ended: ended)
    // A listener that has left is not an error.
    try? await body(socket)
    await socket.close(server.activity.isDraining ? .goingAway : .normalClosure)
    return Response(status: .switchingProtocols)
  }

  /// Takes over the connection.
  ///
  /// - Parameter ended: Called once, when the listener leaves.
  private static func open(
    _ key: String, on channel: any Channel, ended: @escaping @Sendable () -> Void
  ) async throws -> WebSocket {
    let proof = Base64.encode(Array(Insecure.SHA1.hash(data: Array((key + mark).utf8))))
    let head =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(proof)\r\n\r\n"
    return try await channel.eventLoop.submit {
      let pipeline = channel.pipeline.syncOperations
      let http = try pipeline.handler(type: HTTPResponseEncoder.self)
      try pipeline.context(handler: http).writeAndFlush(
        NIOAny(ByteBuffer(string: head)), promise: nil)
      let handler = WebSocketHandler(
        pace: try? pipeline.handler(type: PaceHandler.self), ended: ended)
      try pipeline.addHandlers(
        [
          WebSocketFrameEncoder(),
          ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: frameBytesMax)), handler,
        ], position: .before(http))
      return WebSocket(
        channel: channel, handler: NIOLoopBound(handler, eventLoop: channel.eventLoop))
    }.get()
  }

  /// Writes a text, and waits until the network has accepted it.
  package func write(_ text: String) async throws {
    let loop = channel.eventLoop
    try await loop.flatSubmit { [handler] in
      handler.value.send(.text, ByteBuffer(string: text), on: loop)
    }.get()
  }

  /// Sends a ping, which keeps the connection alive and detects a dead one.
  package func ping() async throws {
    let loop = channel.eventLoop
    try await loop.flatSubmit { [handler] in
      handler.value.send(.ping, ByteBuffer(), on: loop)
    }.get()
  }

  /// Sends a close frame and closes the connection.
  private func close(_ reason: WebSocketErrorCode) async {
    let loop = channel.eventLoop
    try? await loop.flatSubmit { [handler] in handler.value.sendClose(reason, on: loop) }.get()
    try? await channel.close().get()
  }
}

/// A handler between the frames and HTTP that lets nothing through.
final class WebSocketHandler: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = Never
  typealias OutboundIn = IOData
  typealias OutboundOut = WebSocketFrame

  /// HTTP can no longer write to this connection.
  struct TakenOverError: Error {}

  private let pace: PaceHandler?
  private let ended: @Sendable () -> Void
  private var context: ChannelHandlerContext?
  private var hasSentClose = false

  init(pace: PaceHandler?, ended: @escaping @Sendable () -> Void) {
    self.pace = pace
    self.ended = ended
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    ended()
  }

  func send(
    _ opcode: WebSocketOpcode, _ data: ByteBuffer, on loop: any EventLoop
  ) -> EventLoopFuture<Void> {
    guard let context else { return loop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
    let promise = loop.makePromise(of: Void.self)
    let frame = WebSocketFrame(fin: true, opcode: opcode, data: data)
    context.writeAndFlush(wrapOutboundOut(frame), promise: promise)
    return promise.futureResult
  }

  func sendClose(
    _ reason: WebSocketErrorCode, on loop: any EventLoop
  ) -> EventLoopFuture<Void> {
    hasSentClose = true
    var code = ByteBuffer()
    code.write(webSocketErrorCode: reason)
    return send(.connectionClose, code, on: loop)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    // For the pace limits, a frame counts as a small request.
    pace?.headIsComplete()
    pace?.requestIsComplete()
    switch frame.opcode {
    case .ping:
      // A client that sends pings but reads no responses gets none, because they would pile up.
      guard context.channel.isWritable else { return }
      _ = send(.pong, frame.unmaskedData, on: context.eventLoop)
    case .connectionClose:
      if !hasSentClose {
        hasSentClose = true
        _ = send(.connectionClose, frame.unmaskedData, on: context.eventLoop)
      }
      ended()
    default: break  // open: WebSocketOpcode
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Close the connection after an invalid frame.
    ended()
    context.close(promise: nil)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    promise?.fail(TakenOverError())
  }
}
