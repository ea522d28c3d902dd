internal import Glibc
internal import Logging
internal import NIOCore

/// Says in the log when a listener can't accept connections, as when the system allows no more open
/// files. Those that are open are served; the listener tries again every second by itself.
final class AcceptTroubles: ChannelInboundHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel

  private let address: String
  private let logger: Logger
  private var lastTold: NIODeadline?

  /// Said again after this.
  private static let pause = TimeAmount.minutes(1)

  init(_ listener: Listener, logger: Logger) {
    address = listener.description
    self.logger = logger
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    tell(error)
    context.fireErrorCaught(error)
  }

  private func tell(_ error: any Error) {
    guard let error = error as? IOError else { return }
    let now = NIODeadline.now()
    if let lastTold, now - lastTold < Self.pause { return }
    lastTold = now
    let isFull = error.errnoCode == EMFILE || error.errnoCode == ENFILE
    logger.error(
      """
      New connections wait: \(isFull ? "too many open files" : "they can't be accepted"). \
      Those that are open are served.
      """,
      metadata: [
        "address": .string(address), "detail": .string(String(cString: strerror(error.errnoCode))),
      ])
  }
}
