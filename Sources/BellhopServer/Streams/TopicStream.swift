package import BellhopModel
package import BellhopStore
package import NIOCore
internal import Synchronization

/// Wakes who tells one reader of topics what changed; several reasons at once are one wake-up.
package final class TopicStream: SignalReceiver, OpenStream {
  /// The interval of heart-beats that ntfy's clients expect.
  static let heartbeatInterval = Duration.seconds(45)

  /// Why the reader's teller is woken.
  package struct Wake: Sendable {
    package var isChanged = false
    package var isHeartbeat = false
    /// What is known to be committed.
    package var known = SequenceNumber.zero
  }

  private struct State {
    // What is waiting from before the reader came is looked for once.
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
  ///   - secret: the token that has to hold; nil for a reader who needs none.
  ///   - channel: what ends with the reader.
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

  /// Wakes the teller when a delivery is due.
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

  /// Ends the stream because its reader leaves.
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

  /// Reads what may take long in a task of its own, which is cancelled when the stream is over.
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

  /// Waits until there is something to do; nil when the stream is over. For one caller.
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
  /// Does something for as long as a reader of topics is there, with heart-beats. The server ends
  /// the stream when it shuts down.
  package func whileReading(
    _ stream: TopicStream, _ body: () async throws -> Void
  ) async throws {
    try await readers.whileOpen(stream, body)
  }
}
