import NIOCore

/// Lets what is written in one turn of the event loop go out together: the head of a request and its
/// body are one packet, and the other side is woken once for both.
final class JoinedFlush: ChannelOutboundHandler {
  typealias OutboundIn = Any

  private var isDue = false

  func flush(context: ChannelHandlerContext) {
    guard !isDue else { return }
    isDue = true
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = bound.value
      handler.isDue = false
      context.flush()
    }
  }

  /// What was written before the end goes out before it.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if isDue { context.flush() }
    context.close(mode: mode, promise: promise)
  }
}
