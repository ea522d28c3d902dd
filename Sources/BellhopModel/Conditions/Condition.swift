/// Tests combined by `and`, `or` and `not`.
///
/// All conditions on items are made of it: `$filter` of the store's lists and the predicates of bulk
/// operations of ``ItemTest``, the filters of the device's lists of ``ListTest``. Each test is true or
/// false of an item, never unknown.
package indirect enum Condition<Test: Hashable & Sendable>: Hashable, Sendable {
  case test(Test)
  case not(Condition)
  /// Holds where every part does; without parts, always.
  case all([Condition])
  /// Holds where one part does; without parts, never.
  case any([Condition])

  /// Returns whether it holds, given which tests do.
  package func holds(_ holds: (Test) -> Bool) -> Bool {
    switch self {
    case .test(let test): holds(test)
    case .not(let part): !part.holds(holds)
    case .all(let parts): parts.allSatisfy { $0.holds(holds) }
    case .any(let parts): parts.contains { $0.holds(holds) }
    }
  }

  /// The tests that must hold for the condition to hold; it may ask for more than them.
  package var required: [Test] {
    switch self {
    case .test(let test): [test]
    case .all(let parts): parts.flatMap(\.required)
    case .not, .any: []
    }
  }

  /// Whether a text has to put it in parentheses beside an `and`, so that reading the text gives back
  /// the same condition.
  package var isGroup: Bool {
    switch self {
    case .test, .not: false
    case .all, .any: true
    }
  }

  /// Whether a text has to put it in parentheses beside an `and`, so that the text means the same.
  package var isAlternative: Bool {
    switch self {
    case .test, .not, .all: false
    case .any: true
    }
  }
}

extension Condition {
  /// Both conditions; a missing one asks for nothing.
  package static func both(_ left: Condition?, _ right: Condition?) -> Condition? {
    guard let left, let right else { return left ?? right }
    return .all([left, right])
  }
}
