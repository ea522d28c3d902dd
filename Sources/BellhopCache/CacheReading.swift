package import BellhopModel

/// The sort key of an item in lists and searches: its arrival, made unique.
///
/// It is the row's id: the arrival in milliseconds, shifted by 20 bits, and a tie-break. An item
/// that resurfaces gets a new key.
package struct ArrivalKey: RawRepresentable, Hashable, Sendable, Comparable {
  package var rawValue: Int64
  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// Creates the least key of an item that arrived at `time`.
  package init(floorOf time: Timestamp) {
    rawValue = min(max(0, time.milliseconds), Self.millisecondsMax) << Self.tieBits
  }

  /// The arrival that the key contains.
  package var arrival: Timestamp { Timestamp(milliseconds: rawValue >> Self.tieBits) }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Returns whether an item that arrived at `time` has this key or a tie-break of it.
  func isOf(_ time: Timestamp) -> Bool {
    rawValue & ~Self.tieMask == ArrivalKey(floorOf: time).rawValue
  }

  static let tieBits: Int64 = 20
  static let tieMask: Int64 = (1 << tieBits) - 1
  /// The highest arrival in a key, in the year 2248. Later arrivals sort there.
  static let millisecondsMax: Int64 = (1 << 43) - 1
}

/// Returns the number of hours that begin between two instants, at most 10,000.
///
/// The last hour may be incomplete.
func hourCount(from start: Timestamp, until end: Timestamp) -> Int {
  let length = max(0, end.milliseconds - start.milliseconds)
  return Int(min(10_000, (length + 3_599_999) / 3_600_000))
}

/// An item as one row of a list, with the values that the screen needs.
package struct CachedRow: Hashable, Sendable, Identifiable {
  package var id: NotificationID
  package var key: ArrivalKey
  package var shortNumber: Int64
  /// The app under which the item is listed.
  package var app: String
  /// The app that published the item, whose categories it uses.
  package var publishedApp: String
  package var group: String?
  package var priority: Priority
  /// The title; empty for an item without visual content.
  package var title: String
  package var subtitle: String?
  /// The beginning of the body, at most ``bodyCharactersMax`` characters.
  package var bodyStart: String?
  /// The part of the body around the first search word that the title lacks.
  ///
  /// Nil if the body contains none of these words either, outside of a search, and in the result of
  /// ``CacheReading/row(_:)``.
  package var excerpt: String?
  package var tags: [String]
  package var clickURL: String?
  package var hasVisualContent: Bool
  package var hasAttachments: Bool
  /// The id of the category that the item names.
  package var category: String?
  /// The time of arrival, or that of ``occurrence``.
  package var arrival: Timestamp
  /// The latest occurrence of the trigger; nil without one, and before the first.
  package var occurrence: Occurrence.Label?
  /// The time of the next occurrence of the trigger.
  package var nextOccurrence: Timestamp?
  /// The time of delivery; nil if the item is delivered at once.
  package var deliverAt: Timestamp?
  /// The time at which the item expires, unless it is pinned.
  package var expiration: Timestamp?
  /// The maximum time that the item stays in the tray.
  package var displayTimeToLive: Duration?
  package var placement: Placement
  /// The time at which the item next enters the tray by itself.
  ///
  /// Nil if it is neither snoozed nor scheduled, and its trigger has no further occurrence.
  package var due: Timestamp?
  package var contentSequence: SequenceNumber
  /// The content sequence of the last publication that was not a repeat.
  package var meaningSequence: SequenceNumber
  /// The occurrences in this round of an item into which repeats collapse; zero for any other.
  package var repeatCount: Int
  /// The time at which the alert was resolved, as its publisher says.
  package var resolved: Timestamp?
  /// The shown registers with their provenance, pending operations applied.
  package var registers: ItemRegisters
  /// Whether the outbox contains operations on the item.
  package var isPending: Bool
  /// The operation in the outbox that made the content; nil for that of base.
  package var ownOperation: OperationID?

  /// The maximum length of ``bodyStart``, enough for the widest line of a screen.
  package static let bodyCharactersMax = 240

  /// The facts that the item's placement depends on.
  package var placementFacts: PlacementFacts {
    let isNeverDelivered = registers.cancelled.value && occurrence == nil
    return PlacementFacts(
      arrival: arrival, deliverAt: deliverAt ?? (occurrence == nil ? nextOccurrence : nil),
      expiration: expiration, displayTimeToLive: displayTimeToLive,
      hasVisualContent: hasVisualContent,
      action: isNeverDelivered ? .dismissed : registers.userActionState.value,
      isPinned: registers.pinned.value, nextOccurrence: nextOccurrence)
  }

  /// The content and the occurrence that the user is shown.
  package var version: ShownVersion {
    let isScheduled = occurrence == nil && nextOccurrence != nil
    return ShownVersion(
      content: contentSequence, meaning: meaningSequence,
      occurrence: isScheduled ? .beforeFirst : occurrence, operation: ownOperation)
  }

  /// Returns whether the user may have been shown this version of the item.
  func isIncluded(in bound: ShownBound) -> Bool {
    bound.includes(id, version, arrival: arrival)
  }

  /// Returns the item's position in `list`.
  package func position(in list: CacheList) -> ListPosition {
    ListPosition(
      due: list.isByDueTime ? due : nil,
      section: list.sections?.section(of: priority, app: app), key: key)
  }
}

/// A whole item: base with the pending operations applied.
package struct CachedItem: Hashable, Sendable, Identifiable {
  /// The item as shown: with a trigger, registers count for ``occurrence``.
  package var notification: UserNotification
  package var key: ArrivalKey
  package var placement: Placement
  /// The time at which the placement changes by itself; nil if it does not.
  package var placementUntil: Timestamp?
  /// The latest occurrence of the trigger; nil without one, and before the first.
  package var occurrence: Occurrence?
  /// The time of the next occurrence of the trigger.
  package var nextOccurrence: Timestamp?
  /// Whether the outbox contains operations on the item.
  package var isPending: Bool
  /// Whether one of these operations deletes the item. Such an item is in no list.
  package var isPendingDelete: Bool
  /// The item as the store last sent it, or as this device publishes it, without other pending
  /// operations.
  package var stored: UserNotification
  /// The operation in the outbox that made the content; nil for that of base.
  package var ownOperation: OperationID?

  package var id: NotificationID { notification.id }

  /// The state that the store last sent, without the pending operations.
  package var base: ItemState { stored.state }

  /// The time by which lists are ordered: that of ``occurrence`` or of the arrival.
  package var arrival: Timestamp { occurrence?.time ?? notification.arrival }

  /// The content and the occurrence that the user is shown.
  package var version: ShownVersion {
    ShownVersion(
      content: notification.state.contentSequence, meaning: notification.state.meaningSequence,
      occurrence: notification.content.trigger.map { _ in occurrence?.label ?? .beforeFirst },
      operation: ownOperation)
  }
}

/// The counts of a group's items in the tray.
package struct GroupSummary: Hashable, Sendable {
  package var app: String
  /// The name of the group; nil for the app's items without a group.
  package var group: String?
  package var newest: ArrivalKey
  package var tray: ItemCount
}

/// A user's reference to an item.
package enum ItemReference: Hashable, Sendable {
  case id(NotificationID)
  /// The item's short number, `#N`.
  case number(Int64)
  /// The beginning of an id: at least four hexadecimal digits, with or without hyphens.
  case prefix(String)

  /// Parses `#12`, `12`, a whole id, or the beginning of one. Returns nil for anything else.
  package init?(_ text: String) {
    if let id = NotificationID(text[...]) {
      self = .id(id)
    } else if let number = Int64(text.hasPrefix("#") ? text.dropFirst() : text[...]), number > 0,
      text.hasPrefix("#") || text.utf8.count < 4
    {
      self = .number(number)
    } else if text.utf8.count(where: { $0 != UInt8(ascii: "-") }) >= 4,
      text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0.isHexDigit })
    {
      self = .prefix(text.lowercased())
    } else {
      return nil
    }
  }
}

extension UInt8 {
  /// Whether it is an ASCII hexadecimal digit of either case.
  var isHexDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
  }
}

/// The result of looking up a reference.
package enum ItemLookup: Hashable, Sendable {
  case found(CachedItem)
  case notFound
  /// Several items match: at most ten of them, newest first.
  case ambiguous([NotificationID])
}

/// The reads for the screen and the commands.
///
/// No read scans the table: the cost of every call depends on what it returns, not on how much is
/// kept. Errors are ``CacheError``.
package protocol CacheReading: PublicationReading {
  var account: AccountName { get }

  /// Lets the following reads of lists, items and counts share one snapshot.
  ///
  /// The first of these reads takes the snapshot, and ``releaseSnapshot()`` ends it. The reads after
  /// that share a new snapshot, and so on. Only for a reader used by one thread. That thread must
  /// end the snapshot before it waits for anything, because the cache's write-ahead log grows
  /// meanwhile. Searches and narrowed lists do not use the snapshot.
  func holdSnapshot()

  /// Ends the snapshot that reads share since the last call. Does nothing if there is none.
  func releaseSnapshot()

  /// Returns at most `limit` rows of a list, from top to bottom for every window.
  ///
  /// A search throws ``CacheError/interrupted`` if ``interruptSearch()`` ends it.
  func rows(
    of list: CacheList, _ window: ListWindow, limit: Int
  ) throws(CacheError) -> [CachedRow]

  /// Returns the number of rows above the position, counted up to `limit`.
  ///
  /// Returns nil for a search and a narrowed list, which ``count(of:above:limit:)`` counts.
  func countAbove(
    _ position: ListPosition, in list: CacheList, limit: Int
  ) throws(CacheError) -> Int?

  /// Returns the number of items of a list with these arrival keys, counted up to `limit`.
  ///
  /// It reads each of these items, and is meant for lists without a counter. It throws
  /// ``CacheError/interrupted`` if ``interruptSearch()`` ends it.
  func count(
    of list: CacheList, in keys: ClosedRange<ArrivalKey>, limit: Int
  ) throws(CacheError) -> Int

  /// Returns the number of rows above the position, counted up to `limit`.
  ///
  /// The list must not be ordered by due time. It counts in the same way as
  /// ``count(of:in:limit:)``.
  func count(
    of list: CacheList, above position: ListPosition, limit: Int
  ) throws(CacheError) -> Int

  /// Returns an item with all its content, even if its delete is pending, or nil.
  func item(_ id: NotificationID) throws(CacheError) -> CachedItem?

  /// Returns one row, or nil if the item does not exist or its delete is pending.
  func row(_ id: NotificationID) throws(CacheError) -> CachedRow?

  /// Returns the item that a reference names. Items with a pending delete are not found.
  func lookUp(_ reference: ItemReference) throws(CacheError) -> ItemLookup

  /// Returns the counts for the header.
  func totals() throws(CacheError) -> CacheTotals
  /// Returns the time of the latest occurrence that an item shows; nil if there is none.
  func latestOccurrence() throws(CacheError) -> Timestamp?

  /// Returns the number of items of a list that pass the filter, by reading every item.
  ///
  /// The list must be neither a search nor narrowed, and the filter's words are ignored.
  /// ``count(of:in:scanning:)`` calls it for short lists only.
  func countByScanning(
    at list: CacheList, passing filter: ListFilter
  ) throws(CacheError) -> Int

  /// Returns the shares of the apps whose share is a number of its own
  /// (`AppSettings.badgeShare`).
  func badgeShares() throws(CacheError) -> BadgeShares

  /// Counts the items of ``CacheList/history`` that arrived in the given hours.
  ///
  /// Hours are whole hours since 1970, from the first up to, but not including, the last.
  func counts(hours: Range<Int64>) throws(CacheError) -> ItemCount

  /// Counts the items of ``CacheList/history`` by hour of arrival, for the sparkline.
  ///
  /// Returns at most 10,000 hours.
  func countsByHour(_ hours: Range<Int64>) throws(CacheError) -> [ItemCount]

  /// Counts the items of ``CacheList/history`` by hour of arrival, for hours that begin at any
  /// minute.
  ///
  /// The hours begin at `start` and end before `end`; at most 10,000. It reads each item, and
  /// returns nil if there are more than `limit`.
  func countsByHour(
    from start: Timestamp, until end: Timestamp, limit: Int
  ) throws(CacheError) -> [ItemCount]?

  /// Counts the items of ``CacheList/history`` by app, for arrivals in the given hours.
  ///
  /// The hours run from the first up to, but not including, the last. The cost grows with their
  /// number.
  func countsByApp(_ hours: Range<Int64>) throws(CacheError) -> [String: Int]

  /// Returns the apps, ordered by name.
  func apps() throws(CacheError) -> [AppSummary]

  /// Returns the time at which each app was last seen.
  ///
  /// The time is not before the newest arrival among the app's items in the history. It may be
  /// later, because items that were deleted since count too.
  func lastArrivals() throws(CacheError) -> [String: Timestamp]

  /// Returns the settings of the apps that were configured, ordered by app.
  ///
  /// These are the settings that the store last sent, with the pending operations applied.
  func appSettings() throws(CacheError) -> [AppSettings]

  /// Returns the settings of one app, pending operations applied; nil if it was not configured.
  func appSettings(of app: String) throws(CacheError) -> AppSettings?

  /// Returns the apps with settings in the outbox, not sent or not in base yet.
  func appsWithPendingSettings() throws(CacheError) -> Set<String>

  /// Returns the display names by app. Cheap enough for every window of a list.
  func displayNames() throws(CacheError) -> [String: String]

  /// Returns the rules in the order in which they act, pending operations applied.
  func rules() throws(CacheError) -> [Rule]

  /// Returns the rules that operations in the outbox change, not sent or not in base yet.
  func rulesWithPendingChanges() throws(CacheError) -> Set<RuleID>

  /// Returns the groups with items in the tray, newest first.
  func trayGroups(limit: Int) throws(CacheError) -> [GroupSummary]

  /// Returns a window of the tray with each group folded to one row.
  ///
  /// These are the units whose newest item is below or above the position, in the order of the
  /// list.
  func trayUnits(_ window: ListWindow, limit: Int) throws(CacheError) -> [TrayUnit]

  /// Returns the counts of a group's items in the tray, or nil if there are none.
  func trayGroup(_ group: TrayGroup) throws(CacheError) -> GroupSummary?

  /// Returns the number of items in the units whose newest item is above the key.
  ///
  /// Returns nil if there are `limit` groups, or `limit` items without a group, or more.
  func trayItems(aboveUnitAt key: ArrivalKey, limit: Int) throws(CacheError) -> Int?

  /// Returns the state of the device's synchronisation with its store.
  func syncState() throws(CacheError) -> SyncState

  /// Returns the number of operations in the outbox.
  func outboxCounts() throws(CacheError) -> OutboxCounts

  /// Returns the time at which the next item moves by itself, or nil.
  func nextDue() throws(CacheError) -> Timestamp?

  /// Returns a search that finds something in place of one that finds nothing, or nil.
  ///
  /// Each word that no item contains is replaced by the nearest word of the index: the one with the
  /// fewest edits, and of these the most frequent. Quoted phrases stay as they are. The number of
  /// words checked is limited, so a near word may be missed in a large cache. Throws
  /// ``CacheError/interrupted`` if ``interruptSearch()`` ends it.
  func suggestion(for text: String) throws(CacheError) -> SearchSuggestion?

  /// Ends a running search from another thread. The search throws ``CacheError/interrupted``.
  func interruptSearch()
}
