package import BellhopModel

extension StoreService {
  /// Returns a stream of signals for the user's changes, which starts with the current sequence.
  ///
  /// - Parameters:
  ///   - device: the subscribing device; it receives no signals of its own changes.
  ///   - token: the requesting token; the stream ends when it is revoked.
  ///   - enclosesChanges: whether signals enclose the changes if they are small enough.
  ///   - tokenMax: the maximum number of streams of the token; nil for the limit of all tokens.
  /// - Throws: ``StoreError/tooManyStreams``.
  package func signals(
    for user: UserID, excluding device: DeviceID? = nil, with token: AccessTokenID? = nil,
    enclosesChanges: Bool = false, tokenMax: Int? = nil
  ) async throws(StoreError) -> AsyncStream<Signal> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Signal.self, bufferingPolicy: .bufferingNewest(1))
    let subscription = try await subscribe(
      SignalRelay(continuation), to: user, excluding: device, with: token,
      enclosesChanges: enclosesChanges, tokenMax: tokenMax)
    continuation.onTermination = { _ in withExtendedLifetime(subscription) {} }
    return stream
  }

  /// Subscribes a receiver to signals of the user's changes while the subscription is held. The
  /// first signal is the current sequence.
  ///
  /// - Parameters:
  ///   - enclosesChanges: whether signals enclose the changes if they are small enough.
  ///   - tokenMax: the maximum number of streams of the token; nil for the limit of all tokens.
  /// - Throws: ``StoreError/tooManyStreams``.
  package func subscribe(
    _ receiver: any SignalReceiver, to user: UserID, excluding device: DeviceID? = nil,
    with token: AccessTokenID? = nil, enclosesChanges: Bool = false, tokenMax: Int? = nil
  ) async throws(StoreError) -> SignalSubscription {
    var limits = limits
    limits.streamsPerTokenMax = min(limits.streamsPerTokenMax, tokenMax ?? .max)
    // Subscribed before the sequence is read, so that no change is missed in between.
    let subscription = try hub.subscribe(
      receiver, to: user, excluding: device, with: token, enclosesChanges: enclosesChanges,
      limits: limits)
    hub.send(try await position(of: user), to: subscription)
    return subscription
  }

  /// Reads the changes to enclose in the user's waiting signals and sends them, until none is
  /// waiting.
  ///
  /// Changes committed during a read wait for the next one, so that a burst costs one read after
  /// another.
  func encloseChanges(for user: UserID) async {
    while let sequence = hub.nextEnclosure(for: user) {
      // A signal whose changes cannot be read is sent without them.
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

  /// Returns the user's current position.
  package func position(of user: UserID) async throws(StoreError) -> Signal {
    try await read { logic, state in
      guard let counters = try state.counters(of: user) else {
        throw StoreError.notFound(what: "user")
      }
      return Signal(epoch: logic.identity.epoch, sequence: counters.sequence)
    }
  }
}
