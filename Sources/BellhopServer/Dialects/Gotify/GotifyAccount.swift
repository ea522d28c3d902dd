internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// What Gotify's clients ask beside messages: who they are, which applications there are, and how
/// to sign in with what they were given as a password.
enum GotifyAccount {
  static let endpoints = [
    Endpoint.open(.get, "version", dialect: GotifyDialect()) { exchange in
      try .json(
        .ok,
        [
          "version": .string(exchange.configuration.version), "commit": "", "buildDate": "",
        ] as JSONValue)
    },
    GotifyDialect.endpoint(.get, "current/user", .item, user),
    GotifyDialect.endpoint(.get, "application", .item, applications),
    GotifyDialect.endpoint(.get, "client", .item, clients),
    GotifyDialect.endpoint(.post, "client", .item, signIn),
  ]

  private static func user(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    try .json(
      .ok,
      [
        "id": .number(String(principal.user.id.rawValue)), "name": .string(principal.user.name),
        "admin": false,
      ] as JSONValue)
  }

  private static func applications(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let apps = try await exchange.store.apps(of: principal.user.id).map(\.settings)
    let visible = apps.filter { settings in
      guard settings.app != AppSettings.everyApp else { return false }
      return principal.reach == .everything || principal.reach == .app(settings.app)
    }
    return try .json(
      .ok,
      JSONValue.array(
        visible.map { settings in
          // A token is shown once, when it is made.
          [
            "id": .integer(GotifyDialect.number(ofApp: settings.app)), "token": "",
            "name": .string(settings.displayName ?? settings.app),
            "description": .string(settings.app), "internal": false, "image": "",
            "defaultPriority": 5,
          ]
        }))
  }

  private static func client(_ principal: Principal, name: String, secret: String) -> JSONValue {
    [
      "id": .integer(GotifyDialect.number(ofApp: principal.token.id.description)),
      "name": .string(name), "token": .string(secret),
    ]
  }

  private static func clients(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    try .json(.ok, JSONValue.array([client(principal, name: principal.token.name, secret: "")]))
  }

  /// A client that signs in with a token as its password goes on with that token.
  private static func signIn(_ exchange: Exchange, _ principal: Principal) async throws -> Response
  {
    let members = try FormBody.members(
      of: try await exchange.body(), contentType: exchange.request.headers[.contentType],
      depthMax: exchange.configuration.jsonDepthMax)
    let secret = try GotifyDialect().secret(in: exchange)
    return try .json(
      .ok,
      client(principal, name: members["name"]?.text ?? principal.token.name, secret: secret.text))
  }
}
