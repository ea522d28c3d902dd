package import BellhopModel

/// A query to the cache; ``CacheAnswer`` has a case of the same name for each.
package enum CacheRead: Hashable, Sendable {
  case window(ListQuery, WindowRequest)
  case detail(ItemKey, serial: Int)
  /// The rows of some items, in the lists or not.
  case items([ItemKey])
  /// The counts of one account, or of all.
  case counts(serial: Int, of: AccountName?)
  /// The item whose actions the user requested.
  case actions(ItemKey)
  /// The item whose attachments the user requested.
  case attachments(ItemKey)
  /// The item whose schedule the user wants to change.
  case schedule(ItemKey)
  /// The texts of some items, for a use.
  case texts([ItemKey], TextUse)
  /// All stored data of an item.
  case inspection(ItemKey, serial: Int)
  /// The user's names for the apps, for the completion of a filter.
  case apps
  /// The number of items of each app, of one account or of all.
  case appOverviews(serial: Int, of: AccountName?)
}

/// The answer to a ``CacheRead``.
package indirect enum CacheAnswer: Sendable {
  case window(ListQuery, WindowRequest, LoadedWindow)
  /// The detail; nil if the item no longer exists.
  case detail(ItemKey, serial: Int, ItemDetail?)
  /// The rows of the items that still exist.
  case items([ItemKey], [RowSummary])
  case counts(serial: Int, InboxCounts)
  /// The complete item; nil if it no longer exists.
  case actions(ItemKey, ItemDetail?)
  /// The complete item; nil if it no longer exists.
  case attachments(ItemKey, ItemDetail?)
  /// The complete item; nil if it no longer exists.
  case schedule(ItemKey, ItemDetail?)
  /// The texts of the items that still exist.
  case texts(TextUse, [ItemText])
  /// The inspection; nil if the item no longer exists.
  case inspection(ItemKey, serial: Int, ItemInspection?)
  /// The user's names for the known apps, by the apps' own names.
  case apps([String: String])
  case appOverviews(serial: Int, [AppOverview])
}
