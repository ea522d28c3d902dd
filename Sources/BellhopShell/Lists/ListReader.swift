internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

/// A reader that answers the inbox's requests from the cache and reads only the returned rows.
struct ListReader {
  let cache: any CacheReading & OutboxReading
  /// This device's id at the account's store, to identify the user's own changes.
  var device: DeviceID?
  /// The store's time, for the explanations of changes that had no effect.
  var now: @Sendable () -> Timestamp = { SystemClock.now() }

  /// Returns the rows of `request`, in the order of the list.
  ///
  /// - Throws: `CacheError`.
  func window(_ query: ListQuery, _ request: WindowRequest) throws(CacheError) -> LoadedWindow {
    let list = Self.list(query, by: request.order)
    let count = min(max(1, request.count), WindowRequest.countMax)
    let names = try cache.displayNames()
    switch (request.anchor, request.direction) {
    case (.first, _):
      let rows = try rows(list, .first, names, limit: count)
      return LoadedWindow(
        rows: rows.taken, reachesStart: true, reachesEnd: !rows.hasMore, countAbove: 0)
    case (.last, _):
      let rows = try rows(list, .last, names, limit: count, fromEnd: true)
      return LoadedWindow(
        rows: rows.taken, reachesStart: !rows.hasMore, reachesEnd: true)
    case (.row(let position), let direction):
      return try window(list, names, around: position, direction: direction, count: count)
    }
  }

  private func window(
    _ list: CacheList, _ names: [String: String], around position: RowPosition,
    direction: WindowRequest.Direction, count: Int
  ) throws(CacheError) -> LoadedWindow {
    let here = Self.position(position, in: list)
    let (upCount, downCount) = Self.split(count, direction)
    let above = try rows(list, .above(here), names, limit: upCount, fromEnd: true)
    let below = try rows(
      list, .below(Self.including(here, in: list)), names, limit: downCount)
    let anchor = position.key.account == cache.account ? try cache.row(position.key.id) : nil
    let window = LoadedWindow(
      rows: above.taken + below.taken, reachesStart: !above.hasMore, reachesEnd: !below.hasMore,
      anchorRow: anchor.map { RowSummary($0, account: cache.account, names: names, device: device) }
    )
    return try counted(window, in: list)
  }

  /// The most rows counted above a window. A larger number is not shown.
  static let countAboveMax = 1000

  /// Adds the number of rows above the window, if that is cheap to count.
  private func counted(_ window: LoadedWindow, in list: CacheList) throws(CacheError)
    -> LoadedWindow
  {
    guard let first = window.rows.first else { return window }
    let position = Self.position(first.position, in: list)
    let count = try cache.countAbove(position, in: list, limit: Self.countAboveMax)
    var window = window
    window.countAbove = count.flatMap { $0 < Self.countAboveMax ? $0 : nil }
    return window
  }

  /// Returns at most `limit` rows, and whether the list continues beyond them.
  func rows(
    _ list: CacheList, _ window: BellhopCache.ListWindow, _ names: [String: String], limit: Int,
    fromEnd: Bool = false
  ) throws(CacheError) -> (taken: [RowSummary], hasMore: Bool) {
    let found = try cache.rows(of: list, window, limit: limit + 1)
    let hasMore = found.count > limit
    let taken = fromEnd ? found.suffix(limit) : found.prefix(limit)
    return (
      taken.map { RowSummary($0, account: cache.account, names: names, device: device) }, hasMore
    )
  }

  /// Returns the user's name of each app.
  func appNames() throws(CacheError) -> [String: String] {
    let names = try cache.displayNames()
    return try cache.apps().reduce(into: [:]) { $0[$1.app] = names[$1.app] ?? $1.app }
  }

  /// Returns the content of the detail pane; nil if the item is gone.
  func detail(_ key: ItemKey) throws(CacheError) -> ItemDetail? {
    guard let item = try cache.item(key.id), !item.isPendingDelete else { return nil }
    let names = try cache.displayNames()
    let row = RowSummary(item, account: cache.account, names: names, device: device)
    var detail = ItemDetail(
      item.notification, category: try cache.category(of: item.notification), row: row,
      device: device)
    detail.outcomes = try outcomes(of: item)
    return detail
  }

  /// Returns explanations of this device's changes to the item that had no effect.
  func outcomes(of item: CachedItem) throws(CacheError) -> [SafeText] {
    let now = now()
    return try cache.outcomes(of: item.id, limit: OutcomeText.shownMax).map {
      let line = OutcomeText.line($0, item: item, now: now)
      return SafeText(line.prefix(1).uppercased() + line.dropFirst() + ".")
    }
  }

  /// Returns the numbers in tabs and captions. `midnight` is the start of today in the screen's
  /// zone.
  func counts(since midnight: Timestamp) throws(CacheError) -> InboxCounts {
    let totals = try cache.totals()
    let hour = midnight.milliseconds / 3_600_000
    let today = try cache.counts(hours: hour..<(hour + 25))
    let shares = try cache.badgeShares()
    return InboxCounts(
      tray: totals.tray.count, trayUnread: totals.tray.unread, unbadged: shares.unread,
      ownBadges: shares.sum, later: totals.count(of: .later)?.count ?? 0,
      handled: totals.handled.count,
      history: totals.history.count, today: today.count)
  }

  static func list(_ query: ListQuery, by order: ListOrder) -> CacheList {
    let list = CacheList(query)
    return order.sections.map { list.sorted(by: $0) } ?? list
  }

  static func position(_ position: RowPosition, in list: CacheList) -> ListPosition {
    ListPosition(
      due: list.isByDueTime ? position.due : nil,
      section: list.sections?.section(of: position.priority, app: position.app),
      key: ArrivalKey(rawValue: position.order))
  }

  /// Returns a position just above `position`, so that its own row counts as below.
  static func including(_ position: ListPosition, in list: CacheList) -> ListPosition {
    let step: Int64 = list.isByDueTime ? -1 : 1
    var including = position
    including.key = ArrivalKey(rawValue: position.key.rawValue + step)
    return including
  }
}

extension ListOrder {
  /// The cache's sections of a list in this order; nil for none.
  var sections: SectionOrder? {
    switch self {
    case .newest: nil
    case .level: .level
    case .app: .app
    }
  }
}
