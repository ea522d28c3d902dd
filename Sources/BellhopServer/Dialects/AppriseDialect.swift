internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `POST /notify` and `/notify/{app}`: what Apprise's `json://` and `form://` send, and what the
/// Apprise API takes (github.com/caronc/apprise, apprise-api).
///
/// The app is the path's, or the one that the token is for.
struct AppriseDialect: Dialect {
  static let endpoints = ["notify", "notify/:app"].map { pattern in
    Endpoint.signedIn(
      .post, root: .top, pattern, .publish, dialect: AppriseDialect(), publish)
  }

  func secret(in exchange: Exchange) throws -> AccessTokenSecret {
    try Credentials.anywhere(in: exchange)
  }

  func response(to failure: Failure, requestID: String, date: Timestamp) -> Response {
    let payload: JSONValue = ["success": false, "error": .string(failure.message)]
    let response = try? Response.json(failure.status, payload, headers: failure.headers)
    return response ?? Response(status: failure.status, headers: failure.headers)
  }

  private static func publish(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    try Publishing.refuseConditions(exchange)
    let members = try FormBody.members(
      of: try await exchange.body(), contentType: exchange.request.headers[.contentType],
      depthMax: exchange.configuration.jsonDepthMax)
    guard
      let app = exchange.parameters.get("app").flatMap({ Route.unescaped($0) })
        ?? principal.onlyApp
    else {
      throw Failure.badRequest(
        "The app is missing: name it in the address, as in /notify/nas, or use a token for one app."
      )
    }
    for name in ["attachments", "attachment"] {
      if case .array(let files)? = members[name], !files.isEmpty {
        throw Failure.badRequest("This store keeps no files yet; nothing was published.")
      }
    }
    let published = try await Publishing.publish(
      try content(members, app: app), isQuiet: false,
      fingerprint: [Array(app.utf8), JSONValue.object(members).bytes], exchange, principal)
    return try .json(
      .ok, ["success": true, "id": .string(published.item.id.description)] as JSONValue)
  }

  private static func content(_ members: [String: JSONValue], app: String) throws -> Content {
    func text(_ names: String...) throws -> String? {
      for name in names {
        switch members[name] {
        case .string(let text)? where !text.isEmpty: return text
        case .array?, .object?: throw Failure.badRequest("\(name) is wrong: expected a text.")
        default: continue
        }
      }
      return nil
    }
    let title = try text("title")
    guard let message = try text("message", "body") ?? title, !message.trimmed.isEmpty else {
      throw Failure.badRequest("body is missing: expected a text.")
    }
    var content = Content(
      app: app, visual: MessageText.visual(title: message == title ? nil : title, message: message))
    let type = try text("type")?.lowercased() ?? "info"
    switch type {
    case "info": break
    case "success", "warning", "failure": content.tags = [type]
    default:
      throw Failure.badRequest("type is wrong: expected info, success, warning or failure.")
    }
    content.priority =
      switch type {
      case "warning": .high
      case "failure": .urgent
      default: .normal
      }
    if case .array(let tags)? = members["tag"] {
      content.tags += tags.compactMap(\.text)
    } else {
      content.tags += (try text("tag", "tags") ?? "").split { $0 == "," || $0 == " " }
        .map { String($0) }
    }
    if try text("format")?.lowercased() == "markdown" { content.extras.markdown = true }
    content.clickURL = try text("url", "click")
    return content
  }
}
