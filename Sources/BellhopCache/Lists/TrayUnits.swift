internal import BellhopModel

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
  /// The first row of ``CacheList/trayGroup(_:)``: the newest of the highest level.
  package var first: CachedRow
}

/// An item or a group that takes one row of the tray while groups are folded.
///
/// Units are ordered by the arrival of their newest item, the newest first. A group with one item
/// in the tray is shown as that item.
package struct TrayUnit: Hashable, Sendable {
  package var newest: CachedRow
  /// The extent of the group; nil for a single item.
  package var group: GroupExtent?
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
        group: GroupExtent(
          group: group, tray: tray, first: try members(of: group, .first, limit: 1).first ?? row))
    }
    return isUpward ? units.reversed() : units
  }

  /// Returns a window of a group's items in the tray, the highest level first.
  ///
  /// Reads the rest of the level at which the window begins, and the levels beyond it, each as a
  /// range of the index. The cost is that of the rows, however many items the group has.
  func members(
    of group: TrayGroup, _ window: ListWindow, limit: Int
  ) throws -> [CachedRow] {
    let (condition, key, isUpward) = window.bounds
    let order = isUpward ? "ASC" : "DESC"
    let ranges = ["priority = ?3 AND arrival_key \(condition) ?1", "priority \(condition) ?3"]
    let keys = ranges.map { range in
      """
      SELECT * FROM (SELECT priority AS p, arrival_key AS k FROM item INDEXED BY item_group_priority
        WHERE \(TrayGroup.members) AND \(range)
        ORDER BY priority \(order), arrival_key \(order) LIMIT ?2)
      """
    }.joined(separator: " UNION ALL ")
    let rows = try self(
      """
      SELECT \(ItemColumns.line) FROM (\(keys) ORDER BY p \(order), k \(order) LIMIT ?2)
      CROSS JOIN item ON item.arrival_key = k ORDER BY p \(order), k \(order)
      """
    ).bind(key).bind(limit).bind(window.level).bind(group.app).bind(group.name)
      .all(ItemColumns.row)
    return isUpward ? rows.reversed() : rows
  }

  /// Returns the number of a group's items above a position, counted up to `limit`.
  func members(of group: TrayGroup, above position: ListPosition, limit: Int) throws -> Int {
    let ranges = ["priority > ?3", "priority = ?3 AND arrival_key > ?1"].map { range in
      """
      SELECT 1 FROM item INDEXED BY item_group_priority
      WHERE \(TrayGroup.members) AND \(range)
      """
    }.joined(separator: " UNION ALL ")
    return try self("SELECT count(*) FROM (\(ranges) LIMIT ?2)")
      .bind(position.key).bind(limit).bind(position.level).bind(group.app).bind(group.name)
      .first { $0.count(0) } ?? 0
  }
}

extension TrayGroup {
  /// The condition for the rows of a group's items in the tray, worded as in the index by level.
  ///
  /// The parameters 4 and 5 are the app and the name.
  fileprivate static let members = """
    \(Placement.tray.condition) AND ifnull(group_name, '') <> ''
      AND app = ?4 AND ifnull(group_name, '') = ?5
    """
}

extension ListPosition {
  /// The level of a position in a group; above all levels for one without a section.
  fileprivate var level: Int {
    if case .level(let priority) = section { priority.rawValue } else { .max }
  }
}

extension ListWindow {
  /// The level at which the window of a group begins; beyond all levels for the whole group.
  fileprivate var level: Int {
    switch self {
    case .first: .max
    case .last: .min
    case .below(let position), .above(let position): position.level
    }
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
      let fields = record.effective
      let tray = ItemCount(count: 1, unread: record.isUnread ? 1 : 0)
      guard let group = TrayGroup(app: fields.app, name: fields.group) else {
        units.append(TrayUnit(newest: CachedRow(record), group: nil))
        continue
      }
      guard let place = places[group], let known = units[place].group else {
        places[group] = units.count
        let row = CachedRow(record)
        units.append(
          TrayUnit(newest: row, group: GroupExtent(group: group, tray: tray, first: row)))
        continue
      }
      units[place].group = GroupExtent(
        group: group, tray: known.tray + tray,
        first: fields.priority > known.first.priority ? CachedRow(record) : known.first)
    }
    return units.map { unit in
      TrayUnit(newest: unit.newest, group: unit.group.flatMap { $0.tray.count > 1 ? $0 : nil })
    }
  }
}
