internal import NIOCore
internal import NIOHTTPTypes

/// A handler that closes the connection of a client that sends or reads too slowly.
///
/// It is placed next to the network, before TLS, so that a handshake counts as part of the first
/// head. ``PaceMarks`` behind the HTTP decoder reports where requests begin and end.
final class PaceHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// The limits for a client that reads a response slowly.
  struct AnswerLimits: Hashable, Sendable {
    var timeout: Duration
    var bytesPerSecondMin: Int
  }

  private(set) var pace: ReadingPace
  private let answers: AnswerLimits
  private let register: ConnectionRegister
  private var readTimer: (task: Scheduled<Void>, deadline: ReadingPace.Instant)?
  private var answerTimer: Scheduled<Void>?
  /// The unwritten bytes at the last check.
  private var pendingBytes = 0

  init(_ limits: ReadingPace.Limits, answers: AnswerLimits, register: ConnectionRegister) {
    pace = ReadingPace(limits)
    self.answers = answers
    self.register = register
  }

  func headIsComplete() { pace.headIsComplete() }
  func requestIsComplete() { pace.requestIsComplete() }

  // MARK: - Requests

  private func now(_ context: ChannelHandlerContext) -> Duration {
    .nanoseconds(Int64(clamping: context.eventLoop.now.uptimeNanoseconds))
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    readTimer?.task.cancel()
    answerTimer?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    readTimer?.task.cancel()
    answerTimer?.cancel()
    context.fireChannelInactive()
  }

  func read(context: ChannelHandlerContext) {
    pace.beginWaiting(at: now(context))
    watch(context)
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    pace.received(unwrapInboundIn(data).readableBytes)
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    pace.endWaiting(at: now(context))
    context.fireChannelReadComplete()
  }

  /// Schedules a check of the deadline.
  ///
  /// There is one timer at a time. It stays unchanged while deadlines only move later, so that a
  /// fast client costs no timers.
  private func watch(_ context: ChannelHandlerContext) {
    guard let deadline = pace.deadline else { return }
    if let readTimer {
      guard deadline < readTimer.deadline else { return }
      readTimer.task.cancel()
    }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let task = context.eventLoop.scheduleTask(
      deadline: .uptimeNanoseconds(UInt64(max(0, deadline / .nanoseconds(1))))
    ) {
      let (handler, context) = bound.value
      handler.readTimer = nil
      guard let deadline = handler.pace.deadline else { return }
      if deadline <= handler.now(context) {
        handler.drop(context)
      } else {
        handler.watch(context)
      }
    }
    readTimer = (task, deadline)
  }

  private func drop(_ context: ChannelHandlerContext) {
    register.noteTooSlow()
    context.close(promise: nil)
  }

  // MARK: - Responses

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      answerTimer?.cancel()
      answerTimer = nil
    } else if answerTimer == nil {
      pendingBytes = pending(context)
      watchAnswer(context)
    }
    context.fireChannelWritabilityChanged()
  }

  private func watchAnswer(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    answerTimer = context.eventLoop.scheduleTask(in: TimeAmount(answers.timeout)) {
      let (handler, context) = bound.value
      let written = handler.pendingBytes - handler.pending(context)
      let seconds = handler.answers.timeout / .seconds(1)
      if Double(written) < seconds * Double(handler.answers.bytesPerSecondMin) {
        handler.drop(context)
      } else {
        handler.pendingBytes -= written
        handler.watchAnswer(context)
      }
    }
  }

  private func pending(_ context: ChannelHandlerContext) -> Int {
    let options = context.channel.syncOptions
    return (try? options?.getOption(ChannelOptions.bufferedWritableBytes)) ?? 0
  }
}

/// A handler that reports where requests begin and end, and when the client leaves.
///
/// A ``PaceHandler`` receives the bounds of requests, and a stream the client's departure.
final class PaceMarks: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  private var handler: PaceHandler?
  /// Whether the client will send nothing more.
  private(set) var isInputClosed = false
  /// Called once on the event loop, when the client closes its side.
  var whenInputCloses: (() -> Void)?
  /// Called in the same way for the current request.
  var whenRequestIsMoot: (() -> Void)?

  func handlerAdded(context: ChannelHandlerContext) {
    handler = try? context.pipeline.syncOperations.handler(type: PaceHandler.self)
  }

  func handlerRemoved(context: ChannelHandlerContext) { handler = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: handler?.headIsComplete()
    case .body: break
    case .end: handler?.requestIsComplete()
    }
    context.fireChannelRead(data)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event { noteClosedInput() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    noteClosedInput()
    context.fireChannelInactive()
  }

  private func noteClosedInput() {
    isInputClosed = true
    whenInputCloses?()
    whenInputCloses = nil
    whenRequestIsMoot?()
    whenRequestIsMoot = nil
  }
}
