internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `/v1.0/me/requests`: the items that will be delivered, and the delivered ones, for publishers.
///
/// Modelled on the pending and delivered notifications of the UserNotifications framework. A publisher
/// learns when its items are due, but not what its user did: its list depends on the time and on its
/// own cancellations alone, and every removal is answered with 204.
enum RequestEndpoints {
  static let endpoints = [
    Endpoint.native(.get, "me/requests", .publish, list).described(
      .init(
        id: "listRequests",
        summary: "The items that will be delivered, by the time of their next delivery.",
        parameters: [
          .query(
            "targetHostName", Schemas.limited(253),
            "Only the items of this app; required with a publish token for several apps."),
          .query(
            "$top", ["type": "integer", "minimum": 1],
            "The maximum number of scheduled items per page. Items with a trigger come in addition."
          ),
          .query("$skiptoken", Schemas.text, "From a nextLink."),
          .header("Prefer", Schemas.text, "odata.maxpagesize=N: items per page."),
        ],
        answers: [
          .init(200, "A page. The last one has no nextLink.", .json("PendingRequestList"))
        ])),
    Endpoint.native(.delete, "me/requests", .publish, cancel).described(
      .init(
        id: "cancelRequests",
        summary: "Cancel an app's pending requests: those that are named, or all.",
        parameters: names,
        answers: [
          .init(
            204,
            "They will not be delivered. Items that were delivered before stay as they are; others are "
              + "deleted.")
        ])),
    Endpoint.native(.delete, "me/requests/delivered", .publish, removeDelivered).described(
      .init(
        id: "removeDelivered",
        summary: "Remove an app's delivered items: those that are named, or all.",
        parameters: names,
        answers: [
          .init(
            204,
            "They are deleted. Of items that will be delivered again, the latest delivery is "
              + "dismissed.")
        ])),
  ]

  private static let names: [OperationDescription.Parameter] = [
    .query(
      "targetHostName", Schemas.limited(253),
      "The app; required with a token for several apps."),
    .query(
      "appNotificationId", Schemas.limited(256),
      "The app id of an item. The parameter may occur \(ItemNames.countMax) times, as may id. Without "
        + "both, all items of the app are meant."),
    .query("id", Schemas.uuid, "The id of an item."),
  ]

  private static func list(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    try exchange.allowParameters("$top", "$skiptoken")
    let size = try ListEndpoint.pageSize(exchange)
    var app: String?
    if exchange.query["targetHostName"] != nil || !principal.isDevice {
      app = try await PublisherEndpoints.app(exchange, principal)
    }
    let token = exchange.query["$skiptoken"].map { PageToken($0) }
    let page = try await exchange.untilClientLeaves { [store = exchange.store, app] in
      try await store.pendingRequests(
        of: app, page: token, rows: size.rows, isForPublisher: !principal.isDevice,
        for: principal.user.id,
        reader: principal.isDevice ? principal.environment : .development)
    }
    var headers = HTTPFields()
    if let preference = size.applied { headers[Exchange.preferenceApplied] = preference }
    let requests = page.requests.map {
      PendingRequestPayload($0.item, next: $0.next, isReadable: principal.reaches($0.item))
    }
    return try .json(
      .ok,
      PendingRequestListPayload(
        value: requests, nextLink: page.next.map { link(to: $0, exchange) }),
      headers: headers)
  }

  private static func link(to page: PageToken, _ exchange: Exchange) -> String {
    var parts = exchange.query.options(besides: ["$skiptoken"])
    if let app = exchange.query["targetHostName"] {
      parts.append("targetHostName=" + Route.escaped(app))
    }
    parts.append("$skiptoken=" + Route.escaped(page.rawValue))
    return exchange.linkBase + Route.requests.path + "?" + parts.joined(separator: "&")
  }

  private static func cancel(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    let names = try itemNames(exchange)
    let app = try await PublisherEndpoints.app(exchange, principal)
    try await exchange.store.cancelRequests(names, of: app, for: principal.user.id)
    return Response(status: .noContent)
  }

  private static func removeDelivered(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let names = try itemNames(exchange)
    let app = try await PublisherEndpoints.app(exchange, principal)
    try await exchange.store.removeDelivered(names, of: app, for: principal.user.id)
    return Response(status: .noContent)
  }

  /// Returns the items that the query names.
  ///
  /// Refuses other parameters: with a misspelt name, the request would concern all items of the app.
  private static func itemNames(_ exchange: Exchange) throws -> ItemNames {
    try exchange.allowParameters()
    var names = ItemNames()
    for (name, value) in exchange.query.pairs {
      switch name {
      case "targetHostName": break
      case "appNotificationId" where !value.isEmpty: names.appNotificationIDs.append(value)
      case "id":
        guard let id = NotificationID(value) else {
          throw RequestError.badRequest(
            "id is wrong: expected the id of an item, which is a UUID. Nothing was changed.")
        }
        names.ids.append(id)
      default:  // open: String
        throw RequestError.badRequest(
          "The parameter \(name.prefix(32)) is wrong: expected targetHostName, and appNotificationId "
            + "or id with a value. Nothing was changed.")
      }
    }
    guard names.ids.count + names.appNotificationIDs.count <= ItemNames.countMax else {
      throw RequestError.badRequest(
        "There are too many ids: expected at most \(ItemNames.countMax). Nothing was changed.")
    }
    return names
  }
}
