/// A test of an item in a device's cache.
package enum ListTest: Hashable, Sendable {
  case item(ItemTest)
  /// At least one tag matches one of the patterns.
  case tagName([ListFilter.NamePattern])
  /// The item has this placement by the device's clock.
  case placement(Placement)

  /// Returns whether the test is true for an item with this placement.
  ///
  /// The cache, which finds rows by other means, gives the same result.
  package func matches(_ item: UserNotification, in placement: Placement) -> Bool {
    switch self {
    case .item(let test): return test.matches(item)
    case .tagName(let patterns):
      return item.effectiveTags.contains { tag in patterns.contains { $0.matches(tag) } }
    case .placement(let wanted): return placement == wanted
    }
  }
}

extension ListFilter {
  /// The condition that the terms form, without the words, which the search tests.
  package var condition: Condition<ListTest> {
    .all(
      terms.map { term in
        term.isNegated ? .not(term.test.condition) : term.test.condition
      })
  }
}

extension ListFilter.Test {
  fileprivate var condition: Condition<ListTest> {
    switch self {
    case .app(let patterns): .test(.item(.name(.targetHostName, patterns)))
    case .group(let patterns): .test(.item(.name(.groupName, patterns)))
    case .tag(let patterns): .test(.tagName(patterns))
    case .state(let states): .any(states.map(\.condition))
    case .priority(let comparison, let priority):
      .test(.item(.compare(.priority, comparison.comparison, .priority(priority))))
    case .arrivedSince(let instant):
      .test(.item(.compare(.arrivalDateTime, .atLeast, .time(instant))))
    case .arrivedBefore(let instant):
      .test(.item(.compare(.arrivalDateTime, .less, .time(instant))))
    }
  }
}

extension ListFilter.Comparison {
  /// The same comparison in a test of an item.
  package var comparison: FilterComparison {
    switch self {
    case .atLeast: .atLeast
    case .atMost: .atMost
    case .above: .greater
    case .below: .less
    case .equal: .equal
    }
  }
}

extension ListFilter.State {
  fileprivate var condition: Condition<ListTest> {
    func read(_ state: ReadState) -> Condition<ListTest> {
      .test(.item(.compare(.readState, .equal, .text(state.rawValue))))
    }
    func action(_ kinds: UserActionState.Kind...) -> Condition<ListTest> {
      .test(.item(.isOneOf(.userActionState, kinds.map { .text($0.rawValue) })))
    }
    return switch self {
    case .unread: read(.unread)
    case .read: read(.read)
    case .tray: .test(.placement(.tray))
    case .snoozed: .test(.placement(.snoozed))
    case .scheduled: .test(.placement(.scheduled))
    case .dismissed: action(.dismissed)
    case .activated: action(.activated)
    case .handled: action(.dismissed, .activated)
    case .pinned: .test(.item(.compare(.pinned, .equal, .flag(true))))
    case .data: .test(.item(.compare(.title, .equal, .null)))
    }
  }
}
