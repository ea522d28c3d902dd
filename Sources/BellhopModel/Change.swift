/// One row of a delta: the present state of an item, or of an app's settings, that changed, however
/// often (SYNC-1).
public enum Change: Hashable, Sendable {
  /// Published or replaced since the token, or part of a first synchronisation.
  case item(UserNotification)
  /// Only the registers changed; the content is the one the client has.
  case state(NotificationID, ItemState)
  /// Deleted or expired.
  case removed(NotificationID, sequence: SequenceNumber)
  /// Somebody configured an app.
  case app(AppSettings)

  /// The item it is about; nil for an app's settings.
  public var id: NotificationID? {
    switch self {
    case .item(let item): item.id
    case .state(let id, _), .removed(let id, _): id
    case .app: nil
    }
  }

  /// The change counter of the last change.
  public var sequence: SequenceNumber {
    switch self {
    case .item(let item): item.state.sequence
    case .state(_, let state): state.sequence
    case .removed(_, let sequence): sequence
    case .app(let settings): settings.sequence
    }
  }
}

/// What a store answers to one operation of an outbox.
public enum OperationResult: Hashable, Sendable {
  case applied
  /// The same number and id were applied before; nothing was done twice.
  case alreadyApplied
  /// Somebody acted, or the publisher replaced the item, first.
  case superseded
  /// The item is deleted, expired or was never there.
  case gone
  /// A snooze would end after the item expires.
  case refused(latest: Timestamp)
  /// The store does not take these settings of an app.
  case unacceptable(SettingsFault)
  /// The store has had the operation, and no longer knows what came of it. It did not apply it
  /// again, and is not to be asked to.
  case outcomeUnknown
}

/// Why a store does not take an app's settings. Raw values are those of the wire, where they stand
/// for the result.
public enum SettingsFault: String, Hashable, Sendable, CaseIterable {
  /// A value is outside of its bounds, or the app's name is none.
  case invalid
  /// An alias belongs to another app.
  case aliasTaken
  /// It would be one app too many.
  case tooManyApps
}
