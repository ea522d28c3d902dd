package import BellhopModel

extension StoreLogic {
  // MARK: - Subscriptions for their owner

  /// Checks whether a subscription could be created now, before its hook is contacted.
  ///
  /// - Throws: ``StoreError/invalid(field:expectation:)``,
  ///   ``StoreError/tooManySubscriptions(max:)``.
  package func check(
    _ request: SubscriptionRequest, for user: UserID, in state: any StoreReading
  ) throws {
    try check(expires: request.expires)
    if let clientState = request.clientState {
      let most = limits.clientStateCharactersMax
      guard (1...most).contains(clientState.text.unicodeScalars.count) else {
        throw StoreError.invalid(field: "clientState", expectation: "1 to \(most) characters")
      }
    }
    guard !request.changeTypes.values.isEmpty else {
      throw StoreError.invalid(
        field: "changeType",
        expectation: "created, updated, deleted, or several, separated by commas")
    }
    guard (1...limits.nameBytesMax).contains(request.resource.utf8.count) else {
      throw StoreError.invalid(
        field: "resource", expectation: "1 to \(limits.nameBytesMax) bytes")
    }
    try ContentRules.checkText(request.resource, "resource")
    try ContentRules.checkText(request.clientState?.text ?? "", "clientState")
    try ContentRules.checkText(request.tlsVersion ?? "", "latestSupportedTlsVersion")
    guard (request.tlsVersion?.utf8.count ?? 0) <= 16 else {
      throw StoreError.invalid(
        field: "latestSupportedTlsVersion", expectation: "a version such as v1_2")
    }
    for url in [request.notificationURL, request.lifecycleURL].compactMap({ $0 }) {
      guard url.utf8.count <= limits.urlBytesMax else {
        throw StoreError.invalid(
          field: "notificationUrl", expectation: "at most \(limits.urlBytesMax) bytes")
      }
    }
    guard try state.subscriptions(of: user).count < limits.subscriptionsPerUserMax else {
      throw StoreError.tooManySubscriptions(max: limits.subscriptionsPerUserMax)
    }
  }

  /// Subscribes to the user's changes from now on.
  ///
  /// - Throws: the errors of the check, and ``StoreError/unauthenticated(reason:)`` when the token
  ///   was revoked meanwhile.
  package func subscribe(
    _ request: SubscriptionRequest, with token: AccessTokenID, for user: UserID,
    in transaction: any StoreTransaction
  ) throws -> Subscription {
    guard let counters = try transaction.counters(of: user) else {
      throw StoreError.notFound(what: "user")
    }
    try refuseRevoked(token, of: user, in: transaction)
    try check(request, for: user, in: transaction)
    let subscription = Subscription(
      id: newID(), user: user, token: token, request: request, created: now,
      progress: HookProgress(
        epoch: identity.epoch, through: counters.sequence, knownNumber: counters.shortNumber,
        occurredThrough: now))
    try transaction.put(subscription)
    return subscription
  }

  /// Changes the expiration or the hook of a subscription, or both, and binds it to the requesting
  /// token. A changed hook receives failed changes immediately.
  package func renew(
    _ id: SubscriptionID, expires: Timestamp?, notificationURL: String?,
    with token: AccessTokenID, for user: UserID, in transaction: any StoreTransaction
  ) throws -> Subscription {
    var subscription = try subscription(id, of: user, in: transaction)
    try refuseRevoked(token, of: user, in: transaction)
    if let expires {
      try check(expires: expires)
      subscription.request.expires = expires
    }
    if let notificationURL {
      guard notificationURL.utf8.count <= limits.urlBytesMax else {
        throw StoreError.invalid(
          field: "notificationUrl", expectation: "at most \(limits.urlBytesMax) bytes")
      }
      subscription.request.notificationURL = notificationURL
      subscription.progress.delivery = HookRetry()
    }
    subscription.token = token
    try transaction.put(subscription)
    return subscription
  }

  /// Returns an active subscription.
  package func subscription(
    _ id: SubscriptionID, of user: UserID, in state: any StoreReading
  ) throws -> Subscription {
    guard let subscription = try state.subscription(id, of: user),
      try !isOver(subscription, in: state)
    else { throw StoreError.notFound(what: "subscription") }
    return subscription
  }

  /// Returns the active subscriptions in the order they were created.
  package func subscriptions(
    of user: UserID, in state: any StoreReading
  ) throws -> [Subscription] {
    try state.subscriptions(of: user).filter { try !isOver($0, in: state) }
  }

  /// Ends a subscription without notifying its hook.
  package func unsubscribe(
    _ id: SubscriptionID, of user: UserID, in transaction: any StoreTransaction
  ) throws {
    _ = try subscription(id, of: user, in: transaction)
    try transaction.removeSubscription(id, of: user)
  }

  private func check(expires: Timestamp) throws {
    let now = now
    guard expires > now else {
      throw StoreError.invalid(
        field: "expirationDateTime", expectation: "a time after now, \(now)")
    }
    let latest = now.advanced(by: limits.subscriptionLifeMax)
    guard expires <= latest else {
      throw StoreError.invalid(
        field: "expirationDateTime", expectation: "a time no later than \(latest)")
    }
  }

  private func refuseRevoked(
    _ token: AccessTokenID, of user: UserID, in state: any StoreReading
  ) throws {
    if try state.accessToken(token, of: user)?.revoked != nil {
      throw StoreError.unauthenticated(reason: "the access token was revoked")
    }
  }

  /// Whether the subscription has ended or expired, or its token is no longer valid.
  ///
  /// A token is no longer valid if it was revoked, has expired, or belongs to a sign-in that was
  /// forgotten. The clock that expires items decides, because a subscription that has ended does
  /// not return.
  func isOver(_ subscription: Subscription, in state: any StoreReading) throws -> Bool {
    let now = expiryNow
    if subscription.isEnded || subscription.request.expires <= now { return true }
    guard let token = try state.accessToken(subscription.token, of: subscription.user) else {
      return true
    }
    return token.revoked != nil || token.expires.map { $0 <= now } ?? false
  }
}
