internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// ntfy's interface for its publishers and readers (docs.ntfy.sh: publish, subscribe/api).
///
/// A topic is an app, and a sequence id is the app's own id of an item. Publishing decodes to the
/// same content as the native publication. Readers receive the changes of the delta as ntfy's
/// events.
struct NtfyDialect: Dialect {
  static let endpoints = NtfyPublishing.endpoints + NtfyReading.endpoints + NtfyAccount.endpoints

  // MARK: - Signing in

  func secret(in exchange: Exchange) throws -> AccessTokenSecret {
    guard let header = Self.credentials(in: exchange) else {
      throw RequestError.unauthenticated("send an access token, as Bearer or as Basic password")
    }
    guard let secret = Credentials.bearer(header) ?? Credentials.basic(header) else {
      throw RequestError.unauthenticated(
        "expected a Bearer token, or Basic with a token as password")
    }
    return secret
  }

  /// Returns the `Authorization` header, or its base64 replacement in the query.
  static func credentials(in exchange: Exchange) -> String? {
    if let header = exchange.request.headers[.authorization] { return header }
    guard let encoded = exchange.query["auth"], encoded.utf8.count <= 1024 else { return nil }
    return Base64.decodeLeniently(encoded).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
  }

  func principal(in exchange: Exchange) async throws -> Principal {
    let rules = exchange.configuration.ntfy
    guard Self.credentials(in: exchange) == nil, let name = rules.anonymousUser else {
      return try await exchange.principal(of: secret(in: exchange))
    }
    guard let user = try? await exchange.store.user(named: name) else {
      return try await exchange.principal(of: secret(in: exchange))
    }
    try exchange.refuseForeignPage()
    var scope = AccessScope.publish(.any)
    if rules.anonymousAccess == .readWrite, let topic = exchange.parameters.get("topic") {
      scope = .app(topic)
    }
    return Principal(
      user: user,
      token: AccessToken(
        id: Principal.anonymousTokenID, user: user.id, name: "anonymous", scope: scope,
        created: user.created), device: nil)
  }

  // MARK: - Topics

  /// Returns the topic if it is a valid one.
  static func checked(_ topic: String) throws -> String {
    guard isTopic(topic) else {
      throw RequestError.ntfy(.topic, "expected 1 to 64 letters, digits, '-' and '_'")
    }
    guard !Route.reservedTopics.contains(topic.lowercased()) else {
      throw RequestError.ntfy(.topicReserved, "the store reserves it")
    }
    return topic
  }

  /// Whether the text matches `^[-_A-Za-z0-9]{1,64}$`.
  static func isTopic(_ text: some StringProtocol) -> Bool {
    (1...64).contains(text.utf8.count) && text.isASCIIAlphanumeric(or: "-_")
  }

  // MARK: - Errors

  func response(to failure: RequestError, requestID: String, date: Timestamp) -> Response {
    var code = Int(failure.status.code) * 100
    var text = failure.message
    if let known = failure.ntfyCode {
      code = known
    } else if let fault = NtfyError(failure) {
      code = fault.rawValue
      text = fault.isTerse ? fault.words : fault.words + ", " + text
    }
    let payload: JSONValue = [
      "code": .integer(code), "http": .integer(Int(failure.status.code)), "error": .string(text),
      "link": "",
    ]
    let response = try? Response.json(failure.status, payload, headers: failure.headers)
    return response ?? Response(status: failure.status, headers: failure.headers)
  }
}

/// The names that can be topics.
package enum Topics {
  /// Whether publishers can use the app as a topic: its name is valid and not reserved.
  package static func take(_ app: String) -> Bool {
    NtfyDialect.isTopic(app) && !Route.reservedTopics.contains(app.lowercased())
  }
}

extension Exchange {
  /// Throws for a topic that is not open to callers without a token.
  ///
  /// If the topic is an alias, the app behind it must be open too.
  func checkAnonymous(_ topics: [String], _ principal: Principal) async throws {
    guard principal.isAnonymous else { return }
    let rules = configuration.ntfy
    for topic in topics {
      guard rules.isAnonymous(topic),
        rules.isAnonymous(try await store.appName(of: topic, for: principal.user.id))
      else { throw RequestError.forbidden("This topic needs an access token.") }
    }
  }

  /// Throws for a request that a web page of another site makes the browser send.
  ///
  /// A token proves that the request is intended. Without one, any web page that a user opens could
  /// publish and read.
  func refuseForeignPage() throws {
    let site = request.headers[Self.fetchSite]?.lowercased() ?? "none"
    let authority = (request.head.authority ?? request.headers[Self.host])?.lowercased()
    let isOwn = request.headers[values: .origin].allSatisfy { origin in
      let parts = origin.lowercased().split(separator: "://", maxSplits: 1)
      return parts.count == 2 && ["http", "https"].contains(parts[0])
        && authority.map { $0 == parts[1] } == true
    }
    guard isOwn, ["none", "same-origin"].contains(site) else {
      throw RequestError.forbidden("A page of another site needs an access token for this.")
    }
  }

  private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!

  /// Returns the first header of these names, else the first query parameter, as ntfy does.
  func ntfyParameter(_ names: String...) -> String? {
    for name in names {
      guard let field = HTTPField.Name(name), let value = request.headers[field], !value.isEmpty
      else { continue }
      return value
    }
    return names.lazy.compactMap { query[$0] }.first { !$0.isEmpty }
  }
}
