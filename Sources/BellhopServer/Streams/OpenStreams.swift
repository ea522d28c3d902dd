internal import BellhopModel
internal import BellhopStore
internal import HTTPTypes
internal import ServiceLifecycle
internal import Synchronization

/// The open streams of signals of a server, with one clock for the heart-beats of all.
final class OpenStreams: Sendable {
  private struct State {
    var streams: [Int: SignalStream] = [:]
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
    let now = elapsed()
    let id = state.withLock { state -> Int? in
      if state.isClosed { return nil }
      state.lastID += 1
      state.streams[state.lastID] = stream
      state.heartbeats.add(state.lastID, at: now)
      return state.lastID
    }
    guard let id else { return .shutdown }
    defer { state.withLock { $0.streams[id] = nil } }
    return await stream.run()
  }

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
    let due = state.withLock { state -> [SignalStream] in
      state.heartbeats.takeDue(at: now).compactMap { id in
        guard let stream = state.streams[id] else { return nil }
        state.heartbeats.add(id, at: now)
        return stream
      }
    }
    for stream in due {
      do {
        _ = try await verifiers.principal(of: stream.secret, device: stream.device)
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
      while !Task.isCancelled {
        do { try await server.environment.sleep(server.streams.pause) } catch { break }
        await server.streams.beat(server.verifiers)
      }
    }
    server.streams.close()
  }
}
