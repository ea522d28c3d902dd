package import BellhopModel

/// A list of items in a cache.
package enum CacheList: Hashable, Sendable {
  /// Items that are not handled yet, newest arrival first.
  case tray
  /// Items that are handled, past their time in the tray, or raw only; newest arrival first.
  case handled
  /// All delivered items: tray, handled and snoozed items together, newest arrival first.
  case history
  /// Snoozed and scheduled items, earliest due time first.
  case later
  /// Items that contain all the words, newest arrival first. The last word may be incomplete.
  case search(String)
  /// Items of a group in the tray, the highest level first, then the newest arrival first.
  case trayGroup(TrayGroup)
  /// Items of a list that pass the filter, in the list's order.
  ///
  /// The list can't be a search, a group or another narrowed list: words belong in the filter.
  indirect case narrowed(CacheList, ListFilter)
  /// The items of a list in sections, each with the newest arrival first.
  ///
  /// The list is ``tray``, ``handled``, ``history``, or one of these with a filter. Use
  /// ``sorted(by:)`` to make it.
  indirect case sorted(CacheList, SectionOrder)

  /// Whether the list is ordered by ``ListPosition/due``, the earliest first.
  ///
  /// All other lists are ordered by arrival, the newest first, within each section of a list with
  /// ``sections``.
  package var isByDueTime: Bool {
    switch self {
    case .later, .narrowed(.later, _): true
    case .tray, .handled, .history, .search, .trayGroup, .narrowed, .sorted: false
    }
  }
}

/// A position in a list, which stays valid while other items come and go.
package struct ListPosition: Hashable, Sendable {
  /// The due time of the item in ``CacheList/later``; nil elsewhere.
  package var due: Timestamp?
  /// The section of the item in a sorted list or a group; nil elsewhere.
  package var section: ListSection?
  package var key: ArrivalKey

  package init(due: Timestamp? = nil, section: ListSection? = nil, key: ArrivalKey) {
    self.due = due
    self.section = section
    self.key = key
  }
}

/// The part of a list to read.
package enum ListWindow: Hashable, Sendable {
  /// The first rows of the list.
  case first
  /// The last rows of the list.
  case last
  /// The rows below the position, without it.
  case below(ListPosition)
  /// The rows nearest above the position, without it.
  case above(ListPosition)
}
