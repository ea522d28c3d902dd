internal import BellhopCache
package import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

/// The selection of items that `bellhop list` prints.
package enum ListSelection: Sendable, Hashable {
  case tray, handled, snoozed, scheduled, all
}

/// The items that `bellhop list`, `search` and `count` read, and their required freshness.
package struct ListRequest: Sendable {
  package var selection: ListSelection
  /// The filter, as the user types it; empty for all items.
  package var filter: String
  package var isOfAllAccounts: Bool
  /// Whether to skip the round of synchronisation that comes first.
  package var isOffline: Bool

  package init(
    selection: ListSelection = .tray, filter: String = "", isOfAllAccounts: Bool,
    isOffline: Bool
  ) {
    self.selection = selection
    self.filter = filter
    self.isOfAllAccounts = isOfAllAccounts
    self.isOffline = isOffline
  }
}

extension Commands {
  /// Runs `bellhop list`. Newest items come first; snoozed and scheduled ones, soonest first.
  ///
  /// - Parameter limit: 0 for all items; nil for the default of the form.
  /// - Throws: `ClientError`.
  package static func list(
    _ context: ClientContext, _ request: ListRequest, limit: Int?, _ form: ListingForm
  ) throws {
    let printer = try ItemPrinter(
      context, request, form, isOfTray: request.selection == .tray)
    let filter = try FilterOption.filter(request.filter, for: printer.accesses)
    let query = request.selection.query(filter)
    let print = try printer.print(CacheList(query), max: form.rowsMax(limit: limit))
    if print.count == 0, StandardOutput.isTerminal {
      StandardError.say(noMatch(request))
    } else if print.hasMore, limit == nil {
      let counts = try printer.accesses.map { access in
        try BulkReader(cache: try access.newReader()).extent(query).count
      }
      StandardError.say("\(print.count) of \(counts.reduce(0, +)) shown; --limit 0 shows all.")
    }
  }

  private static func noMatch(_ request: ListRequest) -> SafeText {
    guard request.filter.allSatisfy(\.isWhitespace) else {
      return "No items match " + SafeText(request.filter).truncated(to: shownCells) + "."
    }
    return request.selection == .all ? "No items." : "No items" + request.selection.place + "."
  }

  /// The largest width of a repeated filter or search, in cells.
  private static let shownCells = 60

  /// Runs `bellhop search`.
  ///
  /// - Parameter limit: 0 for all items; nil for the default of the form.
  /// - Throws: `ClientError`.
  package static func search(
    _ context: ClientContext, words: String, _ request: ListRequest, limit: Int?,
    _ form: ListingForm
  ) throws {
    let printer = try ItemPrinter(context, request, form, isOfTray: false)
    let print = try printer.print(.search(words), max: form.rowsMax(limit: limit))
    if print.count == 0, StandardOutput.isTerminal {
      let suggestions = try failing {
        try printer.accesses.compactMap { try $0.reader().suggestion(for: words) }
      }
      let best = suggestions.max { $0.matches < $1.matches }
      StandardError.say(
        "No items match " + SafeText(words).truncated(to: shownCells) + "."
          + (best.map { " Did you mean " + SafeText($0.text).truncated(to: shownCells) + "?" }
            ?? .empty))
    } else if print.hasMore, limit == nil {
      StandardError.say("The newest \(print.count) are shown; --limit 0 shows all.")
    }
  }

  /// Runs `bellhop count`, which prints how many items `bellhop list` would print without a limit.
  ///
  /// - Throws: `ClientError`.
  package static func count(_ context: ClientContext, _ request: ListRequest) throws {
    let accesses = try CacheAccess.chosen(context, all: request.isOfAllAccounts)
    for access in accesses { _ = try access.freshen(isOffline: request.isOffline) }
    let query = request.selection.query(try FilterOption.filter(request.filter, for: accesses))
    let counts = try accesses.map { access in
      try BulkReader(cache: try access.newReader()).extent(query).count
    }
    StandardOutput.line(SafeText("\(counts.reduce(0, +))"))
  }

  /// Runs `bellhop show`.
  ///
  /// - Throws: `ClientError`.
  package static func show(
    _ context: ClientContext, name: String, isOffline: Bool, asJSON: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    let freshness = try access.freshen(isOffline: isOffline)
    let item = try access.item(named: name, consequence: nil)
    let now = try access.storeTime()
    let appName = try access.reader().displayNames()[item.notification.effectiveApp]
    let categories = try access.reader().categories()
    let outcomes = try access.reader().outcomes(of: item.id, limit: OutcomeText.shownMax)
      .map { OutcomeText.line($0, item: item, now: now) }
    if asJSON {
      var line = ItemJSON(
        item.notification, account: access.account.name, appName: appName,
        categories: categories, isWaiting: item.isPending, at: now)
      line.notDone = outcomes
      line.synced = freshness.synced?.description
      try StandardOutput.jsonLine(line)
    } else {
      let details = ItemLine.details(
        item.notification, appName: appName, actions: categories.actions(of: item.notification),
        at: now, device: access.account.device, outcomes: outcomes)
      for line in details {
        StandardOutput.line(line)
      }
    }
  }
}

/// A printer of a list's items, with several accounts in one order.
///
/// It reads complete items one by one, so that memory does not grow with `--limit`. Rows for a
/// terminal are drawn page by page, because a page shares its columns.
private struct ItemPrinter {
  let accesses: [CacheAccess]
  private let synced: [AccountName: Timestamp]
  private let form: ListingForm
  private let template: ItemTemplate?
  private let isOfTray: Bool

  /// The number of rows whose columns are laid out together.
  private static let pageRows = 256

  /// Updates the accounts' caches first, unless the request is offline.
  init(
    _ context: ClientContext, _ request: ListRequest, _ form: ListingForm, isOfTray: Bool
  ) throws {
    if case .template(let text) = form.kind {
      template = try ItemTemplate(text)
    } else {
      template = nil
    }
    accesses = try CacheAccess.chosen(context, all: request.isOfAllAccounts)
    var synced: [AccountName: Timestamp] = [:]
    for access in accesses {
      synced[access.account.name] = try access.freshen(isOffline: request.isOffline).synced
    }
    self.synced = synced
    self.form = form
    self.isOfTray = isOfTray
  }

  /// The extent of the printed list.
  struct Printed {
    var count = 0
    /// Whether more items match than were to be printed.
    var hasMore = false
  }

  /// Prints the items of a list and returns the extent.
  func print(_ list: CacheList, max: Int) throws -> Printed {
    var walks = try MergedWalk(accesses, list)
    switch form.kind {
    case .automatic:
      guard !form.endsWithNUL, let first = accesses.first, let style = RowStyle(first.context)
      else { return try printItems(&walks, max: max, columns) }
      return try printRows(&walks, max: max, style)
    case .columns: return try printItems(&walks, max: max, columns)
    case .json: return try printItems(&walks, max: max) { try JSONLine.encode(json($0, $1)) }
    case .ids: return try printItems(&walks, max: max) { item, _ in item.id.description }
    case .template:
      guard let template else { return Printed() }
      return try printItems(&walks, max: max) { try template.text(json($0, $1)) }
    }
  }

  // MARK: - Items

  private func printItems(
    _ walks: inout MergedWalk, max: Int, _ text: (CachedItem, ListWalk) throws -> String
  ) throws -> Printed {
    var printed = Printed()
    while printed.count < max, let (row, walk) = try walks.next() {
      // The item may have been removed between the two reads.
      guard let item = try walk.reader.item(row.id) else { continue }
      printed.count += 1
      guard StandardOutput.record(try text(item, walk), endsWithNUL: form.endsWithNUL) else {
        return printed
      }
    }
    printed.hasMore = try walks.next() != nil
    return printed
  }

  private func columns(_ item: CachedItem, _ walk: ListWalk) -> String {
    ItemLine.text(
      item.notification, account: accesses.count > 1 ? walk.account.name : nil,
      appName: walk.names[row: item], at: walk.now, width: StandardOutput.width
    ).string
  }

  private func json(_ item: CachedItem, _ walk: ListWalk) -> ItemJSON {
    var line = ItemJSON(
      item.notification, account: walk.account.name, appName: walk.names[row: item],
      categories: walk.categories, isWaiting: item.isPending, at: walk.now)
    line.synced = synced[walk.account.name]?.description
    return line
  }

  // MARK: - Rows

  private func printRows(
    _ walks: inout MergedWalk, max: Int, _ style: RowStyle
  ) throws -> Printed {
    var printed = Printed()
    while printed.count < max {
      var page: [PrintedRow] = []
      while page.count < min(max - printed.count, Self.pageRows),
        let (row, walk) = try walks.next()
      {
        let summary = RowSummary(
          row, account: walk.account.name, names: walk.names, device: walk.account.device)
        page.append(
          PrintedRow(
            summary, account: accesses.count > 1 ? SafeText(walk.account.name.rawValue) : .empty,
            isOfTray: isOfTray, zone: SystemClock.zoneRules, now: walk.now))
      }
      guard !page.isEmpty else { return printed }
      printed.count += page.count
      let columns = PrintedRow.columns(of: page, width: style.width)
      for row in page {
        guard StandardOutput.record(style.text(row, columns), endsWithNUL: false) else {
          return printed
        }
      }
    }
    printed.hasMore = try walks.next() != nil
    return printed
  }
}

extension [String: String] {
  /// The user's name for the item's app; nil for its host.
  fileprivate subscript(row item: CachedItem) -> String? { self[item.notification.effectiveApp] }
}

/// The lists of several accounts, merged in one order.
private struct MergedWalk {
  private var walks: [ListWalk]
  private let list: CacheList

  init(_ accesses: [CacheAccess], _ list: CacheList) throws {
    walks = try accesses.map { try ListWalk($0, list) }
    self.list = list
  }

  /// Returns the next row and its walk; nil at the end.
  mutating func next() throws -> (CachedRow, ListWalk)? {
    // Compares the heads one by one, as there are only a few accounts.
    var next: (index: Int, row: CachedRow)?
    for index in walks.indices {
      guard let row = try walks[index].head() else { continue }
      if let best = next?.row, !row.isAbove(best, in: list) { continue }
      next = (index, row)
    }
    guard let next else { return nil }
    walks[next.index].advance()
    return (next.row, walks[next.index])
  }
}

/// The list of one account, row by row.
private struct ListWalk {
  let account: Account
  let reader: CacheReader
  let names: [String: String]
  let categories: AppCategories
  /// The store's time at the start of the walk.
  let now: Timestamp
  private let list: CacheList
  private var window = BellhopCache.ListWindow.first
  private var rows: ArraySlice<CachedRow> = []
  private var isAtEnd = false

  /// The number of rows read at a time.
  private static let pageRows = 256

  init(_ access: CacheAccess, _ list: CacheList) throws {
    account = access.account
    reader = try access.reader()
    names = try reader.displayNames()
    categories = try reader.categories()
    now = try access.storeTime()
    self.list = list
  }

  /// Returns the next row; nil at the end.
  mutating func head() throws -> CachedRow? {
    if let row = rows.first { return row }
    guard !isAtEnd else { return nil }
    let page = try reader.rows(of: list, window, limit: Self.pageRows)
    isAtEnd = page.count < Self.pageRows
    if let last = page.last { window = .below(last.position(in: list)) }
    rows = page[...]
    return rows.first
  }

  mutating func advance() { rows = rows.dropFirst() }
}

extension CachedRow {
  /// Whether it comes before a row of another account.
  fileprivate func isAbove(_ other: CachedRow, in list: CacheList) -> Bool {
    position(in: list).stands(above: other.position(in: list), in: list)
  }
}
