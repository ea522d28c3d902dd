package import BellhopModel

/// A list of a cache.
package enum CacheList: Hashable, Sendable {
  /// Items that are not handled yet, newest arrival first.
  case tray
  /// Handled, past its time in the tray, or raw only; newest arrival first.
  case history
  /// Tray, history and snoozed together: everything kept, newest arrival first.
  case everything
  /// Snoozed and scheduled, earliest first.
  case later
  /// Everything that contains the words, newest arrival first. The last word may be unfinished.
  case search(String)
  /// Items of a group that are in the tray, newest arrival first.
  case trayGroup(TrayGroup)
  /// Items of a list that pass the filter, in the list's order. Not of a search or a group, nor
  /// narrowed twice: words belong in the filter.
  indirect case narrowed(CacheList, ListFilter)
  /// The same items in sections, each with the newest arrival first. Of ``tray``, ``history``,
  /// ``everything``, and what passes a filter of these; ``sorted(by:)`` makes it.
  indirect case sorted(CacheList, SectionOrder)

  /// Whether it is ordered by ``ListPosition/due``, the earliest first; all others are by arrival,
  /// the newest first, in each section of a sorted list.
  package var isByDueTime: Bool {
    switch self {
    case .later, .narrowed(.later, _): true
    case .tray, .history, .everything, .search, .trayGroup, .narrowed, .sorted: false
    }
  }
}

/// A position in a list, stable while other items come and go.
package struct ListPosition: Hashable, Sendable {
  /// When the item is due in ``CacheList/later``; nil elsewhere.
  package var due: Timestamp?
  /// The section of the item in a sorted list; nil elsewhere.
  package var section: ListSection?
  package var key: ArrivalKey

  package init(due: Timestamp? = nil, section: ListSection? = nil, key: ArrivalKey) {
    self.due = due
    self.section = section
    self.key = key
  }
}

/// Which part of a list to read.
package enum ListWindow: Hashable, Sendable {
  /// From the top.
  case first
  /// Up to the bottom.
  case last
  /// The rows that follow the position, without it.
  case below(ListPosition)
  /// The rows that stand before the position, without it, nearest ones.
  case above(ListPosition)
}
