/// The version of an item that a user was shown.
public struct ShownVersion: Hashable, Sendable {
  public var content: SequenceNumber
  /// The occurrence of the item's trigger; nil without one.
  public var occurrence: Occurrence.Label?
  /// The operation of the device itself that made the content; nil once the store has sent it.
  public var operation: OperationID?

  public init(
    content: SequenceNumber, occurrence: Occurrence.Label? = nil, operation: OperationID? = nil
  ) {
    self.content = content
    self.occurrence = occurrence
    self.operation = operation
  }
}

/// The contents of a list that a user may have been shown at some moment (SYNC-6).
public struct ShownBound: Hashable, Sendable {
  /// The newest content sequence that the user may have been shown.
  public var through: SequenceNumber
  /// The only contents shown, by item; nil if the list had everything up to ``through``.
  public var contents: [NotificationID: SequenceNumber]?
  /// The time of the last occurrence that the user may have been shown.
  public var throughTime: Timestamp

  /// A time before every occurrence.
  public static let beforeOccurrences = Timestamp(milliseconds: 0)

  public init(
    through: SequenceNumber, contents: [NotificationID: SequenceNumber]? = nil,
    throughTime: Timestamp = beforeOccurrences
  ) {
    self.through = through
    self.contents = contents
    self.throughTime = throughTime
  }

  /// Returns whether the user may have been shown this version of an item.
  ///
  /// - Parameter arrival: The time by which lists order it, which is that of the occurrence.
  public func includes(
    _ id: NotificationID, _ version: ShownVersion, arrival: Timestamp
  ) -> Bool {
    if version.operation != nil { return false }
    switch version.occurrence {
    case nil, .beforeFirst: break
    case .number, .wallClock, .crossing: if arrival > throughTime { return false }
    }
    if let contents { return contents[id] == version.content }
    return version.content <= through
  }
}
