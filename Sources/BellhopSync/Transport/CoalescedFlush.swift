import NIOCore

/// A handler that sends everything written in one turn of the event loop together.
///
/// The head of a request and its body are one packet, which wakes the other side once.
final class CoalescedFlush: ChannelOutboundHandler {
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

  /// Sends pending writes before the channel closes.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if isDue { context.flush() }
    context.close(mode: mode, promise: promise)
  }
}
