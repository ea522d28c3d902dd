internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

/// The windows of the tray with groups, each of which is a single row or open with its items below.
///
/// A row is at the position where the newest item of its group arrived, and shows the group's first
/// item. A window reads only the groups and items whose rows it shows, however many items the
/// groups contain.
struct FoldedTray {
  /// The readers in the order of the accounts; at least one.
  let readers: [ListReader]
  let folding: Folding

  /// Returns the rows of `request`, in the order of the list.
  ///
  /// - Throws: `CacheError`.
  func window(_ request: WindowRequest) throws(CacheError) -> LoadedWindow {
    let count = min(max(1, request.count), WindowRequest.countMax)
    switch (request.anchor, request.direction) {
    case (.first, _):
      let rows = try rows(.first, limit: count)
      return LoadedWindow(
        rows: rows.taken, reachesStart: true, reachesEnd: !rows.hasMore, countAbove: 0)
    case (.last, _):
      let rows = try rows(.last, limit: count)
      return LoadedWindow(rows: rows.taken, reachesStart: !rows.hasMore, reachesEnd: true)
    case (.row(let position), let direction):
      let owner = readers.first { $0.account == position.key.account }
      let here = try owner?.present(position, folding) ?? position
      let (upCount, downCount) = ListReader.split(count, direction)
      let above = try rows(.above(here), limit: upCount)
      let below = try rows(.from(here), limit: downCount)
      var window = LoadedWindow(
        rows: above.taken + below.taken, reachesStart: !above.hasMore, reachesEnd: !below.hasMore,
        anchorRow: try owner?.row(position.key))
      window.countAbove = try window.rows.first.flatMap { (row) throws(CacheError) in
        try itemsAbove(row.position)
      }
      return window
    }
  }

  /// Returns the nearest rows of all readers, each of which provides enough to fill the result
  /// alone.
  private func rows(
    _ part: ListReader.Part, limit: Int
  ) throws(CacheError) -> (taken: [RowSummary], hasMore: Bool) {
    var all: [RowSummary] = []
    for reader in readers {
      all += try reader.foldedRows(part, folding, limit: limit + 1)
    }
    if readers.count > 1 { all.sort { $0.position.isAbove($1.position, in: .tray, by: .newest) } }
    return (Array(part.isUpward ? all.suffix(limit) : all.prefix(limit)), all.count > limit)
  }

  /// Returns the number of items above a row; nil if counting would be slow.
  private func itemsAbove(_ position: RowPosition) throws(CacheError) -> Int? {
    var sum = 0
    for reader in readers {
      guard let count = try reader.itemsAbove(position) else { return nil }
      sum += count
    }
    return sum
  }
}

extension ListReader.Part {
  /// Whether the rows nearest to the end are requested.
  fileprivate var isUpward: Bool {
    switch self {
    case .last, .above: true
    case .first, .from: false
    }
  }
}

extension ListReader {
  /// Returns the current position of the row of the position's item or group.
  fileprivate func present(
    _ position: RowPosition, _ folding: Folding
  ) throws(CacheError) -> RowPosition {
    var here = position
    var group: GroupKey?
    switch position.place {
    case .group(let key): group = key
    case .member(let key, _, _): group = key
    case nil: break
    }
    if case .item = position.rowID, let row = try cache.row(position.key.id),
      row.placement == .tray
    {
      (here.order, here.priority) = (row.key.rawValue, row.priority)
      group = GroupKey(account: account, app: row.app, name: row.group)
    }
    here.place = nil
    guard let group, let known = TrayGroup(group), let summary = try cache.trayGroup(known) else {
      return here
    }
    let newest = summary.newest.rawValue
    if case .item = position.rowID, summary.tray.count == 1 || folding.isOpen(group) {
      if summary.tray.count > 1 {
        here.place = .member(of: group, newest: position.key, order: newest)
      }
      return here
    }
    here.order = newest
    if summary.tray.count > 1 { here.place = .group(group) }
    return here
  }

  /// Returns at most `limit` rows of a part of the tray, in the order of the list.
  fileprivate func foldedRows(
    _ part: Part, _ folding: Folding, limit: Int
  ) throws(CacheError) -> [RowSummary] {
    var rows = FoldedRows(
      reader: self, names: try cache.displayNames(), folding: folding, limit: limit)
    switch part {
    case .first: try rows.down(.first)
    case .last: try rows.up(.last)
    case .from(let position):
      // Includes the row of the position itself.
      let unit = ArrivalKey(rawValue: position.unitOrder)
      if let list = memberList(of: position) {
        let here = Self.including(Self.position(position, in: list), in: list)
        try rows.down(inUnitAt: unit, .below(here))
        try rows.down(.below(ListPosition(key: unit)))
      } else {
        try rows.down(.below(ListPosition(key: ArrivalKey(rawValue: unit.rawValue + 1))))
      }
    case .above(let position):
      let unit = ArrivalKey(rawValue: position.unitOrder)
      if let list = memberList(of: position) {
        try rows.up(inUnitAt: unit, .above(Self.position(position, in: list)))
      }
      try rows.up(.above(ListPosition(key: unit)))
    }
    return rows.inOrder
  }

  /// Returns the number of items above the row; nil if counting would be slow.
  fileprivate func itemsAbove(_ position: RowPosition) throws(CacheError) -> Int? {
    let limit = Self.countAboveMax
    let unit = ArrivalKey(rawValue: position.unitOrder)
    guard let above = try cache.trayItems(aboveUnitAt: unit, limit: limit) else { return nil }
    guard let list = memberList(of: position) else { return above }
    let own = Self.position(position, in: list)
    guard let inGroup = try cache.countAbove(own, in: list, limit: limit), inGroup < limit else {
      return nil
    }
    return above + inGroup
  }

  /// Returns the list of a group's items, for the position of one of them in this account.
  private func memberList(of position: RowPosition) -> CacheList? {
    guard case .member(let key, _, _) = position.place, key.account == account else { return nil }
    return TrayGroup(key).map { .trayGroup($0) }
  }
}

/// A collection of rows, in the direction away from an anchor.
private struct FoldedRows {
  let reader: ListReader
  let names: [String: String]
  let folding: Folding
  let limit: Int
  /// The rows, nearest to the anchor first.
  private var rows: [RowSummary] = []
  private var isUpward = false

  init(reader: ListReader, names: [String: String], folding: Folding, limit: Int) {
    self.reader = reader
    self.names = names
    self.folding = folding
    self.limit = limit
  }

  var inOrder: [RowSummary] {
    let taken = rows.prefix(limit)
    return isUpward ? taken.reversed() : Array(taken)
  }

  private var room: Int { max(0, limit - rows.count) }

  mutating func down(_ window: BellhopCache.ListWindow) throws(CacheError) {
    for unit in try reader.cache.trayUnits(window, limit: room) where room > 0 {
      let head = row(unit)
      rows.append(head)
      if case .open = head.fold { try append(itemsOf: unit, .first) }
    }
  }

  /// Collects the items in a window of an open group.
  mutating func down(
    inUnitAt newest: ArrivalKey, _ window: BellhopCache.ListWindow
  ) throws(CacheError) {
    guard let unit = try self.unit(at: newest) else { return }
    try append(itemsOf: unit, window)
  }

  mutating func up(_ window: BellhopCache.ListWindow) throws(CacheError) {
    isUpward = true
    for unit in try reader.cache.trayUnits(window, limit: room).reversed() where room > 0 {
      let head = row(unit)
      if case .open = head.fold { try append(itemsOf: unit, .last) }
      rows.append(head)
    }
  }

  /// Collects the items in a window of an open group, and the group's own row.
  mutating func up(
    inUnitAt newest: ArrivalKey, _ window: BellhopCache.ListWindow
  ) throws(CacheError) {
    isUpward = true
    guard let unit = try self.unit(at: newest) else { return }
    try append(itemsOf: unit, window)
    rows.append(row(unit))
  }

  /// Collects the items in a window of a group, nearest to the anchor first.
  private mutating func append(
    itemsOf unit: TrayUnit, _ window: BellhopCache.ListWindow
  ) throws(CacheError) {
    guard room > 0, let group = unit.group?.group else { return }
    let newest = ItemKey(account: reader.account, id: unit.newest.id)
    let items = try reader.cache.rows(of: .trayGroup(group), window, limit: room)
    for item in isUpward ? items.reversed() : items {
      var row = summary(item)
      row.fold = .member(newest: newest, order: unit.newest.key.rawValue)
      rows.append(row)
    }
  }

  /// Returns the unit whose newest item has the key.
  private func unit(at newest: ArrivalKey) throws(CacheError) -> TrayUnit? {
    let above = ListPosition(key: ArrivalKey(rawValue: newest.rawValue + 1))
    let unit = try reader.cache.trayUnits(.below(above), limit: 1).first
    return unit?.newest.key == newest ? unit : nil
  }

  private func row(_ unit: TrayUnit) -> RowSummary {
    guard let extent = unit.group else { return summary(unit.newest) }
    var row = summary(extent.first)
    guard let group = row.groupKey else { return row }
    let shown = FoldExtent(
      count: extent.tray.count, unread: extent.tray.unread,
      newest: FoldExtent.Newest(
        key: ItemKey(account: reader.account, id: unit.newest.id),
        order: unit.newest.key.rawValue, version: unit.newest.version,
        arrival: unit.newest.arrival))
    row.fold = folding.isOpen(group) ? .open(shown) : .closed(shown)
    return row
  }

  private func summary(_ row: CachedRow) -> RowSummary {
    RowSummary(row, account: reader.account, names: names, device: reader.device)
  }
}

extension RowPosition {
  /// The position of the newest item in its group, or of the single item.
  fileprivate var unitOrder: Int64 {
    if case .member(_, _, let order) = place { order } else { order }
  }
}
