import BellhopModel
import BellhopSearch

/// A condition over the columns of `item`, with the values for its places; never NULL.
struct FilterSQL {
  enum Value {
    case text(String)
    case integer(Int64)
  }

  private(set) var text = "1"
  private(set) var values: [Value] = []

  init(_ text: String, _ values: [Value] = []) {
    self.text = text
    self.values = values
  }

  /// The terms of a filter; the same as ``ListFilter/matches(_:in:)``.
  init(_ filter: ListFilter) {
    for term in filter.terms {
      let condition = Self.condition(term.test)
      text += term.isNegated ? " AND NOT (\(condition.text))" : " AND (\(condition.text))"
      values += condition.values
    }
  }

  /// Conditions over `hour_count` that every hour meets in which an item may pass the filter.
  ///
  /// - Parameter withHours: False for conditions over `app_count`, which has no hours.
  init(countersOf filter: ListFilter, withHours: Bool = true) {
    for term in filter.terms where !term.isNegated {
      switch term.test {
      case .app(let patterns):
        let condition = Self.names("app", patterns)
        text += " AND (\(condition.text))"
        values += condition.values
      case .state([.unread]): text += " AND unread > 0"
      case .arrivedSince(let instant) where withHours:
        text += " AND hour >= ?"
        values.append(.integer(ArrivalKey(floorOf: instant).hour))
      case .arrivedBefore(let instant) where withHours:
        text += " AND hour <= ?"
        values.append(.integer(ArrivalKey(floorOf: instant).hour))
      case .group, .tag, .state, .priority, .arrivedSince, .arrivedBefore: break
      }
    }
  }

  /// Both conditions.
  func and(_ other: FilterSQL) -> FilterSQL {
    FilterSQL("(\(text)) AND (\(other.text))", values + other.values)
  }

  @discardableResult
  func bind(to statement: SQLStatement) -> SQLStatement {
    for value in values { statement.bind(value) }
    return statement
  }

  // MARK: Terms

  private static func condition(_ test: ListFilter.Test) -> FilterSQL {
    switch test {
    case .app(let patterns): return names("item.app", patterns)
    case .group(let patterns):
      let names = names("item.group_name", patterns)
      return FilterSQL("item.group_name IS NOT NULL AND (\(names.text))", names.values)
    case .tag(let patterns): return tags(patterns)
    case .state(let states): return joined(states.map { FilterSQL(text(of: $0)) })
    case .priority(let comparison, let priority):
      return FilterSQL(
        "priority \(comparison.rawValue) ?", [.integer(Int64(priority.rawValue))])
    case .arrivedSince(let instant):
      return FilterSQL("arrival >= ?", [.integer(instant.milliseconds)])
    case .arrivedBefore(let instant):
      return FilterSQL("arrival < ?", [.integer(instant.milliseconds)])
    }
  }

  /// One of the conditions holds; without any, nothing does.
  private static func joined(_ conditions: [FilterSQL]) -> FilterSQL {
    guard !conditions.isEmpty else { return FilterSQL("0") }
    return FilterSQL(
      conditions.map(\.text).joined(separator: " OR "), conditions.flatMap(\.values))
  }

  private static func names(_ column: String, _ patterns: [ListFilter.NamePattern]) -> FilterSQL {
    joined(
      patterns.map { pattern in
        FilterSQL(
          pattern.isPrefix
            ? "instr(lower(\(column)), ?) = 1" : "lower(\(column)) = ?",
          [.text(pattern.text)])
      })
  }

  /// Tags stand in one column, one a line.
  private static func tags(_ patterns: [ListFilter.NamePattern]) -> FilterSQL {
    let found = joined(
      patterns.map { pattern in
        let tag = "\n" + (TagText.encode([pattern.text]) ?? "")
        return FilterSQL(
          "instr(char(10) || lower(item.tags) || char(10), ?) > 0",
          [.text(pattern.isPrefix ? tag : tag + "\n")])
      })
    return FilterSQL("item.tags IS NOT NULL AND (\(found.text))", found.values)
  }

  private static func text(of state: ListFilter.State) -> String {
    switch state {
    case .unread: "read = 0"
    case .read: "read = 1"
    case .tray: placement(.tray)
    case .snoozed: placement(.snoozed)
    case .scheduled: placement(.scheduled)
    case .dismissed: action(.dismissed)
    case .activated: action(.activated)
    case .handled: "\(action(.dismissed)) OR \(action(.activated))"
    case .kept: "kept = 1"
    case .data: "item.title IS NULL"
    }
  }

  private static func placement(_ placement: Placement) -> String {
    "placement = \(placement.rawValue)"
  }

  private static func action(_ action: UserActionState) -> String { "action = \(action.code)" }
}

extension SQLStatement {
  @discardableResult
  func bind(_ value: FilterSQL.Value) -> SQLStatement {
    switch value {
    case .text(let text): bind(text)
    case .integer(let number): bind(number)
    }
  }
}
