internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `GET /v1.0/me/notifications`: the history, filtered, ordered, and paged by key.
///
/// The page size is limited by `$top` and `Prefer: odata.maxpagesize`. With a filter that few items
/// match, or a slow one, a page may have fewer items or none, and still an `@odata.nextLink`, which
/// continues the same query. The first page has the count of all pages. Only a few lists of a user
/// are read at the same time; others wait, and beyond a limit they receive a 429. Reading stops
/// when the client leaves.
enum ListEndpoint {
  static let endpoints = [
    Endpoint.native(.get, "me/notifications", .item, handle).described(
      .init(
        id: "list", summary: "The history, newest first.",
        parameters: [
          .query(
            "$filter", Schemas.text,
            "An OData condition, such as readState eq 'unread' and priority ge 'high': "
              + "comparisons, in, contains, startswith, endswith, tags/any, and, or, not."),
          .query(
            "$search", Schemas.text,
            "Words and \"phrases\" that must all occur; the last word may be incomplete."),
          .query(
            "$orderby", Schemas.text,
            "arrivalDateTime, createdDateTime, lastModifiedDateTime or priority; asc or desc."),
          .query(
            "$top", ["type": "integer", "minimum": 1], "The maximum number of items per page."),
          .query(
            "$count", Schemas.bool,
            "Whether to count the items of all pages; 400 if that would take too long."),
          select, .query("$skiptoken", Schemas.text, "From a nextLink."),
          .header("Prefer", Schemas.text, "odata.maxpagesize=N: items per page."),
        ],
        answers: [
          .init(
            200,
            "A page. It may have fewer items than requested, or none, and still a nextLink.",
            .json("NotificationList"))
        ]))
  ]

  static let select = OperationDescription.Parameter.query(
    "$select", Schemas.text, "The members of an item to return, besides id and etag.")

  private static func handle(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    guard exchange.query["$skip"] == nil else {
      throw RequestError(
        .badRequest, .notSupported,
        "$skip is not supported, because positions change while a list is read. Follow "
          + "@odata.nextLink, which skips no item.")
    }
    try exchange.allowParameters(
      "$filter", "$search", "$orderby", "$top", "$count", "$select", "$skiptoken")
    let page = try pageSize(exchange)
    let selection = try exchange.selection
    let limits = exchange.store.limits
    let filter = try exchange.query["$filter"].map { try ItemFilter(parsing: $0, limits: limits) }
    let request = ListRequest(
      filter: .both(principal.listBound, filter),
      search: try exchange.query["$search"].map(words),
      order: try exchange.query["$orderby"].map { try OrderByClause(parsing: $0) } ?? .newestFirst,
      page: exchange.query["$skiptoken"].map { PageToken($0) }, rows: page.rows,
      isCounted: try exchange.flag("$count"), reader: principal.environment)
    let list = try await exchange.untilClientLeaves { [store = exchange.store] in
      try await store.list(request, for: principal.user.id)
    }
    var headers = HTTPFields()
    if let preference = page.applied { headers[Exchange.preferenceApplied] = preference }
    let clock = try await exchange.store.wallClock(for: list.items, of: principal.user.id)
    return try .json(
      .ok,
      ListPayload(
        items: list.items.map(principal.view),
        times: list.items.reduce(into: [:]) {
          $0[$1.id] = $1.triggerTimes(at: exchange.store.now, on: clock)
        }, count: list.count,
        nextLink: list.next.map { link(to: $0, exchange) }, selecting: selection),
      headers: headers)
  }

  /// Returns the search in the client's syntax, in which all words must occur.
  ///
  /// OData's `AND` therefore adds nothing, and its `OR` and `NOT` are not supported (OData 4.01
  /// Protocol §11.2.6.6).
  private static func words(in search: String) throws -> String {
    let parts = search.split(separator: "\"", omittingEmptySubsequences: false)
    let known = try parts.enumerated().map { place, part in
      // Every other part is in quotes.
      guard place.isMultiple(of: 2) else { return String(part) }
      let words = part.split(omittingEmptySubsequences: false, whereSeparator: \.isWhitespace)
      guard !words.contains("OR"), !words.contains("NOT") else {
        throw RequestError(
          .badRequest, .notSupported,
          "$search is wrong: OR and NOT are not supported, only words and \"phrases\" that must "
            + "all occur. To search for these words, put them in quotes.")
      }
      return words.filter { $0 != "AND" }.joined(separator: " ")
    }
    return known.joined(separator: "\"")
  }

  /// Returns the page size. Graph's `$top` sets it, and the preference can only reduce it.
  static func pageSize(_ exchange: Exchange) throws -> (rows: Int, applied: String?) {
    let configuration = exchange.configuration
    var rows = configuration.listRowsDefault
    if let top = exchange.query["$top"] {
      guard let count = Int(top), count >= 1 else {
        throw RequestError.badRequest(
          "$top is wrong: expected a number from 1 to \(configuration.listRowsMax).")
      }
      rows = min(count, configuration.listRowsMax)
    }
    guard let wanted = exchange.pageSizePreference else { return (rows, nil) }
    if exchange.query["$top"] == nil { rows = configuration.listRowsMax }
    rows = min(rows, wanted)
    return (rows, "odata.maxpagesize=\(rows)")
  }

  /// Returns the same query with the token of the next page, as the client wrote it.
  private static func link(to page: PageToken, _ exchange: Exchange) -> String {
    var parts = exchange.query.options(besides: ["$skiptoken", "$count"])
    parts.append("$skiptoken=" + Route.escaped(page.rawValue))
    return exchange.linkBase + Route.notifications.path + "?" + parts.joined(separator: "&")
  }
}

extension Exchange {
  /// The members that `$select` names; nil for all.
  var selection: ItemSelection? {
    get throws { try query["$select"].flatMap { try ItemSelection.parse($0) } }
  }

  /// Returns a parameter that is `true` or `false`; false if it is missing.
  fileprivate func flag(_ name: String) throws -> Bool {
    switch query[name]?.lowercased() {
    case nil, "false": return false
    case "true": return true
    default:  // open: String?
      throw RequestError.badRequest("\(name) is wrong: expected true or false.")
    }
  }
}
