internal import Glibc
internal import Logging
internal import NIOCore

/// A handler that stops accepting connections before the process runs out of descriptors.
///
/// Open connections are still served. Waiting ones are accepted as soon as there are free
/// descriptors: the handler checks every second. It logs when it accepts none.
final class AcceptGuard: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  private let address: String
  private let logger: Logger
  private let hasRoom: @Sendable () -> Bool
  private var lastReport: NIODeadline?
  private var retry: Scheduled<Void>?

  private static let retryPause = TimeAmount.seconds(1)
  /// The time after which the log repeats the message.
  private static let reportPause = TimeAmount.minutes(1)

  /// - Parameter hasRoom: Whether another connection may be accepted now.
  init(_ listener: Listener, logger: Logger, hasRoom: @escaping @Sendable () -> Bool) {
    address = listener.description
    self.logger = logger
    self.hasRoom = hasRoom
  }

  func read(context: ChannelHandlerContext) {
    guard retry == nil else { return }
    if hasRoom() { return context.read() }
    report("too many open files", errno: EMFILE)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    retry = context.eventLoop.scheduleTask(in: Self.retryPause) {
      let (handler, context) = bound.value
      handler.retry = nil
      handler.read(context: context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    retry?.cancel()
    retry = nil
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let error = error as? IOError {
      let isFull = error.errnoCode == EMFILE || error.errnoCode == ENFILE
      report(isFull ? "too many open files" : "they cannot be accepted", errno: error.errnoCode)
    }
    context.fireErrorCaught(error)
  }

  private func report(_ reason: String, errno: Int32) {
    let now = NIODeadline.now()
    if let lastReport, now - lastReport < Self.reportPause { return }
    lastReport = now
    logger.error(
      "New connections must wait: \(reason). Open connections are not affected.",
      metadata: [
        "address": .string(address), "detail": .string(String(cString: strerror(errno))),
      ])
  }
}
