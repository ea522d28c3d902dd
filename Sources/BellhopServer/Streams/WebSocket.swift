internal import BellhopModel
internal import Crypto
internal import HTTPTypes
package import Hummingbird
package import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// A WebSocket for those who only listen (RFC 6455): texts go out, and of what comes in only the
/// words that keep or end the connection mean anything.
///
/// It takes a connection over from HTTP while the request is under way: its handlers stand next to
/// the network, and nothing passes between HTTP and the network any more. The request's answer is
/// never written; the connection ends with the socket.
package final class WebSocket: Sendable {
  private let channel: any Channel
  private let handler: NIOLoopBound<WebSocketHandler>

  /// Frames of listeners are small.
  private static let frameBytesMax = 4096
  private static let version = HTTPField.Name("Sec-WebSocket-Version")!
  private static let keyName = HTTPField.Name("Sec-WebSocket-Key")!
  private static let upgrade = HTTPField.Name("Upgrade")!
  /// RFC 6455 §1.3.
  private static let mark = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  private init(channel: any Channel, handler: NIOLoopBound<WebSocketHandler>) {
    self.channel = channel
    self.handler = handler
  }

  /// The client's key, if the request asks for a WebSocket; nil for any other.
  package static func key(in exchange: Exchange) -> String? {
    let headers = exchange.request.headers
    guard headers[upgrade]?.lowercased() == "websocket", headers[version]?.trimmed == "13",
      let key = headers[keyName], Base64.decodeLeniently(key)?.count == 16
    else { return nil }
    return key
  }

  /// Takes the connection over for as long as `body` runs.
  ///
  /// - Parameter ended: called when the listener says that it leaves; `body` is to return then.
  /// - Returns: an answer for the log; nobody gets it.
  package static func serve(
    _ key: String, on channel: any Channel, ended: @escaping @Sendable () -> Void,
    _ body: (WebSocket) async throws -> Void
  ) async throws -> Response {
    let socket = try await open(key, on: channel, ended: ended)
    // A listener that is gone is no failure.
    try? await body(socket)
    await socket.close()
    return Response(status: .switchingProtocols)
  }

  /// Takes the connection over.
  ///
  /// - Parameter ended: called once, when the listener says that it leaves.
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

  /// Writes a text, and waits until the network has taken it.
  package func write(_ text: String) async throws {
    let loop = channel.eventLoop
    try await loop.flatSubmit { [handler] in
      handler.value.send(.text, ByteBuffer(string: text), on: loop)
    }.get()
  }

  /// Shows that the connection lives, and finds a dead one.
  package func ping() async throws {
    let loop = channel.eventLoop
    try await loop.flatSubmit { [handler] in
      handler.value.send(.ping, ByteBuffer(), on: loop)
    }.get()
  }

  /// Says good-bye and ends the connection.
  func close() async {
    let loop = channel.eventLoop
    try? await loop.flatSubmit { [handler] in handler.value.sayGoodBye(on: loop) }.get()
    try? await channel.close().get()
  }
}

/// Stands between the frames and HTTP, and lets nothing through.
final class WebSocketHandler: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = Never
  typealias OutboundIn = IOData
  typealias OutboundOut = WebSocketFrame

  /// HTTP is done with this connection.
  struct TakenOver: Error {}

  private let pace: PaceHandler?
  private let ended: @Sendable () -> Void
  private var context: ChannelHandlerContext?
  private var saidGoodBye = false

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

  func sayGoodBye(on loop: any EventLoop) -> EventLoopFuture<Void> {
    saidGoodBye = true
    var code = ByteBuffer()
    code.write(webSocketErrorCode: .normalClosure)
    return send(.connectionClose, code, on: loop)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    // For the pace a frame is a small request.
    pace?.headIsComplete()
    pace?.requestIsComplete()
    switch frame.opcode {
    case .ping:
      // Who sends pings and reads no answers gets none: they would pile up here.
      guard context.channel.isWritable else { return }
      _ = send(.pong, frame.unmaskedData, on: context.eventLoop)
    case .connectionClose:
      if !saidGoodBye {
        saidGoodBye = true
        _ = send(.connectionClose, frame.unmaskedData, on: context.eventLoop)
      }
      ended()
    default: break  // open: WebSocketOpcode
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Frames against the rules.
    ended()
    context.close(promise: nil)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    promise?.fail(TakenOver())
  }
}
