/// A closed set of conditions on item fields and absolute times, for bulk operations (SYNC-10).
///
/// Every part that is set must be true.
public struct Predicate: Hashable, Sendable, Codable {
  public var app: String?
  public var group: String?
  public var readState: ReadState?
  public var userActionState: UserActionState.Kind?
  public var minimumPriority: Priority?
  /// The item arrived before this instant.
  public var arrivedBefore: Timestamp?
  /// The item arrived at this instant or later.
  public var arrivedSince: Timestamp?

  public init() {}

  /// The equivalent condition; without parts, every item meets it.
  package var condition: Condition<ItemTest> {
    var tests: [ItemTest] = []
    if let app { tests.append(.compare(.targetHostName, .equal, .text(app))) }
    if let group { tests.append(.compare(.groupName, .equal, .text(group))) }
    if let readState { tests.append(.compare(.readState, .equal, .text(readState.rawValue))) }
    if let userActionState {
      tests.append(.compare(.userActionState, .equal, .text(userActionState.rawValue)))
    }
    if let minimumPriority {
      tests.append(.compare(.priority, .atLeast, .priority(minimumPriority)))
    }
    if let arrivedBefore { tests.append(.compare(.arrivalDateTime, .less, .time(arrivedBefore))) }
    if let arrivedSince { tests.append(.compare(.arrivalDateTime, .atLeast, .time(arrivedSince))) }
    return .all(tests.map(Condition.test))
  }

  /// Returns whether the item meets every part.
  public func matches(_ item: UserNotification) -> Bool { condition.matches(item) }
}
