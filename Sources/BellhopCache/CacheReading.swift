package import BellhopModel

/// The place of an item in the order of lists and search: its arrival, made unique.
///
/// It is the row's id: arrival in milliseconds, shifted by 20 bits, and a tie-break. An item that
/// resurfaces gets a new one.
package struct ArrivalKey: RawRepresentable, Hashable, Sendable, Comparable {
  package var rawValue: Int64
  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// The least key an item that arrived at `time` can have.
  package init(floorOf time: Timestamp) {
    rawValue = min(max(0, time.milliseconds), Self.millisecondsMax) << Self.tieBits
  }

  /// The arrival it stands for.
  package var arrival: Timestamp { Timestamp(milliseconds: rawValue >> Self.tieBits) }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  static let tieBits: Int64 = 20
  static let tieMask: Int64 = (1 << tieBits) - 1
  /// Year 2248; a later arrival sorts there.
  static let millisecondsMax: Int64 = (1 << 43) - 1
}

/// How many hours begin between two instants, the last one perhaps not whole; at most 10,000.
func hourCount(from start: Timestamp, until end: Timestamp) -> Int {
  let length = max(0, end.milliseconds - start.milliseconds)
  return Int(min(10_000, (length + 3_599_999) / 3_600_000))
}

/// One line of a list: what a row of the screen needs.
package struct CachedRow: Hashable, Sendable, Identifiable {
  package var id: NotificationID
  package var key: ArrivalKey
  package var shortNumber: Int64
  package var app: String
  package var group: String?
  package var priority: Priority
  /// Empty for an item without visual content.
  package var title: String
  package var subtitle: String?
  /// At most ``bodyCharactersMax`` characters of it.
  package var bodyStart: String?
  /// The part of the body around the first of a search's words that the title lacks.
  ///
  /// Nil where the body does not contain them either, outside of a search, and in what
  /// ``CacheReading/row(_:)`` returns.
  package var excerpt: String?
  package var tags: [String]
  package var clickURL: String?
  package var hasVisualContent: Bool
  package var hasAttachments: Bool
  package var arrival: Timestamp
  /// When it is or was delivered, if not at once.
  package var deliverAt: Timestamp?
  /// When it expires, unless it is kept.
  package var expiration: Timestamp?
  /// How long it may be in the tray.
  package var displayTimeToLive: Duration?
  package var placement: Placement
  /// When a snoozed or scheduled item comes; nil for others.
  package var due: Timestamp?
  package var contentSequence: SequenceNumber
  /// The shown registers with their provenance, pending operations applied.
  package var registers: ItemRegisters
  /// Whether operations on it wait in the outbox.
  package var isPending: Bool

  /// Enough for the widest line of a screen.
  package static let bodyCharactersMax = 240

  /// The facts that its placement depends on.
  package var placementFacts: PlacementFacts {
    PlacementFacts(
      arrival: arrival, deliverAt: deliverAt, expiration: expiration,
      displayTimeToLive: displayTimeToLive, hasVisualContent: hasVisualContent,
      action: registers.userActionState.value, isKept: registers.kept.value)
  }

  /// Its position in `list`.
  package func position(in list: CacheList) -> ListPosition {
    ListPosition(
      due: list.isByDueTime ? due : nil,
      section: list.sections?.section(of: priority, app: app), key: key)
  }
}

/// A whole item: base with the pending operations applied.
package struct CachedItem: Hashable, Sendable, Identifiable {
  /// The item as it is shown.
  package var notification: UserNotification
  package var key: ArrivalKey
  package var placement: Placement
  /// When the placement changes by itself; nil when it does not.
  package var placementUntil: Timestamp?
  /// Whether operations on it wait in the outbox.
  package var isPending: Bool
  /// Whether one of them deletes it; such an item is in no list.
  package var isPendingDelete: Bool
  /// What the store last sent, without the pending operations.
  package var base: ItemState

  package var id: NotificationID { notification.id }
}

/// How many items, and how many of them unread.
package struct ItemCount: Hashable, Sendable {
  package var count: Int
  package var unread: Int

  package init(count: Int = 0, unread: Int = 0) {
    self.count = count
    self.unread = unread
  }

  package static func + (left: ItemCount, right: ItemCount) -> ItemCount {
    ItemCount(count: left.count + right.count, unread: left.unread + right.unread)
  }
}

/// The counts of the header.
package struct CacheTotals: Hashable, Sendable {
  package var tray: ItemCount
  package var history: ItemCount
  package var snoozed: ItemCount
  package var scheduled: ItemCount

  package init(
    tray: ItemCount = ItemCount(), history: ItemCount = ItemCount(),
    snoozed: ItemCount = ItemCount(), scheduled: ItemCount = ItemCount()
  ) {
    self.tray = tray
    self.history = history
    self.snoozed = snoozed
    self.scheduled = scheduled
  }

  /// The length of the list; nil for a search, a group and a narrowed list.
  package func count(of list: CacheList) -> ItemCount? {
    switch list {
    case .tray: tray
    case .history: history
    case .everything: tray + history + snoozed
    case .later: snoozed + scheduled
    case .sorted(let base, _): count(of: base)
    case .search, .trayGroup, .narrowed: nil
    }
  }
}

/// The items of one app.
package struct AppSummary: Hashable, Sendable {
  package var app: String
  package var totals: CacheTotals

  package init(app: String, totals: CacheTotals) {
    self.app = app
    self.totals = totals
  }
}

/// The items of one app's group that are in the tray.
package struct GroupSummary: Hashable, Sendable {
  package var app: String
  /// Nil for the items of the app that name no group.
  package var group: String?
  package var newest: ArrivalKey
  package var tray: ItemCount

  package init(app: String, group: String?, newest: ArrivalKey, tray: ItemCount) {
    self.app = app
    self.group = group
    self.newest = newest
    self.tray = tray
  }
}

/// How a person names an item.
package enum ItemReference: Hashable, Sendable {
  case id(NotificationID)
  /// `#N`.
  case number(Int64)
  /// The beginning of an id: hexadecimal digits, with or without hyphens, at least four digits.
  case prefix(String)

  /// Reads `#12`, `12`, a whole id, or the beginning of one; nil for anything else.
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

/// What a reference names.
package enum ItemLookup: Hashable, Sendable {
  case found(CachedItem)
  case notFound
  /// Several items; at most ten of them, newest first.
  case ambiguous([NotificationID])
}

/// Reads for the screen and the commands. Nothing here scans the table: the cost of every call
/// depends on what it returns, not on how much is kept. Errors are ``CacheError``.
package protocol CacheReading: Sendable {
  var account: AccountName { get }

  /// From now on the reads of lists, items and counts see the cache as it was at the first of them,
  /// until ``letGoOfState()``; those after it see it as it is then, and so on. For a reader of one
  /// thread, which has to let go before it waits for anything: meanwhile the cache's log grows.
  /// Searches and narrowed lists are not held.
  func holdState()

  /// Ends the state that reads see since the last call. Nothing when none is held.
  func letGoOfState()

  /// At most `limit` rows of a list, in the list's order from top to bottom, whatever the window.
  /// A search throws ``CacheError/interrupted`` when ``interruptSearch()`` ends it.
  func rows(
    of list: CacheList, _ window: ListWindow, limit: Int
  ) throws(CacheError) -> [CachedRow]

  /// How many rows of the list stand above the position, counted up to `limit`.
  /// Nil for a search and a narrowed list, which ``count(of:above:limit:)`` counts.
  func countAbove(
    _ position: ListPosition, in list: CacheList, limit: Int
  ) throws(CacheError) -> Int?

  /// How many items of a list have these arrival keys, counted up to `limit`. It looks at each of
  /// them, and is for lists that no counter knows; ``interruptSearch()`` ends it, and it throws
  /// ``CacheError/interrupted`` then.
  func count(
    of list: CacheList, in keys: ClosedRange<ArrivalKey>, limit: Int
  ) throws(CacheError) -> Int

  /// How many rows of a list that is not by due time stand above the position, counted up to `limit`,
  /// in the same way as ``count(of:in:limit:)``.
  func count(
    of list: CacheList, above position: ListPosition, limit: Int
  ) throws(CacheError) -> Int

  /// One item with everything; nil when there is none. Also items with a pending delete.
  func item(_ id: NotificationID) throws(CacheError) -> CachedItem?

  /// One line; nil when there is none or its delete is pending.
  func row(_ id: NotificationID) throws(CacheError) -> CachedRow?

  /// The item that a person names. Items with a pending delete are not found.
  func lookUp(_ reference: ItemReference) throws(CacheError) -> ItemLookup

  /// The counts of the header.
  func totals() throws(CacheError) -> CacheTotals

  /// How many items of a list that is neither searched nor narrowed pass the filter, whose words are
  /// not looked at. Every item of the list is: ``count(of:in:lookingAt:)`` knows when it is short.
  func countByLooking(
    at list: CacheList, passing filter: ListFilter
  ) throws(CacheError) -> Int

  /// The unread items in the tray of apps whose permissions leave them out of badges.
  func unbadgedUnread() throws(CacheError) -> Int

  /// Everything kept that arrived in the hours, from the first hour up to, not including, the
  /// last; whole hours since 1970.
  func counts(hours: Range<Int64>) throws(CacheError) -> ItemCount

  /// Everything kept that arrived in each of the hours, at most 10,000: the spark line.
  func countsByHour(_ hours: Range<Int64>) throws(CacheError) -> [ItemCount]

  /// Everything kept that arrived in each hour from `start` on, until before `end`, where these are
  /// no whole hours: counted item by item, so nil where there are more than `limit`. At most 10,000
  /// hours.
  func countsByHour(
    from start: Timestamp, until end: Timestamp, limit: Int
  ) throws(CacheError) -> [ItemCount]?

  /// How much of what is kept each app sent in the hours, from the first hour up to, not including,
  /// the last. The cost grows with the hours.
  func countsByApp(_ hours: Range<Int64>) throws(CacheError) -> [String: Int]

  /// The apps, by name.
  func apps() throws(CacheError) -> [AppSummary]

  /// When the apps were last seen, by app: not before the newest arrival of what is delivered and
  /// kept, and possibly later, because an app was seen also when what it sent was deleted since.
  func lastArrivals() throws(CacheError) -> [String: Timestamp]

  /// The settings of the apps that somebody has configured, by app: as the store last sent them,
  /// with the pending operations applied.
  func appSettings() throws(CacheError) -> [AppSettings]

  /// The settings of one app, in the same way; nil when nobody has configured it.
  func appSettings(of app: String) throws(CacheError) -> AppSettings?

  /// The apps whose settings wait in the outbox to be sent, or to come back.
  func appsWithPendingSettings() throws(CacheError) -> Set<String>

  /// What to call the apps that somebody has named. Cheap enough for every window of a list.
  func displayNames() throws(CacheError) -> [String: String]

  /// The groups with items in the tray, newest first.
  func trayGroups(limit: Int) throws(CacheError) -> [GroupSummary]

  /// A window of the tray with its groups folded, each to one row: units whose newest item stands
  /// below or above the position, in the order of the list.
  func trayUnits(_ window: ListWindow, limit: Int) throws(CacheError) -> [TrayUnit]

  /// What of one group is in the tray; nil when nothing is.
  func trayGroup(_ group: TrayGroup) throws(CacheError) -> GroupSummary?

  /// How many items the units have whose newest item stands above the key; nil when there are
  /// `limit` groups, or `limit` items of no group, or more.
  func trayItems(aboveUnitAt key: ArrivalKey, limit: Int) throws(CacheError) -> Int?

  /// Where the device stands with its store.
  func syncState() throws(CacheError) -> SyncState

  /// How full the outbox is.
  func outboxCounts() throws(CacheError) -> OutboxCounts

  /// When the next item moves by itself; nil when none does.
  func nextDue() throws(CacheError) -> Timestamp?

  /// A search that finds something in place of one that does not; nil without one.
  ///
  /// Each word that no item contains is replaced by the nearest word of the index: the one with the
  /// fewest edits, and of these the most frequent. Quoted phrases stay as they are. Looks at a
  /// limited number of words, so a near one may be missed in a large cache. Throws
  /// ``CacheError/interrupted`` when ``interruptSearch()`` ends it.
  func suggestion(for text: String) throws(CacheError) -> SearchSuggestion?

  /// Ends a running search from another thread; the search throws ``CacheError/interrupted``.
  func interruptSearch()
}
