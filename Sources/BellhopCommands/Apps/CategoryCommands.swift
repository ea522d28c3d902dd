package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopSync
internal import BellhopText
internal import BellhopWire

extension Commands {
  /// The options of `bellhop categories set`.
  package struct CategoryRequest: Sendable, Hashable {
    package var app: String
    package var id: String
    /// The actions, each in the form that `ActionPhrase` reads.
    package var actions: [String]
    package var reportsDismissal: Bool
    package var showsTitle: Bool
    package var showsSubtitle: Bool
    /// The text in place of a hidden body.
    package var placeholder: String?

    package init(
      app: String, id: String, actions: [String], reportsDismissal: Bool, showsTitle: Bool,
      showsSubtitle: Bool, placeholder: String?
    ) {
      self.app = app
      self.id = id
      self.actions = actions
      self.reportsDismissal = reportsDismissal
      self.showsTitle = showsTitle
      self.showsSubtitle = showsSubtitle
      self.placeholder = placeholder
    }

    var draft: CategoryDraft {
      get throws {
        let options: [(Bool, BellhopModel.Category.Option)] = [
          (reportsDismissal, .customDismissAction), (showsTitle, .hiddenPreviewsShowTitle),
          (showsSubtitle, .hiddenPreviewsShowSubtitle),
        ]
        return CategoryDraft(
          actions: try actions.map(ActionPhrase.draft),
          options: options.filter(\.0).map(\.1.rawValue),
          hiddenPreviewsBodyPlaceholder: placeholder)
      }
    }
  }

  /// Runs `bellhop categories list APP`.
  package static func categories(_ context: ClientContext, app: String, asJSON: Bool) throws {
    let access = try CacheAccess(context, startsStore: true)
    let categories = try ask(access, failing: "The categories cannot be listed") {
      try await $0.categories(ofApp: app)
    }
    for category in categories {
      if asJSON {
        try StandardOutput.jsonLine(category)
      } else {
        let actions = category.actions.map { ItemAction($0).label.string }
        StandardOutput.line(
          SafeText(category.id).padded(to: 20) + " "
            + SafeText((actions + category.options).joined(separator: ", ")))
      }
    }
    if categories.isEmpty, !asJSON, StandardOutput.isTerminal {
      StandardError.say("\(app.prefix(64)) has registered no categories.")
    }
  }

  /// Runs `bellhop categories set`, which registers or replaces a category.
  package static func setCategory(_ context: ClientContext, _ request: CategoryRequest) throws {
    let draft = try request.draft
    let access = try CacheAccess(context, startsStore: true)
    let category = try ask(access, failing: "The category was not registered") {
      try await $0.register(draft, as: request.id, ofApp: request.app)
    }
    StandardError.say(
      "Registered \(category.id.prefix(64)) with "
        + category.actions.count.counted("action") + ".")
  }

  /// Runs `bellhop categories remove`.
  package static func removeCategory(_ context: ClientContext, app: String, id: String) throws {
    let access = try CacheAccess(context, startsStore: true)
    let failing = "Nothing was removed"
    let known = try ask(access, failing: failing) { try await $0.categories(ofApp: app) }
    guard known.contains(where: { $0.id == id }) else {
      let names = known.map(\.id).joined(separator: ", ")
      throw ClientError(
        .noSuchItem, "\(app.prefix(64)) has no category \"\(id.prefix(64))\".",
        next: "Nothing was removed." + (names.isEmpty ? "" : " It has \(names)."))
    }
    try ask(access, failing: failing) { try await $0.removeCategory(id, ofApp: app) }
    StandardError.say("Removed \(id.prefix(64)). Its items keep their own actions.")
  }
}
