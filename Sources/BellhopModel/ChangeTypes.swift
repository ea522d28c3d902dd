/// The type of a change to an item, in the words of Graph's change notifications.
public enum ChangeType: String, Hashable, Sendable, Codable, CaseIterable {
  case created
  case updated
  /// A user deleted the item, or it expired.
  case deleted
}

/// The types of changes that a subscriber wants to receive.
///
/// Its text form is Graph's `changeType`: names with commas between them, `created,deleted`.
public struct ChangeTypes: Hashable, Sendable {
  public var values: Set<ChangeType>

  public init(_ values: Set<ChangeType>) { self.values = values }

  public func contains(_ type: ChangeType) -> Bool { values.contains(type) }
}

extension ChangeTypes: CustomStringConvertible, LosslessStringConvertible {
  /// The names in declaration order, so that equal sets give the same text.
  public var description: String {
    ChangeType.allCases.filter(values.contains).map(\.rawValue).joined(separator: ",")
  }

  /// Parses one or more names, in any case, with optional spaces; nil for anything else.
  public init?(_ description: String) {
    var values: Set<ChangeType> = []
    for name in description.split(separator: ",", omittingEmptySubsequences: false) {
      let name = name.filter { $0 != " " }.lowercased()
      guard let value = ChangeType(rawValue: name) else { return nil }
      values.insert(value)
    }
    self.init(values)
  }
}

/// An event of a subscription itself, in the words of Graph's lifecycle notifications.
public enum LifecycleEvent: String, Hashable, Sendable, Codable, CaseIterable {
  /// Some changes were not delivered; fetch them with a delta.
  case missed
  /// The subscription has ended.
  case subscriptionRemoved
}

/// The tag of a ``SubscriptionID``.
public enum SubscriptionTag {}

/// The identifier of one subscription of a user.
public typealias SubscriptionID = UniqueID<SubscriptionTag>
