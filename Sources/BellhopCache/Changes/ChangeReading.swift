package import BellhopModel

/// Where a reader of changes begins.
package enum ChangeStart: Hashable, Sendable {
  /// With everything that is kept, oldest arrival first, and then what changes.
  case beginning
  /// With what changes from now on.
  case end
}

/// Where a reader stands in the changes of one cache: what it has read ends here.
///
/// It is a value for the reader to keep. It holds for this cache only, over restarts and rebuilds of
/// base, whichever process writes; ``ChangesAnswer/startOver(_:)`` says when it holds no longer.
package struct ChangePosition: Hashable, Sendable, Codable {
  var account: String
  /// Which log it counts in: a cache made anew has another.
  var log: String
  /// The last entry of the log that was read.
  var number: Int64
  /// When that entry was made, in milliseconds: a log that lost its end in a power loss and grew
  /// again has other entries there.
  var stamp: Int64
  /// While what is kept is still being told: the arrival key of the last item; nil afterwards.
  var after: Int64?
}

/// What remains of an item that is gone.
package struct RemovedItem: Hashable, Sendable, Codable {
  package var id: NotificationID
  package var shortNumber: Int64
  package var app: String
  package var appNotificationID: String?
  package var group: String?

  init(_ item: UserNotification) {
    id = item.id
    shortNumber = item.shortNumber
    app = item.content.app
    appNotificationID = item.content.appNotificationID
    group = item.content.group
  }
}

/// What a reader of changes is told of one item: how it is now, however often it changed.
package enum CachedChange: Hashable, Sendable {
  /// It is new, or looks otherwise than before.
  case item(CachedItem)
  /// Deleted, expired or withdrawn: the store has it no more.
  case removed(RemovedItem)
}

/// The next changes, in the order of the log.
package struct ChangeBatch: Hashable, Sendable {
  package var changes: [CachedChange]
  /// Behind the last of them, and behind those that were not wanted.
  package var position: ChangePosition
  /// Whether there is more to look at right now.
  package var hasMore: Bool
}

/// Why a position is of no use any more.
package enum StartOverReason: Hashable, Sendable {
  /// It is of another account.
  case otherAccount
  /// The cache was made anew, or lost its end in a power loss.
  case otherCache
  /// What followed it is not remembered any more.
  case tooOld
}

/// The answer to a reader of changes.
package enum ChangesAnswer: Hashable, Sendable {
  case batch(ChangeBatch)
  /// The reader has to begin anew: changes between its position and now are not known.
  case startOver(StartOverReason)
}

/// The changes of a cache, in the order in which they were committed.
///
/// An item that changes several times between two reads is told once. The log remembers the last
/// 100,000 changes, at most 30 days back; a reader that begins at the beginning needs no log for what
/// is kept. Errors are ``CacheError``.
package protocol ChangeReading: CacheReading {
  /// The position of a reader that begins now.
  func changePosition(at start: ChangeStart) throws(CacheError) -> ChangePosition

  /// At most `limit` changes that are wanted. The cost depends on the number looked at, which is
  /// bounded too: an answer may be empty and have more.
  func changes(
    after position: ChangePosition, limit: Int, where isWanted: (CachedChange) -> Bool
  ) throws(CacheError) -> ChangesAnswer
}
