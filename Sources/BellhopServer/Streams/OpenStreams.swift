internal import BellhopModel
internal import BellhopStore
internal import HTTPTypes
internal import ServiceLifecycle
internal import Synchronization

/// A stream that is kept alive by heart-beats.
protocol OpenStream: AnyObject, Sendable {
  /// Shows that the connection lives, and finds a dead one.
  func beat()
  /// Ends the stream, unless it is over.
  func end(_ reason: SignalStream.End)
  /// Fails when who opened it is not let in any more.
  func check(_ verifiers: TokenVerifiers) async throws
}

/// The open streams of one kind of a server, with one clock for the heart-beats of all.
final class OpenStreams: Sendable {
  private struct State {
    var streams: [Int: any OpenStream] = [:]
    var heartbeats: HeartbeatQueue
    var lastID = 0
    var isClosed = false
  }

  private let state: Mutex<State>
  private let elapsed: @Sendable () -> Duration

  /// - Parameter elapsed: see ``ServerEnvironment/elapsed``.
  init(heartbeatInterval: Duration, elapsed: @escaping @Sendable () -> Duration) {
    state = Mutex(State(heartbeats: HeartbeatQueue(interval: heartbeatInterval)))
    self.elapsed = elapsed
  }

  /// Lets a stream run until it is over.
  func run(_ stream: SignalStream) async -> SignalStream.End {
    guard let id = add(stream) else { return .shutdown }
    defer { remove(id) }
    return await stream.run()
  }

  /// Does something for as long as a stream is open, if it may be.
  func whileOpen(_ stream: any OpenStream, _ body: () async throws -> Void) async throws {
    guard let id = add(stream) else { return }
    defer { remove(id) }
    try await withTaskCancellationHandler {
      try await body()
    } onCancel: {
      stream.end(.shutdown)
    }
  }

  private func add(_ stream: any OpenStream) -> Int? {
    let now = elapsed()
    return state.withLock { state in
      if state.isClosed { return nil }
      state.lastID += 1
      state.streams[state.lastID] = stream
      state.heartbeats.add(state.lastID, at: now)
      return state.lastID
    }
  }

  private func remove(_ id: Int) { state.withLock { $0.streams[id] = nil } }

  /// How long nothing is due.
  var pause: Duration {
    let now = elapsed()
    return state.withLock { $0.heartbeats.pause(at: now) }
  }

  /// Gives each stream that is due a heart-beat, or its end if its token holds no longer.
  ///
  /// - Parameter verifiers: what a token that was let in is held against again.
  func beat(_ verifiers: TokenVerifiers) async {
    let now = elapsed()
    let due = state.withLock { state -> [any OpenStream] in
      state.heartbeats.takeDue(at: now).compactMap { id in
        guard let stream = state.streams[id] else { return nil }
        state.heartbeats.add(id, at: now)
        return stream
      }
    }
    for stream in due {
      do {
        try await stream.check(verifiers)
        stream.beat()
      } catch {
        // A storage that fails for a moment is no reason to end a stream.
        if Failure(error).status == .unauthorized { stream.end(.ended) } else { stream.beat() }
      }
    }
  }

  /// Ends all streams, and those that come later.
  func close() {
    let streams = state.withLock { state in
      state.isClosed = true
      return Array(state.streams.values)
    }
    for stream in streams { stream.end(.shutdown) }
  }
}

/// Keeps a server's streams of signals alive, and ends them when it shuts down.
struct StreamService: Service {
  let server: StoreServer

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        for streams in [server.streams, server.readers] {
          group.addTask { await beat(streams) }
        }
      }
    }
    server.streams.close()
    server.readers.close()
  }

  private func beat(_ streams: OpenStreams) async {
    while !Task.isCancelled {
      do { try await server.environment.sleep(streams.pause) } catch { return }
      await streams.beat(server.verifiers)
    }
  }
}
