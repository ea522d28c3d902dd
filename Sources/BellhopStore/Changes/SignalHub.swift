internal import BellhopModel
internal import Synchronization

/// A hub that signals to subscribers that a user's items changed, without details.
///
/// Signals are hints: the next signal replaces an unread one.
package final class SignalHub: Sendable {
  private struct Subscriber {
    var user: UserID
    var device: DeviceID?
    /// The access token that opened the stream.
    var token: AccessTokenID?
    /// The sequence up to which it was signalled, or knows from its own changes.
    var last: SequenceNumber
    /// The sequence up to which it was signalled, waits for changes, or made them itself.
    var known: SequenceNumber
    /// Whether its signals enclose the changes.
    var enclosesChanges: Bool
    /// A signal whose changes are being read.
    var waiting: Signal?
    var receiver: any SignalReceiver
  }

  private struct State {
    var subscribers: [Int: Subscriber] = [:]
    var byUser: [UserID: Set<Int>] = [:]
    var byToken: [AccessTokenID: Set<Int>] = [:]
    /// Users for whom a task is reading changes to enclose.
    var enclosing: Set<UserID> = []
    var nextID = 0
    var signalCount = 0

    /// Sends a signal to a subscriber, but never a lower sequence after a higher one.
    mutating func send(_ signal: Signal, to id: Int) {
      guard let last = subscribers[id]?.last, signal.sequence > last else { return }
      subscribers[id]?.last = signal.sequence
      noteKnown(signal, by: id)
      subscribers[id]?.receiver.receive(signal)
      signalCount += 1
    }

    mutating func noteKnown(_ signal: Signal, by id: Int) {
      guard let known = subscribers[id]?.known else { return }
      subscribers[id]?.known = max(known, signal.sequence)
    }

    /// Stores a signal for later, unless a later one waits. For the subscriber's own change, it
    /// only advances the known sequence: the subscriber requests that change itself.
    mutating func wait(_ signal: Signal, for id: Int, isOwn: Bool) {
      guard let subscriber = subscribers[id] else { return }
      noteKnown(signal, by: id)
      if !isOwn {
        // Signals of other processes may come in any order.
        let latest = max(subscriber.last, subscriber.waiting?.sequence ?? subscriber.last)
        if signal.sequence > latest { subscribers[id]?.waiting = signal }
      } else if subscriber.waiting == nil || Mutant.ownChangeSwallowsOthers.isOn {
        subscribers[id]?.last = max(subscriber.last, signal.sequence)
      }
    }

    @discardableResult
    mutating func remove(_ id: Int) -> Subscriber? {
      guard let subscriber = subscribers.removeValue(forKey: id) else { return nil }
      byUser[subscriber.user]?.remove(id)
      if byUser[subscriber.user]?.isEmpty == true { byUser[subscriber.user] = nil }
      guard let token = subscriber.token else { return subscriber }
      byToken[token]?.remove(id)
      if byToken[token]?.isEmpty == true { byToken[token] = nil }
      return subscriber
    }
  }

  private let state = Mutex(State())
  /// The collector of all users' changes, whether or not they have subscribers.
  let changedUsers = ChangedUsers()

  package init() {}

  /// Delivers signals for `user` to a receiver while the subscription is held, except those that
  /// `device` itself causes.
  ///
  /// - Throws: ``StoreError/tooManyStreams`` when the user or the token has reached the limit.
  func subscribe(
    _ receiver: any SignalReceiver, to user: UserID, excluding device: DeviceID?,
    with token: AccessTokenID?, enclosesChanges: Bool = false, limits: StoreLimits
  ) throws(StoreError) -> SignalSubscription {
    let added = state.withLock { state -> Int? in
      let tokenCount = token.flatMap { state.byToken[$0]?.count } ?? 0
      guard state.byUser[user]?.count ?? 0 < limits.streamsPerUserMax,
        tokenCount < limits.streamsPerTokenMax
      else { return nil }
      let id = state.nextID
      state.nextID += 1
      state.subscribers[id] = Subscriber(
        user: user, device: device, token: token, last: SequenceNumber(-1),
        known: SequenceNumber(-1), enclosesChanges: enclosesChanges, receiver: receiver)
      state.byUser[user, default: []].insert(id)
      if let token { state.byToken[token, default: []].insert(id) }
      return id
    }
    guard let id = added else { throw .tooManyStreams }
    return SignalSubscription(self, id)
  }

  /// Sends the current sequence to one subscriber.
  func send(_ signal: Signal, to subscription: SignalSubscription) {
    state.withLock { $0.send(signal, to: subscription.id) }
  }

  /// Signals changes up to the signal's sequence to the user's subscribers. Subscribers with
  /// enclosed changes wait for those first.
  ///
  /// - Returns: whether subscribers wait and no task reads their changes yet. Then the caller must
  ///   alternate between ``nextEnclosure(for:)`` and ``sendWaiting(for:enclosing:to:)``.
  func raise(_ signal: Signal, for user: UserID, by device: DeviceID? = nil) -> Bool {
    changedUsers.note(items: user)
    return state.withLock { state in
      var someWait = false
      for id in state.byUser[user] ?? [] {
        let isOwn = device.map { state.subscribers[id]?.device == $0 } ?? false
        if state.subscribers[id]?.enclosesChanges == true {
          state.wait(signal, for: id, isOwn: isOwn)
          someWait = someWait || !isOwn
        } else if isOwn {
          state.noteKnown(signal, by: id)
        } else {
          state.send(signal, to: id)
        }
      }
      return someWait && state.enclosing.insert(user).inserted
    }
  }

  /// Returns the sequence after which to read changes for the user's waiting signals. Nil means
  /// that none is waiting and that reading is finished.
  func nextEnclosure(for user: UserID) -> SequenceNumber? {
    state.withLock { state in
      var counts: [SequenceNumber: Int] = [:]
      for id in state.byUser[user] ?? [] {
        guard let subscriber = state.subscribers[id], subscriber.waiting != nil else { continue }
        counts[subscriber.last, default: 0] += 1
      }
      // Nearly always all subscribers are at the same sequence.
      let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
      if most == nil { state.enclosing.remove(user) }
      return most?.key
    }
  }

  /// Sends the user's waiting signals. Subscribers that have everything up to `sequence` receive
  /// the changes with them.
  func sendWaiting(
    for user: UserID, enclosing enclosed: EnclosedChanges?, to sequence: SequenceNumber
  ) {
    state.withLock { state in
      for id in state.byUser[user] ?? [] {
        guard let subscriber = state.subscribers[id], var signal = subscriber.waiting else {
          continue
        }
        state.subscribers[id]?.waiting = nil
        if let enclosed, subscriber.last == sequence,
          enclosed.page.sequence >= signal.sequence || Mutant.enclosureBehindSignal.isOn
        {
          signal.sequence = enclosed.page.sequence
          signal.enclosed = enclosed
        }
        state.send(signal, to: id)
      }
    }
  }

  /// Ends the streams of a token, a device or a user that lost access. The web hooks that depend on
  /// the token or the user are checked again.
  func disconnect(_ access: EndedAccess) {
    switch access {
    case .device(let device, let user, let kept):
      finish { subscriber in
        guard subscriber.user == user, subscriber.device == device else { return false }
        return kept == nil || subscriber.token != kept
      }
    case .token(let token, let user, let device):
      changedUsers.note(subscriptions: user)
      finish { subscriber in
        if let opener = subscriber.token { return opener == token }
        guard let device else { return false }
        return subscriber.user == user && subscriber.device == device
      }
    case .user(let user):
      changedUsers.note(subscriptions: user)
      finish { $0.user == user }
    }
  }

  /// Ends every stream.
  package func disconnectAll() {
    finish { _ in true }
  }

  /// The number of signals delivered to streams.
  var signalCount: Int { state.withLock { $0.signalCount } }

  /// The lowest and the highest sequence that each user's subscribers know. Those that wait for
  /// their first signal do not count.
  var knownSequences: [UserID: ClosedRange<SequenceNumber>] {
    state.withLock { state in
      state.byUser.compactMapValues { ids in
        let known = ids.compactMap { state.subscribers[$0]?.known }.filter { $0 >= .zero }
        guard let least = known.min(), let most = known.max() else { return nil }
        return least...most
      }
    }
  }

  /// The access tokens that opened streams.
  var openTokens: [UserToken] {
    state.withLock { state in
      state.byToken.compactMap { token, ids in
        guard token != Principal.anonymousTokenID,
          let user = ids.first.flatMap({ state.subscribers[$0]?.user })
        else { return nil }
        return UserToken(user: user, id: token)
      }
    }
  }

  /// The number of open streams.
  package var subscriberCount: Int { state.withLock { $0.subscribers.count } }

  /// Ends the matching streams. Receivers are called outside the lock, because they may release
  /// their subscription.
  private func finish(where isMeant: @Sendable (Subscriber) -> Bool) {
    let ended = state.withLock { state in
      let ended = state.subscribers.filter { isMeant($0.value) }
      for id in ended.keys { state.remove(id) }
      return ended.values.map(\.receiver)
    }
    for receiver in ended { receiver.signalsEnded() }
  }

  fileprivate func remove(_ id: Int) {
    // Objects that the receiver holds are released outside the lock.
    let removed = state.withLock { $0.remove(id) }
    withExtendedLifetime(removed) {}
  }
}

/// A destination of signals. It is called on any thread while other callers wait, so it must return
/// immediately.
package protocol SignalReceiver: AnyObject, Sendable {
  /// Receives a signal, which supersedes all earlier ones.
  func receive(_ signal: Signal)
  /// Ends the signals: the token or its device was revoked, or the store is closing.
  func signalsEnded()
}

/// The subscription of a receiver, which ends with the last reference to this object.
package final class SignalSubscription: Sendable {
  private let hub: SignalHub
  fileprivate let id: Int

  fileprivate init(_ hub: SignalHub, _ id: Int) {
    self.hub = hub
    self.id = id
  }

  deinit { hub.remove(id) }
}

/// A receiver that forwards signals to an asynchronous sequence.
final class SignalRelay: SignalReceiver {
  private let continuation: AsyncStream<Signal>.Continuation

  init(_ continuation: AsyncStream<Signal>.Continuation) { self.continuation = continuation }

  func receive(_ signal: Signal) { continuation.yield(signal) }
  func signalsEnded() { continuation.finish() }
}
