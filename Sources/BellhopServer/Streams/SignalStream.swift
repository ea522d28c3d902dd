internal import BellhopModel
package import BellhopStore
package import BellhopWire
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// One stream of signals on its connection.
///
/// Ten thousand of them wait most of the time, so that each is as little as can be: no task runs
/// for it, and it writes straight to the channel. One write is under way at a time; what comes
/// meanwhile is told by the next one, a signal by the newest.
final class SignalStream: SignalReceiver, OpenStream {
  /// Why a stream is over.
  enum End: Hashable, Sendable {
    /// The client closed the connection, or it broke.
    case clientGone
    /// The store has no more to say to this device, or lets it in no longer.
    case ended
    /// The server stops.
    case shutdown
  }

  private enum Phase {
    /// The head of the answer is not written yet.
    case opening
    case waiting(CheckedContinuation<End, Never>)
    case writing(CheckedContinuation<End, Never>)
    case over(End)
  }

  private struct State {
    var phase = Phase.opening
    var signal: Signal?
    var isHeartbeatDue = false
  }

  let secret: AccessTokenSecret
  /// The device that the request named.
  let device: DeviceID?
  private let channel: any Channel
  private let state = Mutex(State())

  init(secret: AccessTokenSecret, device: DeviceID?, channel: any Channel) {
    self.secret = secret
    self.device = device
    self.channel = channel
  }

  func check(_ verifiers: TokenVerifiers) async throws {
    _ = try await verifiers.principal(of: secret, device: device)
  }

  // MARK: - What is to be told

  func receive(_ signal: Signal) {
    state.withLock { $0.signal = signal }
    write()
  }

  func signalsEnded() { end(.ended) }

  /// Writes a comment, which keeps the connection alive and finds a dead one.
  func beat() {
    state.withLock { $0.isHeartbeatDue = true }
    write()
  }

  /// Ends the stream, unless it is over.
  func end(_ reason: End) {
    let continuation = state.withLock { state -> CheckedContinuation<End, Never>? in
      defer { if case .over = state.phase {} else { state.phase = .over(reason) } }
      switch state.phase {
      case .waiting(let continuation), .writing(let continuation): return continuation
      case .opening, .over: return nil
      }
    }
    continuation?.resume(returning: reason)
  }

  /// Tells what there is to tell, now that the head is written, until the stream is over.
  func run() async -> End {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let end = state.withLock { state -> End? in
          if case .over(let end) = state.phase { return end }
          state.phase = .waiting(continuation)
          return nil
        }
        if let end {
          continuation.resume(returning: end)
        } else {
          watchInput()
          write()
        }
      }
    } onCancel: {
      end(.shutdown)
    }
  }

  // MARK: - The channel

  /// Has ``PaceMarks`` say when the client closes its side.
  private func watchInput() {
    channel.eventLoop.execute { [self] in
      let marks = try? channel.pipeline.syncOperations.handler(type: PaceMarks.self)
      guard let marks, !marks.isInputClosed else { return end(.clientGone) }
      marks.whenInputCloses = { [weak self] in self?.end(.clientGone) }
    }
  }

  /// Writes what waits, unless a write is under way, after which it is called again.
  private func write() {
    let mustWrite = state.withLock { state in
      guard case .waiting(let continuation) = state.phase,
        state.signal != nil || state.isHeartbeatDue
      else { return false }
      state.phase = .writing(continuation)
      return true
    }
    guard mustWrite else { return }
    // On the loop, because the caller may hold up others, and so that nothing is written behind
    // the end of the answer, which comes to the loop after the stream is over.
    channel.eventLoop.execute { [self] in
      guard let bytes = takeBytes() else { return }
      let promise = channel.eventLoop.makePromise(of: Void.self)
      promise.futureResult.whenComplete { self.written($0) }
      channel.writeAndFlush(HTTPResponsePart.body(bytes), promise: promise)
    }
  }

  private func written(_ result: Result<Void, any Error>) {
    guard case .success = result else { return end(.clientGone) }
    state.withLock { state in
      if case .writing(let continuation) = state.phase { state.phase = .waiting(continuation) }
    }
    write()
  }

  /// What is to be written now; nil when the stream is over.
  private func takeBytes() -> ByteBuffer? {
    let (isOver, signal) = state.withLock { state -> (Bool, Signal?) in
      defer { (state.signal, state.isHeartbeatDue) = (nil, false) }
      if case .over = state.phase { return (true, nil) }
      return (false, state.signal)
    }
    if isOver { return nil }
    // A signal shows as well as a heart-beat that the connection lives.
    guard let signal else { return ByteBuffer(string: Self.heartbeat) }
    let event = Self.event(SignalPayload.event, SignalPayload(signal))
    if event.readableBytes <= Self.eventBytesMax { return event }
    return Self.event(
      SignalPayload.event, SignalPayload(epoch: signal.epoch, sequence: signal.sequence))
  }

  /// A longer event goes out without what is enclosed; clients accept twice that.
  private static let eventBytesMax = 128 << 10

  /// A comment.
  private static let heartbeat = ": \n\n"

  /// An event as bytes; a payload that can't be written, of which there is none, leaves a comment.
  static func event(_ name: String, _ payload: some Encodable) -> ByteBuffer {
    guard let bytes = try? WireJSON.encode(payload) else { return ByteBuffer(string: heartbeat) }
    var buffer = ByteBuffer(string: "event: \(name)\ndata: ")
    buffer.writeBytes(bytes)
    buffer.writeString("\n\n")
    return buffer
  }
}

extension SignalPayload {
  /// A signal as clients get it.
  package init(_ signal: Signal) {
    self.init(
      epoch: signal.epoch, sequence: signal.sequence,
      resourceData: signal.enclosed.map {
        ResourceData(since: $0.since, delta: DeltaPayload($0.page, epoch: signal.epoch))
      })
  }
}
