public import BellhopModel

extension StoreService {
  /// Signals of the user's changes, the current sequence first, until the reader stops.
  ///
  /// - Parameters:
  ///   - device: the subscribing device; its own changes are not signalled to it.
  ///   - token: the token that asks; the stream ends when it is revoked.
  /// - Throws: ``StoreError/tooManyStreams``.
  public func signals(
    for user: UserID, excluding device: DeviceID? = nil, with token: AccessTokenID? = nil
  ) async throws(StoreError) -> AsyncStream<Signal> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Signal.self, bufferingPolicy: .bufferingNewest(1))
    let subscription = try await subscribe(
      SignalRelay(continuation), to: user, excluding: device, with: token)
    continuation.onTermination = { _ in withExtendedLifetime(subscription) {} }
    return stream
  }

  /// The same for a receiver, which is called as long as the subscription is held.
  ///
  /// - Throws: ``StoreError/tooManyStreams``.
  public func subscribe(
    _ receiver: any SignalReceiver, to user: UserID, excluding device: DeviceID? = nil,
    with token: AccessTokenID? = nil
  ) async throws(StoreError) -> SignalSubscription {
    // Subscribed before the sequence is read, so that no change falls between the two.
    let subscription = try hub.subscribe(
      receiver, to: user, excluding: device, with: token, limits: limits)
    hub.send(try await position(of: user), to: subscription)
    return subscription
  }

  /// The user's present position.
  public func position(of user: UserID) async throws(StoreError) -> Signal {
    try await read { logic, state in
      guard let counters = try state.counters(of: user) else {
        throw StoreError.notFound(what: "user")
      }
      return Signal(epoch: logic.identity.epoch, sequence: counters.sequence)
    }
  }
}
