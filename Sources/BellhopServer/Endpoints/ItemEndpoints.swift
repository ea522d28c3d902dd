internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `GET`, `PATCH` and `DELETE /v1.0/me/notifications/{id}`.
enum ItemEndpoints {
  static let endpoints = [
    Endpoint.native(.get, "me/notifications/:id", .device, get),
    Endpoint.native(.patch, "me/notifications/:id", .device, patch),
    Endpoint.native(.delete, "me/notifications/:id", .device, delete),
  ]

  private static func get(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let item = try await exchange.store.item(
      exchange.notificationID(), of: principal.user.id)
    let tag = NotificationPayload.entityTag(item.state)
    if let known = exchange.request.headers[.ifNoneMatch], EntityTags(known).match(tag) {
      return Response(status: .notModified, headers: [.eTag: tag])
    }
    return try .json(.ok, NotificationPayload(item), headers: [.eTag: tag])
  }

  private static func patch(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let id = try exchange.notificationID()
    let change = try await exchange.payload(StateChange.self)
    guard !change.isEmpty else {
      throw Failure.badRequest(
        "The body is wrong: expected readState, userActionState with snoozedUntilDateTime, "
          + "or kept.")
    }
    let item = try await exchange.store.change(
      id, change, ifMatch: try ifMatch(exchange), by: principal.author,
      from: principal.device?.id, for: principal.user.id)
    return try .json(
      .ok, NotificationPayload(item),
      headers: [.eTag: NotificationPayload.entityTag(item.state)])
  }

  private static func delete(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    // An id that no item can have is as deleted as one that is gone.
    if let id = exchange.parameters.get("id").flatMap({ NotificationID($0) }) {
      try await exchange.store.delete(
        id, ifMatch: try ifMatch(exchange), from: principal.device?.id, for: principal.user.id)
    }
    return Response(status: .noContent)
  }

  /// The sequence that `If-Match` asks for; nil for none and for `*`.
  private static func ifMatch(_ exchange: Exchange) throws -> SequenceNumber? {
    guard let header = exchange.request.headers[.ifMatch] else { return nil }
    let tags = EntityTags(header)
    if tags.isAny { return nil }
    guard tags.values.count == 1, let number = Int64(tags.values[0]) else {
      throw Failure(
        .preconditionFailed, .resourceModified,
        "If-Match is wrong: expected the item's @odata.etag.")
    }
    return SequenceNumber(number)
  }
}

/// The tags of `If-Match` and `If-None-Match` (RFC 9110 §13.1).
struct EntityTags {
  let isAny: Bool
  /// Without quotes and weakness marks.
  let values: [String]

  init(_ header: String) {
    isAny = header.trimmed == "*"
    values = header.split(separator: ",").map { part in
      var text = part.trimmed[...]
      if text.hasPrefix("W/") { text = text.dropFirst(2) }
      if text.count >= 2, text.first == "\"", text.last == "\"" {
        text = text.dropFirst().dropLast()
      }
      return String(text)
    }
  }

  /// Whether the quoted tag is among them.
  func match(_ tag: String) -> Bool {
    isAny || values.contains(String(tag.dropFirst().dropLast()))
  }
}
