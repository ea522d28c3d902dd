extension ItemTest {
  /// Returns whether the test is true for the item.
  ///
  /// A database that finds rows by other means gives the same result.
  package func matches(_ item: UserNotification) -> Bool {
    switch self {
    case .compare(let field, let comparison, let value):
      return field.value(of: item).meets(comparison, value)
    case .isOneOf(let field, let values):
      let held = field.value(of: item)
      return values.contains { held.meets(.equal, $0) }
    case .text(let function, let field, let part):
      guard case .text(let text) = field.value(of: item) else { return false }
      return function.holds(of: text, part)
    case .name(let field, let patterns):
      guard case .text(let name) = field.value(of: item) else { return false }
      return patterns.contains { $0.matches(name) }
    case .hasTag(let tag):
      return item.effectiveTags.contains { $0.utf8.elementsEqual(tag.utf8) }
    case .hasAnyTag: return !item.effectiveTags.isEmpty
    }
  }
}

extension Condition<ItemTest> {
  /// Returns whether the item meets the condition.
  package func matches(_ item: UserNotification) -> Bool { holds { $0.matches(item) } }
}

extension FilterValue {
  fileprivate func meets(_ comparison: FilterComparison, _ other: FilterValue) -> Bool {
    if self == .null || other == .null {
      switch comparison {
      case .equal: return self == other
      case .notEqual: return self != other
      case .greater, .atLeast, .less, .atMost: return false
      }
    }
    guard let order = compared(to: other) else { return comparison == .notEqual }
    switch comparison {
    case .equal: return order == 0
    case .notEqual: return order != 0
    case .greater: return order > 0
    case .atLeast: return order >= 0
    case .less: return order < 0
    case .atMost: return order <= 0
    }
  }

  /// Compares the value with another: negative if below, zero if equal, positive if above.
  ///
  /// Nil for values of different kinds.
  private func compared(to other: FilterValue) -> Int? {
    func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
      left < right ? -1 : left == right ? 0 : 1
    }
    switch (self, other) {
    case (.text(let left), .text(let right)):
      if left.utf8.elementsEqual(right.utf8) { return 0 }
      return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    case (.number(let left), .number(let right)): return order(left, right)
    case (.flag(let left), .flag(let right)): return left == right ? 0 : left ? 1 : -1
    case (.time(let left), .time(let right)): return order(left, right)
    case (.priority(let left), .priority(let right)): return order(left, right)
    case (.null, _), (.text, _), (.number, _), (.flag, _), (.time, _), (.priority, _): return nil
    }
  }
}

extension FilterFunction {
  fileprivate func holds(of text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    switch self {
    case .contains:
      guard let first = part.first else { return true }
      guard text.count >= part.count else { return false }
      return (0...text.count - part.count).contains { start in
        text[start] == first && text[start...].starts(with: part)
      }
    case .startsWith: return text.starts(with: part)
    case .endsWith: return text.suffix(part.count).elementsEqual(part)
    }
  }
}
