internal import BellhopModel
internal import BellhopStore
internal import HTTPTypes
internal import ServiceLifecycle
internal import Synchronization

/// A stream that heartbeats keep alive.
protocol OpenStream: AnyObject, Sendable {
  /// Sends a heartbeat, which keeps the connection alive and detects a dead one.
  func beat()
  /// Ends the stream unless it has already ended.
  func end(_ reason: SignalStream.End)
  /// Throws when the stream's token is no longer valid.
  func check(_ verifiers: TokenVerifiers) async throws
}

/// The open streams of one kind, with one clock for all heartbeats.
final class OpenStreams: Sendable {
  private struct State {
    var streams: [Int: any OpenStream] = [:]
    var heartbeats: HeartbeatQueue
    var lastID = 0
    /// The number of streams that ``close()`` ended; nil before it.
    var closedCount: Int?
  }

  private let state: Mutex<State>
  private let elapsed: @Sendable () -> Duration
  private let random: @Sendable () -> Double

  /// - Parameters:
  ///   - elapsed: See ``ServerEnvironment/elapsed``.
  ///   - random: See ``ServerEnvironment/random``.
  init(
    heartbeatInterval: Duration, elapsed: @escaping @Sendable () -> Duration,
    random: @escaping @Sendable () -> Double = { 0 }
  ) {
    state = Mutex(State(heartbeats: HeartbeatQueue(interval: heartbeatInterval)))
    self.elapsed = elapsed
    self.random = random
  }

  /// Runs a stream until it ends.
  func run(_ stream: SignalStream) async -> SignalStream.End {
    guard let id = add(stream) else { return .shutdown }
    defer { remove(id) }
    return await stream.run()
  }

  /// Runs `body` while a stream is open. Does nothing after ``close()``.
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
      if state.closedCount != nil { return nil }
      state.lastID += 1
      state.streams[state.lastID] = stream
      state.heartbeats.add(state.lastID, at: now)
      return state.lastID
    }
  }

  private func remove(_ id: Int) { state.withLock { $0.streams[id] = nil } }

  /// The time until the next heartbeat is due.
  var pause: Duration {
    let now = elapsed()
    return state.withLock { $0.heartbeats.pause(at: now) }
  }

  /// Sends a heartbeat to each stream that is due, and ends those whose token is not valid.
  ///
  /// - Parameter verifiers: Checks the tokens of open streams again.
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
        // A short failure of the storage is no reason to end a stream.
        if RequestError(error).status == .unauthorized { stream.end(.ended) } else { stream.beat() }
      }
    }
  }

  /// Ends all streams, including those that are added later.
  func close() {
    let streams = state.withLock { state in
      state.closedCount = state.closedCount ?? state.streams.count
      return Array(state.streams.values)
    }
    for stream in streams { stream.end(.shutdown) }
  }

  /// Returns the last line of a stream of server-sent events that ``close()`` ended; otherwise nil.
  ///
  /// It gives the time after which the client connects again, a random one for each stream.
  func reconnectionHint() -> String? {
    guard let count = state.withLock(\.closedCount) else { return nil }
    let delay = ReturnTime.reconnection(amongStreams: count, random: random())
    return "retry: \(delay.milliseconds)\n\n"
  }
}

/// A service that keeps a server's streams alive, and ends them at shutdown.
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
    // Also if the server stops because a service failed.
    server.activity.beginDrain()
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
