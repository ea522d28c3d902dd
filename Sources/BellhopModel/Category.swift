/// A kind of item that an app has registered, with the actions of its items
/// (`UNNotificationCategory`).
///
/// An item names its category. It has the category's actions as they are *now*, after its own: an app
/// changes the buttons of items that it has already published. The coded form is that of the store's
/// `categories` call.
public struct Category: Hashable, Sendable {
  /// The identifier, unique within its app.
  public var id: String
  public var actions: [ContentExtras.Action]
  /// The names of ``Option`` cases; unknown names, of later versions, are ignored.
  public var options: [String]
  /// The text to show instead of the body while previews are hidden; nil for the client's own.
  public var hiddenPreviewsBodyPlaceholder: String?

  public init(
    id: String, actions: [ContentExtras.Action] = [], options: [String] = [],
    hiddenPreviewsBodyPlaceholder: String? = nil
  ) {
    self.id = id
    self.actions = actions
    self.options = options
    self.hiddenPreviewsBodyPlaceholder = hiddenPreviewsBodyPlaceholder
  }

  /// A property of the items of a category (`UNNotificationCategoryOptions`).
  public enum Option: String, Hashable, Sendable, CaseIterable {
    /// Dismissing an item is reported to the app, like an action.
    case customDismissAction
    /// The title is shown even while previews are hidden.
    case hiddenPreviewsShowTitle
    /// The subtitle is shown even while previews are hidden.
    case hiddenPreviewsShowSubtitle
  }

  /// The maximum number of actions that an item has together with its category.
  public static let shownActionsMax = 8

  public func has(_ option: Option) -> Bool { options.contains(option.rawValue) }

  /// Returns the category with the revisions of its actions, when it replaces `old` as change
  /// `sequence`.
  ///
  /// An action that stays the same keeps its revision, so that a choice of it stays valid.
  public func revised(from old: Category?, at sequence: SequenceNumber) -> Category {
    var category = self
    for index in category.actions.indices {
      let known = old?.actions.first { $0.id == category.actions[index].id }
      category.actions[index].revision = known?.revision
      if category.actions[index] != known { category.actions[index].revision = sequence }
    }
    return category
  }
}

extension Category: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, actions, options, hiddenPreviewsBodyPlaceholder
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      actions: try container.decodeIfPresent([ContentExtras.Action].self, forKey: .actions) ?? [],
      options: try container.decodeIfPresent([String].self, forKey: .options) ?? [],
      hiddenPreviewsBodyPlaceholder: try container.decodeIfPresent(
        String.self, forKey: .hiddenPreviewsBodyPlaceholder))
  }
}

extension AppSettings {
  /// Returns the category of an item of this app; nil if it names none, or one that was removed.
  public func category(of item: UserNotification) -> Category? {
    guard let id = item.content.extras.category else { return nil }
    return categories.first { $0.id == id }
  }
}

extension UserNotification {
  /// Returns the item's actions: its own, then those of its category.
  ///
  /// Its own actions have precedence over actions of the category with the same id.
  public func actions(with category: Category?) -> [ContentExtras.Action] {
    let own = content.extras.actions ?? []
    let ids = Set(own.map(\.id))
    let more = (category?.actions ?? []).filter { !ids.contains($0.id) }
    return own + more.prefix(max(0, Category.shownActionsMax - own.count))
  }

  /// Returns the action that a choice names.
  ///
  /// Nil if the item has none with this id, or the category's has changed since it was shown.
  public func action(
    chosen choice: ActionChoice, with category: Category?
  ) -> ContentExtras.Action? {
    guard let action = actions(with: category).first(where: { $0.id == choice.id }),
      choice.revision == nil || action.revision == choice.revision
    else { return nil }
    return action
  }
}
