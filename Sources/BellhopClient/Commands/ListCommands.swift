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
    _ context: ClientContext, selection: ListSelection, limit: Int, asJSON: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    let printer = ItemPrinter(access, context: context, asJSON: asJSON)
    try access.turnOver()
    let list: CacheList
    let wanted: Set<Placement>
    switch selection {
    case .tray: (list, wanted) = (.tray, [.tray])
    case .history: (list, wanted) = (.history, [.history])
    case .snoozed: (list, wanted) = (.later, [.snoozed])
    case .scheduled: (list, wanted) = (.later, [.scheduled])
    case .all: (list, wanted) = (.everything, [.tray, .snoozed, .history])
    }
    try printer.print(list, limit: limit, placements: wanted)
  }

  /// `bellhop search`.
  package static func search(
    _ context: ClientContext, words: String, limit: Int, asJSON: Bool
  ) throws {
    let access = try CacheAccess(context, startsStore: false)
    let printer = ItemPrinter(access, context: context, asJSON: asJSON)
    try printer.print(.search(words), limit: limit, placements: Set(Placement.allCases))
  }

  /// `bellhop show`.
  package static func show(_ context: ClientContext, name: String, asJSON: Bool) throws {
    let access = try CacheAccess(context, startsStore: false)
    let item = try access.item(named: name)
    let now = try access.storeTime()
    let appName = try access.reader().displayNames()[item.notification.content.app]
    if asJSON {
      try StandardOutput.jsonLine(
        ItemJSON(
          item.notification, account: access.account.name, appName: appName,
          isWaiting: item.isPending, at: now))
    } else {
      for line in ItemLine.details(item.notification, appName: appName, at: now) {
        StandardOutput.line(line)
      }
    }
  }
}

/// Prints the rows of a list, whole items one by one, so that memory does not grow with `--limit`.
private struct ItemPrinter {
  private let access: CacheAccess
  private let asJSON: Bool
  private let width: Int?

  /// Rows read at a time.
  private static let pageRows = 256

  init(_ access: CacheAccess, context: ClientContext, asJSON: Bool) {
    self.access = access
    self.asJSON = asJSON
    width = StandardOutput.width
  }

  func print(_ list: CacheList, limit: Int, placements: Set<Placement>) throws {
    let reader = try access.reader()
    let now = try access.storeTime()
    let names = try reader.displayNames()
    var window = ListWindow.first
    var printed = 0
    while printed < limit {
      let rows = try reader.rows(of: list, window, limit: Self.pageRows)
      for row in rows where placements.contains(row.placement) && printed < limit {
        // It may have gone between the two reads.
        guard let item = try reader.item(row.id) else { continue }
        printed += 1
        let appName = names[row.app]
        if asJSON {
          try StandardOutput.jsonLine(
            ItemJSON(
              item.notification, account: access.account.name, appName: appName,
              isWaiting: item.isPending, at: now))
        } else {
          StandardOutput.line(
            ItemLine.text(item.notification, appName: appName, at: now, width: width))
        }
      }
      guard let last = rows.last, rows.count == Self.pageRows else { return }
      window = .below(last.position(in: list))
    }
  }
}
