import BellhopModel
import BellhopSearch

/// An SQL condition over the columns of `item`, with its parameters; never NULL.
///
/// Its text can be combined with `AND` as it is.
struct FilterSQL {
  enum Value {
    case null
    case text(String)
    case integer(Int64)
    case bytes([UInt8])
  }

  let text: String
  let values: [Value]

  init(_ text: String, _ values: [Value] = []) {
    self.text = text
    self.values = values
  }

  /// Creates the condition for a filter, equivalent to ``ListFilter/matches(_:in:)``.
  init(_ filter: ListFilter) { self = filter.condition.sql(\.sql) }

  /// Creates a condition on `hour_count` that every hour meets in which an item may pass the
  /// filter.
  ///
  /// - Parameter withHours: False for conditions on `app_count`, which has no hours.
  init(countersOf filter: ListFilter, withHours: Bool = true) {
    self = .all(
      filter.terms.compactMap { $0.isNegated ? nil : Self.counters(of: $0.test, withHours) })
  }

  private static func counters(of test: ListFilter.Test, _ withHours: Bool) -> FilterSQL? {
    func hour(_ comparison: String, _ instant: Timestamp) -> FilterSQL? {
      guard withHours else { return nil }
      return FilterSQL("hour \(comparison) ?", [.integer(ArrivalKey(floorOf: instant).hour)])
    }
    switch test {
    case .app(let patterns): return names("app", patterns)
    case .state([.unread]): return FilterSQL("unread > 0")
    case .arrivedSince(let instant): return hour(">=", instant)
    case .arrivedBefore(let instant): return hour("<=", instant)
    case .group, .tag, .state, .priority: return nil
    }
  }

  /// Returns the conjunction of both conditions.
  func and(_ other: FilterSQL) -> FilterSQL { .all([self, other]) }

  @discardableResult
  func bind(to statement: SQLStatement) -> SQLStatement {
    for value in values { statement.bind(value) }
    return statement
  }

  /// Returns a condition that holds if all conditions hold, or if there are none.
  static func all(_ conditions: [FilterSQL]) -> FilterSQL { joined(conditions, "AND", orElse: "1") }

  /// Returns a condition that holds if one of the conditions holds.
  static func any(_ conditions: [FilterSQL]) -> FilterSQL { joined(conditions, "OR", orElse: "0") }

  private static func joined(
    _ conditions: [FilterSQL], _ word: String, orElse none: String
  ) -> FilterSQL {
    guard conditions.count != 1 else { return conditions[0] }
    let text = conditions.map { "(\($0.text))" }.joined(separator: " \(word) ")
    return FilterSQL(text.isEmpty ? none : "(\(text))", conditions.flatMap(\.values))
  }
}

extension Condition {
  /// Returns the condition in SQL, with each test converted by `test`.
  func sql(_ test: (Test) -> FilterSQL) -> FilterSQL {
    switch self {
    case .test(let leaf): return test(leaf)
    case .not(let part):
      let negated = part.sql(test)
      return FilterSQL("NOT (\(negated.text))", negated.values)
    case .all(let parts): return .all(parts.map { $0.sql(test) })
    case .any(let parts): return .any(parts.map { $0.sql(test) })
    }
  }
}

// MARK: - Tests

extension ListTest {
  var sql: FilterSQL {
    switch self {
    case .item(let test): test.sql
    case .tagName(let patterns):
      .any(
        patterns.map { pattern in
          .tag(pattern.text, of: "lower(item.tags)", isPrefix: pattern.isPrefix)
        })
    case .placement(let placement): FilterSQL("item.placement = \(placement.rawValue)")
    }
  }
}

extension ItemTest {
  var sql: FilterSQL {
    switch self {
    case .compare(let field, let comparison, let value):
      FilterSQL(comparison.text(of: field.column), [field.databaseValue(value)])
    case .isOneOf(let field, let values):
      .any(values.map { FilterSQL("\(field.column) IS ?", [field.databaseValue($0)]) })
    case .text(let function, let field, let part): function.sql(field.column, part)
    case .name(let field, let patterns): FilterSQL.names(field.column, patterns)
    case .hasTag(let tag): .tag(tag, of: "item.tags", isPrefix: false)
    case .hasAnyTag: FilterSQL("item.tags IS NOT NULL")
    }
  }
}

extension FilterSQL {
  /// Returns the condition that the text of a column is one of the names.
  fileprivate static func names(
    _ column: String, _ patterns: [ListFilter.NamePattern]
  ) -> FilterSQL {
    any(
      patterns.map { pattern in
        FilterSQL(
          pattern.isPrefix ? "instr(lower(\(column)), ?) IS 1" : "lower(\(column)) IS ?",
          [.text(pattern.text)])
      })
  }

  /// Returns the condition that one of the tags is `tag`, or begins with it.
  ///
  /// The column contains one tag per line.
  fileprivate static func tag(_ tag: String, of column: String, isPrefix: Bool) -> FilterSQL {
    let line = "\n" + (TagText.encode([tag]) ?? "")
    return FilterSQL(
      "instr(char(10) || \(column) || char(10), ?) > 0 IS TRUE",
      [.text(isPrefix ? line : line + "\n")])
  }
}

extension FilterComparison {
  fileprivate func text(of column: String) -> String {
    switch self {
    case .equal: "\(column) IS ?"
    case .notEqual: "\(column) IS NOT ?"
    case .greater: "\(column) > ? IS TRUE"
    case .atLeast: "\(column) >= ? IS TRUE"
    case .less: "\(column) < ? IS TRUE"
    case .atMost: "\(column) <= ? IS TRUE"
    }
  }
}

extension FilterFunction {
  fileprivate func sql(_ column: String, _ part: String) -> FilterSQL {
    switch self {
    case .contains: FilterSQL("instr(\(column), ?) > 0 IS TRUE", [.text(part)])
    case .startsWith: FilterSQL("instr(\(column), ?) IS 1", [.text(part)])
    case .endsWith:
      // In bytes, because the length of the text is counted in bytes.
      part.isEmpty
        ? FilterSQL("\(column) IS NOT NULL")
        : FilterSQL(
          "substr(CAST(\(column) AS BLOB), ?) IS CAST(? AS BLOB)",
          [.integer(-Int64(part.utf8.count)), .text(part)])
    }
  }
}

extension ItemField {
  fileprivate var column: String {
    func stored(_ column: ItemColumn) -> String { "item." + column.name }
    return switch self {
    case .arrivalDateTime: ItemColumns.arrival
    case .deliverAfterDateTime: ItemColumns.deliverAt
    case .publishedHostName: ItemColumns.publishedApp
    case .publishedGroupName: ItemColumns.publishedGroup
    case .publishedPriority: ItemColumns.publishedPriority
    case .readState: stored(.read)
    case .userActionState: stored(.action)
    case .priority: stored(.priority)
    case .pinned: stored(.kept)
    case .targetHostName: stored(.app)
    case .appNotificationId: stored(.appNotificationId)
    case .groupName: stored(.groupName)
    case .title: stored(.title)
    case .subtitle: stored(.subtitle)
    case .body: stored(.body)
    case .createdDateTime: stored(.created)
    case .lastModifiedDateTime: stored(.changed)
    case .expirationDateTime: stored(.expiration)
    case .snoozedUntilDateTime: stored(.snoozedUntil)
    case .shortNumber: stored(.shortNumber)
    case .sequence: stored(.sequence)
    case .contentSequence: stored(.contentSequence)
    }
  }

  /// Returns a value as the field's column stores it.
  fileprivate func databaseValue(_ value: FilterValue) -> FilterSQL.Value {
    switch value {
    case .null: .null
    case .text(let text):
      if let register = ItemRegister.all.first(where: { $0.name == rawValue }) {
        register.value(text, until: nil).map { .integer(Int64($0.code)) } ?? .text(text)
      } else {
        .text(text)
      }
    case .number(let number): .integer(number)
    case .flag(let flag): .integer(flag ? 1 : 0)
    case .time(let time): .integer(time.milliseconds)
    case .priority(let priority): .integer(Int64(priority.rawValue))
    }
  }
}

extension SQLStatement {
  @discardableResult
  func bind(_ value: FilterSQL.Value) -> SQLStatement {
    switch value {
    case .null: bind(nil as Int64?)
    case .text(let text): bind(text)
    case .integer(let number): bind(number)
    case .bytes(let bytes): bind(bytes)
    }
  }
}
