internal import BellhopModel
package import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `GET`, `PATCH` and `DELETE /v1.0/me/notifications/{id}`.
enum ItemEndpoints {
  static let endpoints = [
    Endpoint.native(.get, "me/notifications/:id", .item, get).described(
      .init(
        id: "get", summary: "One item.", parameters: [ifNoneMatch, ListEndpoint.select],
        answers: [
          .init(200, "The item.", .json("NotificationPart"), headers: ["ETag"]),
          .init(304, "The item's etag is the one in If-None-Match."),
        ])),
    Endpoint.native(.patch, "me/notifications/:id", .item, patch).described(
      .init(
        id: "change", summary: "Change an item's state.",
        parameters: [
          ifMatchHeader, .header("Prefer", Schemas.text, "return=minimal: no body."),
        ],
        body: .json("StateChange", example: ["readState": "read"]),
        answers: [
          .init(200, "The item as it is now.", .json("Notification"), headers: ["ETag"]),
          .init(204, "Changed; no body, because of Prefer: return=minimal.", headers: ["ETag"]),
        ],
        refusals: [412: "The item no longer has an etag in If-Match."])),
    Endpoint.native(.delete, "me/notifications/:id", .item, delete).described(
      .init(
        id: "delete", summary: "Delete an item. Repeating the request is not an error.",
        parameters: [ifMatchHeader],
        answers: [.init(204, "The item no longer exists.")],
        refusals: [412: "The item no longer has an etag in If-Match."])),
  ]

  private static let ifMatchHeader = OperationDescription.Parameter.header(
    "If-Match", Schemas.text, "Etags, one of which the item must still have, or * for any.")
  private static let ifNoneMatch = OperationDescription.Parameter.header(
    "If-None-Match", Schemas.text, "An @odata.etag that the client already has.")

  private static func get(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    try exchange.allowParameters("$select")
    let selection = try exchange.selection
    let item = try await exchange.item(exchange.notificationID(), for: principal)
    let tag = NotificationPayload.entityTag(item.state)
    // The next occurrence of a trigger changes the answer, but not the tag.
    if let known = exchange.request.headers[.ifNoneMatch], EntityTags(known).match(tag),
      item.content.trigger == nil
    {
      return Response(status: .notModified, headers: [.eTag: tag])
    }
    let clock = try await exchange.store.wallClock(for: [item], of: principal.user.id)
    return try .json(
      .ok,
      NotificationPayload(
        principal.view(of: item), times: item.triggerTimes(at: exchange.store.now, on: clock),
        selecting: selection),
      headers: [.eTag: tag])
  }

  /// The members that set a register, such as `userActionState with snoozedUntilDateTime or actionId`.
  private static let settableMembers = ItemRegister.all.map { register in
    let further = [register.untilName, register.carriesChoice ? "actionId" : nil]
      .compactMap(\.self).joined(separator: " or ")
    return further.isEmpty ? register.name : register.name + " with " + further
  }.joined(separator: ", or ")

  private static func patch(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let id = try exchange.notificationID()
    let change = try await exchange.payload(StateChange.self)
    guard !change.isEmpty else {
      throw RequestError.badRequest("The body is wrong: expected \(settableMembers).")
    }
    if principal.reach != .everything { _ = try await exchange.item(id, for: principal) }
    let item = try await exchange.store.change(
      id, change, ifMatch: try exchange.ifMatch(), by: principal.author,
      from: principal.device?.id, for: principal.user.id, reader: principal.environment)
    var headers: HTTPFields = [.eTag: NotificationPayload.entityTag(item.state)]
    guard !exchange.prefersMinimal else {
      headers[Exchange.preferenceApplied] = Exchange.returnMinimal
      return Response(status: .noContent, headers: headers)
    }
    let clock = try await exchange.store.wallClock(for: [item], of: principal.user.id)
    return try .json(
      .ok,
      NotificationPayload(
        principal.view(of: item), times: item.triggerTimes(at: exchange.store.now, on: clock)),
      headers: headers)
  }

  private static func delete(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    // An id that no item can have counts as deleted.
    if let id = exchange.parameters.get("id").flatMap({ NotificationID($0) }) {
      if principal.reach != .everything {
        // For this token, an item out of its reach counts as deleted too.
        let item = try? await exchange.item(id, for: principal)
        guard item != nil else { return Response(status: .noContent) }
      }
      try await exchange.store.delete(
        id, ifMatch: try exchange.ifMatch(), from: principal.device?.id, for: principal.user.id,
        reader: principal.environment)
    }
    return Response(status: .noContent)
  }
}

extension Exchange {
  /// Returns the sequences that `If-Match` accepts; nil without the header and for `*`.
  ///
  /// `*` accepts any state of an existing item. Etags that the store did not create match no state
  /// (RFC 9110 §13.1.1).
  ///
  /// Weak etags match: a proxy that compresses responses weakens their etags, and each of ours
  /// identifies exactly one state, so that no change is lost.
  func ifMatch() throws -> Set<SequenceNumber>? {
    guard let header = request.headers[.ifMatch] else { return nil }
    let tags = EntityTags(header)
    guard !tags.isDamaged else {
      throw RequestError.badRequest("If-Match is wrong: expected *, or etags separated by commas.")
    }
    if tags.isAny { return nil }
    return Set(tags.values.compactMap { Int64($0) }.map { SequenceNumber($0) })
  }
}

extension Exchange {
  /// Returns one live item that the caller may see.
  ///
  /// - Throws: ``StoreError/notFound(what:)``, also for an item out of the token's reach.
  func item(
    _ id: NotificationID, for principal: Principal
  ) async throws(StoreError) -> UserNotification {
    let item = try await store.item(id, of: principal.user.id, reader: principal.environment)
    guard principal.reaches(item) else { throw StoreError.notFound(what: "item") }
    return item
  }
}

extension Principal {
  /// Returns the item as the caller may see it.
  ///
  /// An app does not see the names of the user's devices and rules.
  func view(of item: UserNotification) -> UserNotification {
    guard reach != .everything else { return item }
    var item = item
    for register in ItemRegister.all { register.removeProvenance(&item.state.registers) }
    item.state.applied.value.removeRules()
    return item
  }

  /// The filter that bounds the caller's lists; nil for all of the user's items.
  ///
  /// An app reaches its own publications, wherever rules list them.
  package var listBound: ItemFilter? {
    guard case .app(let app) = reach else { return nil }
    return .test(.compare(.publishedHostName, .equal, .text(app)))
  }
}
