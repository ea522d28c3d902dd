internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `/v1.0/subscriptions`: Graph's change notifications by web hook.
enum SubscriptionEndpoints {
  static let endpoints = [
    Endpoint.native(.post, "subscriptions", .device, subscribe).described(
      .init(
        id: "subscribe",
        summary: "Notify a web hook of changes. The hook must first return a validation token.",
        body: .json("SubscriptionRequest", example: example),
        answers: [.init(201, "Subscribed.", .json("Subscription"), headers: ["Location"])],
        refusals: [
          400: "The request is wrong, or the hook did not return the validation token.",
          403: "The access token does not allow this, or there are too many subscriptions.",
        ])),
    Endpoint.native(.get, "subscriptions", .device, list).described(
      .init(
        id: "listSubscriptions", summary: "The user's subscriptions.",
        answers: [.init(200, "All subscriptions.", .json("SubscriptionList"))])),
    Endpoint.native(.get, "subscriptions/:id", .device, get).described(
      .init(
        id: "getSubscription", summary: "One subscription.",
        answers: [.init(200, "The subscription.", .json("Subscription"))])),
    Endpoint.native(.patch, "subscriptions/:id", .device, renew).described(
      .init(
        id: "renewSubscription",
        summary: "Change a subscription's expiry, web hook, or both.",
        body: .json("SubscriptionChange"),
        answers: [.init(200, "The subscription as it is now.", .json("Subscription"))])),
    Endpoint.native(.delete, "subscriptions/:id", .device, unsubscribe).described(
      .init(
        id: "unsubscribe", summary: "End a subscription.", answers: [.init(204, "Ended.")])),
  ]

  private static let example: JSONValue = [
    "changeType": "created,deleted", "notificationUrl": "https://hooks.example.com/bellhop",
    "resource": "me/notifications", "expirationDateTime": "2026-12-01T00:00:00Z",
    "clientState": "a text that identifies this subscription to the hook",
  ]

  private static func subscribe(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let payload = try await exchange.payload(SubscriptionRequestPayload.self)
    let request = try request(payload, principal.user)
    let hook = try url(payload.notificationUrl, "notificationUrl", exchange)
    let lifecycle = try payload.lifecycleNotificationUrl.map {
      try url($0, "lifecycleNotificationUrl", exchange)
    }
    let user = principal.user.id
    // A subscription that would be refused anyway must not call its hook.
    try await exchange.store.check(request, for: user)
    let hooks = exchange.server.hooks
    try await hooks.handshake(hook, field: "notificationUrl", for: user)
    if let lifecycle {
      try await hooks.handshake(lifecycle, field: "lifecycleNotificationUrl", for: user)
    }
    let subscription = try await exchange.store.subscribe(
      request, with: principal.token.id, for: user)
    return try .json(
      .created, describe(subscription),
      headers: [.location: exchange.linkBase + Route.subscription(subscription.id).path])
  }

  private static func list(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let subscriptions = try await exchange.store.subscriptions(of: principal.user.id)
    return try .json(.ok, SubscriptionListPayload(value: subscriptions.map(describe)))
  }

  private static func get(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let subscription = try await exchange.store.subscription(
      id(exchange), of: principal.user.id)
    return try .json(.ok, describe(subscription))
  }

  private static func renew(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let id = try id(exchange)
    let user = principal.user.id
    _ = try await exchange.store.subscription(id, of: user)
    let payload = try await exchange.payload(SubscriptionPatchPayload.self)
    guard payload != SubscriptionPatchPayload() else {
      throw RequestError.badRequest(
        "The body is wrong: expected expirationDateTime, notificationUrl or both.")
    }
    if let text = payload.notificationUrl {
      let hook = try url(text, "notificationUrl", exchange)
      try await exchange.server.hooks.handshake(hook, field: "notificationUrl", for: user)
    }
    let subscription = try await exchange.store.renew(
      id, expires: payload.expirationDateTime, notificationURL: payload.notificationUrl,
      with: principal.token.id, for: user)
    return try .json(.ok, describe(subscription))
  }

  private static func unsubscribe(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    try await exchange.store.unsubscribe(id(exchange), of: principal.user.id)
    return Response(status: .noContent)
  }

  // MARK: - Parts

  /// Returns the subscription id of the path. An id that none can have is not found either.
  private static func id(_ exchange: Exchange) throws -> SubscriptionID {
    guard let id = exchange.parameters.get("id").flatMap({ SubscriptionID($0) }) else {
      throw StoreError.notFound(what: "subscription")
    }
    return id
  }

  private static func request(
    _ payload: SubscriptionRequestPayload, _ user: User
  ) throws -> SubscriptionRequest {
    if payload.includeResourceData == true {
      throw RequestError(
        .badRequest, .notSupported,
        "includeResourceData is wrong: expected false; fetch the item by its id.")
    }
    guard let types = ChangeTypes(payload.changeType) else {
      throw RequestError.badRequest(
        "changeType is wrong: expected created, updated, deleted, or several, separated by commas.")
    }
    try check(payload.resource, user)
    return SubscriptionRequest(
      changeTypes: types, resource: payload.resource, notificationURL: payload.notificationUrl,
      lifecycleURL: payload.lifecycleNotificationUrl,
      clientState: payload.clientState.map { ClientState($0) },
      expires: payload.expirationDateTime, tlsVersion: payload.latestSupportedTlsVersion)
  }

  /// Checks that the resource is the user's own notifications, under either name.
  ///
  /// The refusal does not reveal whether another user exists.
  private static func check(_ resource: String, _ user: User) throws {
    let parts = resource.drop { $0 == "/" }.split(
      separator: "/", omittingEmptySubsequences: false)
    switch parts {
    case ["me", "notifications"]: return
    case let parts where parts.count == 3 && parts[0] == "users" && parts[2] == "notifications":
      let name = Route.unescaped(parts[1])
      guard name == user.name || name == String(user.id.rawValue) else {
        throw RequestError.forbidden(
          "An access token can access only its own user's notifications.")
      }
    default:  // open: [Substring]
      throw RequestError.badRequest("resource is wrong: expected me/notifications.")
    }
  }

  private static func url(
    _ text: String, _ field: String, _ exchange: Exchange
  ) throws -> OutboundURL {
    do throws(OutboundURL.FormatError) {
      return try OutboundURL(text, exchange.configuration.hooks.urlRules)
    } catch {
      throw RequestError.badRequest("\(field) is wrong: expected \(error.expectation).")
    }
  }

  private static func describe(_ subscription: Subscription) -> SubscriptionPayload {
    let request = subscription.request
    return SubscriptionPayload(
      id: subscription.id, resource: request.resource,
      changeType: request.changeTypes.description, notificationUrl: request.notificationURL,
      lifecycleNotificationUrl: request.lifecycleURL, expirationDateTime: request.expires,
      latestSupportedTlsVersion: request.tlsVersion)
  }
}
