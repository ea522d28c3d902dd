internal import BellhopModel
internal import BellhopStore
internal import GRDB

/// A part of an SQL statement with the values for its placeholders. Values are never part of the
/// text.
struct SQLCondition {
  var text: String
  var values: [(any DatabaseValueConvertible)?] = []

  static func + (left: SQLCondition, right: SQLCondition) -> SQLCondition {
    SQLCondition(text: left.text + right.text, values: left.values + right.values)
  }

  static func + (left: SQLCondition, right: String) -> SQLCondition {
    left + SQLCondition(text: right)
  }
}

extension ItemFilter {
  /// The filter over the columns of the table `item`: 1 or 0, never null, with the same result as
  /// ``matches(_:)``.
  var sql: SQLCondition {
    switch self {
    case .test(let test): test.sql
    case .not(let part): SQLCondition(text: "NOT (") + part.sql + ")"
    case .all(let parts): Self.joined(parts.map(\.operand), by: " AND ", orElse: "1")
    case .any(let parts): Self.joined(parts.map(\.sql), by: " OR ", orElse: "0")
    }
  }

  /// The filter as an operand of `AND`. Grouped only where necessary, because SQLite's parser has a
  /// small stack.
  var operand: SQLCondition { isAlternative ? SQLCondition(text: "(") + sql + ")" : sql }

  private static func joined(
    _ parts: [SQLCondition], by word: String, orElse none: String
  ) -> SQLCondition {
    guard let first = parts.first else { return SQLCondition(text: none) }
    return parts.dropFirst().reduce(first) { $0 + word + $1 }
  }
}

extension ItemTest {
  fileprivate var sql: SQLCondition {
    switch self {
    case .compare(let field, let comparison, let value):
      return SQLCondition(
        text: comparison.text(of: field.column), values: [value.column])
    case .isOneOf(let field, let values):
      let tests = values.map { _ in "\(field.column) IS ?" }.joined(separator: " OR ")
      return SQLCondition(
        text: values.isEmpty ? "0" : "(\(tests))", values: values.map(\.column))
    case .text(let function, let field, let part): return function.sql(field.column, part)
    case .name(let field, let patterns):
      let tests = patterns.map { pattern in
        pattern.isPrefix
          ? "instr(lower(\(field.column)), ?) IS 1" : "lower(\(field.column)) IS ?"
      }
      return SQLCondition(
        text: tests.isEmpty ? "0" : "(\(tests.joined(separator: " OR ")))",
        values: patterns.map { $0.text })
    case .hasTag(let tag):
      return SQLCondition(
        text: """
          (EXISTS (SELECT 1 FROM json_each(item.tags) t WHERE t.value = ?) \
          OR EXISTS (SELECT 1 FROM json_each(item.applied, '$.tags') t WHERE t.value = ?))
          """, values: [tag, tag])
    case .hasAnyTag:
      return SQLCondition(
        text: "(item.tags IS NOT NULL OR json_extract(item.applied, '$.tags') IS NOT NULL)")
    }
  }
}

extension FilterComparison {
  fileprivate func text(of column: String) -> String {
    switch self {
    case .equal: "(\(column) IS ?)"
    case .notEqual: "(\(column) IS NOT ?)"
    case .greater: "(\(column) > ? IS TRUE)"
    case .atLeast: "(\(column) >= ? IS TRUE)"
    case .less: "(\(column) < ? IS TRUE)"
    case .atMost: "(\(column) <= ? IS TRUE)"
    }
  }
}

extension FilterFunction {
  fileprivate func sql(_ column: String, _ part: String) -> SQLCondition {
    switch self {
    case .contains: SQLCondition(text: "(instr(\(column), ?) > 0 IS TRUE)", values: [part])
    case .startsWith: SQLCondition(text: "(instr(\(column), ?) = 1 IS TRUE)", values: [part])
    case .endsWith:
      // Compares bytes, because the length is in bytes.
      part.isEmpty
        ? SQLCondition(text: "(\(column) IS NOT NULL)")
        : SQLCondition(
          text: "(substr(CAST(\(column) AS BLOB), ?) = CAST(? AS BLOB) IS TRUE)",
          values: [-part.utf8.count, part])
    }
  }
}

extension ItemField {
  /// The level of an item. The column `applied` has the word of a rule's, and is NULL in most rows.
  private static let effectivePriority: String = {
    let levels = Priority.allCases.map { "WHEN '\($0.name)' THEN \($0.rawValue)" }
    return """
      (CASE WHEN item.applied IS NULL THEN item.priority \
      ELSE CASE json_extract(item.applied, '$.priority') \(levels.joined(separator: " ")) \
      ELSE item.priority END END)
      """
  }()

  /// The column, or the expression for a field that rules may change.
  fileprivate var column: String {
    switch self {
    case .readState: "item.read_state"
    case .userActionState: "item.action"
    case .priority: Self.effectivePriority
    case .pinned: "item.kept"
    case .targetHostName: "coalesce(item.moved_app, item.app)"
    case .appNotificationId: "item.app_notification_id"
    case .groupName: "coalesce(json_extract(item.applied, '$.groupName'), item.group_name)"
    case .title: "item.title"
    case .subtitle: "item.subtitle"
    case .body: "item.body"
    case .createdDateTime: "item.created"
    case .arrivalDateTime: "item.arrival"
    case .lastModifiedDateTime: "item.changed"
    case .expirationDateTime: "item.expiration"
    case .deliverAfterDateTime: "item.deliver_at"
    case .snoozedUntilDateTime: "item.action_until"
    case .shortNumber: "item.short_number"
    case .sequence: "item.sequence"
    case .contentSequence: "item.content_sequence"
    case .publishedHostName: "item.app"
    case .publishedGroupName: "item.group_name"
    case .publishedPriority: "item.priority"
    }
  }
}

extension FilterValue {
  /// The value as stored in its column.
  fileprivate var column: (any DatabaseValueConvertible)? {
    switch self {
    case .null: nil
    case .text(let text): text
    case .number(let number): number
    case .flag(let flag): flag
    case .time(let time): time.milliseconds
    case .priority(let priority): priority.rawValue
    }
  }
}
