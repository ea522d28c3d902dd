/// Whether the user has read an item. Raw values are Graph's.
public enum ReadState: String, Hashable, Sendable, Codable, CaseIterable {
  case unread
  case read
}

/// The user's handling of an item. Names are Graph's; a snooze includes its end.
public enum UserActionState: Hashable, Sendable {
  case noInteraction
  case activated
  case dismissed
  /// Out of the tray until the instant, then back in the tray on every device.
  case snoozed(until: Timestamp)

  /// The state without the end of a snooze.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case noInteraction
    case activated
    case dismissed
    case snoozed
  }

  /// The state without the end of a snooze.
  public var kind: Kind {
    switch self {
    case .noInteraction: .noInteraction
    case .activated: .activated
    case .dismissed: .dismissed
    case .snoozed: .snoozed
    }
  }

  /// The end of the snooze; nil in every other state.
  public var snoozedUntil: Timestamp? {
    if case .snoozed(let until) = self { until } else { nil }
  }

  /// Creates a state from its two parts; nil for a snooze without an end.
  public init?(kind: Kind, snoozedUntil: Timestamp?) {
    switch kind {
    case .noInteraction: self = .noInteraction
    case .activated: self = .activated
    case .dismissed: self = .dismissed
    case .snoozed:
      guard let snoozedUntil else { return nil }
      self = .snoozed(until: snoozedUntil)
    }
  }
}

/// The level of an item: how urgently it needs attention.
///
/// The topic `levels` of the store's manual describes the levels of other protocols.
public enum Priority: Int, Hashable, Sendable, Codable, CaseIterable, Comparable {
  case min = 1
  case low = 2
  case normal = 3
  case high = 4
  case urgent = 5

  /// The lower-case word for the level, on the wire and in commands.
  public var name: String {
    switch self {
    case .min: "min"
    case .low: "low"
    case .normal: "normal"
    case .high: "high"
    case .urgent: "urgent"
    }
  }

  /// Creates the level with this word, in any case.
  ///
  /// Graph's `none` and ntfy's `default` are `normal`; ntfy's `max` is `urgent`.
  public init?(name: some StringProtocol) {
    switch name.lowercased() {
    case "min": self = .min
    case "low": self = .low
    case "normal", "none", "default": self = .normal
    case "high": self = .high
    case "urgent", "max": self = .urgent
    default: return nil  // open: String
    }
  }

  public static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}

/// Whether an item still has its content. Names are Graph's.
public enum NotificationStatus: String, Hashable, Sendable, Codable {
  case active
  /// A tombstone: id, app and app id remain, the content is deleted for good.
  case deleted
}

/// The device, publisher or rule that changed a register.
public struct Author: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable {
    case device
    case publisher
    case rule
  }

  public var kind: Kind
  /// The device's id, the publisher's app host, or the rule's id.
  public var id: String
  /// The author's name for users, as it was at the time of the change.
  public var name: String

  public init(kind: Kind, id: String, name: String) {
    self.kind = kind
    self.id = id
    self.name = name
  }

  /// Creates the author of what a rule sets at a publication.
  package init(rule: RuleMark) {
    self.init(kind: .rule, id: rule.id.description, name: rule.name)
  }

  /// The device; nil for a publisher and for a rule.
  package var device: DeviceID? {
    switch kind {
    case .device: DeviceID(rawValue: id)
    case .publisher, .rule: nil
    }
  }
}

/// A field that devices set, with the provenance of its value.
///
/// Registers of an item are independent of each other. For each register, the last writer in the
/// store's commit order wins (SYNC-5).
public struct Register<Value: Hashable & Sendable>: Hashable, Sendable {
  public var value: Value
  /// The value before the last change; nil if the register has never changed.
  public var previous: Value?
  /// The last change; nil while the value is that of publication.
  public var change: RegisterChange?

  public init(_ value: Value, previous: Value? = nil, change: RegisterChange? = nil) {
    self.value = value
    self.previous = previous
    self.change = change
  }

  /// Returns the register after a change to `value`.
  public func setting(_ value: Value, change: RegisterChange) -> Register {
    Register(value, previous: self.value, change: change)
  }
}

/// The provenance of a register's value.
public struct RegisterChange: Hashable, Sendable, Codable {
  /// The time of the change, by the store's clock.
  public var at: Timestamp
  /// The device, publisher or rule that made the change.
  public var by: Author
  /// The operation that made the change; nil for a publisher's replacement.
  ///
  /// That of a rule follows from its revision, the item and the content.
  public var operation: OperationID?
  /// The item's action that the user chose; only for the user's action state.
  public var choice: ActionChoice?
  /// The occurrence for which the register was set, and for which alone its value counts.
  ///
  /// Only in an item with a trigger, and not for ``ItemRegisters/pinned`` and ``ItemRegisters/applied``.
  public var occurrence: Occurrence.Label?

  public init(
    at: Timestamp, by: Author, operation: OperationID?, choice: ActionChoice? = nil,
    occurrence: Occurrence.Label? = nil
  ) {
    self.at = at
    self.by = by
    self.operation = operation
    self.choice = choice
    self.occurrence = occurrence
  }
}
