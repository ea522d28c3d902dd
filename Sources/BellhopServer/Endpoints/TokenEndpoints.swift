internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `/v1.0/me/tokens`: devices create publish tokens for their user, and list and revoke all tokens.
enum TokenEndpoints {
  static let endpoints = [
    Endpoint.native(.post, "me/tokens", .device, mint).described(
      .init(
        id: "createToken",
        summary: "Create a publish token. Only this answer contains its secret.",
        body: .json(
          "TokenRequest", example: ["name": "build server", "targetHostName": "ci.*"]),
        answers: [.init(201, "The token.", .json("Token"), headers: ["Location"])])),
    Endpoint.native(.get, "me/tokens", .device, list).described(
      .init(
        id: "listTokens", summary: "The user's tokens, without revoked ones.",
        answers: [.init(200, "All tokens, without their secrets.", .json("TokenList"))])),
    Endpoint.native(.get, "me/tokens/:id", .device, get).described(
      .init(
        id: "getToken", summary: "One token.",
        answers: [.init(200, "The token, without its secret.", .json("Token"))])),
    Endpoint.native(.delete, "me/tokens/:id", .device, revoke).described(
      .init(
        id: "revokeToken", summary: "Revoke a token permanently, with immediate effect.",
        answers: [.init(204, "Revoked, now or before.")])),
  ]

  private static func mint(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let payload = try await exchange.payload(UserTokenRequestPayload.self)
    let apps = try apps(payload)
    if let end = payload.expirationDateTime, end <= exchange.store.now {
      throw StoreError.invalid(
        field: "expirationDateTime", expectation: "a time after now, \(exchange.store.now)")
    }
    let minted = try await exchange.store.mintToken(
      named: payload.name ?? (apps == .any ? "any app" : apps.text), scope: .publish(apps),
      expires: payload.expirationDateTime, for: principal.user.id)
    var answer = describe(minted.token, principal)
    answer.secret = minted.secret.text
    return try .json(
      .created, answer,
      headers: [.location: exchange.linkBase + Route.accessToken(answer.id).path])
  }

  /// Returns the apps of the requested token.
  ///
  /// Only `anyApp` requests any app, so a missing field is an error.
  private static func apps(_ payload: UserTokenRequestPayload) throws -> AppPattern {
    switch (payload.targetHostName, payload.anyApp ?? false) {
    case (nil, true): return .any
    case (let text?, false):
      guard let pattern = AppPattern(text), pattern != .any else {
        throw StoreError.invalid(
          field: "targetHostName",
          expectation: "a domain or topic such as ci.example.com, or ci.* for all apps below ci")
      }
      return pattern
    case (_?, true), (nil, false):
      throw StoreError.invalid(
        field: "targetHostName", expectation: "either an app, or anyApp true")
    }
  }

  private static func list(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let tokens = try await exchange.store.accessTokens(of: principal.user.id)
    return try .json(
      .ok,
      UserTokenListPayload(
        value: tokens.filter { $0.revoked == nil }.map { describe($0, principal) }))
  }

  private static func get(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let id = try id(exchange)
    let tokens = try await exchange.store.accessTokens(of: principal.user.id)
    guard let token = tokens.first(where: { $0.id == id && $0.revoked == nil }) else {
      throw StoreError.notFound(what: "token")
    }
    return try .json(.ok, describe(token, principal))
  }

  private static func revoke(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    try await exchange.store.revokeToken(
      id(exchange), of: principal.user.id,
      by: principal.device?.registration.name ?? principal.token.name)
    return Response(status: .noContent)
  }

  private static func id(_ exchange: Exchange) throws -> AccessTokenID {
    guard let id = exchange.parameters.get("id").flatMap({ AccessTokenID($0) }) else {
      throw StoreError.notFound(what: "token")
    }
    return id
  }

  private static func describe(_ token: AccessToken, _ principal: Principal) -> UserTokenPayload {
    var payload = UserTokenPayload(
      id: token.id.description, name: token.name, scope: .device,
      createdDateTime: token.created, expirationDateTime: token.expires,
      lastUsedDateTime: token.lastUsed, isCurrent: token.id == principal.token.id)
    switch token.scope {
    case .device(let device): payload.deviceId = device
    case .publish(let apps): (payload.scope, payload.targetHostName) = (.publish, apps.text)
    case .app(let app): (payload.scope, payload.targetHostName) = (.app, app)
    case .enrol: payload.scope = .enrol
    }
    return payload
  }
}
