package import BellhopCache
package import BellhopModel
import BellhopNetwork
package import BellhopSync
package import BellhopWire
import Synchronization

/// A transport that fails when a test says so.
package final class FaultyTransport: Transport {
  /// The fate of requests from now on.
  package enum Fault: Hashable, Sendable {
    case none
    /// No request reaches the store.
    case offline
    /// The store performs the request, and the answer is lost.
    case answersLost
    /// Every request fails with this error.
    case refusing(TransportError)
  }

  private struct State {
    var fault = Fault.none
    var requests = 0
    var pulls: [ChangeChunk.Request] = []
    var settlings = 0
    var reconnections = 0
    var channels: [Int: AsyncThrowingStream<SignalEvent, any Error>.Continuation] = [:]
  }

  private let base: any Transport
  private let state = Mutex(State())

  package init(_ base: any Transport) {
    self.base = base
  }

  /// Changes the fault; open signal channels end if the store becomes unreachable.
  package func set(_ fault: Fault) {
    let channels = state.withLock { state in
      state.fault = fault
      guard fault != .none else {
        return [AsyncThrowingStream<SignalEvent, any Error>.Continuation]()
      }
      defer { state.channels = [:] }
      return Array(state.channels.values)
    }
    for channel in channels {
      channel.finish(throwing: TransportError.offline(.closed(.socket(path: "/store.sock"))))
    }
  }

  /// The number of requests so far, without signal channels.
  package var requests: Int { state.withLock { $0.requests } }

  /// The pulls so far, in the order of the requests.
  package var pulls: [ChangeChunk.Request] { state.withLock { $0.pulls } }

  /// The number of waits for work that must not be interrupted.
  package var settlings: Int { state.withLock { $0.settlings } }

  /// The number of times that the connections were replaced.
  package var reconnections: Int { state.withLock { $0.reconnections } }

  package var clockOffset: Duration? { base.clockOffset }

  package func reconnect() { state.withLock { $0.reconnections += 1 } }

  package func settle() async {
    await base.settle()
    state.withLock { $0.settlings += 1 }
  }

  package func pull(_ request: ChangeChunk.Request) async throws(TransportError) -> PullAnswer {
    state.withLock { $0.pulls.append(request) }
    return try await pass { () async throws(TransportError) in try await base.pull(request) }
  }

  package func send(_ batch: OutboxBatch) async throws(TransportError) -> SendAnswer {
    try await pass { () async throws(TransportError) in try await base.send(batch) }
  }

  package func registerDevice(channel: ChannelType) async throws(TransportError) -> Author {
    try await pass { () async throws(TransportError) in
      try await base.registerDevice(channel: channel)
    }
  }

  package func publish(
    _ content: Content, idempotencyKey: String?
  ) async throws(TransportError) -> PublishedItem {
    try await pass { () async throws(TransportError) in
      try await base.publish(content, idempotencyKey: idempotencyKey)
    }
  }

  package func signals() -> AsyncThrowingStream<SignalEvent, any Error> {
    let (stream, continuation) = AsyncThrowingStream<SignalEvent, any Error>.makeStream()
    let key = state.withLock { state -> Int? in
      guard state.fault == .none else { return nil }
      state.requests += 1
      state.channels[state.requests] = continuation
      return state.requests
    }
    guard key != nil else {
      continuation.finish(throwing: TransportError.offline(.closed(.socket(path: "/store.sock"))))
      return stream
    }
    let base = base
    let task = Task {
      do {
        for try await signal in base.signals() { continuation.yield(signal) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// Performs a request that the transport itself does not have, under the present fault.
  package func pass<Value>(
    _ body: () async throws(TransportError) -> Value
  ) async throws(TransportError) -> Value {
    let fault = state.withLock { state in
      state.requests += 1
      return state.fault
    }
    switch fault {
    case .none: return try await body()
    case .offline: throw .offline(.closed(.socket(path: "/store.sock")))
    case .refusing(let error): throw error
    case .answersLost:
      _ = try await body()
      throw .timedOut
    }
  }
}
