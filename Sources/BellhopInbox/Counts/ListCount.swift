package import BellhopModel
import BellhopText

/// An order to count a list without stored counts: a search, or a filtered list.
package struct ListCountOrder: Hashable, Sendable {
  package var query: ListQuery
  /// The order of the list, for ``above``.
  package var order: ListOrder
  /// The account whose items are counted; nil for all accounts.
  package var account: AccountName?
  package var serial: Int
  /// Whether to count the whole list.
  package var wantsTotal: Bool
  /// The row above which to count items; nil if that is known.
  package var above: RowPosition?
}

/// The answer to a ``ListCountOrder``.
///
/// A long list is answered twice: immediately with what is known, and again when it is counted.
package struct ListCount: Hashable, Sendable {
  /// The number of items; nil if it was not requested, or could not be counted.
  package var total: MatchCount?
  /// The number of items above the row; nil if it was not requested, or could not be counted.
  package var above: Int?

  package init(total: MatchCount? = nil, above: Int? = nil) {
    self.total = total
    self.above = above
  }
}

/// The number of items in a list, as far as it was counted.
package struct MatchCount: Hashable, Sendable {
  package var count: Int
  /// Whether the count is exact; if not, there are at least this many.
  package var isExact: Bool

  package init(_ count: Int, isExact: Bool = true) {
    self.count = count
    self.isExact = isExact
  }

  /// The count as text: `106`, `1,000+`.
  var text: SafeText { SafeText(count.grouped + (isExact ? "" : "+")) }
}

/// The count of a list without stored counts, and the order in progress.
struct ListCounting: Sendable {
  /// The maximum size of a short list; a longer one is counted at most once per ``pause``.
  static let shortMax = 10_000
  static let pause = Duration.seconds(60)

  private(set) var total: MatchCount?
  private var isStale = true
  private var lastCount: Timestamp?
  private(set) var outstanding: ListCountOrder?
  /// The row above which items were last counted.
  private var answered: RowPosition?

  init() {}

  /// Creates a count that starts with another list's, until its own is known.
  init(after other: ListCounting) { total = other.total }

  mutating func markStale() {
    isStale = true
    answered = nil
  }

  /// Returns the next order, if one is needed; one at a time.
  mutating func order(of list: ListState, serial: Int, at now: Timestamp) -> ListCountOrder? {
    guard outstanding == nil, list.isLoaded, let first = list.rows.first else { return nil }
    let isWhole = list.reachesStart && list.reachesEnd
    let isShort = total.map { $0.count <= Self.shortMax } ?? true
    // The store's clock may have been set back.
    let isDue =
      isShort || lastCount.map { now < $0 || now.duration(since: $0) >= Self.pause } ?? true
    let wantsTotal = !isWhole && isStale && isDue
    let wantsAbove =
      list.countAbove == nil && !list.query.isByDueTime && answered != first.position
    guard wantsTotal || wantsAbove else { return nil }
    // The answer may lack later changes.
    if wantsTotal { isStale = false }
    let order = ListCountOrder(
      query: list.query, order: list.order, account: list.account, serial: serial,
      wantsTotal: wantsTotal,
      above: wantsAbove ? first.position : nil)
    outstanding = order
    return order
  }

  /// Accepts an answer.
  ///
  /// - Returns: The row above which items were counted; nil if they were not, or the answer belongs
  ///   to another order.
  mutating func accept(_ count: ListCount, serial: Int, at now: Timestamp) -> RowPosition? {
    guard let order = outstanding, order.serial == serial else { return nil }
    if order.wantsTotal {
      total = count.total
      lastCount = now
    }
    guard count.total?.isExact ?? true else { return nil }
    outstanding = nil
    answered = order.above
    return order.above
  }
}

extension ListState {
  /// The number of items in a list without stored counts, excluding ghosts; nil if unknown.
  var matches: MatchCount? {
    guard isLoaded, reachesStart, reachesEnd else { return counting.total }
    return MatchCount(rows.count - (ghost == nil ? 0 : 1))
  }

  /// The number of items above the cursor's row, if known.
  var cursorRank: Int? {
    guard let countAbove, let index = cursorIndex else { return nil }
    return rows[..<index].reduce(countAbove) { $0 + $1.weight }
  }

  /// Accepts the answer to an order.
  mutating func accept(_ count: ListCount, serial: Int, at now: Timestamp) {
    let position = counting.accept(count, serial: serial, at: now)
    if let position, position == rows.first?.position { countAbove = count.above }
  }
}

extension InboxState {
  /// Orders the counts of the visible lists without stored counts.
  mutating func countLists(_ layout: Layout, _ effects: inout [Effect]) {
    guard !isReceivingAll, !readPause.holds else { return }
    let inSight = layout.lists.map(\.id)
    for id in inSight.contains(activeList) ? inSight : inSight + [activeList] {
      guard self[id].query.isForReader else { continue }
      let list = self[id]
      guard let order = self[id].counting.order(of: list, serial: serial + 1, at: now) else {
        continue
      }
      serial += 1
      effects.append(.slow(.countList(order)))
    }
  }

  mutating func accept(_ count: ListCount, serial: Int) {
    for id in ListID.allCases where id != .search || search != nil {
      self[id].accept(count, serial: serial, at: now)
    }
  }

  /// Returns the count of a filtered list and of the whole: `106 of 1,160`; nil for an unfiltered
  /// list.
  ///
  /// An ellipsis replaces an unknown number.
  func narrowedText(of id: ListID) -> SafeText? {
    let list = self[id]
    guard case .narrowed(let whole, _) = list.query else { return nil }
    let counts = counting.base.map { _ in self.counts }
    let all: Int?
    switch whole {
    case .tray: all = counts?.tray
    case .history: all = counts?.history
    case .later: all = counts?.later
    case .handled: all = counts?.handled
    case .search, .group, .narrowed: all = nil
    }
    let number = list.matches?.text ?? "…"
    return all.map { number + " of " + SafeText($0.grouped) } ?? number
  }
}
