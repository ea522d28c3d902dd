package import BellhopModel

/// A group of the tray: the items of an account's app with the same group name.
package struct GroupKey: Hashable, Sendable {
  package var account: AccountName
  /// The app's own name, regardless of the user's name for it.
  package var app: String
  /// The name under which lists show it; never empty.
  package var name: String

  /// Creates a key; nil for an item without a group name.
  package init?(account: AccountName, app: String, name: String?) {
    guard let name, !name.isEmpty else { return nil }
    self.account = account
    self.app = app
    self.name = name
  }
}

/// The state of the tray's groups: folded to one row, or open.
package struct Folding: Hashable, Sendable {
  /// Whether groups are folded by default; groups that the user toggled are exceptions.
  package private(set) var isFolded: Bool
  private var exceptions: Set<GroupKey> = []

  package init(isFolded: Bool = true) { self.isFolded = isFolded }

  package func isOpen(_ group: GroupKey) -> Bool { exceptions.contains(group) == isFolded }

  package mutating func open(_ group: GroupKey) { set(group, isOpen: true) }
  package mutating func close(_ group: GroupKey) { set(group, isOpen: false) }

  private mutating func set(_ group: GroupKey, isOpen: Bool) {
    if isOpen == isFolded { exceptions.insert(group) } else { exceptions.remove(group) }
  }
}

/// The role of a row in a group of the tray; an item on its own has none.
package enum Fold: Hashable, Sendable {
  /// The only row of a folded group. Its item is the group's first.
  case closed(FoldExtent)
  /// The row above the items of an open group. Its item is the group's first.
  case open(FoldExtent)
  /// An item of an open group. The newest item determines the group's position.
  case member(newest: ItemKey, order: Int64)
}

/// The items of a group in the tray; at least two.
///
/// The group's own row has the first of them: the newest of the highest level.
package struct FoldExtent: Hashable, Sendable {
  package var count: Int
  package var unread: Int
  package var newest: Newest

  /// The newest item of a group, whose arrival determines the position of the group.
  package struct Newest: Hashable, Sendable {
    package var key: ItemKey
    /// The arrival key: see ``RowSummary/order``.
    package var order: Int64
    package var version: ShownVersion
    package var arrival: Timestamp

    package init(key: ItemKey, order: Int64, version: ShownVersion, arrival: Timestamp) {
      self.key = key
      self.order = order
      self.version = version
      self.arrival = arrival
    }
  }

  package init(count: Int, unread: Int, newest: Newest) {
    self.count = count
    self.unread = unread
    self.newest = newest
  }
}

/// The target of a cursor: an item, or a group as a whole.
package enum RowID: Hashable, Sendable {
  case item(ItemKey)
  case group(GroupKey)
}

extension RowSummary {
  /// The extent of the group; nil for an item's row.
  var extent: FoldExtent? {
    switch fold {
    case .closed(let extent), .open(let extent): extent
    case .member, nil: nil
    }
  }

  /// Whether the row represents a group instead of an item.
  var isGroup: Bool { extent != nil }

  var isFolded: Bool { if case .closed = fold { true } else { false } }

  var isMember: Bool { if case .member = fold { true } else { false } }

  /// The arrival of the item, or of the newest item of the group.
  var newestArrival: Timestamp { extent?.newest.arrival ?? arrival }

  /// The arrival that the line shows; that of the newest item above an open group.
  var shownArrival: Timestamp { if case .open = fold { newestArrival } else { arrival } }

  /// The item or the group that the row represents.
  package var rowID: RowID {
    if isGroup, let groupKey { .group(groupKey) } else { .item(key) }
  }

  /// The row of its item in a list without groups.
  var alone: RowSummary {
    var row = self
    row.fold = nil
    return row
  }

  /// The number of items that the row contributes to the count above later rows.
  var weight: Int {
    switch fold {
    case .closed(let extent): extent.count
    case .open: 0
    case .member, nil: 1
    }
  }
}

extension ListQuery {
  /// Whether the list contains the items of one group.
  var isGroup: Bool { if case .group = self { true } else { false } }
}
