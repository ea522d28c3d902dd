package import BellhopModel

/// A group of the tray: the items of one app of an account that name it.
package struct GroupKey: Hashable, Sendable {
  package var account: AccountName
  /// The app's own name, whatever the person calls it.
  package var app: String
  /// As it was published; never empty.
  package var name: String

  /// - Returns: nil for an item that names no group.
  package init?(account: AccountName, app: String, name: String?) {
    guard let name, !name.isEmpty else { return nil }
    self.account = account
    self.app = app
    self.name = name
  }
}

/// Which groups of the tray are one row.
package struct Folding: Hashable, Sendable {
  /// Whether a group is folded unless the person opened it; else it is open unless they folded it.
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

/// What a row has to do with a group of the tray; an item alone has nothing.
package enum Fold: Hashable, Sendable {
  /// The one row of a group that is folded. Its item is the newest.
  case closed(FoldExtent)
  /// The row above the items of a group that is open. Its item is the newest.
  case open(FoldExtent)
  /// One of the items of a group that is open. The newest of them says where the group stands.
  case member(newest: ItemKey, order: Int64)
}

/// What a group has in the tray: two items at least.
package struct FoldExtent: Hashable, Sendable {
  package var count: Int
  package var unread: Int
  /// The highest of its items' levels.
  package var priority: Priority

  package init(count: Int, unread: Int, priority: Priority) {
    self.count = count
    self.unread = unread
    self.priority = priority
  }
}

/// What a cursor belongs to: an item, or a group as a whole.
package enum RowID: Hashable, Sendable {
  case item(ItemKey)
  case group(GroupKey)
}

extension RowSummary {
  /// How many items the row stands for, and how many of them are unread; nil for an item's row.
  var extent: FoldExtent? {
    switch fold {
    case .closed(let extent), .open(let extent): extent
    case .member, nil: nil
    }
  }

  /// Whether it is the row of a group, not of an item.
  var isGroup: Bool { extent != nil }

  var isFolded: Bool { if case .closed = fold { true } else { false } }

  var isMember: Bool { if case .member = fold { true } else { false } }

  /// What the row is of.
  package var rowID: RowID {
    if isGroup, let groupKey { .group(groupKey) } else { .item(key) }
  }

  /// The row of its item in a list without groups.
  var alone: RowSummary {
    var row = self
    row.fold = nil
    return row
  }

  /// How many items of the list the row adds to those above it.
  var weight: Int {
    switch fold {
    case .closed(let extent): extent.count
    case .open: 0
    case .member, nil: 1
    }
  }
}

extension ListQuery {
  /// Whether it is of the items of one group.
  var isGroup: Bool { if case .group = self { true } else { false } }
}
