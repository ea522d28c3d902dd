#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// A part of an SQL statement with the values for its placeholders. Values are never part of the
/// text.
///
/// A placeholder is `?`, so that parts can be put together; ``statement`` numbers them.
struct PostgresCondition {
  private(set) var text: String
  private(set) var values: [PostgresValue]

  init(_ text: String, _ values: PostgresValue...) {
    self.text = text
    self.values = values
  }

  mutating func add(_ part: String, _ values: PostgresValue...) {
    text += part
    self.values += values
  }

  mutating func add(_ part: PostgresCondition) {
    text += part.text
    values += part.values
  }

  /// Returns the condition in parentheses.
  func grouped() -> PostgresCondition {
    PostgresCondition.joined([self], by: "", before: "(", after: ")")
  }

  /// Returns the parts one after the other.
  static func joined(
    _ parts: [PostgresCondition], by word: String, before: String = "", after: String = ""
  ) -> PostgresCondition {
    var whole = PostgresCondition(before)
    for (place, part) in parts.enumerated() {
      if place > 0 { whole.add(word) }
      whole.add(part)
    }
    whole.add(after)
    return whole
  }

  /// The text with PostgreSQL's placeholders: `$1`, `$2` and so on.
  var statement: String {
    var (statement, count) = ("", 0)
    for part in text.split(separator: "?", omittingEmptySubsequences: false) {
      if count > 0 { statement += "$\(count)" }
      statement += part
      count += 1
    }
    return statement
  }
}

extension ItemFilter {
  /// The filter over the tables `item i` and `item_state s`: true or false, never NULL.
  ///
  /// It has the same result as ``matches(_:)``.
  var postgres: PostgresCondition {
    switch self {
    case .test(let test): test.postgres
    case .not(let part): .joined([part.postgres], by: "", before: "NOT (", after: ")")
    case .all(let parts):
      parts.isEmpty
        ? PostgresCondition("TRUE") : .joined(parts.map(\.postgresOperand), by: " AND ")
    case .any(let parts):
      parts.isEmpty ? PostgresCondition("FALSE") : .joined(parts.map(\.postgres), by: " OR ")
    }
  }

  /// The filter as an operand of `AND`.
  var postgresOperand: PostgresCondition { isAlternative ? postgres.grouped() : postgres }
}

extension ItemTest {
  fileprivate var postgres: PostgresCondition {
    switch self {
    case .compare(let field, let comparison, let value):
      return comparison.condition(field, value)
    case .isOneOf(let field, let values):
      let tests = values.map { FilterComparison.equal.condition(field, $0) }
      return tests.isEmpty
        ? PostgresCondition("FALSE")
        : .joined(tests, by: " OR ", before: "(", after: ")")
    case .text(let function, let field, let part): return function.condition(field, part)
    case .name(let field, let patterns):
      // The collation's letters with two cases are A to Z.
      let name = "lower(\(field.column) COLLATE \"C\")"
      let tests = patterns.map { pattern in
        PostgresCondition(
          pattern.isPrefix ? "(starts_with(\(name), ?) IS TRUE)" : "((\(name) = ?) IS TRUE)",
          .text(pattern.text))
      }
      return tests.isEmpty
        ? PostgresCondition("FALSE") : .joined(tests, by: " OR ", before: "(", after: ")")
    case .hasTag(let tag):
      return PostgresCondition(
        """
        (EXISTS (SELECT FROM json_array_elements_text(i.tags::json) AS tag (name) \
        WHERE tag.name = ?) \
        OR EXISTS (SELECT FROM json_array_elements_text(s.applied::json -> 'tags') AS tag (name) \
        WHERE tag.name = ?))
        """, .text(tag), .text(tag))
    case .hasAnyTag:
      return PostgresCondition(
        "(i.tags IS NOT NULL OR (s.applied::json -> 'tags') IS NOT NULL)")
    }
  }
}

extension FilterComparison {
  fileprivate func condition(_ field: ItemField, _ value: FilterValue) -> PostgresCondition {
    guard let parameter = value.parameter else {
      switch self {
      case .equal: return PostgresCondition("(\(field.column) IS NULL)")
      case .notEqual: return PostgresCondition("(\(field.column) IS NOT NULL)")
      case .greater, .atLeast, .less, .atMost: return PostgresCondition("FALSE")
      }
    }
    // PostgreSQL has no comparison of, for example, a time with a text.
    guard value.fits(field.kind) else {
      return PostgresCondition(self == .notEqual ? "TRUE" : "FALSE")
    }
    return PostgresCondition(text(of: field.column), parameter)
  }

  private func text(of column: String) -> String {
    switch self {
    case .equal: "((\(column) = ?) IS TRUE)"
    case .notEqual: "((\(column) = ?) IS NOT TRUE)"
    case .greater: "((\(column) > ?) IS TRUE)"
    case .atLeast: "((\(column) >= ?) IS TRUE)"
    case .less: "((\(column) < ?) IS TRUE)"
    case .atMost: "((\(column) <= ?) IS TRUE)"
    }
  }
}

extension FilterFunction {
  fileprivate func condition(_ field: ItemField, _ part: String) -> PostgresCondition {
    switch field.kind {
    case .word, .text: break
    case .priority, .flag, .time, .number: return PostgresCondition("FALSE")
    }
    let column = field.column
    return switch self {
    case .contains:
      PostgresCondition("((strpos(\(column), ?) > 0) IS TRUE)", .text(part))
    case .startsWith:
      PostgresCondition("(starts_with(\(column), ?) IS TRUE)", .text(part))
    case .endsWith:
      PostgresCondition(
        "((right(\(column), length(?)) = ?) IS TRUE)", .text(part), .text(part))
    }
  }
}

extension ItemField {
  /// The level of an item. The column `applied` has the word of a rule's, and is NULL in most rows.
  private static let effectivePriority: String = {
    let levels = Priority.allCases.map { "WHEN '\($0.name)' THEN \($0.rawValue)" }
    return """
      (CASE WHEN s.applied IS NULL THEN i.priority \
      ELSE CASE s.applied::json ->> 'priority' \(levels.joined(separator: " ")) \
      ELSE i.priority END END)
      """
  }()

  /// The column, or the expression for a field that rules may change.
  fileprivate var column: String {
    switch self {
    case .readState: "s.read_state"
    case .userActionState: "s.action"
    case .priority: Self.effectivePriority
    case .pinned: "s.kept"
    case .targetHostName: "coalesce(s.moved_app, i.app)"
    case .appNotificationId: "i.app_notification_id"
    case .groupName: "coalesce(s.applied::json ->> 'groupName', i.group_name)"
    case .title: "i.title"
    case .subtitle: "i.subtitle"
    case .body: "i.body"
    case .createdDateTime: "i.created"
    case .arrivalDateTime: "i.arrival"
    case .lastModifiedDateTime: "s.changed"
    case .expirationDateTime: "i.expiration"
    case .deliverAfterDateTime: "i.deliver_at"
    case .snoozedUntilDateTime: "s.action_until"
    case .shortNumber: "i.short_number"
    case .sequence: "s.sequence"
    case .contentSequence: "s.content_sequence"
    case .publishedHostName: "i.app"
    case .publishedGroupName: "i.group_name"
    case .publishedPriority: "i.priority"
    }
  }
}

extension FilterValue {
  /// The value as stored in its column; nil for null.
  fileprivate var parameter: PostgresValue? {
    switch self {
    case .null: nil
    case .text(let text): .text(text)
    case .number(let number): .integer(number)
    case .flag(let flag): .bool(flag)
    case .time(let time): .integer(time.milliseconds)
    case .priority(let priority): .integer(Int64(priority.rawValue))
    }
  }

  /// Whether fields of a kind have such values.
  fileprivate func fits(_ kind: ItemField.Kind) -> Bool {
    switch (self, kind) {
    case (.text, .word), (.text, .text), (.number, .number), (.flag, .flag), (.time, .time),
      (.priority, .priority):
      true
    case (.null, _), (.text, _), (.number, _), (.flag, _), (.time, _), (.priority, _): false
    }
  }
}

extension RegistrationEnvironment {
  /// The condition for rows of the table `item i` that reach a reader; it follows another condition.
  var postgresReceived: String {
    switch self {
    case .development: ""
    case .production: " AND i.environment IS NULL"
    }
  }
}
#endif
