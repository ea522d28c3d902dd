internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `PATCH` and `DELETE /v1.0/me/notifications/app/{appNotificationId}`, for publishers.
///
/// A publisher changes or withdraws an item by the app id that it chose itself.
enum PublisherEndpoints {
  static let endpoints = [
    Endpoint.native(.patch, "me/notifications/app/:appNotificationID", .publish, revise).described(
      .init(
        id: "changePublished",
        summary: "Change a publication by its app id, with a merge patch.",
        parameters: [
          app,
          .header(
            "Prefer", Schemas.text,
            "bellhop.quiet-update keeps position and state; return=minimal: no body."),
        ],
        body: .json(
          Schemas.open([], [:]), example: ["payload": ["visualContent": ["title": "fixed"]]]),
        answers: [
          .init(
            200, "Changed; the whole item, for tokens that may read it.", .json("Notification")),
          .init(
            204, "Changed; no body, because of the token or Prefer: return=minimal.",
            headers: ["OData-EntityId"]),
        ])),
    Endpoint.native(.delete, "me/notifications/app/:appNotificationID", .publish, withdraw)
      .described(
        .init(
          id: "withdrawPublished",
          summary: "Withdraw a publication by its app id. Repeating it is not an error.",
          parameters: [app], answers: [.init(204, "The publication does not exist, or no longer.")])
      ),
  ]

  private static let app = OperationDescription.Parameter.query(
    "targetHostName", Schemas.limited(253),
    "The app; required with a token for several apps.")

  private static func revise(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    try Publishing.refuseConditions(exchange)
    let (app, id) = try await target(exchange, principal)
    let patch = try await exchange.withBody { body in
      guard body.readableBytes > 0 else {
        throw WireError.invalid(field: "", expectation: "a JSON object; it is empty")
      }
      return try PublishPatchPayload(
        parsing: body.readableBytesView, depthMax: exchange.configuration.jsonDepthMax)
    }
    let isQuiet = exchange.preferences[Publishing.quietUpdate] != nil
    let published = try await exchange.store.revise(
      app: app, appNotificationID: id, isQuiet: isQuiet, by: principal.token.id,
      isDevice: principal.isDevice, for: principal.user.id
    ) { content throws(StoreError) in
      do throws(WireError) {
        return try patch.applied(to: content)
      } catch {
        guard case .invalid(let field, let expectation) = error else {
          throw StoreError.invalid(field: "body", expectation: "members of a publication")
        }
        throw StoreError.invalid(field: field, expectation: expectation)
      }
    }
    // The patch contains a part of the item. The rest may be another publisher's.
    return try await Publishing.answer(
      .ok, published, isQuiet: isQuiet, hidesItem: !principal.reaches(published.item), exchange,
      principal)
  }

  private static func withdraw(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let (app, id) = try await target(exchange, principal)
    try await exchange.store.withdraw(
      app: app, appNotificationID: id, for: principal.user.id)
    return Response(status: .noContent)
  }

  /// Returns the app and the app id of the item.
  private static func target(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> (app: String, id: String) {
    guard let id = exchange.parameters.get("appNotificationID").flatMap({ Route.unescaped($0) })
    else {
      throw RequestError.badRequest("The appNotificationId in the address is not UTF-8.")
    }
    return (try await self.app(exchange, principal), id)
  }

  /// Returns the app in the query, or the only one that the token is for.
  ///
  /// - Throws: ``RequestError`` if there is neither, or the token may not publish for the app.
  static func app(_ exchange: Exchange, _ principal: Principal) async throws -> String {
    guard let app = exchange.query["targetHostName"] ?? principal.onlyApp else {
      throw RequestError.badRequest(
        "targetHostName is missing: this token is for more than one app. Name the app, such as "
          + "?targetHostName=ci.example.com.")
    }
    guard try await Publishing.mayPublish(app, exchange, principal) else {
      throw RequestError.forbidden("The access token does not allow publishing for this app.")
    }
    return app
  }
}
