internal import BellhopModel
internal import BellhopServer
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// Gotify's applications: apps of the store, each with tokens that publish only for it.
///
/// Only a device creates, renames and deletes them, as it creates and revokes tokens with
/// `me/tokens`. A token that publishes, or that reads a single app, can never get another token.
enum GotifyApplications {
  static let endpoints = [
    GotifyDialect().endpoint(.get, "application", .item, list),
    GotifyDialect().endpoint(.post, "application", .device, create),
    GotifyDialect().endpoint(.put, "application/:id", .device, change),
    GotifyDialect().endpoint(.delete, "application/:id", .device, delete),
    GotifyDialect().endpoint(.post, "application/:id/image", .device, refuseImage),
    GotifyDialect().endpoint(.delete, "application/:id/image", .device, refuseImage),
  ]

  // MARK: - Names

  /// Returns the app for an application's name.
  ///
  /// Returns the name itself if it is a valid app, else its usable characters, else a number.
  static func appName(for name: String) -> String {
    if case .app = AppPattern(name) { return name }
    var words: [String] = [""]
    for character in name.lowercased() {
      if character.isASCII, character.isLetter || character.isNumber {
        words[words.count - 1].append(character)
      } else if words.last != "" {
        words.append("")
      }
    }
    let text = words.filter { !$0.isEmpty }.joined(separator: "-").prefix(nameBytesMax)
    return text.isEmpty ? "app-\(GotifyDialect.number(of: name))" : String(text)
  }

  /// The maximum length of a topic, so that ntfy's publishers can use the app too.
  private static let nameBytesMax = 64

  /// Returns the app with the path's number, if the caller may read it.
  static func app(_ exchange: Exchange, _ principal: Principal) async throws -> AppSettings {
    let number = exchange.parameters.get("id").flatMap { Int($0) }
    let found = try await exchange.store.apps(of: principal.user.id).map(\.settings).filter {
      GotifyDialect.number(of: $0.app) == number && isVisible($0, to: principal)
    }
    guard let app = found.first else { throw StoreError.notFound(what: "application") }
    guard found.count == 1 else {
      throw RequestError(
        .conflict, .invalidRequest,
        "Two apps have this number. Use the store's own API for them.")
    }
    return app
  }

  private static func isVisible(_ settings: AppSettings, to principal: Principal) -> Bool {
    switch principal.reach {
    case .everything: settings.app != AppSettings.everyApp
    case .app(let app): settings.app == app
    case .nothing: false
    }
  }

  /// Returns an application as JSON.
  ///
  /// The description defaults to the app's name in this store, and the default priority to the
  /// level that messages have anyway.
  ///
  /// - Parameter secret: Empty, except in the response that creates the token.
  private static func json(
    _ settings: AppSettings, _ profile: AppProfile, secret: String = ""
  ) -> JSONValue {
    [
      "id": .integer(GotifyDialect.number(of: settings.app)), "token": .string(secret),
      "name": .string(settings.displayName ?? settings.app),
      "description": .string(profile.description ?? settings.app), "internal": false, "image": "",
      "defaultPriority": .integer(
        profile.defaultPriority ?? GotifyDialect.number(of: Priority.normal)),
    ]
  }

  // MARK: - Endpoints

  /// Lists the apps that have messages or a token to publish them.
  private static func list(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let publishing = Set(try await tokens(exchange, principal).map(\.app))
    let apps = try await exchange.store.apps(of: principal.user.id).filter {
      isVisible($0.settings, to: principal)
        && ($0.use.items > 0 || publishing.contains($0.settings.app))
    }
    let profiles = try await exchange.store.profiles(of: principal.user.id)
    return try .json(
      .ok,
      JSONValue.array(apps.map { json($0.settings, profiles[$0.settings.app] ?? AppProfile()) }))
  }

  private static func create(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let (name, profile) = try await application(exchange)
    let user = principal.user.id
    let app = try await exchange.store.appName(of: appName(for: name), for: user)
    let known = try await exchange.store.apps(of: user).map(\.settings).first { $0.app == app }
    // The app keeps the name that the user has already given it.
    let settings = try await write(
      app, calling: known?.displayName ?? name, profile, exchange, principal)
    let minted = try await exchange.store.mintToken(
      named: name, scope: .publish(.app(app)), for: user)
    let written = try await exchange.store.profile(ofApp: app, for: user)
    return try .json(.ok, json(settings, written, secret: minted.secret.text))
  }

  private static func change(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let app = try await app(exchange, principal).app
    let (name, profile) = try await application(exchange)
    let settings = try await write(app, calling: name, profile, exchange, principal)
    let written = try await exchange.store.profile(ofApp: app, for: principal.user.id)
    return try .json(.ok, json(settings, written))
  }

  /// Deletes an app with its messages, including those that are not delivered yet.
  ///
  /// Tokens for more than this app stay valid, and publishing with one creates the app again.
  private static func delete(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let app = try await app(exchange, principal).app
    for (token, _) in try await tokens(exchange, principal).filter({ $0.app == app }) {
      try await exchange.store.revokeToken(
        token, of: principal.user.id,
        by: principal.device?.registration.name ?? principal.token.name)
    }
    try await GotifyMessages.delete(of: app, withUndelivered: true, exchange, principal)
    try await exchange.store.removeProfile(ofApp: app, of: principal.user.id)
    return try .json(.ok, JSONValue.object([:]))
  }

  /// Refuses images, because apps have none in this store.
  private static func refuseImage(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    _ = try await app(exchange, principal)
    throw RequestError(
      .notImplemented, .notSupported,
      "This store does not support images of applications. Nothing was changed.")
  }

  /// Reads an application from the body. Omitted members of the profile are nil.
  private static func application(
    _ exchange: Exchange
  ) async throws -> (name: String, profile: AppProfile) {
    let members = try await GotifyDialect.members(exchange)
    guard let name = try GotifyDialect.text(members["name"], "name")?.trimmed, !name.isEmpty else {
      throw RequestError.badRequest("name is missing: expected a name such as nas.")
    }
    let profile = AppProfile(
      description: try GotifyDialect.text(members["description"], "description"),
      defaultPriority: try GotifyDialect.number(members["defaultPriority"], "defaultPriority"))
    return (name, profile)
  }

  private static func write(
    _ app: String, calling name: String, _ profile: AppProfile, _ exchange: Exchange,
    _ principal: Principal
  ) async throws -> AppSettings {
    var change = AppSettingsChange()
    change.displayName = .set(name)
    return try await exchange.store.configure(
      app, change, profile: profile, from: principal.device?.id, for: principal.user.id
    ).settings
  }

  /// Returns the tokens that only publish, and only for one app.
  private static func tokens(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> [(id: AccessTokenID, app: String)] {
    let now = exchange.store.now
    return try await exchange.store.accessTokens(of: principal.user.id).compactMap { token in
      guard case .publish(.app(let app)) = token.scope, token.holds(at: now) else { return nil }
      return (token.id, app)
    }
  }
}

extension AccessToken {
  /// Whether the token is neither revoked nor expired.
  func holds(at now: Timestamp) -> Bool {
    revoked == nil && expires.map { $0 > now } ?? true
  }
}
