internal import BellhopModel
internal import BellhopStore
internal import BellhopWire
internal import HTTPTypes
internal import Hummingbird

/// `/v1.0/me/apps/{host}/categories`: the kinds of items of an app, with their actions.
///
/// Modelled on `UNNotificationCategory`. Publishers register the categories of their own app.
enum CategoryEndpoints {
  static let endpoints = [
    Endpoint.native(.get, "me/apps/:host/categories", .publish, list).described(
      .init(
        id: "listCategories", summary: "The categories that an app has registered.",
        answers: [
          .init(
            200, "All categories, by id. Publish tokens do not receive the headers of actions.",
            .json("CategoryList"))
        ])),
    Endpoint.native(.get, "me/apps/:host/categories/:id", .publish, get).described(
      .init(
        id: "getCategory", summary: "One category of an app.",
        answers: [.init(200, "The category.", .json("Category"))])),
    Endpoint.native(.put, "me/apps/:host/categories/:id", .publish, put).described(
      .init(
        id: "putCategory",
        summary: "Register or replace a category. Its items have the new actions at once.",
        body: .json(
          "CategoryDraft",
          example: [
            "actions": [
              [
                "id": "answer", "title": "Answer",
                "textInput": ["buttonTitle": "Send", "placeholder": "Your answer"],
              ],
              [
                "id": "stop", "title": "Stop",
                "options": ["destructive", "authenticationRequired"],
              ],
            ],
            "options": ["customDismissAction"],
          ]),
        answers: [
          .init(200, "Replaced.", .json("Category")), .init(201, "Registered.", .json("Category")),
        ],
        refusals: [
          507: "A limit of categories or apps is reached, or the store's disk is full. Nothing was "
            + "changed."
        ])),
    Endpoint.native(.delete, "me/apps/:host/categories/:id", .publish, delete).described(
      .init(
        id: "deleteCategory", summary: "Remove a category. Its items keep their own actions.",
        answers: [.init(204, "Removed, or did not exist.")])),
  ]

  private static func list(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let app = try await Publishing.app(exchange, principal)
    let categories = try await exchange.store.categories(ofApp: app, for: principal.user.id)
    return try .json(
      .ok, CategoryListPayload(value: categories.map { shown($0, to: principal) }))
  }

  private static func get(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let (app, id) = try await (Publishing.app(exchange, principal), id(exchange))
    let categories = try await exchange.store.categories(ofApp: app, for: principal.user.id)
    guard let category = categories.first(where: { $0.id == id }) else {
      throw StoreError.notFound(what: "category")
    }
    return try .json(.ok, shown(category, to: principal))
  }

  private static func put(_ exchange: Exchange, _ principal: Principal) async throws -> Response {
    let (app, id) = try await (Publishing.app(exchange, principal), id(exchange))
    let draft = try await exchange.payload(CategoryDraft.self)
    let registered = try await exchange.store.register(
      draft.category(id: id), ofApp: app, appsMax: exchange.appsMax(for: principal),
      for: principal.user.id)
    return try .json(
      registered.isNew ? .created : .ok, shown(registered.category, to: principal))
  }

  private static func delete(
    _ exchange: Exchange, _ principal: Principal
  ) async throws -> Response {
    let (app, id) = try await (Publishing.app(exchange, principal), id(exchange))
    try await exchange.store.removeCategory(id, ofApp: app, for: principal.user.id)
    return Response(status: .noContent)
  }

  private static func shown(_ category: Category, to principal: Principal) -> Category {
    principal.isDevice ? category : category.withoutHeaders()
  }

  private static func id(_ exchange: Exchange) throws -> String {
    guard let id = exchange.parameters.get("id").flatMap({ Route.unescaped($0) }) else {
      throw StoreError.notFound(what: "category")
    }
    return id
  }
}
