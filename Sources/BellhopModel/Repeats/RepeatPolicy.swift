/// The treatment of a publication that is equal to a live item. Raw values are those of the wire.
public enum RepeatPolicy: String, Hashable, Sendable, Codable, CaseIterable {
  /// It becomes an item of its own.
  case keep
  /// It becomes a repeat of the live item, which then has its content.
  case collapse
}

/// The treatment of a message that an alert is resolved. Raw values are those of the wire.
public enum ResolutionPolicy: String, Hashable, Sendable, Codable, CaseIterable {
  /// It marks the alert as resolved.
  case mark
  /// It also becomes an item of its own.
  case publish
}
