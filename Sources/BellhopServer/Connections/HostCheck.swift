internal import NIOCore
internal import NIOHTTP1

/// A handler that refuses HTTP/1.1 requests without a `Host` header (RFC 9112 §3.2).
///
/// It also applies to later HTTP versions, but not to Unix sockets; see ``Listener/hasHost``. It is
/// placed directly behind the decoder, because further handlers do not know the HTTP version. It
/// refuses like the decoder does for other malformed heads: with status 400, after which the
/// connection is closed.
final class HostCheck: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  /// Whether a request was refused. Nothing else is read from the connection then.
  private var hasRefused = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasRefused else { return }
    if case .head(let head) = unwrapInboundIn(data),
      (head.version.major, head.version.minor) >= (1, 1), !head.headers.contains(name: "Host")
    {
      hasRefused = true
      context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
      return
    }
    context.fireChannelRead(data)
  }

  /// Adds a check behind the decoder.
  static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try pipeline.addHandler(HostCheck(), position: .after(decoder))
  }
}
