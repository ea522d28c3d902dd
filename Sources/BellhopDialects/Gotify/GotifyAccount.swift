internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// The account endpoints of Gotify: the current user, the clients and the sign-in.
///
/// A client signs in with its token as the password. It cannot create other tokens: a device's
/// token exists only after a user approves the device.
enum GotifyAccount {
  static let endpoints = [
    Endpoint.open(.get, "version", dialect: GotifyDialect()) { exchange in
      try .json(
        .ok,
        [
          "version": .string(exchange.configuration.version), "commit": "", "buildDate": "",
        ] as JSONValue)
    },
    GotifyDialect().endpoint(.get, "current/user", .item, user),
    GotifyDialect().endpoint(.get, "client", .item, clients),
    GotifyDialect().endpoint(.post, "client", .item, signIn),
    GotifyDialect().endpoint(.put, "client/:id", .item, rename),
    GotifyDialect().endpoint(.delete, "client/:id", .item, signOut),
  ]

  private static func user(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    try .json(
      .ok,
      [
        "id": .number(String(principal.user.id.rawValue)), "name": .string(principal.user.name),
        "admin": false,
      ] as JSONValue)
  }

  private static func json(_ token: AccessToken, name: String? = nil, secret: String = "")
    -> JSONValue
  {
    [
      "id": .integer(GotifyDialect.number(of: token.id.description)),
      "name": .string(name ?? token.name), "token": .string(secret),
    ]
  }

  private static func clients(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    try .json(.ok, JSONValue.array(try await tokens(exchange, principal).map { json($0) }))
  }

  /// Returns the tokens that read items. A device sees them all; an app's token sees only itself.
  private static func tokens(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> [AccessToken] {
    guard principal.isDevice else { return [principal.token] }
    let now = exchange.store.now
    let tokens = try await exchange.store.accessTokens(of: principal.user.id).filter { token in
      switch token.scope {
      case .device, .app: token.holds(at: now)
      case .publish, .enrol: false
      }
    }
    // The store has no record of a token from an identity provider.
    return tokens.contains { $0.id == principal.token.id } ? tokens : [principal.token] + tokens
  }

  /// Returns the caller's own token: a client keeps the token that it sent as its password.
  private static func signIn(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    let members = try await GotifyDialect.members(exchange)
    let secret = try GotifyDialect().secret(in: exchange)
    return try .json(
      .ok,
      json(
        principal.token, name: try GotifyDialect.text(members["name"], "name"),
        secret: secret.text))
  }

  /// Renames a client. A device may rename any client; another client only itself.
  private static func rename(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let members = try await GotifyDialect.members(exchange)
    let token = try await client(exchange, principal)
    guard let name = try GotifyDialect.text(members["name"], "name")?.trimmed, !name.isEmpty else {
      throw RequestError.badRequest("name is missing: expected a name such as phone.")
    }
    return try .json(
      .ok, json(try await exchange.store.renameToken(token.id, name, of: principal.user.id)))
  }

  /// Revokes a client's token.
  ///
  /// A device may revoke any, as with `me/tokens`; another client only its own.
  private static func signOut(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let token = try await client(exchange, principal)
    try await exchange.store.revokeToken(
      token.id, of: principal.user.id,
      by: principal.device?.registration.name ?? principal.token.name)
    return try .json(.ok, JSONValue.object([:]))
  }

  /// Returns the client with the path's number, if the caller may see it.
  private static func client(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> AccessToken {
    let number = exchange.parameters.get("id").flatMap { Int($0) }
    let found = try await tokens(exchange, principal).filter {
      GotifyDialect.number(of: $0.id.description) == number
    }
    guard let token = found.first, found.count == 1 else {
      throw StoreError.notFound(what: "client")
    }
    return token
  }
}
