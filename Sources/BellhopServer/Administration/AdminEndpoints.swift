internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// The administration endpoints, which only the admin socket serves.
///
/// Only the owner of the data directory can open this socket. No token's scope gives access to
/// them.
enum AdminEndpoints {
  static let endpoints = [
    Endpoint.open(.get, "admin/users", users),
    Endpoint.open(.post, "admin/users", addUser),
    Endpoint.open(.delete, "admin/users/:user", removeUser),
    Endpoint.open(.delete, "admin/users/:user/subjects/:issuer", forgetSubject),
    Endpoint.open(.get, "admin/users/:user/tokens", tokensOfUser),
    Endpoint.open(.get, "admin/users/:user/devices", devices),
    Endpoint.open(.delete, "admin/users/:user/devices/:device", revokeDevice),
    Endpoint.open(.get, "admin/users/:user/grants/:code", grant),
    Endpoint.open(.post, "admin/users/:user/grants/:code", decideGrant),
    Endpoint.open(.get, "admin/tokens", allTokens),
    Endpoint.open(.post, "admin/tokens", mint),
    Endpoint.open(.delete, "admin/tokens/:prefix", revokeToken),
    Endpoint.open(.get, "admin/stats", stats),
    Endpoint.open(.post, "admin/expire", expire),
    Endpoint.open(.post, "admin/reload", reload),
  ]

  // MARK: - Users

  private static func users(_ exchange: Exchange) async throws -> Response {
    try .json(
      .ok,
      try await exchange.store.users().map { UserPayload(name: $0.name, created: $0.created) })
  }

  private static func addUser(_ exchange: Exchange) async throws -> Response {
    let name = try await exchange.payload(NewUserPayload.self).name
    let user = try await exchange.store.addUser(named: name, newApps: .notDetermined)
    exchange.logger.notice("user added")
    return try .json(.created, UserPayload(name: user.name, created: user.created))
  }

  private static func removeUser(_ exchange: Exchange) async throws -> Response {
    let count = try await exchange.store.removeUser(named: try exchange.parameter("user"))
    exchange.logger.notice("user removed", metadata: ["rows": .stringConvertible(count)])
    return try .json(.ok, CountPayload(count: count))
  }

  private static func forgetSubject(_ exchange: Exchange) async throws -> Response {
    let user = try await exchange.store.user(named: try exchange.parameter("user"))
    try await exchange.store.forgetSubject(of: user.id, at: try exchange.parameter("issuer"))
    exchange.logger.notice("user unlinked from an identity provider")
    return try .json(.ok, CountPayload(count: 1))
  }

  // MARK: - Tokens

  private static func tokensOfUser(_ exchange: Exchange) async throws -> Response {
    let user = try await exchange.store.user(named: try exchange.parameter("user"))
    return try .json(.ok, try await tokens(of: [user], exchange))
  }

  private static func allTokens(_ exchange: Exchange) async throws -> Response {
    try .json(.ok, try await tokens(of: try await exchange.store.users(), exchange))
  }

  private static func tokens(
    of users: [User], _ exchange: Exchange
  ) async throws -> [TokenPayload] {
    var payloads: [TokenPayload] = []
    for user in users {
      payloads += try await exchange.store.accessTokens(of: user.id).map {
        TokenPayload($0, of: user)
      }
    }
    return payloads
  }

  private static func mint(_ exchange: Exchange) async throws -> Response {
    let payload = try await exchange.payload(NewTokenPayload.self)
    guard let scope = AccessScope(text: payload.scope) else {
      throw WireError.invalid(field: "scope", expectation: "device, publish:APP, app:APP or enrol")
    }
    let user = try await exchange.store.user(named: payload.user)
    let minted = try await exchange.store.mintToken(
      named: payload.name, scope: scope, expires: payload.expires, for: user.id)
    exchange.logger.notice(
      "token created", metadata: ["token-id": .string(minted.token.id.description)])
    return try .json(
      .created, MintedTokenPayload(id: minted.token.id, token: minted.secret.text))
  }

  private static func revokeToken(_ exchange: Exchange) async throws -> Response {
    let prefix = try exchange.parameter("prefix").lowercased()
    var matches: [AccessToken] = []
    for user in try await exchange.store.users() {
      matches += try await exchange.store.accessTokens(of: user.id).filter {
        $0.id.description.hasPrefix(prefix)
      }
    }
    guard let match = matches.first else { throw StoreError.notFound(what: "token") }
    guard matches.count == 1 else {
      throw RequestError.badRequest(
        "\(matches.count) tokens match. Give more characters of the id.")
    }
    try await exchange.store.revokeToken(match.id, of: match.user)
    exchange.logger.notice(
      "token revoked", metadata: ["token-id": .string(match.id.description)])
    return try .json(.ok, CountPayload(count: 1))
  }

  // MARK: - Devices

  private static func devices(_ exchange: Exchange) async throws -> Response {
    let user = try await exchange.store.user(named: try exchange.parameter("user"))
    return try .json(
      .ok,
      try await exchange.store.devices(of: user.id).map { UserDevicePayload($0, of: user) })
  }

  private static func revokeDevice(_ exchange: Exchange) async throws -> Response {
    let user = try await exchange.store.user(named: try exchange.parameter("user"))
    let id = DeviceID(try exchange.parameter("device"))
    _ = try await exchange.store.device(id, of: user.id)
    try await exchange.store.revokeDevice(id, of: user.id)
    exchange.logger.notice("device revoked")
    return try .json(.ok, CountPayload(count: 1))
  }

  /// Returns the device that waits to be signed in with a code.
  private static func grant(_ exchange: Exchange) async throws -> Response {
    let user = try await exchange.store.user(named: try exchange.parameter("user"))
    let found = try await exchange.server.grants.grant(
      try exchange.parameter("code"), for: user.id)
    return try .json(
      .ok,
      WaitingDevicePayload(
        try await DeviceGrantEndpoints.describe(found.grant, found.code, for: user.id, exchange)))
  }

  private static func decideGrant(_ exchange: Exchange) async throws -> Response {
    let user = try await exchange.store.user(named: try exchange.parameter("user"))
    let decision = try await exchange.payload(DeviceGrantDecisionPayload.self).decision
    return try .json(
      .ok,
      WaitingDevicePayload(
        try await DeviceGrantEndpoints.decide(
          try exchange.parameter("code"), decision, for: user.id, exchange)))
  }

  // MARK: - Upkeep

  private static func stats(_ exchange: Exchange) async throws -> Response {
    let storage = try await exchange.store.storageFigures()
    let users = try await exchange.store.statistics().map { user, statistics in
      StatsPayload.User(
        name: user.name, items: statistics.items, tombstones: statistics.tombstones,
        bytes: statistics.bytes, devices: statistics.devices, tokens: statistics.tokens)
    }
    let isServing = exchange.isServed
    return try .json(
      .ok,
      StatsPayload(
        version: exchange.configuration.version, epoch: exchange.store.epoch.rawValue,
        connections: isServing ? exchange.server.activity.connections.figures.open : nil,
        streams: isServing ? exchange.store.figures.streams : nil,
        databaseBytes: storage.databaseBytes, unusedBytes: storage.unusedBytes,
        logBytes: storage.logBytes, diskFreeBytes: storage.diskFreeBytes, users: users))
  }

  private static func reload(_ exchange: Exchange) async throws -> Response {
    let (reloaded, problems) = exchange.server.reload()
    return try .json(.ok, ReloadPayload(reloaded: reloaded, problems: problems))
  }

  private static func expire(_ exchange: Exchange) async throws -> Response {
    // The command of an earlier version sends no body.
    let order = try? await exchange.payload(SweepOrderPayload.self)
    if order?.confirmsClock == true {
      try await exchange.store.confirmClock()
      exchange.logger.notice("wall-clock time confirmed by the administrator")
    }
    let report = try await exchange.store.sweep()
    return try .json(
      .ok,
      SweepPayload(
        expired: report.expired, tombstonesDropped: report.tombstonesDropped,
        clockDoubt: report.clockDoubt?.description))
  }
}

extension Exchange {
  /// Returns a decoded part of the path.
  ///
  /// - Throws: ``RequestError`` when it is empty or not UTF-8.
  func parameter(_ name: String) throws -> String {
    guard let text = parameters.get(name).flatMap({ Route.unescaped($0) }), !text.isEmpty else {
      throw RequestError.notFound("There is nothing at this address.")
    }
    return text
  }
}
