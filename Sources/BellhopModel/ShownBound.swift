/// The contents that a person can have been shown of a list at some moment (SYNC-6).
public struct ShownBound: Hashable, Sendable {
  /// The newest content that is meant.
  public var through: SequenceNumber
  /// The only contents that are meant, by item; nil where everything up to ``through`` was there.
  public var contents: [NotificationID: SequenceNumber]?

  public init(through: SequenceNumber, contents: [NotificationID: SequenceNumber]? = nil) {
    self.through = through
    self.contents = contents
  }

  /// Whether a content of an item is meant.
  public func includes(_ id: NotificationID, _ content: SequenceNumber) -> Bool {
    if let contents { return contents[id] == content }
    return content <= through
  }
}
