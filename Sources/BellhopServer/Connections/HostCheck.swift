internal import NIOCore
internal import NIOHTTP1

/// Refuses a request of HTTP/1.1 or later without a `Host` header (RFC 9112 §3.2).
///
/// It stands right behind the decoder, because further on a request has no version. The refusal is
/// the decoder's for other malformed heads: status 400, and the connection ends. Not for Unix
/// sockets, see ``Listener/hasHost``.
final class HostCheck: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  /// Whether a request was refused, after which nothing of the connection is read.
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

  /// Adds one behind the decoder.
  static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try pipeline.addHandler(HostCheck(), position: .after(decoder))
  }
}
