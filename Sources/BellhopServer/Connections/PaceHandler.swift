internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose client sends its requests or reads its answers too slowly.
///
/// It stands next to the network, before TLS, so that a handshake counts as part of the first
/// head. ``PaceMarks`` behind the HTTP decoder tells it where requests begin and end.
final class PaceHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  /// How slowly an answer may be read.
  struct AnswerLimits: Hashable, Sendable {
    var timeout: Duration
    var bytesPerSecondMin: Int
  }

  private(set) var pace: ReadingPace
  private let answers: AnswerLimits
  private let register: ConnectionRegister
  private var readTimer: (task: Scheduled<Void>, deadline: ReadingPace.Instant)?
  private var answerTimer: Scheduled<Void>?
  /// What was not written yet when it was last looked at.
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

  /// Sees to it that the deadline is looked at; one timer at a time, which is left as it is while
  /// deadlines only move on, so that a quick client costs none at all.
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

  // MARK: - Answers

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

/// Tells a ``PaceHandler`` where requests begin and end, and a stream when the client leaves.
final class PaceMarks: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  private var handler: PaceHandler?
  /// Whether nothing more will come from the client.
  private(set) var isInputClosed = false
  /// Called once, on the event loop.
  var whenInputCloses: (() -> Void)?
  /// The same for the request under way.
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
