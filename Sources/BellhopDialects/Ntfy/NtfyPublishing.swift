internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Publishing, replacing, clearing and deleting in ntfy's format (docs.ntfy.sh/publish).
enum NtfyPublishing {
  static let endpoints: [Endpoint] = forms(.put) + forms(.post) + actions

  private static func forms(_ method: HTTPRequest.Method) -> [Endpoint] {
    [
      NtfyDialect().endpoint(method, "", .publish, publishJSON),
      NtfyDialect().endpoint(method, ":topic", .publish, publishBody),
      NtfyDialect().endpoint(method, ":topic/:sequence", .publish, publishBody),
    ]
  }

  private static let actions: [Endpoint] = [
    NtfyDialect().endpoint(.get, ":topic/publish", .publish, trigger),
    NtfyDialect().endpoint(.get, ":topic/send", .publish, trigger),
    NtfyDialect().endpoint(.get, ":topic/trigger", .publish, trigger),
    NtfyDialect().endpoint(.put, ":topic/:sequence/clear", .publish, clear),
    NtfyDialect().endpoint(.put, ":topic/:sequence/read", .publish, clear),
    NtfyDialect().endpoint(.delete, ":topic/:sequence", .publish, delete),
  ]

  /// The maximum size of a message in ntfy, which treats a longer one as a file.
  ///
  /// Here, a text that the store accepts as a message stays one.
  static let messageBytesMax = 4096
  /// The lifetime of an uncached message: long enough for devices to fetch it.
  private static let uncachedLife = Duration.seconds(3600)

  /// The common result of all forms of a publication.
  private struct Draft {
    var topic: String
    var sequence: String?
    var message: String
    var parameters: NtfyParameters
    /// The body, if it is a file and not a message.
    var file: StoredFile?
  }

  // MARK: - Forms

  private static func publishBody(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    try exchange.admitAnonymous(principal)
    let topic = try NtfyDialect.checked(exchange.ntfyPart("topic"))
    let sequence =
      exchange.parameters.get("sequence") == nil ? nil : exchange.ntfyPart("sequence")
    let parameters = NtfyParameters(headers: exchange.request.headers, query: exchange.query)
    try parameters.refuseUnsupported()
    var draft = Draft(topic: topic, sequence: sequence, message: "", parameters: parameters)
    var body = try await reader(of: exchange)
    if let text = try await NtfyFile.text(of: &body, parameters, exchange) {
      draft.message = try message(text, parameters)
      return try await publish(draft, exchange, principal)
    }
    // Check everything first, so that a refused publication stores no file.
    _ = try await content(draft, now: exchange.store.now, exchange, principal)
    try await exchange.checkAnonymous([topic], principal)
    guard try await Publishing.mayPublish(topic, exchange, principal) else {
      throw RequestError.forbidden("The access token does not allow publishing for this app.")
    }
    let file = try await NtfyFile.receive(&body, parameters, topic, exchange, principal)
    draft.file = file
    draft.message = parameters["message"] ?? "You received a file: \(file.name)"
    return try await publish(draft, exchange, principal)
  }

  /// Returns a reader for the body. A compressed body is a text; a file is never compressed.
  private static func reader(of exchange: Exchange) async throws -> BodyReader {
    guard try exchange.isPacked else { return try exchange.fileBody() }
    return BodyReader(try await exchange.withBody { Array($0.readableBytesView) })
  }

  private static func trigger(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    // A HEAD request publishes nothing.
    guard exchange.request.method == .get else { throw RequestError.methodNotAllowed([.get]) }
    try exchange.admitAnonymous(principal)
    let topic = try NtfyDialect.checked(exchange.ntfyPart("topic"))
    let parameters = NtfyParameters(headers: exchange.request.headers, query: exchange.query)
    try parameters.refuseUnsupported()
    return try await publish(
      Draft(topic: topic, message: try message(parameters), parameters: parameters), exchange,
      principal)
  }

  private static func publishJSON(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    try exchange.admitAnonymous(principal)
    let value: JSONValue
    do {
      value = try await exchange.withBody { body in
        try JSONValue(
          parsing: body.readableBytesView, depthMax: exchange.configuration.jsonDepthMax)
      }
    } catch let failure as RequestError where failure.status == .contentTooLarge {
      throw RequestError.ntfy(.jsonTooLarge, failure.message)
    } catch let error as WireError {
      throw RequestError.ntfy(.notJSON, error.description)
    }
    guard case .object = value else { throw RequestError.ntfy(.notMessage, "expected an object") }
    guard let topic = value["topic"]?.text else {
      throw RequestError.ntfy(.topic, "the JSON has no topic")
    }
    var parameters = NtfyParameters(headers: exchange.request.headers, query: exchange.query)
    try parameters.fill(from: value)
    try parameters.refuseUnsupported()
    let draft = Draft(
      topic: try NtfyDialect.checked(topic), message: try message(parameters),
      parameters: parameters)
    return try await publish(draft, exchange, principal)
  }

  /// Returns the body, else the parameter, else `triggered`.
  private static func message(_ text: String, _ parameters: NtfyParameters) throws -> String {
    var message = text.trimmed
    if message.isEmpty { message = parameters["message"] ?? "" }
    return message.isEmpty ? "triggered" : message
  }

  /// Returns the message of a request without a body, which a file name requires.
  private static func message(_ parameters: NtfyParameters) throws -> String {
    guard parameters["attach"] != nil || parameters["filename"] == nil else {
      throw RequestError.ntfy(
        .noAttachments, "send a file as the body of the request, or as a link")
    }
    return try message("", parameters)
  }

  // MARK: - Publishing

  private static func publish(
    _ draft: Draft, _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    try Publishing.refuseConditions(exchange)
    try await exchange.checkAnonymous([draft.topic], principal)
    let now = exchange.store.now
    let content = try await content(draft, now: now, exchange, principal)
    let published: Published
    do {
      published = try await exchange.publishing(draft.file.map { [$0] } ?? []) {
        try await Publishing.publish(
          content, isQuiet: false,
          fingerprint: [Array(draft.topic.utf8), Array(draft.message.utf8)]
            + [Array((draft.sequence ?? "").utf8)]
            + [Array((draft.file?.hash.rawValue ?? "").utf8)] + draft.parameters.fingerprint,
          exchange, principal)
      }
    } catch StoreError.invalid(let field, let expectation) {
      throw refusal(field, expectation)
    }
    try await removePredecessor(of: published, exchange, principal)
    let item = published.answer
    let expires = try await exchange.store.leavingTime(of: item, for: principal.user.id)
    return try .json(
      .ok,
      NtfyMessage.message(
        item, topic: draft.topic, id: item.id.description, expires: expires,
        base: exchange.linkBase))
  }

  private static func content(
    _ draft: Draft, now: Timestamp, _ exchange: Exchange, _ principal: Principal
  ) async throws -> Content {
    let parameters = draft.parameters
    var content = Content(app: draft.topic, priority: try parameters.priority())
    content.visual = MessageText.visual(title: parameters["title"], message: draft.message)
    content.tags = parameters.list("tags")
    content.clickURL = parameters["click"]
    if parameters["delay"] != nil {
      content.deliverAt = try parameters.delivery(
        now: now, latest: now.advanced(by: exchange.store.limits.deliveryMax),
        zone: try await exchange.ntfyZone(for: principal))
    }
    if parameters.isNotCached { content.expiration = now.advanced(by: uncachedLife) }
    if let sequence = draft.sequence ?? parameters["sequence-id"] {
      guard NtfyDialect.isTopic(sequence) else {
        throw RequestError.ntfy(.sequence, "expected 1 to 64 letters, digits, '-' and '_'")
      }
      content.appNotificationID = sequence
    }
    content.extras.icon = try parameters.webLink("icon", orElse: .iconURL)
    if let link = try parameters.webLink("attach", orElse: .attachmentURL) {
      let path = link.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").dropFirst(2)
      let name = parameters["filename"] ?? path.last.map(String.init) ?? "attachment"
      content.extras.attachments = [ContentExtras.Attachment(name: name, url: link)]
    }
    if let file = draft.file {
      content.extras.attachments = [ContentExtras.Attachment(url: file.id.path)]
    }
    if let actions = parameters["actions"] {
      content.extras.actions = ActionDraft.actions(try NtfyAction.drafts(actions))
    }
    if parameters.isTrue("markdown") { content.extras.markdown = true }
    return content
  }

  /// Converts a refusal of the store to ntfy's error code for the parameter.
  private static func refusal(_ field: String, _ expectation: String) -> RequestError {
    let fault: NtfyError =
      switch field {
      case _ where field.hasPrefix("actions"): .actions
      case _ where field.hasPrefix("attachments"): .attachmentURL
      case "icon": .iconURL
      case "deliverAfterDateTime": .delayTooLong
      case "appNotificationId": .sequence
      default: .badRequest  // open: String
      }
    return .ntfy(fault, "\(field) is wrong: expected \(expectation)")
  }

  /// Deletes the item that a publication replaces by its generated id.
  ///
  /// An item that was published without a sequence id has such an id.
  private static func removePredecessor(
    of published: Published, _ exchange: Exchange, _ principal: Principal
  ) async throws {
    guard published.outcome == .created,
      let id = published.answered.appNotificationID.flatMap(NtfyMessage.item),
      let old = try? await exchange.store.item(
        id, of: principal.user.id, reader: principal.environment),
      old.content.app == published.item.content.app, old.content.appNotificationID == nil
    else { return }
    try await exchange.store.delete(
      id, for: principal.user.id, reader: principal.environment)
  }

  // MARK: - Clearing and deleting

  private static func clear(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let (topic, sequence, item) = try await target(exchange, principal)
    if let item {
      let author =
        principal.reach == .nothing
        ? Author(kind: .publisher, id: topic, name: topic) : principal.author
      _ = try await exchange.store.change(
        item.id, StateChange(readState: .read, userActionState: .dismissed), by: author,
        from: principal.device?.id, for: principal.user.id, reader: principal.environment)
    }
    return try told("message_clear", topic, sequence, exchange)
  }

  private static func delete(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    let (topic, sequence, item) = try await target(exchange, principal)
    if let item {
      try await exchange.store.delete(
        item.id, from: principal.device?.id, for: principal.user.id,
        reader: principal.environment)
    }
    return try told("message_delete", topic, sequence, exchange)
  }

  /// Returns the event, whether the message exists or not, so that a publisher learns nothing.
  private static func told(
    _ event: String, _ topic: String, _ sequence: String, _ exchange: Exchange
  ) throws -> Response {
    try .json(
      .ok,
      NtfyMessage.event(
        event, of: sequence, topic: topic, id: exchange.requestID, at: exchange.store.now))
  }

  /// Returns the item of the path if it exists. Throws unless the caller may publish for its app.
  private static func target(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> (topic: String, sequence: String, item: UserNotification?) {
    try exchange.admitAnonymous(principal)
    let topic = try NtfyDialect.checked(exchange.ntfyPart("topic"))
    let sequence = exchange.ntfyPart("sequence")
    try await exchange.checkAnonymous([topic], principal)
    guard !principal.isAnonymous || principal.reach != .nothing,
      try await Publishing.mayPublish(topic, exchange, principal)
    else { throw RequestError.forbidden("The access token does not allow this.") }
    let user = principal.user.id
    let app = try await exchange.store.appName(of: topic, for: user)
    let reader = principal.environment
    if let item = try await exchange.store.item(app: app, appNotificationID: sequence, of: user) {
      return (topic, sequence, reader.receives(item.content) ? item : nil)
    }
    guard let id = NtfyMessage.item(sequence),
      let item = try? await exchange.store.item(id, of: user, reader: reader),
      item.content.app == app
    else { return (topic, sequence, nil) }
    return (topic, sequence, item)
  }
}

extension Exchange {
  /// Returns the time zone of times in words: the user's, the configured one, or else the machine's.
  ///
  /// Skips a zone that the machine does not know any more, and does not reveal the user's to
  /// publishers without a token.
  fileprivate func ntfyZone(for principal: Principal) async throws -> ZoneRules {
    let own = principal.isAnonymous ? nil : try await store.timeZone(of: principal.user.id)
    let names = [own, configuration.ntfy.timeZone]
    let clock = server.environment.wallClock
    for name in names.compactMap(\.self) {
      if let rules = clock.rules(of: name) { return rules }
    }
    return clock.rules(of: nil) ?? .utc
  }

  /// Returns a decoded part of the path; empty when it is not UTF-8.
  func ntfyPart(_ name: String) -> String {
    parameters.get(name).flatMap { Route.unescaped($0) } ?? ""
  }
}
