/// One row of a delta: the current state of a changed item, app settings or rule.
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
  /// A rule that was made or changed.
  case rule(Rule)
  /// A rule that was removed.
  case ruleRemoved(RuleID, sequence: SequenceNumber)

  /// The item that changed; nil for an app's settings and for a rule.
  public var id: NotificationID? {
    switch self {
    case .item(let item): item.id
    case .state(let id, _), .removed(let id, _): id
    case .app, .rule, .ruleRemoved: nil
    }
  }

  /// The change counter at the last change.
  public var sequence: SequenceNumber {
    switch self {
    case .item(let item): item.state.sequence
    case .state(_, let state): state.sequence
    case .removed(_, let sequence), .ruleRemoved(_, let sequence): sequence
    case .app(let settings): settings.sequence
    case .rule(let rule): rule.sequence
    }
  }
}

/// The store's result for one operation of an outbox.
public enum OperationResult: Hashable, Sendable {
  case applied
  /// The store already applied the same number and id; nothing was done twice.
  case alreadyApplied
  /// Another device changed the item or the rule first, or the publisher replaced the item.
  case superseded
  /// The item is deleted, is expired or never existed, or the rule was removed.
  case gone
  /// The snooze would end after the item expires; the latest allowed instant.
  case refused(latest: Timestamp)
  /// The store rejects these settings of an app, or this change of a rule.
  case unacceptable(AppSettingsError)
  /// The store received the operation but no longer knows its result.
  ///
  /// It did not apply the operation again; the client must not send it again.
  case outcomeUnknown
  /// The store refused a publication; the reason for the user.
  case notPublished(String)
}

/// The reason why a store rejects an app's settings, or a change of a rule.
///
/// Raw values are those of the wire, where they take the place of the result.
public enum AppSettingsError: String, Hashable, Sendable, CaseIterable {
  /// A value is out of range, or the name is not valid.
  case invalid
  /// An alias belongs to another app.
  case aliasTaken
  /// The user would have too many apps.
  case tooManyApps
  /// The user would have too many rules.
  case tooManyRules
}
