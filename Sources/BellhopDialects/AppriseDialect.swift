internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The endpoints of Apprise: `POST /notify` and `/notify/{app}`.
///
/// Accepts what Apprise's `json://` and `form://` send and what the Apprise API accepts
/// (github.com/caronc/apprise, apprise-api). The app is the path's, or the one that the token is
/// bound to.
struct AppriseDialect: Dialect {
  static let endpoints = ["notify", "notify/:app"].map { pattern in
    AppriseDialect().endpoint(.post, pattern, .publish, publish)
  }

  func secret(in exchange: Exchange) throws -> AccessTokenSecret {
    try Credentials.anywhere(in: exchange)
  }

  func response(to failure: RequestError, requestID: String, date: Timestamp) -> Response {
    let payload: JSONValue = ["success": false, "error": .string(failure.message)]
    let response = try? Response.json(failure.status, payload, headers: failure.headers)
    return response ?? Response(status: failure.status, headers: failure.headers)
  }

  private static func publish(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    try Publishing.refuseConditions(exchange)
    // Files are part of the body, in base64 or as form parts, so the whole body is held in memory.
    return try await exchange.withBody(bytesMax: exchange.configuration.bulkBodyBytesMax) {
      try await publish($0, exchange, principal)
    }
  }

  private static func publish(
    _ body: ByteBuffer, _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let (members, parts) = try FormBody.content(
      of: body, contentType: exchange.request.headers[.contentType],
      depthMax: exchange.configuration.jsonDepthMax)
    guard
      let app = exchange.parameters.get("app").flatMap({ Route.unescaped($0) })
        ?? principal.onlyApp
    else {
      throw RequestError.badRequest(
        "The app is missing: name it in the address, as in /notify/nas, or use a token for one app."
      )
    }
    var content = try content(members, app: app)
    guard try await Publishing.mayPublish(app, exchange, principal) else {
      throw RequestError.forbidden("The access token does not allow publishing for this app.")
    }
    let (files, links) = try attachments(members)
    let stored = try await store(parts + files, app, exchange, principal)
    let attached =
      links.map { ContentExtras.Attachment(url: $0) }
      + stored.map { ContentExtras.Attachment(url: $0.id.path) }
    if !attached.isEmpty { content.extras.attachments = attached }
    let published = try await exchange.publishing(stored) {
      try await Publishing.publish(
        content, isQuiet: false,
        fingerprint: [Array(app.utf8), JSONValue.object(members).bytes]
          + stored.map { Array($0.hash.rawValue.utf8) }, exchange, principal)
    }
    return try .json(
      .ok, ["success": true, "id": .string(published.item.id.description)] as JSONValue)
  }

  /// Returns the base64 files and the links of a publication. Links stay links.
  private static func attachments(
    _ members: [String: JSONValue]
  ) throws -> (files: [FormBody.File], links: [String]) {
    var files: [FormBody.File] = []
    var links: [String] = []
    for name in ["attachments", "attachment"] {
      guard case .array(let attachments)? = members[name] else { continue }
      for attachment in attachments {
        if case .string(let link) = attachment,
          case let scheme = String(decoding: link.utf8.prefix(8), as: UTF8.self).lowercased(),
          ["http://", "https://"].contains(where: { scheme.hasPrefix($0) })
        {
          links.append(link)
          continue
        }
        guard let bytes = attachment["base64"]?.text.flatMap({ Base64.decodeLeniently($0) }) else {
          throw RequestError.badRequest(
            "\(name) is wrong: expected objects with filename and base64, or links.")
        }
        files.append(
          FormBody.File(
            name: attachment["filename"]?.text ?? attachment["name"]?.text ?? "", bytes: bytes))
      }
    }
    return (files, links)
  }

  /// Stores all files or none.
  private static func store(
    _ files: [FormBody.File], _ app: String, _ exchange: Exchange, _ principal: Principal
  ) async throws -> [StoredFile] {
    guard files.count <= exchange.store.limits.attachmentsMax else {
      throw RequestError.badRequest(
        "There are too many files: at most \(exchange.store.limits.attachmentsMax) are accepted.")
    }
    var stored: [StoredFile] = []
    do {
      for file in files {
        var body = BodyReader(file.bytes)
        stored.append(
          try await exchange.receiveFile(named: file.name, app: app, from: &body, principal))
      }
    } catch {
      await exchange.remove(stored)
      throw error
    }
    return stored
  }

  /// A limit above the store's own. The rest of a longer list becomes one tag, which exceeds that.
  private static let tagsMax = 256

  private static func content(_ members: [String: JSONValue], app: String) throws -> Content {
    func text(_ names: String...) throws -> String? {
      for name in names {
        switch members[name] {
        case .string(let text)? where !text.isEmpty: return text
        case .array?, .object?: throw RequestError.badRequest("\(name) is wrong: expected text.")
        case nil, .null?, .bool?, .number?, .string?: continue
        }
      }
      return nil
    }
    let title = try text("title")
    guard let message = try text("message", "body") ?? title, !message.isBlank else {
      throw RequestError.badRequest("body is missing: expected text.")
    }
    var content = Content(
      app: app, visual: MessageText.visual(title: message == title ? nil : title, message: message))
    let type = try text("type")?.lowercased() ?? "info"
    switch type {
    case "info": break
    case "success", "warning", "failure": content.tags = [type]
    default:  // open: String
      throw RequestError.badRequest("type is wrong: expected info, success, warning or failure.")
    }
    content.priority =
      switch type {
      case "warning": .high
      case "failure": .urgent
      default: .normal  // open: String
      }
    if case .array(let tags)? = members["tag"] {
      content.tags += tags.compactMap(\.text)
    } else {
      content.tags += (try text("tag", "tags") ?? "").utf8
        .split(maxSplits: tagsMax) { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }
        .map { String(Substring($0)) }
    }
    if try text("format")?.lowercased() == "markdown" { content.extras.markdown = true }
    content.clickURL = try text("url", "click")
    return content
  }
}
