package import BellhopModel
package import BellhopStore
internal import BellhopWire
internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `POST /v1.0/me/notifications`: Graph's publication.
enum PublishEndpoint {
  static let endpoints = [
    Endpoint.native(.post, "me/notifications", .publish, handle).described(
      .init(
        id: "publish",
        summary: "Publish a notification, or replace the one with the same app id.",
        parameters: [
          .header(
            "Idempotency-Key", Schemas.limited(255),
            "Requests with the same key and body take effect once."),
          .header(
            "Prefer", Schemas.text,
            "bellhop.quiet-update keeps position and state; return=minimal: no body."),
        ], body: .json("Publication", example: example),
        answers: [
          .init(
            201, "Stored. Publish tokens receive only what publishers write, no state.",
            .json([
              "anyOf": [
                Schemas.reference("Notification"), Schemas.reference("PublishedNotification"),
              ]
            ]), headers: ["Location"]),
          .init(
            204, "Stored; no body, because of Prefer: return=minimal.",
            headers: ["Location", "OData-EntityId"]),
        ],
        refusals: [422: "The idempotency key was already used with another body."]))
  ]

  private static let example: JSONValue = [
    "targetHostName": "ci.example.com", "appNotificationId": "build-412", "groupName": "main",
    "priority": "High", "displayTimeToLive": "3600",
    "payload": ["visualContent": ["title": "build 412 failed", "body": "2 of 1,204 tests"]],
    "clickUrl": "https://ci.example.com/412", "tags": ["build"],
  ]

  private static func handle(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    try Publishing.refuseConditions(exchange)
    return try await exchange.withBody { try await publish($0, exchange, principal) }
  }

  private static func publish(
    _ body: ByteBuffer, _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    guard body.readableBytes > 0 else {
      throw WireError.invalid(field: "", expectation: "a JSON object; it is empty")
    }
    let content = try WireJSON.decode(
      PublishPayload.self, from: body.readableBytesView,
      depthMax: exchange.configuration.jsonDepthMax
    ).content
    let isQuiet = exchange.preferences[Publishing.quietUpdate] != nil
    let published = try await Publishing.publish(
      content, isQuiet: isQuiet,
      fingerprint: [Array(body.readableBytesView), isQuiet ? [1] : [0]], exchange, principal)
    return try await Publishing.answer(.created, published, isQuiet: isQuiet, exchange, principal)
  }
}

/// The publishing steps that all dialects share.
package enum Publishing {
  static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
  static let ifRange = HTTPField.Name("If-Range")!
  /// The preference for a replacement that keeps place and state.
  static let quietUpdate = "bellhop.quiet-update"

  /// Refuses the two conditions that Graph refuses on a publication.
  package static func refuseConditions(_ exchange: Exchange) throws {
    for name in [HTTPField.Name.ifModifiedSince, ifRange]
    where exchange.request.headers.contains(name) {
      throw RequestError.badRequest(
        "\(name.canonicalName) is not supported for publications.")
    }
  }

  /// Returns the app in the path, for which the caller may publish.
  static func app(_ exchange: Exchange, _ principal: Principal) async throws -> String {
    let app = try AppEndpoints.name(exchange)
    guard try await mayPublish(app, exchange, principal) else {
      throw RequestError.forbidden("The access token does not allow publishing for this app.")
    }
    return app
  }

  /// Publishes if the caller may, once per idempotency key.
  ///
  /// - Parameter fingerprint: All parts of the request that affect its result.
  package static func publish(
    _ content: Content, isQuiet: Bool, fingerprint: [[UInt8]], _ exchange: Exchange,
    _ principal: Principal
  ) async throws -> Published {
    guard try await mayPublish(content.app, exchange, principal) else {
      throw RequestError.forbidden("The access token does not allow publishing for this app.")
    }
    let idempotency = try idempotency(exchange, principal, fingerprint: fingerprint)
    return try await exchange.store.publish(
      PublishRequest(
        content, isQuietUpdate: isQuiet, idempotency: idempotency, publisher: principal.token.id,
        appsMax: exchange.appsMax(for: principal), isDevice: principal.isDevice),
      for: principal.user.id)
  }

  /// Returns the key of the `Idempotency-Key` header; nil without one.
  static func idempotency(
    _ exchange: Exchange, _ principal: Principal, fingerprint: [[UInt8]]
  ) throws -> IdempotencyKey? {
    guard let key = exchange.request.headers[idempotencyKey] else { return nil }
    let bytesMax = exchange.store.limits.idempotencyKeyBytesMax
    guard (1...bytesMax).contains(key.utf8.count),
      key.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
    else {
      throw RequestError.badRequest(
        "Idempotency-Key is wrong: expected 1 to \(bytesMax) printable characters.")
    }
    return IdempotencyKey(token: principal.token.id, key: key, bodyHash: hash(fingerprint))
  }

  /// Returns the response to a publication: the item as the caller may see it.
  ///
  /// A device sees the item's state, a publisher does not. A caller that prefers a minimal response
  /// receives only the item's address (OData 4.01 Protocol §8.2.8.7, §8.3.4).
  ///
  /// - Parameter hidesItem: Whether the response has no body, whatever the caller prefers: the item
  ///   contains more than the request did, and the caller may not read it.
  static func answer(
    _ status: HTTPResponse.Status, _ published: Published, isQuiet: Bool, hidesItem: Bool = false,
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let item = published.item
    var headers = HTTPFields()
    let address = exchange.linkBase + Route.notification(item.id).path
    if status == .created { headers[.location] = address }
    let isMinimal = exchange.prefersMinimal
    let applied = (isQuiet ? [quietUpdate] : []) + (isMinimal ? [Exchange.returnMinimal] : [])
    if !applied.isEmpty {
      headers[Exchange.preferenceApplied] = applied.joined(separator: ", ")
    }
    // An etag rises with every change of the state, which a publisher must not learn.
    if principal.reaches(item) { headers[.eTag] = NotificationPayload.entityTag(item.state) }
    if isMinimal || hidesItem {
      headers[Exchange.entityID] = address
      return Response(status: .noContent, headers: headers)
    }
    guard principal.reaches(item) else {
      return try .json(
        status, PublishedPayload(published.answer), headers: headers, sortingKeys: false)
    }
    let clock = try await exchange.store.wallClock(for: [item], of: principal.user.id)
    return try .json(
      status,
      NotificationPayload(
        principal.view(of: item), times: item.triggerTimes(at: exchange.store.now, on: clock)),
      headers: headers, sortingKeys: false)
  }

  /// Whether the caller may publish for the app, or for the app behind this alias.
  package static func mayPublish(
    _ app: String, _ exchange: Exchange, _ principal: Principal
  ) async throws -> Bool {
    if principal.mayPublish(app) { return true }
    return principal.mayPublish(
      try await exchange.store.appName(of: app, for: principal.user.id))
  }

  /// Returns SHA-256 over all parts with their lengths, so that no two lists hash the same bytes.
  private static func hash(_ parts: [[UInt8]]) -> [UInt8] {
    var hasher = SHA256()
    for part in parts {
      withUnsafeBytes(of: UInt64(part.count).littleEndian) { hasher.update(bufferPointer: $0) }
      hasher.update(data: part)
    }
    return Array(hasher.finalize())
  }
}

extension Exchange {
  /// Returns the number of apps beyond which the caller creates none; nil for the store's limit.
  func appsMax(for principal: Principal) -> Int? {
    let publishersMax = store.limits.publishersAppsMax
    if principal.isAnonymous { return min(configuration.ntfy.anonymousAppsMax, publishersMax) }
    switch principal.token.scope {
    case .publish(.any), .publish(.prefix): return publishersMax
    case .publish(.app), .device, .app, .enrol: return nil
    }
  }
}

extension IdempotencyKey {
  /// Returns the key of one of several publications under one header.
  ///
  /// It contains a line break, which no header does, so it never equals the key of a single
  /// publication.
  func line(_ number: Int) -> IdempotencyKey {
    let digits = Array("0123456789abcdef")
    var name = ""
    for byte in SHA256.hash(data: Array(key.utf8)) {
      name.append(digits[Int(byte >> 4)])
      name.append(digits[Int(byte & 15)])
    }
    return IdempotencyKey(token: token, key: "\(name)\n\(number)", bodyHash: bodyHash)
  }
}
