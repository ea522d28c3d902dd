internal import BellhopModel
package import BellhopStore
package import BellhopWire
internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// A signal stream on its connection.
///
/// Ten thousand of them wait most of the time, so each is as small as possible: it needs no task
/// and writes directly to the channel. One write runs at a time. The next write covers everything
/// that arrives meanwhile, with the newest signal only.
final class SignalStream: SignalReceiver, OpenStream {
  /// The reason why a stream ended.
  enum End: Hashable, Sendable {
    /// The client closed the connection, or the connection broke.
    case clientGone
    /// The store has no more signals for this device, or no longer admits it.
    case ended
    /// The server is shutting down.
    case shutdown
  }

  private enum Phase {
    /// The head of the response is not written yet.
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

  // MARK: - Events

  func receive(_ signal: Signal) {
    state.withLock { $0.signal = signal }
    write()
  }

  func signalsEnded() { end(.ended) }

  /// Writes a comment, which keeps the connection alive and detects a dead one.
  func beat() {
    state.withLock { $0.isHeartbeatDue = true }
    write()
  }

  /// Ends the stream unless it has already ended.
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

  /// Writes pending events, after the head, until the stream ends.
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

  /// Registers for ``PaceMarks`` to report when the client closes its side.
  private func watchInput() {
    channel.eventLoop.execute { [self] in
      let marks = try? channel.pipeline.syncOperations.handler(type: PaceMarks.self)
      guard let marks, !marks.isInputClosed else { return end(.clientGone) }
      marks.whenInputCloses = { [weak self] in self?.end(.clientGone) }
    }
  }

  /// Writes what is pending. During a write it does nothing and is called again afterwards.
  private func write() {
    let mustWrite = state.withLock { state in
      guard case .waiting(let continuation) = state.phase,
        state.signal != nil || state.isHeartbeatDue
      else { return false }
      state.phase = .writing(continuation)
      return true
    }
    guard mustWrite else { return }
    // Writes on the loop: the caller may delay others, and nothing may follow the end of the
    // response, which reaches the loop after the stream has ended.
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

  /// Takes the bytes to write now; nil when the stream has ended.
  private func takeBytes() -> ByteBuffer? {
    let (isOver, signal) = state.withLock { state -> (Bool, Signal?) in
      defer { (state.signal, state.isHeartbeatDue) = (nil, false) }
      if case .over = state.phase { return (true, nil) }
      return (false, state.signal)
    }
    if isOver { return nil }
    // A signal shows that the connection is alive, like a heartbeat.
    guard let signal else { return ByteBuffer(string: Self.heartbeat) }
    let event = Self.event(SignalPayload.event, SignalPayload(signal))
    if event.readableBytes <= Self.eventBytesMax { return event }
    return Self.event(
      SignalPayload.event, SignalPayload(epoch: signal.epoch, sequence: signal.sequence))
  }

  /// The size above which an event is sent without enclosed changes. Clients accept twice as much.
  private static let eventBytesMax = 128 << 10

  /// A comment without text.
  private static let heartbeat = ": \n\n"

  /// Returns an event as bytes.
  ///
  /// A payload that cannot be encoded, which does not occur, becomes a comment.
  static func event(_ name: String, _ payload: some Encodable) -> ByteBuffer {
    guard let bytes = try? WireJSON.encode(payload) else { return ByteBuffer(string: heartbeat) }
    var buffer = ByteBuffer(string: "event: \(name)\ndata: ")
    buffer.writeBytes(bytes)
    buffer.writeString("\n\n")
    return buffer
  }
}

extension SignalPayload {
  /// Creates the payload that clients receive.
  package init(_ signal: Signal) {
    self.init(
      epoch: signal.epoch, sequence: signal.sequence,
      resourceData: signal.enclosed.map {
        ResourceData(since: $0.since, delta: DeltaPayload($0.page))
      })
  }
}
