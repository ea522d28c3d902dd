package import BellhopModel

/// The starting point of a reader of changes.
package enum ChangeStart: Hashable, Sendable {
  /// All stored items, oldest arrival first, followed by later changes.
  case beginning
  /// Only changes from now on.
  case end
}

/// The position up to which a reader has read the changes of one cache.
///
/// The reader keeps this value itself. It is valid for this cache only, across restarts and
/// rebuilds of base and for every writing process. ``ChangesAnswer/startOver(_:)`` reports that it
/// is no longer valid.
package struct ChangePosition: Hashable, Sendable, Codable {
  var account: String
  /// The log that the position belongs to. A recreated cache has another log.
  var log: String
  /// The number of the last entry that was read.
  var number: Int64
  /// The time of that entry, in milliseconds.
  ///
  /// A log that lost its end in a power loss and grew again has other entries there.
  var stamp: Int64
  /// The arrival key of the last stored item that was returned; nil after all of them.
  var after: Int64?
}

/// The summary that remains of a removed item.
package struct RemovedItem: Hashable, Sendable, Codable {
  package var id: NotificationID
  package var shortNumber: Int64
  /// The app that published the item.
  package var app: String
  package var appNotificationID: String?
  /// The group in which it was published.
  package var group: String?
  /// The app to which a rule moved the item.
  package var movedApp: String?
  /// The group to which a rule moved the item.
  package var movedGroup: String?

  init(_ item: UserNotification) {
    id = item.id
    shortNumber = item.shortNumber
    app = item.content.app
    appNotificationID = item.content.appNotificationID
    group = item.content.group
    movedApp = item.state.applied.value.app
    movedGroup = item.state.applied.value.group
  }
}

/// A change of one item.
///
/// A reader receives the item as it is now, however often it changed.
package enum CachedChange: Hashable, Sendable {
  /// An item that is new, or looks different from before.
  case item(CachedItem)
  /// An item that was deleted, expired or withdrawn. The store no longer has it.
  case removed(RemovedItem)
}

/// A batch of changes, in the order of the log.
package struct ChangeBatch: Hashable, Sendable {
  package var changes: [CachedChange]
  /// The position after the last change, and after changes that were not wanted.
  package var position: ChangePosition
  /// Whether there are more entries to check right now.
  package var hasMore: Bool
}

/// The reason why a position is no longer valid.
package enum StartOverReason: Hashable, Sendable {
  /// The position belongs to another account.
  case otherAccount
  /// The cache was recreated, or lost its end in a power loss.
  case otherCache
  /// The log no longer contains the changes after the position.
  case tooOld
}

/// The answer to a reader of changes.
package enum ChangesAnswer: Hashable, Sendable {
  case batch(ChangeBatch)
  /// The reader must start over: the changes between its position and now are not known.
  case startOver(StartOverReason)
}

/// A source of the changes of a cache, in the order in which they were committed.
///
/// An item that changes several times between two reads is returned once. The log contains the last
/// 100,000 changes, at most 30 days back. A reader that begins at the beginning needs no log for
/// stored items. Errors are ``CacheError``.
package protocol ChangeReading: CacheReading {
  /// Returns the position of a reader that begins now.
  func changePosition(at start: ChangeStart) throws(CacheError) -> ChangePosition

  /// Returns at most `limit` changes that are wanted.
  ///
  /// The cost depends on the number of changes checked, which is limited too: an answer may be
  /// empty and still have more.
  func changes(
    after position: ChangePosition, limit: Int, where isWanted: (CachedChange) -> Bool
  ) throws(CacheError) -> ChangesAnswer
}
