internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `/v1.0/me/apps`: the user's settings of each app, which apply on all devices.
enum AppEndpoints {
  static let endpoints = [
    Endpoint.native(.get, "me/apps", .device, list).described(
      .init(
        id: "listApps", summary: "The user's apps with their settings.",
        answers: [.init(200, "All apps, by name.", .json("AppList"))])),
    Endpoint.native(.get, "me/apps/:host", .device, get).described(
      .init(
        id: "getApp", summary: "One app, by its name or an alias.",
        parameters: [
          .header(
            "If-None-Match", Schemas.text,
            "An @odata.etag; the answer is 304 if it has not changed.")
        ],
        answers: [
          .init(200, "The app.", .json("App"), headers: ["ETag"]),
          .init(304, "The settings still have this etag.", headers: ["ETag"]),
        ])),
    Endpoint.native(.patch, "me/apps/:host", .device, patch).described(
      .init(
        id: "configureApp",
        summary: "Change an app's settings, even before its first publication.",
        parameters: [
          .header(
            "If-Match", Schemas.text,
            "Etags, one of which the settings must still have, or * for any existing app.")
        ],
        body: .json(
          "AppChange", example: ["displayName": "Continuous integration", "mute": "forever"]),
        answers: [
          .init(200, "The app as it is now.", .json("App"), headers: ["ETag"])
        ],
        refusals: [
          409: "An alias belongs to another app.", 412: "The settings have a different etag.",
          507: "The limit of apps is reached, or the store's disk is full. Nothing was changed.",
        ])),
  ]

  private static func list(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let apps = try await exchange.store.apps(of: principal.user.id)
    return try .json(.ok, AppListPayload(value: apps.map(AppPayload.init)))
  }

  private static func get(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let app = try await exchange.store.app(named: name(exchange), of: principal.user.id)
    let tag = AppPayload.entityTag(app.settings)
    if let known = exchange.request.headers[.ifNoneMatch], EntityTags(known).match(tag) {
      return Response(status: .notModified, headers: [.eTag: tag])
    }
    return try .json(.ok, AppPayload(app), headers: [.eTag: tag])
  }

  /// Changes an app's settings. The app may be named by an alias, and need not have published yet.
  private static func patch(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let name = try name(exchange)
    let change = try await exchange.payload(AppSettingsChange.self)
    guard !change.isEmpty else {
      throw RequestError.badRequest(
        "The body is wrong: expected displayName, aliases, mute, authorization, "
          + "permissions, whenFocused, quietHours, timeZone, retentionDays, responses, repeats, "
          + "repeatsIgnoreNumbers or resolutions.")
    }
    try check(change)
    let match = try exchange.ifMatch()
    if match == nil, exchange.request.headers[.ifMatch] != nil {
      do {
        _ = try await exchange.store.app(named: name, of: principal.user.id)
      } catch StoreError.notFound {
        throw StoreError.modified(current: .zero)
      }
    }
    let changed = try await exchange.store.configure(
      name, change, ifMatch: match, from: principal.device?.id,
      for: principal.user.id)
    return try .json(
      .ok, AppPayload(changed), headers: [.eTag: AppPayload.entityTag(changed.settings)])
  }

  /// Refuses aliases that publishers could not use.
  static func check(_ change: AppSettingsChange) throws {
    guard
      let alias = change.aliases?.first(where: {
        Route.reservedTopics.contains($0.lowercased())
      })
    else { return }
    throw RequestError.badRequest(
      "aliases is wrong: \(alias.prefix(64)) is an address of the store, not a topic.")
  }

  /// Returns the app in the path.
  static func name(_ exchange: Exchange) throws -> String {
    guard let name = exchange.parameters.get("host").flatMap({ Route.unescaped($0) }) else {
      throw StoreError.notFound(what: "app")
    }
    return name
  }
}

extension AppPayload {
  fileprivate init(_ app: AppState) {
    self.init(
      settings: app.settings,
      usage: Usage(
        items: app.use.items, deletedItems: app.use.tombstones, bytes: app.use.bytes))
  }
}
