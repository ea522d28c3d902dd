package import BellhopModel

extension StoreService {
  // MARK: - Subscriptions for their owners

  /// See ``StoreLogic/check(_:for:in:)``.
  package func check(
    _ request: SubscriptionRequest, for user: UserID
  ) async throws(StoreError) {
    try await read { try $0.check(request, for: user, in: $1) }
  }

  /// See ``StoreLogic/subscribe(_:with:for:in:)``.
  package func subscribe(
    _ request: SubscriptionRequest, with token: AccessTokenID, for user: UserID
  ) async throws(StoreError) -> Subscription {
    try await write(
      in: .user(user), { try $0.subscribe(request, with: token, for: user, in: $1) },
      committed: { [self] _ in noteSubscriptions(of: user) })
  }

  /// See ``StoreLogic/renew(_:expires:notificationURL:with:for:in:)``.
  package func renew(
    _ id: SubscriptionID, expires: Timestamp?, notificationURL: String?,
    with token: AccessTokenID, for user: UserID
  ) async throws(StoreError) -> Subscription {
    try await write(
      in: .user(user),
      {
        try $0.renew(
          id, expires: expires, notificationURL: notificationURL, with: token, for: user, in: $1)
      },
      committed: { [self] _ in noteSubscriptions(of: user) })
  }

  /// Returns an active subscription.
  package func subscription(
    _ id: SubscriptionID, of user: UserID
  ) async throws(StoreError) -> Subscription {
    try await read { try $0.subscription(id, of: user, in: $1) }
  }

  /// Returns the active subscriptions in the order they were created.
  package func subscriptions(of user: UserID) async throws(StoreError) -> [Subscription] {
    try await read { try $0.subscriptions(of: user, in: $1) }
  }

  /// See ``StoreLogic/unsubscribe(_:of:in:)``.
  package func unsubscribe(
    _ id: SubscriptionID, of user: UserID
  ) async throws(StoreError) {
    try await write(
      in: .user(user), { try $0.unsubscribe(id, of: user, in: $1) },
      committed: { [self] _ in noteSubscriptions(of: user) })
  }

  // MARK: - Delivery to hooks

  /// Returns all subscriptions page by page, including ended ones: at most `limit` above `key`.
  package func hooks(
    after key: SubscriptionKey? = nil, limit: Int
  ) async throws(StoreError) -> [Subscription] {
    try await read { try $1.subscriptions(after: key, limit: limit) }
  }

  /// Returns a user's subscriptions, including ended ones.
  package func hooks(of user: UserID) async throws(StoreError) -> [Subscription] {
    try await read { try $1.subscriptions(of: user) }
  }

  /// Returns the next step for a subscription. Before that, it records what needs no request.
  ///
  /// Among several processes, one at a time delivers to a user's hooks. It claims a lease when there
  /// is something to send or to record, and the others rest until the lease expires.
  ///
  /// - Parameter leaseLife: the life of the lease. A message is sent in its first half.
  package func hookStep(
    for key: SubscriptionKey, leaseLife: Duration = .seconds(60)
  ) async throws(StoreError) -> HookStep {
    let name = LeaseName.hooks(key.user)
    for _ in 0..<Self.settlingMax {
      // Read under the lease, so that it includes everything that another holder recorded.
      let right = membership.right(to: name, lasting: leaseLife / 2, at: now)
      let step = try await read { try $0.hookStep(for: key, in: $1) }
      switch (step, right) {
      case (.gone?, _): return .gone
      case (.rest(let time)?, _): return .rest(until: time)
      case (.tell(let message)?, .alone): return .tell(message)
      case (.tell(var message)?, .leased(let lease)):
        message.lease = lease
        return .tell(message)
      case (nil, .alone), (nil, .leased):
        try await write(in: .user(key.user)) { try $0.settleHook(key, in: $1) }
      case (.tell?, .missing), (nil, .missing):
        if let end = try await claim(name, for: leaseLife) { return .rest(until: end) }
      }
    }
    // More changes were skipped than one turn allows; other subscriptions come first.
    return .rest(until: now)
  }

  /// Records the outcome of a message durably before it returns.
  package func record(
    _ outcome: HookOutcome, of message: HookMessage
  ) async throws(StoreError) -> HookRecord {
    let record = try await write(in: .user(message.subscription.user)) {
      try $0.record(outcome, of: message, in: $1)
    }
    if record == .superseded, let lease = message.lease { membership.forget(lease) }
    return record
  }

  /// Returns a random duration between half of `duration` and all of it, for pauses.
  package func jittered(_ duration: Duration) -> Duration { environment.jittered(duration) }

  /// Returns the text that a hook's owner must echo to confirm the subscription.
  ///
  /// It contains 192 random bits, and characters that a URL must escape.
  package func makeValidationToken() -> String {
    "Validation: Bellhop asks for this text back " + Base64URL.encode(environment.randomBytes(24))
  }

  /// The maximum number of steps without a request in one turn of a subscription.
  private static let settlingMax = 16
}
