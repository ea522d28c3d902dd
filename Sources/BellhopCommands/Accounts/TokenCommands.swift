package import BellhopClient
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopWire

extension Commands {
  /// The options of `bellhop token create`.
  package struct TokenRequest: Sendable, Hashable {
    package var app: String?
    package var isForAnyApp: Bool
    package var name: String?
    package var expires: String?

    package init(app: String?, isForAnyApp: Bool, name: String?, expires: String?) {
      self.app = app
      self.isForAnyApp = isForAnyApp
      self.name = name
      self.expires = expires
    }
  }

  /// Runs `bellhop token create`, which prints only the token, and only once.
  package static func createToken(_ context: ClientContext, _ request: TokenRequest) throws {
    guard (request.app == nil) == request.isForAnyApp else {
      throw ClientError(
        .usage, "A publish token needs an app, or --any-app for all.",
        next: "Use --app nas, --app 'ci.*' for all apps below ci, or --any-app.")
    }
    let access = try CacheAccess(context, startsStore: true)
    let payload = UserTokenRequestPayload(
      name: request.name, targetHostName: request.app,
      anyApp: request.isForAnyApp ? true : nil,
      expirationDateTime: try request.expires.map {
        try TimeExpression.instant($0, option: "--expires", now: try access.storeTime())
      })
    let token = try ask(access, failing: "No token was created") {
      try await $0.createToken(payload)
    }
    guard let secret = token.secret else {
      throw ClientError(
        .storeUnavailable, "The store created a token but did not return it.",
        next: "Revoke it with bellhop token revoke \(token.id) and try again.")
    }
    StandardOutput.line(SafeText(secret))
    StandardError.say(
      "Save it now: it is shown only once. To revoke it: bellhop token revoke \(token.id)")
  }

  private struct TokenLine: Encodable {
    var id: String
    var name: String
    var scope: String
    var app: String?
    var device: String?
    var created: String
    var expires: String?
    var lastUsed: String?
    var isCurrent: Bool
  }

  /// Runs `bellhop token list`.
  package static func listTokens(_ context: ClientContext, asJSON: Bool) throws {
    let access = try CacheAccess(context, startsStore: true)
    for token in try ask(access, failing: "The tokens cannot be listed", { try await $0.tokens() })
    {
      if asJSON {
        try StandardOutput.jsonLine(
          TokenLine(
            id: token.id, name: token.name, scope: token.scope.rawValue,
            app: token.targetHostName, device: token.deviceId?.rawValue,
            created: token.createdDateTime.description,
            expires: token.expirationDateTime?.description,
            lastUsed: token.lastUsedDateTime?.description, isCurrent: token.isCurrent))
      } else {
        StandardOutput.line(line(token))
      }
    }
  }

  /// Returns a line with the token's id, scope, end and name.
  private static func line(_ token: UserTokenPayload) -> SafeText {
    let detail = token.targetHostName ?? token.deviceId?.rawValue
    let scope = token.scope.rawValue + (detail.map { ":" + $0 } ?? "")
    let end =
      token.expirationDateTime.map { "until " + MomentText.localTime($0) } ?? "no expiration"
    return SafeText(token.id) + "  " + SafeText(scope).padded(to: 28) + " "
      + SafeText(end).padded(to: 22) + " " + SafeText(token.name)
      + (token.isCurrent ? " (this device)" : "")
  }

  /// Runs `bellhop token revoke ID`.
  package static func revokeToken(_ context: ClientContext, id: String) throws {
    let access = try CacheAccess(context, startsStore: true)
    let failing = "Nothing was revoked"
    let tokens = try ask(access, failing: failing) { try await $0.tokens() }
    let matches = tokens.filter { !id.isEmpty && $0.id.hasPrefix(id.lowercased()) }
    guard let match = matches.first else {
      throw ClientError(
        .noSuchItem, "No token has the id \(id).",
        next: "Nothing was revoked. bellhop token list shows the ids.")
    }
    guard matches.count == 1 else {
      throw ClientError(
        .noSuchItem, "\(matches.count) token ids begin with \(id).",
        next: "Nothing was revoked. Use more of the id.")
    }
    guard !match.isCurrent else {
      throw ClientError(
        .usage, "That is the token of this device.",
        next: "Nothing was revoked. To sign this device out, run bellhop logout.")
    }
    try ask(access, failing: failing) { try await $0.revokeToken(match.id) }
    StandardError.say("Revoked: \(match.name) (\(match.scope.rawValue)).")
  }

  /// Sends a single request to the account's store.
  static func ask<Answer: Sendable>(
    _ access: CacheAccess, failing what: String,
    _ call: @escaping @Sendable (HTTPTransport) async throws -> Answer
  ) throws -> Answer {
    if let notice = access.notice { StandardError.say(notice) }
    let context = access.context
    let account = access.account
    return try runBlocking {
      let transport = try EngineSetup.transport(for: account, context: context)
      do {
        return try await call(transport)
      } catch let error as TransportError {
        throw refused(error, what)
      }
    }
  }

  static func refused(_ error: TransportError, _ what: String) -> ClientError {
    if case .server(let status, let message) = error, (400..<500).contains(status) {
      return ClientError(error.refusalCode, "\(what): \(message.clause).")
    }
    return ClientError(error.refusalCode, "\(what): \(error).", next: error.advice)
  }
}
