internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel

/// A reader that merges the caches of several accounts in the order of the list.
///
/// With one account, it only forwards to that account's reader.
struct MergedReader {
  /// The readers in the order of the accounts; at least one.
  let readers: [ListReader]

  /// Returns the readers of one account, or all of them. A single reader is returned for any name.
  func chosen(_ account: AccountName?) -> [ListReader] {
    readers.count == 1
      ? readers : account.map { name in readers.filter { $0.account == name } } ?? readers
  }

  /// Returns the rows of `request`, in the order of the list.
  ///
  /// - Throws: `CacheError`.
  func window(_ query: ListQuery, _ request: WindowRequest) throws(CacheError) -> LoadedWindow {
    if query == .tray, let folding = request.folding {
      let chosen = readers.count == 1 ? readers : chosen(request.account)
      return try FoldedTray(readers: chosen, folding: folding).window(request)
    }
    if readers.count == 1 { return try readers[0].window(query, request) }
    let chosen = chosen(request.account)
    if chosen.count == 1 { return try chosen[0].window(query, request) }
    let count = min(max(1, request.count), WindowRequest.countMax)
    switch (request.anchor, request.direction) {
    case (.first, _):
      let rows = try rows(of: chosen, query, request.order, .first, limit: count)
      return LoadedWindow(
        rows: rows.taken, reachesStart: true, reachesEnd: !rows.hasMore, countAbove: 0)
    case (.last, _):
      let rows = try rows(of: chosen, query, request.order, .last, limit: count, fromEnd: true)
      return LoadedWindow(rows: rows.taken, reachesStart: !rows.hasMore, reachesEnd: true)
    case (.row(let position), let direction):
      let (upCount, downCount) = ListReader.split(count, direction)
      let above = try rows(
        of: chosen, query, request.order, .above(position), limit: upCount, fromEnd: true)
      let below = try rows(
        of: chosen, query, request.order, .from(position), limit: downCount)
      var window = LoadedWindow(
        rows: above.taken + below.taken, reachesStart: !above.hasMore, reachesEnd: !below.hasMore,
        anchorRow: try chosen.first { $0.account == position.key.account }?.row(position.key))
      guard let first = window.rows.first else { return window }
      var countAbove: Int? = 0
      for reader in chosen {
        let count = try reader.countAbove(first.position, query, request.order)
        countAbove = countAbove.flatMap { sum in count.map { sum + $0 } }
      }
      window.countAbove = countAbove
      return window
    }
  }

  /// Returns the nearest rows of all readers, each of which provides enough to fill the result
  /// alone.
  private func rows(
    of chosen: [ListReader], _ query: ListQuery, _ order: ListOrder, _ part: ListReader.Part,
    limit: Int, fromEnd: Bool = false
  ) throws(CacheError) -> (taken: [RowSummary], hasMore: Bool) {
    var all: [RowSummary] = []
    var hasMore = false
    for reader in chosen {
      let rows = try reader.rows(query, order, part, limit: limit, fromEnd: fromEnd)
      all += rows.taken
      hasMore = hasMore || rows.hasMore
    }
    all.sort { $0.position.isAbove($1.position, in: query, by: order) }
    let taken = fromEnd ? all.suffix(limit) : all.prefix(limit)
    return (Array(taken), hasMore || all.count > limit)
  }

  /// Returns the user's name of each app.
  func appNames() throws(CacheError) -> [String: String] {
    var names: [String: String] = [:]
    for reader in readers { names.merge(try reader.appNames()) { first, _ in first } }
    return names
  }

  /// Returns the lines of the items that still exist.
  func rows(of keys: [ItemKey]) throws(CacheError) -> [RowSummary] {
    var rows: [RowSummary] = []
    for key in keys {
      if let row = try chosen(key.account).first?.row(key) { rows.append(row) }
    }
    return rows
  }

  /// Returns the content of the detail pane; nil if the item is gone.
  func detail(_ key: ItemKey) throws(CacheError) -> ItemDetail? {
    if readers.count == 1 { return try readers[0].detail(key) }
    return try chosen(key.account).first?.detail(key)
  }

  /// Returns the numbers of one account, or of all together.
  func counts(
    since midnight: Timestamp, of account: AccountName?
  ) throws(CacheError) -> InboxCounts {
    var sum = InboxCounts()
    for reader in chosen(account) { sum = sum + (try reader.counts(since: midnight)) }
    return sum
  }
}

extension ListReader {
  var account: AccountName { cache.account }

  /// A part of a list, described by positions that any account's reader understands.
  enum Part {
    case first, last
    case above(RowPosition)
    /// The rows from the position on, including its own.
    case from(RowPosition)
  }

  func rows(
    _ query: ListQuery, _ order: ListOrder, _ part: Part, limit: Int, fromEnd: Bool
  ) throws(CacheError) -> (taken: [RowSummary], hasMore: Bool) {
    let list = Self.list(query, by: order)
    let window: BellhopCache.ListWindow =
      switch part {
      case .first: .first
      case .last: .last
      case .above(let position): .above(Self.position(position, in: list))
      case .from(let position):
        .below(Self.including(Self.position(position, in: list), in: list))
      }
    return try rows(list, window, try cache.displayNames(), limit: limit, fromEnd: fromEnd)
  }

  func row(_ key: ItemKey) throws(CacheError) -> RowSummary? {
    let names = try cache.displayNames()
    return try cache.row(key.id).map {
      RowSummary($0, account: account, names: names, device: device)
    }
  }

  func countAbove(
    _ position: RowPosition, _ query: ListQuery, _ order: ListOrder
  ) throws(CacheError) -> Int? {
    let list = Self.list(query, by: order)
    return try cache.countAbove(
      Self.position(position, in: list), in: list, limit: Self.countAboveMax
    ).flatMap { $0 < Self.countAboveMax ? $0 : nil }
  }

  /// Splits a number of rows into those above an anchor and those from it on.
  static func split(
    _ count: Int, _ direction: WindowRequest.Direction
  ) -> (up: Int, down: Int) {
    switch direction {
    case .down: (0, count)
    case .up: (count, 0)
    case .around: (count / 2, count - count / 2)
    }
  }
}
