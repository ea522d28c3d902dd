extension Operation {
  /// Creates an operation that publishes an item.
  ///
  /// The item has the same id as the operation, unless it replaces another item.
  ///
  /// - Parameter time: The time at which the user made it, by the store's clock.
  public init(id: OperationID, publishing content: Content, at time: Timestamp) {
    self.init(
      id: id, target: .item(NotificationID(sameAs: id)), mutation: .publish(content, at: time))
  }

  /// The content that the operation publishes; nil for a change of what exists.
  public var publishedContent: Content? {
    if case .publish(let content, _) = mutation { content } else { nil }
  }

  /// The item that the operation publishes, as its device shows it until the store has sent it.
  ///
  /// It has the short number 0 and the sequence zero. Nil for a change of what exists.
  package var localItem: UserNotification? {
    guard case .publish(let content, let made) = mutation else { return nil }
    return UserNotification(
      id: NotificationID(sameAs: id), shortNumber: 0, created: made,
      arrival: content.arrival(publishedAt: made), content: content,
      state: ItemState(sequence: .zero, contentSequence: .zero, changed: made))
  }
}

extension UniqueID {
  /// Creates the id of another kind of thing that has the same bits.
  public init<Other>(sameAs other: UniqueID<Other>) {
    self.init(high: other.high, low: other.low)
  }
}

extension UserNotification {
  /// Whether the item exists only on this device: its store has not sent it yet.
  public var isLocal: Bool { state.sequence == .zero }
}

/// The names by which users refer to an item.
package enum ItemNumber {
  /// Returns `#12`, or `#–` for an item that has no number yet.
  package static func text(_ shortNumber: Int64) -> String {
    shortNumber == 0 ? "#–" : "#\(shortNumber)"
  }

  /// Returns `#12`, or the first digits of the id for an item that has no number yet.
  package static func name(_ shortNumber: Int64, _ id: NotificationID) -> String {
    shortNumber == 0 ? String(id.description.prefix(digitsMax)) : "#\(shortNumber)"
  }

  /// Returns the form to type in a command: `12`, or the id of an item that has no number yet.
  package static func argument(_ shortNumber: Int64, _ id: NotificationID) -> String {
    shortNumber == 0 ? id.description : "\(shortNumber)"
  }

  /// The digits of an id that name an item: those before the first hyphen.
  private static let digitsMax = 8
}

extension UserNotification {
  /// The item's name for users: `#12`, or the first digits of its id.
  package var numberOrID: String { ItemNumber.name(shortNumber, id) }

  /// The item's name as an argument of a command.
  package var commandArgument: String { ItemNumber.argument(shortNumber, id) }
}
