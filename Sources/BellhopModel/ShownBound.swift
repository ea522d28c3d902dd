/// The contents of a list that a user may have been shown at some moment (SYNC-6).
public struct ShownBound: Hashable, Sendable {
  /// The newest content sequence that the user may have been shown.
  public var through: SequenceNumber
  /// The only contents shown, by item; nil if the list had everything up to ``through``.
  public var contents: [NotificationID: SequenceNumber]?

  public init(through: SequenceNumber, contents: [NotificationID: SequenceNumber]? = nil) {
    self.through = through
    self.contents = contents
  }

  /// Returns whether the user may have been shown this content of an item.
  public func includes(_ id: NotificationID, _ content: SequenceNumber) -> Bool {
    if let contents { return contents[id] == content }
    return content <= through
  }
}
