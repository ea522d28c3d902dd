internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// The account endpoints of ntfy: server configuration, account and read access.
enum NtfyAccount {
  static let endpoints = [
    Endpoint.open(.get, "v1/config", dialect: NtfyDialect(), configuration),
    NtfyDialect().endpoint(.get, "v1/account", .item, account),
    NtfyDialect().endpoint(.get, ":topic/auth", .item, mayRead),
  ]

  private static func configuration(_ exchange: Exchange) async throws -> Response {
    try .json(
      .ok,
      [
        "base_url": .string(exchange.linkBase), "app_root": "/", "enable_login": true,
        "require_login": .bool(exchange.configuration.ntfy.anonymousUser == nil),
        "enable_signup": false, "enable_payments": false, "enable_calls": false,
        "enable_emails": false, "enable_reservations": false, "enable_web_push": false,
        "disallowed_topics": .array(Route.reservedTopics.sorted().map { .string($0) }),
      ] as JSONValue)
  }

  private static func account(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    let limits = exchange.store.limits
    let fileBytesMax = exchange.fileBytesMax(for: principal)
    let user: JSONValue = principal.isAnonymous ? "*" : .string(principal.user.name)
    return try .json(
      .ok,
      [
        "username": user, "role": principal.isAnonymous ? "anonymous" : "user",
        "limits": [
          "basis": "tier", "message_length": .integer(NtfyPublishing.messageBytesMax),
          "attachment_total_size": .integer(
            fileBytesMax > 0 ? limits.userAttachmentsBytesMax : 0),
          "attachment_file_size": .integer(fileBytesMax),
          "attachment_expiry_duration": .integer(Int(limits.attachmentsKeep / .seconds(1))),
          "emails": 0, "calls": 0, "reservations": 0,
        ],
      ] as JSONValue)
  }

  private static func mayRead(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    let topics = exchange.ntfyPart("topic").split(separator: ",", omittingEmptySubsequences: false)
    _ = try await exchange.ntfyApps(topics.map(String.init), principal)
    return try .json(.ok, ["success": true] as JSONValue)
  }
}

extension Exchange {
  /// Returns the topics by app, if the caller may read them all.
  ///
  /// - Throws: `RequestError` for invalid topics and for those that the caller may not read.
  func ntfyApps(_ topics: [String], _ principal: Principal) async throws -> [String: String] {
    guard (1...64).contains(topics.count) else {
      throw RequestError.ntfy(.topic, "expected 1 to 64 topics")
    }
    for topic in topics { _ = try NtfyDialect.checked(topic) }
    try await checkAnonymous(topics, principal)
    var apps: [String: String] = [:]
    for topic in topics {
      let app = try await store.appName(of: topic, for: principal.user.id)
      let isReached =
        switch principal.reach {
        case .everything: true
        case .app(let only): only == app || principal.isAnonymous
        case .nothing: false
        }
      guard isReached else {
        throw RequestError.forbidden("The access token does not allow reading this topic.")
      }
      apps[app] = topic
    }
    return apps
  }
}
