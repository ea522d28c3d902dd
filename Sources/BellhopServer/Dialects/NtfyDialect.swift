internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// ntfy's plain publication: `PUT` or `POST /{topic}` with the message as body.
///
/// Parameters come from headers first, then from the query, under several names each
/// (docs.ntfy.sh/publish, "List of all parameters"). The body is never parsed as a form.
struct NtfyDialect: Dialect {
  static let endpoints = [HTTPRequest.Method.put, .post].map { method in
    Endpoint.signedIn(
      method, root: .top, ":topic", .publish, dialect: NtfyDialect(), publish)
  }

  // MARK: - Signing in

  func secret(in exchange: Exchange) throws -> AccessTokenSecret {
    var header = exchange.request.headers[.authorization]
    if header == nil, let encoded = exchange.query["auth"], encoded.utf8.count <= 1024 {
      header = Base64.decode(encoded).flatMap { String(validating: $0, as: UTF8.self) }
    }
    guard let header else {
      throw Failure.unauthenticated("send an access token, as Bearer or as Basic password")
    }
    guard let secret = Credentials.bearer(header) ?? Credentials.basic(header) else {
      throw Failure.unauthenticated("expected a Bearer token, or Basic with a token as password")
    }
    return secret
  }

  // MARK: - Publishing

  private static func publish(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let topic = try topic(exchange)
    try Publishing.refuseConditions(exchange)
    let parameters = NtfyParameters(exchange)
    try parameters.refuseUnsupported()
    let body = try await exchange.body()
    guard var message = String(validating: body.readableBytesView, as: UTF8.self) else {
      throw Failure.badRequest("The message is wrong: expected UTF-8 text.")
    }
    if let text = parameters["message"] {
      message = text.replacing("\\n", with: "\n")
    }
    message = message.trimmed
    if message.isEmpty { message = "triggered" }
    let content = try content(topic, message, parameters)
    let published = try await Publishing.publish(
      content, isQuiet: false, fingerprint: try fingerprint(topic, message, parameters),
      exchange, principal)
    let expires = try await exchange.store.leavingTime(
      of: published.item, for: principal.user.id)
    return try .json(
      .ok,
      NtfyMessage(published.item, topic: topic, message: message, expires: expires))
  }

  private static func topic(_ exchange: Exchange) throws -> String {
    let topic = exchange.parameters.get("topic").flatMap { Route.unescaped($0) } ?? ""
    if Route.reservedTopics.contains(topic.lowercased()) {
      throw Failure.notFound("There is nothing to publish to at this address.")
    }
    guard isTopic(topic) else {
      throw Failure.badRequest(
        "The topic is wrong: expected 1 to 64 letters, digits, '-' and '_'.", ntfyCode: 40009)
    }
    return topic
  }

  /// `^[-_A-Za-z0-9]{1,64}$`
  static func isTopic(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
          || (0x61...0x7a).contains(byte) || byte == 0x2d || byte == 0x5f
      }
  }

  private static func content(
    _ topic: String, _ message: String, _ parameters: NtfyParameters
  ) throws -> Content {
    var content = Content(app: topic, priority: try parameters.priority())
    content.visual = visual(title: parameters["title"], message: message)
    content.tags = parameters.list("tags")
    content.clickURL = parameters["click"]
    content.appNotificationID = parameters["sequence-id"]
    content.extras.icon = parameters["icon"]
    if parameters.isTrue("markdown") { content.extras.markdown = true }
    return content
  }

  /// An item needs a title, a message need not have one: then its first line is the title, and
  /// the body is there only when it says more.
  private static func visual(title: String?, message: String) -> VisualContent {
    if let title, !title.trimmed.isEmpty { return VisualContent(title: title, body: message) }
    let line =
      message.split(whereSeparator: \.isNewline).first { !$0.trimmed.isEmpty } ?? "triggered"
    var short = ""
    for character in line {
      if short.utf8.count + character.utf8.count > titleBytesMax {
        short += "…"
        break
      }
      short.append(character)
    }
    return VisualContent(title: short, body: short == message ? nil : message)
  }

  /// A title made from a message is cut here, well below what a store takes.
  private static let titleBytesMax = 200

  private static func fingerprint(
    _ topic: String, _ message: String, _ parameters: NtfyParameters
  ) throws -> [[UInt8]] {
    [Array(topic.utf8), Array(message.utf8)] + parameters.fingerprint
  }

  // MARK: - Errors

  func response(to failure: Failure, requestID: String, date: Timestamp) -> Response {
    let payload = NtfyError(
      code: failure.ntfyCode ?? Self.code(failure.status), http: Int(failure.status.code),
      error: failure.message, link: "")
    let response = try? Response.json(failure.status, payload, headers: failure.headers)
    return response ?? Response(status: failure.status, headers: failure.headers)
  }

  private static func code(_ status: HTTPResponse.Status) -> Int {
    switch status {
    case .unauthorized: 40101
    case .forbidden: 40301
    case .notFound: 40401
    case .tooManyRequests: 42901
    default: Int(status.code) * 100
    }
  }
}

/// ntfy's error body.
private struct NtfyError: Encodable {
  var code: Int
  var http: Int
  var error: String
  var link: String
}

/// ntfy's message: the answer to a publication. It carries what the publisher wrote, no state.
private struct NtfyMessage: Encodable {
  var id: String
  var time: Int64
  var expires: Int64
  var event = "message"
  var topic: String
  var title: String?
  var message: String
  var priority: Int?
  var tags: [String]?
  var click: String?

  init(_ item: UserNotification, topic: String, message: String, expires: Timestamp) {
    id = item.id.description
    time = item.arrival.milliseconds / 1000
    self.expires = expires.milliseconds / 1000
    self.topic = topic
    self.message = message
    if let visual = item.content.visual, visual.body == message { title = visual.title }
    if item.content.priority != .normal { priority = item.content.priority.rawValue }
    if !item.content.tags.isEmpty { tags = item.content.tags }
    click = item.content.clickURL
  }
}
