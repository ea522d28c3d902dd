/// A command of a user on an item, such as dismissing it.
public enum ItemCommand: Hashable, Sendable {
  case read
  case unread
  /// Marks the item as activated and read.
  case activate
  /// Removes the item from every tray; it stays in the history.
  case dismiss
  /// Returns the item to the tray.
  case restore
  case snooze(until: Timestamp)
  case pin
  case unpin
  /// Ends the deliveries by the item's trigger; its latest delivery stays as it is.
  case cancel
  /// Lets the item's trigger deliver it again.
  case resume
  case delete

  /// The mutation that performs the command.
  public var mutation: Operation.Mutation {
    switch self {
    case .read: .set(StateChange(readState: .read))
    case .unread: .set(StateChange(readState: .unread))
    case .activate: .set(StateChange(readState: .read, userActionState: .activated))
    case .dismiss: .set(StateChange(userActionState: .dismissed))
    case .restore: .set(StateChange(userActionState: .noInteraction))
    case .snooze(let until): .set(StateChange(userActionState: .snoozed(until: until)))
    case .pin: .set(StateChange(pinned: true))
    case .unpin: .set(StateChange(pinned: false))
    case .cancel: .set(StateChange(cancelled: true))
    case .resume: .set(StateChange(cancelled: false))
    case .delete: .delete
    }
  }
}
