/// One row of a delta: the current state of a changed item or app settings.
///
/// An item has one row, however often it changed (SYNC-1).
public enum Change: Hashable, Sendable {
  /// An item published or replaced since the token, or part of a first synchronisation.
  case item(UserNotification)
  /// New registers of an item; the content is the one that the client already has.
  case state(NotificationID, ItemState)
  /// An item that was deleted or has expired.
  case removed(NotificationID, sequence: SequenceNumber)
  /// New settings of an app.
  case app(AppSettings)

  /// The item that changed; nil for an app's settings.
  public var id: NotificationID? {
    switch self {
    case .item(let item): item.id
    case .state(let id, _), .removed(let id, _): id
    case .app: nil
    }
  }

  /// The change counter at the last change.
  public var sequence: SequenceNumber {
    switch self {
    case .item(let item): item.state.sequence
    case .state(_, let state): state.sequence
    case .removed(_, let sequence): sequence
    case .app(let settings): settings.sequence
    }
  }
}

/// The store's result for one operation of an outbox.
public enum OperationResult: Hashable, Sendable {
  case applied
  /// The store already applied the same number and id; nothing was done twice.
  case alreadyApplied
  /// Another device changed the item first, or the publisher replaced it.
  case superseded
  /// The item is deleted, is expired or never existed.
  case gone
  /// The snooze would end after the item expires; the latest allowed instant.
  case refused(latest: Timestamp)
  /// The store rejects these settings of an app.
  case unacceptable(AppSettingsError)
  /// The store received the operation but no longer knows its result.
  ///
  /// It did not apply the operation again; the client must not send it again.
  case outcomeUnknown
  /// The store refused a publication; the reason for the user.
  case notPublished(String)
}

/// The reason why a store rejects an app's settings.
///
/// Raw values are those of the wire, where they take the place of the result.
public enum AppSettingsError: String, Hashable, Sendable, CaseIterable {
  /// A value is out of range, or the app's name is not valid.
  case invalid
  /// An alias belongs to another app.
  case aliasTaken
  /// The user would have too many apps.
  case tooManyApps
}
