internal import BellhopModel
internal import BellhopStore
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
        id: "publish", summary: "Publish a notification, or replace the one with its app id.",
        parameters: [
          .header("Idempotency-Key", Schemas.limited(255), "The same key and body do it once."),
          .header("Prefer", Schemas.text, "bellhop.quiet-update keeps place and state."),
        ], body: .json("Publication", example: example),
        answers: [
          .init(
            201, "Stored. Publish tokens get what publishers write and no state.",
            .json([
              "anyOf": [
                Schemas.reference("Notification"), Schemas.reference("PublishedNotification"),
              ]
            ]), headers: ["Location"])
        ],
        refusals: [422: "The idempotency key was used before, with another body."]))
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
    let body = try await exchange.body()
    guard body.readableBytes > 0 else {
      throw WireError.invalid(field: "", expectation: "a JSON object; it is empty")
    }
    let content = try WireJSON.decode(PublishPayload.self, from: body.readableBytesView).content
    let isQuiet = exchange.preferences["bellhop.quiet-update"] != nil
    let published = try await Publishing.publish(
      content, isQuiet: isQuiet,
      fingerprint: [Array(body.readableBytesView), isQuiet ? [1] : [0]], exchange, principal)
    let item = published.item
    var headers: HTTPFields = [
      .location: exchange.linkBase + Route.notification(item.id).path
    ]
    if isQuiet { headers[Exchange.preferenceApplied] = "bellhop.quiet-update" }
    guard principal.reaches(item) else {
      return try .json(.created, PublishedPayload(item), headers: headers)
    }
    headers[.eTag] = NotificationPayload.entityTag(item.state)
    return try .json(.created, NotificationPayload(principal.view(of: item)), headers: headers)
  }
}

/// What all dialects do to publish.
enum Publishing {
  static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
  static let ifRange = HTTPField.Name("If-Range")!

  /// Graph refuses these two conditions on a publication.
  static func refuseConditions(_ exchange: Exchange) throws {
    for name in [HTTPField.Name.ifModifiedSince, ifRange]
    where exchange.request.headers.contains(name) {
      throw Failure.badRequest(
        "\(name.canonicalName) is wrong: a publication takes no such header.")
    }
  }

  /// Publishes if the caller may, once per idempotency key.
  ///
  /// - Parameter fingerprint: everything in the request that shapes its effect.
  static func publish(
    _ content: Content, isQuiet: Bool, fingerprint: [[UInt8]], _ exchange: Exchange,
    _ principal: Principal
  ) async throws -> Published {
    guard principal.mayPublish(content.app) else {
      throw Failure.forbidden("The access token does not allow to publish for this app.")
    }
    var idempotency: IdempotencyKey?
    if let key = exchange.request.headers[idempotencyKey] {
      let bytesMax = exchange.store.limits.idempotencyKeyBytesMax
      guard (1...bytesMax).contains(key.utf8.count),
        key.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
      else {
        throw Failure.badRequest(
          "Idempotency-Key is wrong: expected 1 to \(bytesMax) printable characters.")
      }
      idempotency = IdempotencyKey(
        token: principal.token.id, key: key, bodyHash: hash(fingerprint))
    }
    return try await exchange.store.publish(
      PublishRequest(content, isQuietUpdate: isQuiet, idempotency: idempotency),
      for: principal.user.id)
  }

  /// SHA-256 over the parts, each with its length, so that no two lists hash the same bytes.
  private static func hash(_ parts: [[UInt8]]) -> [UInt8] {
    var hasher = SHA256()
    for part in parts {
      withUnsafeBytes(of: UInt64(part.count).littleEndian) { hasher.update(bufferPointer: $0) }
      hasher.update(data: part)
    }
    return Array(hasher.finalize())
  }
}
