import BellhopModel

/// A number of items, and how many of them are unread.
package struct ItemCount: Hashable, Sendable {
  package var count: Int
  package var unread: Int

  package init(count: Int = 0, unread: Int = 0) {
    self.count = count
    self.unread = unread
  }

  package static func + (left: ItemCount, right: ItemCount) -> ItemCount {
    ItemCount(count: left.count + right.count, unread: left.unread + right.unread)
  }
}

/// The counts that the header shows.
package struct CacheTotals: Hashable, Sendable {
  package var tray = ItemCount()
  /// Handled items, items past their time in the tray, and items with raw content only.
  package var handled = ItemCount()
  package var snoozed = ItemCount()
  package var scheduled = ItemCount()
  /// Items in the tray and handled ones that their trigger will deliver again.
  package var repeating = ItemCount()

  package init() {}

  /// All delivered items, handled or not.
  package var history: ItemCount { tray + handled + snoozed }

  /// Returns the number of items in a list; nil for a search, a group and a narrowed list.
  package func count(of list: CacheList) -> ItemCount? {
    switch list {
    case .tray: tray
    case .handled: handled
    case .history: history
    case .later: snoozed + scheduled + repeating
    case .sorted(let base, _): count(of: base)
    case .search, .trayGroup, .narrowed: nil
    }
  }
}

/// The counts of one app's items.
package struct AppSummary: Hashable, Sendable {
  package var app: String
  package var totals: CacheTotals
}
