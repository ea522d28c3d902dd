/// What can happen to an item, in the words of Graph's change notifications.
public enum ChangeType: String, Hashable, Sendable, Codable, CaseIterable {
  case created
  case updated
  /// Deleted by somebody, or expired.
  case deleted
}

/// The changes that a subscriber wants to hear of.
///
/// Its text form is Graph's `changeType`: names with commas between them, `created,deleted`.
public struct ChangeTypes: Hashable, Sendable {
  public var values: Set<ChangeType>

  public init(_ values: Set<ChangeType>) { self.values = values }

  public func contains(_ type: ChangeType) -> Bool { values.contains(type) }
}

extension ChangeTypes: CustomStringConvertible, LosslessStringConvertible {
  /// In the order of the declaration, so that the same set gives the same text.
  public var description: String {
    ChangeType.allCases.filter(values.contains).map(\.rawValue).joined(separator: ",")
  }

  /// Reads one name or more, in any case and with spaces around them; nil for anything else.
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

/// What happens to a subscription itself, in the words of Graph's lifecycle notifications.
public enum LifecycleEvent: String, Hashable, Sendable, Codable, CaseIterable {
  /// Changes were not told: fetch them by a delta.
  case missed
  /// The subscription is over.
  case subscriptionRemoved
}

/// What a ``SubscriptionID`` names.
public enum SubscriptionTag {}

/// Names one subscription of a user.
public typealias SubscriptionID = UniqueID<SubscriptionTag>
