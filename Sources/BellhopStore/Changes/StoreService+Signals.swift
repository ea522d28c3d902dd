package import BellhopModel

extension StoreService {
  /// Signals of the user's changes, the current sequence first, until the reader stops.
  ///
  /// - Parameters:
  ///   - device: the subscribing device; its own changes are not signalled to it.
  ///   - token: the token that asks; the stream ends when it is revoked.
  ///   - enclosesChanges: whether signals bring along what changed, where it is little.
  /// - Throws: ``StoreError/tooManyStreams``.
  package func signals(
    for user: UserID, excluding device: DeviceID? = nil, with token: AccessTokenID? = nil,
    enclosesChanges: Bool = false
  ) async throws(StoreError) -> AsyncStream<Signal> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Signal.self, bufferingPolicy: .bufferingNewest(1))
    let subscription = try await subscribe(
      SignalRelay(continuation), to: user, excluding: device, with: token,
      enclosesChanges: enclosesChanges)
    continuation.onTermination = { _ in withExtendedLifetime(subscription) {} }
    return stream
  }

  /// The same for a receiver, which is called as long as the subscription is held.
  ///
  /// - Parameter enclosesChanges: whether signals bring along what changed, where it is little.
  /// - Throws: ``StoreError/tooManyStreams``.
  package func subscribe(
    _ receiver: any SignalReceiver, to user: UserID, excluding device: DeviceID? = nil,
    with token: AccessTokenID? = nil, enclosesChanges: Bool = false
  ) async throws(StoreError) -> SignalSubscription {
    // Subscribed before the sequence is read, so that no change falls between the two.
    let subscription = try hub.subscribe(
      receiver, to: user, excluding: device, with: token, enclosesChanges: enclosesChanges,
      limits: limits)
    hub.send(try await position(of: user), to: subscription)
    return subscription
  }

  /// Reads what the user's signals bring along and sends them, until none waits. What is committed
  /// while it reads waits for the next turn, so that a storm costs one read after the other.
  func encloseChanges(for user: UserID) async {
    while let sequence = hub.nextEnclosure(for: user) {
      // A signal whose changes cannot be read goes out without them.
      let enclosed = try? await enclosure(after: sequence, for: user)
      hub.sendWaiting(for: user, enclosing: enclosed, to: sequence)
    }
  }

  /// See ``StoreLogic/enclosure(after:for:in:)``.
  package func enclosure(
    after sequence: SequenceNumber, for user: UserID
  ) async throws(StoreError) -> EnclosedChanges? {
    try await read { try $0.enclosure(after: sequence, for: user, in: $1) }
  }

  /// The user's present position.
  package func position(of user: UserID) async throws(StoreError) -> Signal {
    try await read { logic, state in
      guard let counters = try state.counters(of: user) else {
        throw StoreError.notFound(what: "user")
      }
      return Signal(epoch: logic.identity.epoch, sequence: counters.sequence)
    }
  }
}
