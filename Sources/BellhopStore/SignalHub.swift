public import BellhopModel
internal import Synchronization

/// Tells whoever is subscribed that a user's items changed, and nothing else about it.
///
/// Signals are hints: one that was not read yet is replaced by the next.
public final class SignalHub: Sendable {
  private struct Subscriber {
    var user: UserID
    var device: DeviceID?
    /// The access token that opened the stream.
    var token: AccessTokenID?
    var last: SequenceNumber
    var continuation: AsyncStream<Signal>.Continuation
  }

  private struct State {
    var subscribers: [Int: Subscriber] = [:]
    var byUser: [UserID: Set<Int>] = [:]
    var byToken: [AccessTokenID: Set<Int>] = [:]
    var nextID = 0
    var signalCount = 0

    /// Never sends a lower sequence after a higher one.
    mutating func send(_ signal: Signal, to id: Int) {
      guard let last = subscribers[id]?.last, signal.sequence > last else { return }
      subscribers[id]?.last = signal.sequence
      subscribers[id]?.continuation.yield(signal)
      signalCount += 1
    }
  }

  private let state = Mutex(State())
  /// Told of every user's changes, whoever is subscribed.
  let changedUsers = ChangedUsers()

  public init() {}

  /// Signals for `user` until the reader stops, except those that `device` itself causes.
  ///
  /// - Throws: ``StoreError/tooManyStreams`` when the user or the token has as many as it may.
  func subscribe(
    _ user: UserID, excluding device: DeviceID?, with token: AccessTokenID? = nil,
    limits: StoreLimits = StoreLimits()
  ) throws(StoreError) -> (id: Int, stream: AsyncStream<Signal>) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Signal.self, bufferingPolicy: .bufferingNewest(1))
    let added = state.withLock { state -> Int? in
      let tokenCount = token.flatMap { state.byToken[$0]?.count } ?? 0
      guard state.byUser[user]?.count ?? 0 < limits.streamsPerUserMax,
        tokenCount < limits.streamsPerTokenMax
      else { return nil }
      let id = state.nextID
      state.nextID += 1
      state.subscribers[id] = Subscriber(
        user: user, device: device, token: token, last: SequenceNumber(-1),
        continuation: continuation)
      state.byUser[user, default: []].insert(id)
      if let token { state.byToken[token, default: []].insert(id) }
      return id
    }
    guard let id = added else { throw .tooManyStreams }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return (id, stream)
  }

  /// Sends the current sequence to one subscriber.
  func send(_ signal: Signal, to id: Int) {
    state.withLock { $0.send(signal, to: id) }
  }

  /// Tells the user's subscribers of changes up to the signal's sequence.
  public func raise(_ signal: Signal, for user: UserID, by device: DeviceID? = nil) {
    changedUsers.note(items: user)
    state.withLock { state in
      for id in state.byUser[user] ?? [] {
        if let device, state.subscribers[id]?.device == device { continue }
        state.send(signal, to: id)
      }
    }
  }

  /// Ends the streams of one device, as when it is revoked.
  public func disconnect(_ device: DeviceID, of user: UserID) {
    finish { $0.user == user && $0.device == device }
  }

  /// Ends the streams that a token opened, and those of its device that no token opened. Web hooks
  /// made with it are looked at.
  public func disconnect(_ token: AccessToken) {
    changedUsers.note(subscriptions: token.user)
    finish { subscriber in
      if let opener = subscriber.token { return opener == token.id }
      guard case .device(let device?) = token.scope else { return false }
      return subscriber.user == token.user && subscriber.device == device
    }
  }

  /// Ends all streams of a user. The user's web hooks are looked at.
  public func disconnect(_ user: UserID) {
    changedUsers.note(subscriptions: user)
    finish { $0.user == user }
  }

  /// Ends every stream.
  public func disconnectAll() {
    finish { _ in true }
  }

  /// How many signals were handed to streams.
  var signalCount: Int { state.withLock { $0.signalCount } }

  /// How many streams are open.
  public var subscriberCount: Int { state.withLock { $0.subscribers.count } }

  /// Continuations are finished outside the lock, because finishing calls ``remove(_:)``.
  private func finish(where isMeant: @Sendable (Subscriber) -> Bool) {
    let ended = state.withLock { state in
      state.subscribers.values.filter(isMeant).map(\.continuation)
    }
    for continuation in ended { continuation.finish() }
  }

  private func remove(_ id: Int) {
    state.withLock { state in
      guard let subscriber = state.subscribers.removeValue(forKey: id) else { return }
      state.byUser[subscriber.user]?.remove(id)
      if state.byUser[subscriber.user]?.isEmpty == true {
        state.byUser[subscriber.user] = nil
      }
      guard let token = subscriber.token else { return }
      state.byToken[token]?.remove(id)
      if state.byToken[token]?.isEmpty == true { state.byToken[token] = nil }
    }
  }
}
