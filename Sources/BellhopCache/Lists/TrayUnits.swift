package import BellhopModel

/// A group: the items of an app with the same group name.
package struct TrayGroup: Hashable, Sendable {
  package var app: String
  /// The name of the group. Never empty: items without a group name are in no group.
  package var name: String

  /// Creates a group, or nil for an item without a group name.
  package init?(app: String, name: String?) {
    guard let name, !name.isEmpty else { return nil }
    self.app = app
    self.name = name
  }
}

/// The extent of a group with two or more items in the tray.
package struct GroupExtent: Hashable, Sendable {
  package var group: TrayGroup
  package var tray: ItemCount
  /// The highest level of the group's items.
  package var priority: Priority

  package init(group: TrayGroup, tray: ItemCount, priority: Priority) {
    self.group = group
    self.tray = tray
    self.priority = priority
  }
}

/// An item or a group that takes one row of the tray while groups are folded.
///
/// Units are ordered by the arrival of their newest item, the newest first. A group with one item
/// in the tray is shown as that item.
package struct TrayUnit: Hashable, Sendable {
  package var newest: CachedRow
  /// The extent of the group; nil for a single item.
  package var group: GroupExtent?

  package init(newest: CachedRow, group: GroupExtent?) {
    self.newest = newest
    self.group = group
  }
}

// MARK: - SQLite

extension CacheReader {
  package func trayUnits(_ window: ListWindow, limit: Int) throws(CacheError) -> [TrayUnit] {
    try readList { try $0.trayUnits(window, limit: limit) }
  }

  package func trayGroup(_ group: TrayGroup) throws(CacheError) -> GroupSummary? {
    try readList { statement in
      try statement(
        "SELECT newest, count, unread FROM tray_group WHERE app = ? AND group_name = ?"
      ).bind(group.app).bind(group.name).first { row in
        GroupSummary(
          app: group.app, group: group.name, newest: ArrivalKey(rawValue: row.integer(0)),
          tray: ItemCount(count: row.count(1), unread: row.count(2)))
      }
    }
  }

  package func trayItems(
    aboveUnitAt key: ArrivalKey, limit: Int
  ) throws(CacheError) -> Int? {
    try readList { statement in
      let alone =
        try statement(
          """
          SELECT count(*) FROM (
            SELECT 1 FROM item INDEXED BY item_alone
            WHERE \(Placement.tray.condition) AND ifnull(group_name, '') = '' AND arrival_key > ? LIMIT ?)
          """
        ).bind(key).bind(limit).first { $0.count(0) } ?? 0
      let grouped = try statement(
        """
        SELECT count(*), ifnull(sum(count), 0) FROM (
          SELECT count FROM tray_group INDEXED BY tray_group_named
          WHERE group_name <> '' AND newest > ? LIMIT ?)
        """
      ).bind(key).bind(limit).first { (units: $0.count(0), items: $0.count(1)) }
      guard let grouped, alone < limit, grouped.units < limit else { return nil }
      return alone + grouped.items
    }
  }
}

extension Statements {
  /// Returns a window of the tray's units.
  ///
  /// Reads groups and items without a group along an index each, and takes the window from both.
  /// The cost is that of the rows, however many items the groups have.
  func trayUnits(_ window: ListWindow, limit: Int) throws -> [TrayUnit] {
    let (condition, key, isUpward) = window.bounds
    let order = isUpward ? "ASC" : "DESC"
    let found = try self(
      """
      SELECT \(ItemColumns.line), units.count, units.unread FROM (
        SELECT * FROM (SELECT newest AS k, count, unread FROM tray_group INDEXED BY tray_group_named
          WHERE group_name <> '' AND newest \(condition) ?1 ORDER BY newest \(order) LIMIT ?2)
        UNION ALL
        SELECT * FROM (SELECT arrival_key AS k, 1, 0 FROM item INDEXED BY item_alone
          WHERE \(Placement.tray.condition) AND ifnull(group_name, '') = '' AND arrival_key \(condition) ?1
          ORDER BY arrival_key \(order) LIMIT ?2)
        ORDER BY k \(order) LIMIT ?2) AS units
      CROSS JOIN item ON item.arrival_key = units.k ORDER BY units.k \(order)
      """
    ).bind(key).bind(limit).all { row in
      (
        row: try ItemColumns.row(row),
        tray: ItemCount(
          count: row.count(ItemColumns.lineCount), unread: row.count(ItemColumns.lineCount + 1))
      )
    }
    let units = try found.map { row, tray in
      guard tray.count > 1, let group = TrayGroup(app: row.app, name: row.group) else {
        return TrayUnit(newest: row, group: nil)
      }
      return TrayUnit(
        newest: row,
        group: GroupExtent(group: group, tray: tray, priority: try highestPriority(in: group)))
    }
    return isUpward ? units.reversed() : units
  }

  private func highestPriority(in group: TrayGroup) throws -> Priority {
    let highest = try self(
      """
      SELECT priority FROM item INDEXED BY item_group_priority
      WHERE \(Placement.tray.condition) AND ifnull(group_name, '') <> ''
        AND app = ? AND ifnull(group_name, '') = ?
      ORDER BY priority DESC LIMIT 1
      """
    ).bind(group.app).bind(group.name).first { $0.count(0) }
    return highest.flatMap(Priority.init(rawValue:)) ?? .normal
  }

  /// Returns a window of a group's items in the tray, newest first, along their index.
  func members(
    of group: TrayGroup, _ window: ListWindow, limit: Int
  ) throws -> [CachedRow] {
    let (condition, key, isUpward) = window.bounds
    let order = isUpward ? "ASC" : "DESC"
    let rows = try self(
      """
      SELECT \(ItemColumns.line) FROM item INDEXED BY item_group
      WHERE \(Placement.tray.condition) AND app = ? AND ifnull(group_name, '') = ?
        AND arrival_key \(condition) ? ORDER BY arrival_key \(order) LIMIT ?
      """
    ).bind(group.app).bind(group.name).bind(key).bind(limit).all(ItemColumns.row)
    return isUpward ? rows.reversed() : rows
  }

  func members(of group: TrayGroup, above key: ArrivalKey, limit: Int) throws -> Int {
    try self(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM item INDEXED BY item_group
        WHERE \(Placement.tray.condition) AND app = ? AND ifnull(group_name, '') = ? AND arrival_key > ? LIMIT ?)
      """
    ).bind(group.app).bind(group.name).bind(key).bind(limit).first { $0.count(0) } ?? 0
  }
}

// MARK: - Memory

extension MemoryCache {
  package func trayUnits(_ window: ListWindow, limit: Int) throws(CacheError) -> [TrayUnit] {
    let (_, key, isUpward) = window.bounds
    let units = trayUnits.filter { isUpward ? $0.newest.key > key : $0.newest.key < key }
    return Array(isUpward ? units.suffix(limit) : units.prefix(limit))
  }

  package func trayGroup(_ group: TrayGroup) throws(CacheError) -> GroupSummary? {
    try trayGroups(limit: .max).first { $0.app == group.app && $0.group == group.name }
  }

  package func trayItems(
    aboveUnitAt key: ArrivalKey, limit: Int
  ) throws(CacheError) -> Int? {
    let above = trayUnits.filter { $0.newest.key > key }
    let (grouped, alone) = (
      above.filter { ($0.newest.group ?? "") != "" }, above.filter { ($0.newest.group ?? "") == "" }
    )
    guard grouped.count < limit, alone.count < limit else { return nil }
    return above.reduce(0) { $0 + ($1.group?.tray.count ?? 1) }
  }

  /// All units of the tray, newest first.
  private var trayUnits: [TrayUnit] {
    var units: [TrayUnit] = []
    var places: [TrayGroup: Int] = [:]
    for record in contents.records where record.placement == .tray {
      let content = record.base.content
      let tray = ItemCount(count: 1, unread: record.isUnread ? 1 : 0)
      guard let group = TrayGroup(app: content.app, name: content.group) else {
        units.append(TrayUnit(newest: CachedRow(record), group: nil))
        continue
      }
      guard let place = places[group], let known = units[place].group else {
        places[group] = units.count
        units.append(
          TrayUnit(
            newest: CachedRow(record),
            group: GroupExtent(group: group, tray: tray, priority: content.priority)))
        continue
      }
      units[place].group = GroupExtent(
        group: group, tray: known.tray + tray, priority: max(known.priority, content.priority))
    }
    return units.map { unit in
      TrayUnit(newest: unit.newest, group: unit.group.flatMap { $0.tray.count > 1 ? $0 : nil })
    }
  }
}
