/// A combination of tests by `and`, `or` and `not`.
///
/// All conditions on items have this form: `$filter` of the store's lists and the predicates of
/// bulk operations are made of ``ItemTest``, the filters of the device's lists of ``ListTest``.
/// Each test is true or false for an item, never unknown.
package indirect enum Condition<Test: Hashable & Sendable>: Hashable, Sendable {
  case test(Test)
  case not(Condition)
  /// True if every part is; true without parts.
  case all([Condition])
  /// True if at least one part is; false without parts.
  case any([Condition])

  /// Returns whether the condition is true, given the result of each test.
  package func holds(_ holds: (Test) -> Bool) -> Bool {
    switch self {
    case .test(let test): holds(test)
    case .not(let part): !part.holds(holds)
    case .all(let parts): parts.allSatisfy { $0.holds(holds) }
    case .any(let parts): parts.contains { $0.holds(holds) }
    }
  }

  /// Tests that are necessary, but may not be sufficient, for the condition to be true.
  package var required: [Test] {
    switch self {
    case .test(let test): [test]
    case .all(let parts): parts.flatMap(\.required)
    case .not, .any: []
    }
  }

  /// Whether text needs parentheses around the condition beside an `and`, to parse back unchanged.
  package var isGroup: Bool {
    switch self {
    case .test, .not: false
    case .all, .any: true
    }
  }

  /// Whether text needs parentheses around the condition beside an `and`, to keep its meaning.
  package var isAlternative: Bool {
    switch self {
    case .test, .not, .all: false
    case .any: true
    }
  }
}

extension Condition {
  /// Returns the conjunction of both conditions; a missing condition is always true.
  package static func both(_ left: Condition?, _ right: Condition?) -> Condition? {
    guard let left, let right else { return left ?? right }
    return .all([left, right])
  }
}
