package import BellhopModel
package import BellhopStore
package import NIOCore
internal import Synchronization

/// A stream that wakes the task that sends changes to a topic reader.
///
/// Simultaneous reasons cause one wake-up.
package final class TopicStream: SignalReceiver, OpenStream {
  /// The interval of heartbeats that ntfy's clients expect.
  static let heartbeatInterval = Duration.seconds(45)

  /// The reasons for waking the task.
  package struct Wake: Sendable {
    package var isChanged = false
    package var isHeartbeat = false
    /// The sequence that is known to be committed.
    package var known = SequenceNumber.zero
  }

  private struct State {
    // Check once for what was pending before the reader connected.
    var wake = Wake(isChanged: true)
    var isOver = false
    var whenOver: (@Sendable () -> Void)?
  }

  private let secret: AccessTokenSecret?
  private let device: DeviceID?
  private let state = Mutex(State())
  private let nudges: AsyncStream<Void>
  private let source: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - secret: The token that must stay valid; nil for a reader without one.
  ///   - channel: The connection of the reader, with which the stream ends.
  package init(secret: AccessTokenSecret?, device: DeviceID?, channel: any Channel) {
    self.secret = secret
    self.device = device
    (nudges, source) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    source.yield()
    channel.eventLoop.execute { [weak self] in
      let marks = try? channel.pipeline.syncOperations.handler(type: PaceMarks.self)
      guard let marks, !marks.isInputClosed else {
        self?.end(.clientGone)
        return
      }
      marks.whenInputCloses = { [weak self] in self?.end(.clientGone) }
    }
  }

  package func receive(_ signal: Signal) {
    state.withLock { $0.wake.known = max($0.wake.known, signal.sequence) }
    wake()
  }
  package func signalsEnded() { end(.ended) }

  func wake() {
    state.withLock { $0.wake.isChanged = true }
    source.yield()
  }

  /// Wakes the task when a delivery is due.
  package func wakeUp(at due: Timestamp, by server: StoreServer) -> Task<Void, Never> {
    let pause = max(.milliseconds(1), due.duration(since: server.store.now))
    return Task { [weak self, sleep = server.environment.sleep] in
      guard (try? await sleep(pause)) != nil else { return }
      self?.wake()
    }
  }

  func beat() {
    state.withLock { $0.wake.isHeartbeat = true }
    source.yield()
  }

  /// Ends the stream because its reader left.
  package func leave() { end(.clientGone) }

  func end(_ reason: SignalStream.End) {
    let whenOver = state.withLock { state in
      state.isOver = true
      return state.whenOver
    }
    whenOver?()
    source.finish()
  }

  package var isOver: Bool { state.withLock(\.isOver) }

  /// Runs a slow read in its own task, which is cancelled when the stream ends.
  package func whileOpen<Value: Sendable>(
    _ read: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await read() }
    let isOver = state.withLock { state in
      state.whenOver = { task.cancel() }
      return state.isOver
    }
    if isOver { task.cancel() }
    defer { state.withLock { $0.whenOver = nil } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  func check(_ verifiers: TokenVerifiers) async throws {
    guard let secret else { return }
    _ = try await verifiers.principal(of: secret, device: device)
  }

  /// Waits for the next reason to wake; nil when the stream has ended. Supports one caller.
  package func next() async -> Wake? {
    for await _ in nudges {
      let (wake, isOver) = state.withLock { state in
        defer { state.wake = Wake(known: state.wake.known) }
        return (state.wake, state.isOver)
      }
      if isOver { return nil }
      return wake
    }
    return nil
  }
}

extension StoreServer {
  /// Runs `body` while a topic reader is connected, with heartbeats.
  ///
  /// The server ends the stream when it shuts down.
  package func whileReading(
    _ stream: TopicStream, _ body: () async throws -> Void
  ) async throws {
    try await readers.whileOpen(stream, body)
  }

  /// Returns the last line of a reader's server-sent events if the server ended them; otherwise nil.
  ///
  /// It gives the time after which the client connects again, a random one for each reader.
  package func readerReconnectionHint() -> String? { readers.reconnectionHint() }
}
