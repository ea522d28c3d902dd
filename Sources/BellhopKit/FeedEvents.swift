internal import BellhopCache
internal import BellhopModel
internal import BellhopSync
internal import BellhopWire
internal import Synchronization

/// A token of an app, or the reason why the app has received none.
struct PublishTokenNews: Hashable, Sendable {
  var app: String
  var result: Result<PublishToken, FeedError>
}

/// Delivers events of a feed to all of its listeners, from any task.
final class FeedEvents: Sendable {
  private struct State {
    var next = 0
    var listeners: [Int: AsyncStream<FeedEvent>.Continuation] = [:]
    var readers: [Int: AsyncStream<Void>.Continuation] = [:]
    var tokenReaders: [Int: AsyncStream<PublishTokenNews>.Continuation] = [:]
    /// The token that each app received last.
    var tokens: [String: PublishToken] = [:]
    var registration = RegistrationState.unregistered
    var isOver = false
  }

  private let state = Mutex(State())

  /// Returns a stream of the events from now on.
  func events() -> AsyncStream<FeedEvent> {
    let (stream, continuation) = AsyncStream<FeedEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(256))
    join(continuation, \.listeners)
    return stream
  }

  func dataChanges() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    join(continuation, \.readers)
    return stream
  }

  /// Returns a stream of the news of all apps' publish tokens from now on.
  ///
  /// Its reader does not count as a listener of the feed's events.
  func publishTokens() -> AsyncStream<PublishTokenNews> {
    let (stream, continuation) = AsyncStream<PublishTokenNews>.makeStream(
      bufferingPolicy: .bufferingNewest(256))
    join(continuation, \.tokenReaders)
    return stream
  }

  private func join<Element: Sendable>(
    _ continuation: AsyncStream<Element>.Continuation,
    _ place: any WritableKeyPath<State, [Int: AsyncStream<Element>.Continuation]> & Sendable
  ) {
    let key: Int? = state.withLock { state in
      guard !state.isOver else { return nil }
      state.next += 1
      state[keyPath: place][state.next] = continuation
      return state.next
    }
    guard let key else { return continuation.finish() }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0[keyPath: place].removeValue(forKey: key) }
    }
  }

  /// Delivers an event.
  ///
  /// - Returns: Whether the feed has any listener.
  @discardableResult
  func tell(_ event: FeedEvent) -> Bool {
    let (listeners, readers) = state.withLock { state in
      (Array(state.listeners.values), event == .dataChanged ? Array(state.readers.values) : [])
    }
    for listener in listeners { listener.yield(event) }
    for reader in readers { reader.yield() }
    return !listeners.isEmpty
  }

  /// Delivers rejected operations; if a listener exists, marks them in the cache as reported.
  func tell(_ undone: [RejectedOperation], keptIn cache: any CacheStorage) {
    guard !undone.isEmpty, tell(.undone(undone.map { UndoneChange($0) })) else { return }
    // A failure to record them is harmless: they are reported again at the next start.
    try? cache.markReported(undone.map(\.operation.id))
  }

  var registration: RegistrationState { state.withLock { $0.registration } }

  func note(_ registration: RegistrationState) {
    let isNew = state.withLock { state in
      defer { state.registration = registration }
      return state.registration != registration
    }
    if isNew { tell(.registration(registration)) }
  }

  /// Delivers news of an app's publish token.
  func note(_ news: PublishTokenNews) {
    let readers = state.withLock { state in
      if case .success(let token) = news.result { state.tokens[news.app] = token }
      return Array(state.tokenReaders.values)
    }
    for reader in readers { reader.yield(news) }
    switch news.result {
    case .success(let token): tell(.publishToken(token))
    case .failure(let error): tell(.publishTokenFailed(app: news.app, error))
    }
  }

  /// The token that the app received last; nil if it gave the token up.
  func token(ofApp app: String) -> PublishToken? { state.withLock { $0.tokens[app] } }

  func forgetToken(ofApp app: String) { state.withLock { $0.tokens[app] = nil } }

  /// Ends every stream.
  func finish() {
    let old = state.withLock { state in
      defer {
        state.isOver = true
        state.listeners = [:]
        state.readers = [:]
        state.tokenReaders = [:]
      }
      return state
    }
    for listener in old.listeners.values { listener.finish() }
    for reader in old.readers.values { reader.finish() }
    for reader in old.tokenReaders.values { reader.finish() }
  }
}

/// A transport that records the results of registrations.
struct ObservedTransport: Transport {
  let store: any Transport
  let news: FeedEvents

  func registerDevice(channel: ChannelType) async throws(TransportError) -> Author {
    do throws(TransportError) {
      let author = try await store.registerDevice(channel: channel)
      news.note(.registered)
      return author
    } catch {
      noteFailure(error)
      throw error
    }
  }

  private func noteFailure(_ error: TransportError) {
    if error.endsRegistration {
      if news.registration != .unregistered { news.note(.expired) }
    } else if news.registration == .registered {
      news.note(.expiring)
    }
  }

  func pull(_ request: ChangeChunk.Request) async throws(TransportError) -> PullAnswer {
    do throws(TransportError) {
      return try await store.pull(request)
    } catch {
      // A device that is signed out while the feed runs learns of it from any response.
      if error.endsSignIn { noteFailure(error) }
      throw error
    }
  }

  func send(_ batch: OutboxBatch) async throws(TransportError) -> SendAnswer {
    do throws(TransportError) {
      return try await store.send(batch)
    } catch {
      // Only a request that names the device shows that the store has forgotten it. A registration
      // follows.
      if error.endsSignIn || error == .unknownDevice { noteFailure(error) }
      throw error
    }
  }

  func signals() -> AsyncThrowingStream<SignalEvent, any Error> { store.signals() }

  func publish(
    _ content: Content, idempotencyKey: String?
  ) async throws(TransportError) -> PublishedItem {
    try await store.publish(content, idempotencyKey: idempotencyKey)
  }

  var clockOffset: Duration? { store.clockOffset }
  func settle() async { await store.settle() }
}
