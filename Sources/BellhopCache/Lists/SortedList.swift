package import BellhopModel

/// A way to divide a list into sections.
package enum SectionOrder: Hashable, Sendable, CaseIterable {
  /// A section for each level, the highest first.
  case level
  /// A section for each app, by its host in ascending order.
  case app

  /// Returns the section of an item.
  package func section(of priority: Priority, app: String) -> ListSection {
    switch self {
    case .level: .level(priority)
    case .app: .app(app)
    }
  }
}

/// A section of a list: the items of one level, or of one app.
package enum ListSection: Hashable, Sendable {
  case level(Priority)
  /// An app, by its host.
  case app(String)

  /// Returns whether the section is above another section of the same list.
  func isAbove(_ other: ListSection) -> Bool {
    switch (self, other) {
    case (.level(let mine), .level(let theirs)): mine > theirs
    // The same order as SQLite's text comparison.
    case (.app(let mine), .app(let theirs)): mine.utf8.lexicographicallyPrecedes(theirs.utf8)
    case (.level, .app), (.app, .level): false
    }
  }
}

extension CacheList {
  /// Returns the list in sections. A list by due time, a search or a group does not change.
  package func sorted(by order: SectionOrder) -> CacheList {
    switch self {
    case .tray, .handled, .history: .sorted(self, order)
    case .narrowed(let base, _): base == .later ? self : .sorted(self, order)
    case .sorted(let base, _): .sorted(base, order)
    case .later, .search, .trayGroup: self
    }
  }

  /// The order of the list's sections; nil for a list without sections.
  ///
  /// A group is always in sections by level.
  package var sections: SectionOrder? {
    switch self {
    case .sorted(_, let order): order
    case .trayGroup: .level
    case .tray, .handled, .history, .later, .search, .narrowed: nil
    }
  }

  /// The list of the same items without sections.
  var unsorted: CacheList { if case .sorted(let base, _) = self { base } else { self } }
}

/// A list in sections, read window by window.
///
/// Reading begins with the section at the window's position and continues until the window is full.
/// Each section is a range of an index that ends with the arrival key, so the cost depends on the
/// rows and the number of apps, not on how much is kept. A section of a narrowed list is read like
/// a narrowed list.
struct SortedList {
  private let base: CacheList
  private let order: SectionOrder
  private let statement: Statements

  init(_ base: CacheList, _ order: SectionOrder, _ statement: Statements) {
    self.base = base
    self.order = order
    self.statement = statement
  }

  func rows(_ window: ListWindow, limit: Int) throws -> [CachedRow] {
    let isUpward = window.bounds.isUpward
    // The rows nearest to the window's position come first.
    var rows: [CachedRow] = []
    for section in try sections(from: window) where rows.count < limit {
      let part = window.part(in: section)
      let found = try self.rows(in: section, part, limit: limit - rows.count)
      rows += isUpward ? found.reversed() : found
    }
    return isUpward ? rows.reversed() : rows
  }

  /// Counts the rows above a position. The list must not be narrowed.
  func countAbove(_ position: ListPosition, limit: Int) throws -> Int {
    guard let section = position.section else { return 0 }
    let ranges = base.placements.map { placement in
      """
      SELECT 1 FROM item INDEXED BY \(section.index)
      WHERE \(Placement.isSorted) AND \(placement.condition)
        AND \(section.column) \(section.comparison) ?1
      UNION ALL
      SELECT 1 FROM item INDEXED BY \(section.index)
      WHERE \(Placement.isSorted) AND \(placement.condition)
        AND \(section.column) = ?1 AND arrival_key > ?2
      """
    }.joined(separator: " UNION ALL ")
    let counted = try statement("SELECT count(*) FROM (\(ranges) LIMIT ?3)").bind(section.value)
    return try counted.bind(position.key).bind(limit).first { $0.count(0) } ?? 0
  }

  /// Returns the sections that may have rows, beginning at the window's position.
  private func sections(from window: ListWindow) throws -> [ListSection] {
    switch order {
    case .level:
      let falling = Priority.allCases.reversed().map { ListSection.level($0) }
      return switch window {
      case .first: falling
      case .last: falling.reversed()
      case .below(let position): falling.filter { $0 == position.section || isBelow($0, position) }
      case .above(let position):
        falling.reversed().filter { $0 == position.section || !isBelow($0, position) }
      }
    case .app:
      let (bound, app): (String, String?) =
        switch window {
        case .first: ("app >= ?", "")
        case .last: ("? IS NULL", nil)
        case .below(let position): ("app >= ?", position.section?.app)
        case .above(let position): ("app <= ?", position.section?.app)
        }
      let filter = FilterSQL(countersOf: base.filter, withHours: false)
      let apps = try statement.once(
        """
        SELECT DISTINCT app FROM app_count
        WHERE \(bound) AND \(base.placements.condition) AND count > 0 AND \(filter.text)
        ORDER BY app \(window.bounds.isUpward ? "DESC" : "ASC")
        """
      ).bind(app)
      return try filter.bind(to: apps).all { .app($0.text(0)) }
    }
  }

  private func isBelow(_ section: ListSection, _ position: ListPosition) -> Bool {
    position.section?.isAbove(section) ?? true
  }

  private func rows(
    in section: ListSection, _ window: ListWindow, limit: Int
  ) throws -> [CachedRow] {
    if case .narrowed(let whole, let filter) = base {
      return try NarrowedList(whole, filter, statement, in: section).rows(window, limit: limit)
    }
    let (bound, key, isUpward) = window.bounds
    let order = isUpward ? "ASC" : "DESC"
    let keys = base.placements.map { placement in
      """
      SELECT * FROM (SELECT arrival_key AS k FROM item INDEXED BY \(section.index)
        WHERE \(Placement.isSorted) AND \(placement.condition)
          AND \(section.column) = ?3 AND arrival_key \(bound) ?1
        ORDER BY arrival_key \(order) LIMIT ?2)
      """
    }.joined(separator: " UNION ALL ")
    let rows = try statement(
      """
      SELECT \(ItemColumns.line) FROM (\(keys) ORDER BY k \(order) LIMIT ?2)
      CROSS JOIN item ON item.arrival_key = k ORDER BY k \(order)
      """
    ).bind(key).bind(limit).bind(section.value).all(ItemColumns.row)
    return isUpward ? rows.reversed() : rows
  }
}

extension ListSection {
  fileprivate var app: String? { if case .app(let app) = self { app } else { nil } }

  fileprivate var index: String {
    switch self {
    case .level: "item_level"
    case .app: "item_app"
    }
  }

  fileprivate var column: String {
    switch self {
    case .level: "item.priority"
    case .app: "item.app"
    }
  }

  /// The comparison that selects the values of the sections above this one.
  fileprivate var comparison: String {
    switch self {
    case .level: ">"
    case .app: "<"
    }
  }

  fileprivate var value: FilterSQL.Value {
    switch self {
    case .level(let priority): .integer(Int64(priority.rawValue))
    case .app(let app): .text(app)
    }
  }

  /// The condition for the items of the section.
  var members: FilterSQL { FilterSQL("\(column) = ?", [value]) }

  /// The condition for hours of the counters with items of the section.
  var hours: FilterSQL {
    switch self {
    case .level: FilterSQL("1")
    case .app: FilterSQL("app = ?", [value])
    }
  }

  /// Returns the condition for items above this key in the list: in this section or those above.
  func items(above key: ArrivalKey) -> FilterSQL {
    FilterSQL(
      "\(column) \(comparison) ? OR \(column) = ? AND item.arrival_key > ?",
      [value, value, .integer(key.rawValue)])
  }
}

extension ListWindow {
  /// Returns the part of the window that is in one section.
  fileprivate func part(in section: ListSection) -> ListWindow {
    switch self {
    case .first, .last: self
    case .below(let position): position.section == section ? self : .first
    case .above(let position): position.section == section ? self : .last
    }
  }
}
