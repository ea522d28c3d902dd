internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// Gotify's messages: publish, read in pages, delete.
enum GotifyMessages {
  static let endpoints = [
    GotifyDialect().endpoint(.post, "message", .publish, publish),
    GotifyDialect().endpoint(.get, "message", .item) { try await list($0, $1, app: nil) },
    GotifyDialect().endpoint(.delete, "message", .item) { try await clear($0, $1, app: nil) },
    GotifyDialect().endpoint(.delete, "message/:id", .item, delete),
    GotifyDialect().endpoint(.get, "application/:id/message", .item) {
      try await list($0, $1, app: try await GotifyApplications.app($0, $1).app)
    },
    GotifyDialect().endpoint(.delete, "application/:id/message", .item) {
      try await clear($0, $1, app: try await GotifyApplications.app($0, $1).app)
    },
  ]

  private static let rowsDefault = 100
  private static let rowsMax = 200
  /// The maximum number of list pages that one request reads.
  ///
  /// Each page is within the list's own limits. With the default limits this is 250,000 items,
  /// which takes some tenths of a second. The next page continues there.
  /// Without this limit, a request for an app without messages would read the whole history.
  static let pagesMax = 25

  // MARK: - Publishing

  private static func publish(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    try Publishing.refuseConditions(exchange)
    let members = try await GotifyDialect.members(exchange)
    guard let app = principal.onlyApp else {
      throw RequestError.badRequest(
        "A publisher needs a token for one app: bellhopd token create --scope publish --app HOST.")
    }
    guard let message = try GotifyDialect.text(members["message"], "message"),
      !message.isBlank
    else {
      throw RequestError.badRequest("message is missing: expected text.")
    }
    let title = try GotifyDialect.text(members["title"], "title")
    var priority = try GotifyDialect.number(members["priority"], "priority")
    if priority == nil {
      priority = try await exchange.store.profile(ofApp: app, for: principal.user.id)
        .defaultPriority
    }
    var content = Content(
      app: app, priority: priority.map(GotifyDialect.priority) ?? .normal,
      visual: MessageText.visual(title: title, message: message))
    try fill(&content, from: members["extras"])
    let published = try await Publishing.publish(
      content, isQuiet: false, fingerprint: [JSONValue.object(members).bytes], exchange, principal)
    var answer = json(published.answer)
    answer["message"] = .string(message)
    answer["title"] = .string(title ?? app)
    if let priority { answer["priority"] = .integer(priority) }
    answer["extras"] = members["extras"]
    return try .json(.ok, JSONValue.object(answer))
  }

  /// Copies the Gotify extras that the store supports.
  private static func fill(_ content: inout Content, from extras: JSONValue?) throws {
    guard let extras else { return }
    if extras["client::display"]?["contentType"]?.text?.lowercased() == "text/markdown" {
      content.extras.markdown = true
    }
    let notification = extras["client::notification"]
    content.clickURL = notification?["click"]?["url"]?.text
    if let picture = notification?["bigImageUrl"]?.text {
      content.extras.attachments = [ContentExtras.Attachment(url: picture)]
    }
  }

  // MARK: - Reading

  /// Returns the message in Gotify's format, with the effective level.
  static func json(_ item: UserNotification) -> [String: JSONValue] {
    let (title, message) =
      item.content.visual.map { MessageText.texts(of: $0) } ?? (nil, item.content.raw ?? "")
    var extras: [String: JSONValue] = [:]
    if item.content.extras.markdown == true {
      extras["client::display"] = ["contentType": "text/markdown"]
    }
    if let url = item.content.clickURL {
      extras["client::notification"] = ["click": ["url": .string(url)]]
    }
    var members: [String: JSONValue] = [
      "id": .number(String(item.shortNumber)),
      "appid": .integer(GotifyDialect.number(of: item.content.app)),
      "message": .string(message), "title": .string(title ?? item.content.app),
      "priority": .integer(GotifyDialect.number(of: item.announcedPriority)),
      "date": .string(item.arrival.description),
    ]
    if !extras.isEmpty { members["extras"] = .object(extras) }
    return members
  }

  private static func list(
    _ exchange: Exchange, _ principal: Principal, app: String?
  ) async throws -> Response {
    let limit = min(exchange.query["limit"].flatMap { Int($0) } ?? rowsDefault, rowsMax)
    let since = exchange.query["since"].flatMap { Int64($0) } ?? 0
    guard limit > 0, since >= 0 else {
      throw RequestError.badRequest("limit is wrong: expected 1 to \(rowsMax); since from 0.")
    }
    let found = try await exchange.untilClientLeaves {
      try await find(exchange, principal, app: app, below: since, countMax: limit + 1)
    }
    var (items, behind) = (found.items, found.behind)
    var paging: [String: JSONValue] = [
      "since": .number(String(since)), "limit": .integer(limit),
    ]
    if items.count > limit {
      items.removeLast()
      behind = items.last?.shortNumber
    }
    if let last = behind {
      paging["since"] = .number(String(last))
      paging["next"] = .string(
        exchange.linkBase + exchange.request.uri.path + "?limit=\(limit)&since=\(last)")
    }
    paging["size"] = .integer(items.count)
    return try .json(
      .ok,
      [
        "messages": .array(items.map { .object(json($0)) }), "paging": .object(paging),
      ] as JSONValue)
  }

  /// Finds messages below a number, newest first, within the limits of one request.
  ///
  /// - Returns: The messages, and the number below which there may be more; nil if there are no
  ///   more.
  private static func find(
    _ exchange: Exchange, _ principal: Principal, app: String?, below number: Int64, countMax: Int,
    withUndelivered: Bool = false
  ) async throws -> (items: [UserNotification], behind: Int64?) {
    var filter = principal.listBound
    if let app {
      filter = ItemFilter.both(
        filter, .test(.compare(.publishedHostName, .equal, .text(app))))
    }
    var request = ListRequest(
      filter: filter, order: OrderByClause(.created, isAscending: false),
      below: number > 0 ? number : nil, rows: countMax, reader: principal.environment)
    var found: [UserNotification] = []
    var behind: Int64?
    for _ in 0..<pagesMax {
      let page = try await exchange.store.list(request, for: principal.user.id)
      let clock = try await exchange.store.wallClock(for: page.items, of: principal.user.id)
      for item in page.items {
        let shown =
          item.content.visual == nil
          ? nil : item.delivered(by: exchange.store.now, on: clock)
        guard let item = withUndelivered ? item : shown else { continue }
        found.append(item)
        if found.count >= countMax { return (found, item.shortNumber) }
      }
      behind = page.lastNumber
      guard let next = page.next else { break }
      request.page = next
    }
    return (found, behind)
  }

  // MARK: - Deleting

  private static func delete(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    guard let number = exchange.parameters.get("id").flatMap({ Int64($0) }) else {
      throw RequestError.notFound("There is no such message.")
    }
    let item = try await exchange.store.item(
      number: number, of: principal.user.id, reader: principal.environment)
    guard principal.reaches(item) else { throw StoreError.notFound(what: "message") }
    try await exchange.store.delete(
      item.id, from: principal.device?.id, for: principal.user.id, reader: principal.environment)
    return try .json(.ok, JSONValue.object([:]))
  }

  private static func clear(
    _ exchange: Exchange, _ principal: Principal, app: String?
  ) async throws -> Response {
    try await delete(of: app, exchange, principal)
    return try .json(.ok, JSONValue.object([:]))
  }

  /// Deletes all messages that existed when the request arrived.
  ///
  /// - Parameter app: Nil for all apps that the caller may read.
  /// - Parameter withUndelivered: Whether to delete items that Gotify's clients have never been
  ///   shown.
  static func delete(
    of app: String?, withUndelivered: Bool = false, _ exchange: Exchange, _ principal: Principal
  ) async throws {
    var below: Int64 = 0
    while true {
      let (items, behind) = try await find(
        exchange, principal, app: app, below: below, countMax: rowsMax,
        withUndelivered: withUndelivered)
      if !items.isEmpty {
        try await exchange.store.delete(
          items.map(\.id), from: principal.device?.id, for: principal.user.id,
          reader: principal.environment)
      }
      guard let behind else { return }
      below = behind
    }
  }
}
