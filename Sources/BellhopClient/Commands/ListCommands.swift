internal import BellhopCache
internal import BellhopModel
internal import BellhopText

/// Which items `bellhop list` prints.
package enum ListSelection: Sendable, Hashable {
  case tray, history, snoozed, scheduled, all
}

extension Commands {
  /// `bellhop list`: from the cache, newest first; what comes back later, soonest first.
  package static func list(
    _ context: ClientContext, selection: ListSelection, filter: String = "", limit: Int,
    ofAllAccounts: Bool = false, asJSON: Bool
  ) throws {
    let accesses = try CacheAccess.chosen(context, all: ofAllAccounts)
    for access in accesses { try access.turnOver() }
    let filter = try FilterOption.filter(filter, for: accesses)
    try ItemPrinter(accesses, asJSON: asJSON).print(
      ListReader.list(selection.query(filter)), limit: limit)
  }

  /// `bellhop search`.
  package static func search(
    _ context: ClientContext, words: String, limit: Int, ofAllAccounts: Bool = false, asJSON: Bool
  ) throws {
    let printer = ItemPrinter(
      try CacheAccess.chosen(context, all: ofAllAccounts), asJSON: asJSON)
    try printer.print(.search(words), limit: limit)
  }

  /// `bellhop show`.
  package static func show(_ context: ClientContext, name: String, asJSON: Bool) throws {
    let access = try CacheAccess(context, startsStore: false)
    let item = try access.item(named: name)
    let now = try access.storeTime()
    let appName = try access.reader().displayNames()[item.notification.content.app]
    let outcomes = try access.reader().outcomes(of: item.id, limit: OutcomeText.shownMax)
      .map { OutcomeText.line($0, item: item, now: now) }
    if asJSON {
      var line = ItemJSON(
        item.notification, account: access.account.name, appName: appName,
        isWaiting: item.isPending, at: now)
      line.notDone = outcomes
      try StandardOutput.jsonLine(line)
    } else {
      let details = ItemLine.details(
        item.notification, appName: appName, at: now, device: access.account.device,
        outcomes: outcomes)
      for line in details {
        StandardOutput.line(line)
      }
    }
  }
}

/// Prints the rows of a list, whole items one by one, so that memory does not grow with `--limit`;
/// those of several accounts in one order.
private struct ItemPrinter {
  private let accesses: [CacheAccess]
  private let asJSON: Bool
  private let width: Int?

  init(_ accesses: [CacheAccess], asJSON: Bool) {
    self.accesses = accesses
    self.asJSON = asJSON
    width = StandardOutput.width
  }

  func print(_ list: CacheList, limit: Int) throws {
    var walks = try accesses.map { try ListWalk($0, list) }
    var printed = 0
    while printed < limit {
      // A handful of accounts: the next row is found by looking at each.
      var next: (index: Int, row: CachedRow)?
      for index in walks.indices {
        guard let row = try walks[index].head() else { continue }
        if let best = next?.row, !row.isAbove(best, in: list) { continue }
        next = (index, row)
      }
      guard let next else { return }
      walks[next.index].advance()
      let walk = walks[next.index]
      // It may have gone between the two reads.
      guard let item = try walk.reader.item(next.row.id) else { continue }
      printed += 1
      let appName = walk.names[next.row.app]
      if asJSON {
        try StandardOutput.jsonLine(
          ItemJSON(
            item.notification, account: walk.account, appName: appName, isWaiting: item.isPending,
            at: walk.now))
      } else {
        StandardOutput.line(
          ItemLine.text(
            item.notification, account: walks.count > 1 ? walk.account : nil, appName: appName,
            at: walk.now, width: width))
      }
    }
  }
}

/// A list of one account, row after row.
private struct ListWalk {
  let account: AccountName
  let reader: CacheReader
  let names: [String: String]
  /// The store's time when the walk began.
  let now: Timestamp
  private let list: CacheList
  private var window = BellhopCache.ListWindow.first
  private var rows: ArraySlice<CachedRow> = []
  private var isAtEnd = false

  /// Rows read at a time.
  private static let pageRows = 256

  init(_ access: CacheAccess, _ list: CacheList) throws {
    account = access.account.name
    reader = try access.reader()
    names = try reader.displayNames()
    now = try access.storeTime()
    self.list = list
  }

  /// The next row; nil at the end.
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
  /// Whether it stands above a row of another account.
  fileprivate func isAbove(_ other: CachedRow, in list: CacheList) -> Bool {
    guard list.isByDueTime else { return key > other.key }
    return (due ?? .distantFuture, key) < (other.due ?? .distantFuture, other.key)
  }
}
