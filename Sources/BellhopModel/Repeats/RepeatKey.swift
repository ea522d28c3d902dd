/// The way in which titles are compared to find repeats. Raw values are those of the wire.
public enum RepeatKey: String, Hashable, Sendable, Codable, CaseIterable {
  case exact
  /// Each run of the digits 0 to 9 counts as any other.
  case ignoringNumbers
}
