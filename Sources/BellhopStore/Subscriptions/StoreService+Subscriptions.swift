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
      committed: { [changedUsers] _ in changedUsers.note(subscriptions: user) })
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
      committed: { [changedUsers] _ in changedUsers.note(subscriptions: user) })
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
      committed: { [changedUsers] _ in changedUsers.note(subscriptions: user) })
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
  package func hookStep(for key: SubscriptionKey) async throws(StoreError) -> HookStep {
    for _ in 0..<Self.settlingMax {
      if let step = try await read({ try $0.hookStep(for: key, in: $1) }) { return step }
      try await write(in: .user(key.user)) { try $0.settleHook(key, in: $1) }
    }
    // More changes were skipped than one turn allows; other subscriptions come first.
    return .rest(until: now)
  }

  /// Records the outcome of a message durably before it returns.
  package func record(
    _ outcome: HookOutcome, of message: HookMessage
  ) async throws(StoreError) -> HookRecord {
    try await write(in: .user(message.subscription.user)) {
      try $0.record(outcome, of: message, in: $1)
    }
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
