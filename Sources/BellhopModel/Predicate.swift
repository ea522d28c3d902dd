/// A closed set of conditions on item fields and absolute times, for bulk operations (SYNC-10).
///
/// Every part that is set must be true.
public struct Predicate: Hashable, Sendable {
  /// Whether app, group and level are the effective ones, as lists show them.
  ///
  /// Otherwise they are those that the publisher wrote. An earlier client means these: it knows no
  /// effect of rules.
  public var isEffective = false
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
    let (appField, groupField, levelField): (ItemField, ItemField, ItemField) =
      isEffective
      ? (.targetHostName, .groupName, .priority)
      : (.publishedHostName, .publishedGroupName, .publishedPriority)
    var tests: [ItemTest] = []
    if let app { tests.append(.compare(appField, .equal, .text(app))) }
    if let group { tests.append(.compare(groupField, .equal, .text(group))) }
    if let readState { tests.append(.compare(.readState, .equal, .text(readState.rawValue))) }
    if let userActionState {
      tests.append(.compare(.userActionState, .equal, .text(userActionState.rawValue)))
    }
    if let minimumPriority {
      tests.append(.compare(levelField, .atLeast, .priority(minimumPriority)))
    }
    if let arrivedBefore { tests.append(.compare(.arrivalDateTime, .less, .time(arrivedBefore))) }
    if let arrivedSince { tests.append(.compare(.arrivalDateTime, .atLeast, .time(arrivedSince))) }
    return .all(tests.map(Condition.test))
  }

  /// Returns whether the item meets every part.
  public func matches(_ item: UserNotification) -> Bool { condition.matches(item) }
}

extension Predicate: Codable {
  private enum CodingKeys: String, CodingKey {
    case isEffective = "effective"
    case app, group, readState, userActionState, minimumPriority, arrivedBefore, arrivedSince
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    isEffective = try container.decodeIfPresent(Bool.self, forKey: .isEffective) ?? false
    app = try container.decodeIfPresent(String.self, forKey: .app)
    group = try container.decodeIfPresent(String.self, forKey: .group)
    readState = try container.decodeIfPresent(ReadState.self, forKey: .readState)
    userActionState = try container.decodeIfPresent(
      UserActionState.Kind.self, forKey: .userActionState)
    minimumPriority = try container.decodeIfPresent(Priority.self, forKey: .minimumPriority)
    arrivedBefore = try container.decodeIfPresent(Timestamp.self, forKey: .arrivedBefore)
    arrivedSince = try container.decodeIfPresent(Timestamp.self, forKey: .arrivedSince)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if isEffective { try container.encode(true, forKey: .isEffective) }
    try container.encodeIfPresent(app, forKey: .app)
    try container.encodeIfPresent(group, forKey: .group)
    try container.encodeIfPresent(readState, forKey: .readState)
    try container.encodeIfPresent(userActionState, forKey: .userActionState)
    try container.encodeIfPresent(minimumPriority, forKey: .minimumPriority)
    try container.encodeIfPresent(arrivedBefore, forKey: .arrivedBefore)
    try container.encodeIfPresent(arrivedSince, forKey: .arrivedSince)
  }
}
