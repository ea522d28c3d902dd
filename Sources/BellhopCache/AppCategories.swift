package import BellhopModel

/// The categories of all apps, as the store last sent them.
package struct AppCategories: Sendable {
  private let byApp: [String: AppSettings]

  package init(_ settings: [AppSettings] = []) {
    byApp = Dictionary(
      settings.filter { !$0.categories.isEmpty }.map { ($0.app, $0) }, uniquingKeysWith: { $1 })
  }

  /// Returns the item's own actions, and those of its category.
  package func actions(of item: UserNotification) -> [ContentExtras.Action] {
    item.actions(with: byApp[item.content.app]?.category(of: item))
  }
}

extension CacheReading {
  package func categories() throws(CacheError) -> AppCategories {
    AppCategories(try appSettings())
  }

  /// Returns the category of an item as it is now; nil if it has none.
  package func category(of item: UserNotification) throws(CacheError) -> Category? {
    guard item.content.extras.category != nil else { return nil }
    return try appSettings(of: item.content.app)?.category(of: item)
  }

  /// Returns the category of a row's item as it is now; nil if it has none.
  package func category(of row: CachedRow) throws(CacheError) -> Category? {
    guard let category = row.category else { return nil }
    return try appSettings(of: row.publishedApp)?.categories.first { $0.id == category }
  }
}
