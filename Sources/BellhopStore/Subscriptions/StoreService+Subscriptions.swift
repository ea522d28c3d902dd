package import BellhopModel

extension StoreService {
  // MARK: - For their owners

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
      { try $0.subscribe(request, with: token, for: user, in: $1) },
      committed: { [changedUsers] _ in changedUsers.note(subscriptions: user) })
  }

  /// See ``StoreLogic/renew(_:expires:notificationURL:with:for:in:)``.
  package func renew(
    _ id: SubscriptionID, expires: Timestamp?, notificationURL: String?,
    with token: AccessTokenID, for user: UserID
  ) async throws(StoreError) -> Subscription {
    try await write(
      {
        try $0.renew(
          id, expires: expires, notificationURL: notificationURL, with: token, for: user, in: $1)
      },
      committed: { [changedUsers] _ in changedUsers.note(subscriptions: user) })
  }

  /// One subscription that is not over.
  package func subscription(
    _ id: SubscriptionID, of user: UserID
  ) async throws(StoreError) -> Subscription {
    try await read { try $0.subscription(id, of: user, in: $1) }
  }

  /// Those that are not over, in the order they were made.
  package func subscriptions(of user: UserID) async throws(StoreError) -> [Subscription] {
    try await read { try $0.subscriptions(of: user, in: $1) }
  }

  /// See ``StoreLogic/unsubscribe(_:of:in:)``.
  package func unsubscribe(
    _ id: SubscriptionID, of user: UserID
  ) async throws(StoreError) {
    try await write(
      { try $0.unsubscribe(id, of: user, in: $1) },
      committed: { [changedUsers] _ in changedUsers.note(subscriptions: user) })
  }

  // MARK: - For whoever tells the hooks

  /// All subscriptions, ended ones too, page by page: at most `limit` above `key`.
  package func hooks(
    after key: SubscriptionKey? = nil, limit: Int
  ) async throws(StoreError) -> [Subscription] {
    try await read { try $1.subscriptions(after: key, limit: limit) }
  }

  /// A user's subscriptions, ended ones too.
  package func hooks(of user: UserID) async throws(StoreError) -> [Subscription] {
    try await read { try $1.subscriptions(of: user) }
  }

  /// What is to be done next for a subscription. Writes down first what needs no request.
  package func hookStep(for key: SubscriptionKey) async throws(StoreError) -> HookStep {
    for _ in 0..<Self.settlingMax {
      if let step = try await read({ try $0.hookStep(for: key, in: $1) }) { return step }
      try await write { try $0.settleHook(key, in: $1) }
    }
    // More was passed over than fits in one turn; the others come first.
    return .rest(until: now)
  }

  /// Writes down what came of a message, for good before this returns.
  package func record(
    _ outcome: HookOutcome, of message: HookMessage
  ) async throws(StoreError) -> HookRecord {
    try await write { try $0.record(outcome, of: message, in: $1) }
  }

  /// A random time from half of `duration` to all of it, for pauses.
  package func jittered(_ duration: Duration) -> Duration { environment.jittered(duration) }

  /// What a hook's owner is to give back, to show that it wants to be told: 192 random bits, with
  /// characters that a URL must escape.
  package func makeValidationToken() -> String {
    "Validation: Bellhop asks for this text back " + Base64URL.encode(environment.randomBytes(24))
  }

  /// Steps that need no request, in one turn of a subscription.
  private static let settlingMax = 16
}
