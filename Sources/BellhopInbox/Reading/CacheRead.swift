package import BellhopModel

/// A question to the cache. ``CacheAnswer`` has a case of the same name for each.
package enum CacheRead: Hashable, Sendable {
  case window(ListQuery, WindowRequest)
  case detail(ItemKey, serial: Int)
  /// The rows of some items, in the lists or not.
  case items([ItemKey])
  /// The counts of one account, or of all.
  case counts(serial: Int, of: AccountName?)
  /// The item whose actions the person wants to see.
  case actions(ItemKey)
  /// The item whose attachments the person wants to see.
  case attachments(ItemKey)
  /// The texts of some items, for a use.
  case texts([ItemKey], TextUse)
  /// All that is known of an item.
  case inspection(ItemKey, serial: Int)
  /// The names that the person gave to the apps, for the completion of a filter.
  case apps
  /// The items of each app, counted, of one account or of all.
  case appOverviews(serial: Int, of: AccountName?)
}

/// The answer to a ``CacheRead``.
package enum CacheAnswer: Sendable {
  case window(ListQuery, WindowRequest, LoadedWindow)
  /// Nil when the item is gone.
  case detail(ItemKey, serial: Int, ItemDetail?)
  /// The rows of the items that still exist.
  case items([ItemKey], [RowSummary])
  case counts(serial: Int, InboxCounts)
  /// The item whole; nil when it is gone.
  case actions(ItemKey, ItemDetail?)
  /// The item whole; nil when it is gone.
  case attachments(ItemKey, ItemDetail?)
  /// The texts of the items that still exist.
  case texts(TextUse, [ItemText])
  /// Nil when the item is gone.
  case inspection(ItemKey, serial: Int, ItemInspection?)
  /// The person's names for the apps that are known, by the apps' own names.
  case apps([String: String])
  case appOverviews(serial: Int, [AppOverview])
}
