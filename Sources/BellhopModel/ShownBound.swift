/// The version of an item that a user was shown.
public struct ShownVersion: Hashable, Sendable {
  /// The content sequence, which operations send as `seen`.
  public var content: SequenceNumber
  /// The content sequence of the last publication that was not a repeat.
  public var meaning: SequenceNumber
  /// The occurrence of the item's trigger; nil without one.
  public var occurrence: Occurrence.Label?
  /// The operation of the device itself that made the content; nil once the store has sent it.
  public var operation: OperationID?

  /// - Parameter meaning: Nil if the content is not a repeat.
  public init(
    content: SequenceNumber, meaning: SequenceNumber? = nil, occurrence: Occurrence.Label? = nil,
    operation: OperationID? = nil
  ) {
    self.content = content
    self.meaning = meaning ?? content
    self.occurrence = occurrence
    self.operation = operation
  }

  /// Returns whether the user was shown the same item in both versions, but for repeats.
  public func isSame(as other: ShownVersion) -> Bool {
    meaning == other.meaning && occurrence == other.occurrence && operation == other.operation
  }
}

/// The contents of a list that a user may have been shown at some moment (SYNC-6).
public struct ShownBound: Hashable, Sendable {
  /// The newest content sequence that the user may have been shown.
  public var through: SequenceNumber
  /// The meanings of the only contents shown, by item; nil if the list had everything up to
  /// ``through``.
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
    if let contents { return contents[id] == version.meaning }
    return version.meaning <= through
  }
}
