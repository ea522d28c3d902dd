internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `GET /v1.0/me/notifications/delta`: first synchronisation, and the changes since a token.
enum DeltaEndpoint {
  static let endpoints = [
    Endpoint.native(.get, "me/notifications/delta", .device, handle).described(
      .init(
        id: "delta", summary: "First synchronisation, and changes since a token.",
        parameters: [
          .query("$deltatoken", Schemas.text, "From a deltaLink: the changes since it."),
          .query("$skiptoken", Schemas.text, "From a nextLink."),
          .header("Prefer", Schemas.text, "odata.maxpagesize=N: rows per page."),
          .header(
            "If-None-Match", Schemas.text, "The token in quotes: 304 if nothing has changed."),
        ],
        answers: [
          .init(200, "A page; it may be empty.", .json("Delta")),
          .init(304, "Nothing has changed since the token."),
        ],
        refusals: [410: "The token is no longer usable; Location starts again."]))
  ]

  private static func handle(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    try exchange.allowParameters("$deltatoken", "$skiptoken")
    let token = exchange.query["$deltatoken"].map { DeltaToken($0) }
    let start = try start(exchange, since: token)
    let (rows, asked) = rows(exchange)
    let page: DeltaPage
    do {
      page = try await exchange.store.delta(
        from: start, rows: rows, for: principal.user.id, reader: principal.environment)
    } catch {
      throw resynchronising(error, exchange)
    }
    if case .since = start { noteLag(page, exchange) }
    var headers = HTTPFields()
    if asked { headers[Exchange.preferenceApplied] = "odata.maxpagesize=\(rows)" }
    if case .complete(let position) = page.end {
      headers[.eTag] = "\"\(position)\""
      if position == token, page.changes.isEmpty,
        let known = exchange.request.headers[.ifNoneMatch],
        EntityTags(known).match("\"\(position)\"")
      {
        return Response(status: .notModified, headers: headers)
      }
    }
    let payload = DeltaPayload(page, linkBase: exchange.linkBase)
    return try .json(.ok, payload, headers: headers, sortingKeys: false)
  }

  private static func start(_ exchange: Exchange, since token: DeltaToken?) throws -> DeltaStart {
    switch (token, exchange.query["$skiptoken"]) {
    case (nil, nil): return .beginning
    case (let token?, nil): return .since(token)
    case (nil, let page?): return .page(PageToken(page))
    case (_?, _?):
      throw RequestError.badRequest(
        "The query is wrong: expected $deltatoken or $skiptoken, not both.")
    }
  }

  /// Returns the maximum number of rows in a page, and whether the client requested it.
  private static func rows(_ exchange: Exchange) -> (rows: Int, asked: Bool) {
    guard let rows = exchange.pageSizePreference else {
      return (exchange.configuration.deltaRowsDefault, false)
    }
    return (min(rows, exchange.store.limits.pageItemsMax), true)
  }

  /// Records for the metrics the age of the oldest change that the device had not received.
  private static func noteLag(_ page: DeltaPage, _ exchange: Exchange) {
    let times = page.changes.compactMap { change -> Timestamp? in
      switch change {
      case .item(let item): item.state.changed
      case .state(_, let state): state.changed
      case .removed, .app, .rule, .ruleRemoved: nil
      }
    }
    guard let oldest = times.min() else { return }
    exchange.server.activity.metrics.caughtUp(
      after: exchange.store.now.duration(since: oldest))
  }

  private static func resynchronising(_ error: StoreError, _ exchange: Exchange) -> RequestError {
    var failure = RequestError(error)
    if case .resyncRequired = error {
      failure.headers[.location] = exchange.linkBase + Route.delta.path
    }
    return failure
  }
}

extension DeltaPayload {
  /// Creates the page that clients receive.
  init(_ page: DeltaPage, linkBase: String = "") {
    let end: End =
      switch page.end {
      case .next(let next): .next(page: next.rawValue)
      case .complete(let position): .complete(position)
      }
    self.init(
      changes: page.changes, end: end, started: page.started, sequence: page.sequence,
      epoch: page.epoch, validThrough: page.validThrough, itemCount: page.itemCount,
      linkBase: linkBase)
  }
}
