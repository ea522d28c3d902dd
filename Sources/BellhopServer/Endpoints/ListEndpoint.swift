internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `GET /v1.0/me/notifications`: the history, newest first, paged by key.
enum ListEndpoint {
  static let endpoints = [
    Endpoint.native(.get, "me/notifications", .item, handle).described(
      .init(
        id: "list", summary: "The history, newest first.",
        parameters: [
          .query(
            "$top", ["type": "integer", "minimum": 1], "How many items a page may have."),
          .query("$skiptoken", Schemas.text, "From a nextLink."),
        ], answers: [.init(200, "A page.", .json("NotificationList"))]))
  ]

  private static func handle(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    try exchange.allowParameters("$top", "$skiptoken")
    let configuration = exchange.configuration
    var rows = configuration.listRowsDefault
    if let top = exchange.query["$top"] {
      guard let count = Int(top), count >= 1 else {
        throw Failure.badRequest(
          "$top is wrong: expected a number from 1 to \(configuration.listRowsMax).")
      }
      rows = min(count, configuration.listRowsMax)
    }
    let page = try await exchange.store.list(
      matching: principal.listBound, page: exchange.query["$skiptoken"].map { PageToken($0) },
      rows: rows,
      for: principal.user.id)
    let next = page.next.map { token in
      exchange.linkBase + Route.notifications.path
        + "?$top=\(rows)&$skiptoken=\(Route.escaped(token.rawValue))"
    }
    return try .json(.ok, ListPayload(items: page.items.map(principal.view), nextLink: next))
  }
}
