internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `/v1.0/me/apps/{host}/authorization` and `…/badge`, for publishers of the app.
///
/// Modelled on `UNNotificationSettings` and `setBadgeCount`.
enum AuthorizationEndpoints {
  static let endpoints = [
    Endpoint.native(.get, "me/apps/:host/authorization", .publish, get).described(
      .init(
        id: "getAuthorization",
        summary: "Whether the user accepts an app's notifications, and in which ways.",
        answers: [
          .init(
            200,
            "The authorization. An app that has not published has what new apps begin with.",
            .json("Authorization"))
        ])),
    Endpoint.native(.put, "me/apps/:host/badge", .publish, put).described(
      .init(
        id: "setBadge", summary: "Set the number that an app shows as its badge.",
        body: .json("Badge", example: ["badge": 3]),
        answers: [.init(200, "The badge.", .json("Badge"))])),
  ]

  private static func get(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let app = try await Publishing.app(exchange, principal)
    let settings = try await exchange.store.authorization(ofApp: app, for: principal.user.id)
    return try .json(.ok, AuthorizationPayload(settings))
  }

  private static func put(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let app = try await Publishing.app(exchange, principal)
    let badge = try await exchange.payload(BadgePayload.self).badge
    try await exchange.store.setBadge(badge, ofApp: app, for: principal.user.id)
    return try .json(.ok, BadgePayload(badge: badge))
  }
}
