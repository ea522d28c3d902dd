package import BellhopModel
import BellhopText

/// An order to count a list that no counter knows: a search, or a list with a filter.
package struct ListCountOrder: Hashable, Sendable {
  package var query: ListQuery
  /// The order of the list, for ``above``.
  package var order: ListOrder
  /// The account whose items are meant; nil for those of all.
  package var account: AccountName?
  package var serial: Int
  /// Whether the whole list is to be counted.
  package var wantsTotal: Bool
  /// The row above which items are to be counted; nil where that is known.
  package var above: RowPosition?
}

/// The answer to a ``ListCountOrder``. A list that is long is answered twice: by what is known at
/// once, and when it is counted.
package struct ListCount: Hashable, Sendable {
  /// Nil where it was not wanted, or could not be counted.
  package var total: MatchCount?
  /// In the same way.
  package var above: Int?

  package init(total: MatchCount? = nil, above: Int? = nil) {
    self.total = total
    self.above = above
  }
}

/// How many items a list has, as far as was counted.
package struct MatchCount: Hashable, Sendable {
  package var count: Int
  /// False while there are at least this many.
  package var isExact: Bool

  package init(_ count: Int, isExact: Bool = true) {
    self.count = count
    self.isExact = isExact
  }

  /// `106`, `1,000+`.
  var text: SafeText { SafeText(count.grouped + (isExact ? "" : "+")) }
}

/// The count of a list that no counter knows, and the order that is being carried out.
struct ListCounting: Sendable {
  /// A longer list is counted again once in ``pause``, however often something changes in it.
  static let shortMax = 10_000
  static let pause = Duration.seconds(60)

  private(set) var total: MatchCount?
  private var isStale = true
  private var lastCount: Timestamp?
  private(set) var outstanding: ListCountOrder?
  /// The row above which was counted last.
  private var answered: RowPosition?

  init() {}

  /// The count of another list, which stands for this one's until that is known.
  init(after other: ListCounting) { total = other.total }

  mutating func markStale() {
    isStale = true
    answered = nil
  }

  /// The order to carry out now, if there is one; one at a time.
  mutating func order(of list: ListState, serial: Int, at now: Timestamp) -> ListCountOrder? {
    guard outstanding == nil, list.isLoaded, let first = list.rows.first else { return nil }
    let isWhole = list.reachesStart && list.reachesEnd
    let isShort = total.map { $0.count <= Self.shortMax } ?? true
    // The store's clock may have been set back meanwhile.
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

  /// Takes an answer.
  ///
  /// - Returns: the row above which was counted; nil when that was not done, or it answers another
  ///   order.
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
  /// How many items a list has that no counter knows, ghosts left out; nil while that is not known.
  var matches: MatchCount? {
    guard isLoaded, reachesStart, reachesEnd else { return counting.total }
    return MatchCount(rows.count - (ghost == nil ? 0 : 1))
  }

  /// How many items stand above the cursor's row, if that is known.
  var cursorRank: Int? {
    guard let countAbove, let index = cursorIndex else { return nil }
    return rows[..<index].reduce(countAbove) { $0 + $1.weight }
  }

  /// Takes the answer to an order.
  mutating func accept(_ count: ListCount, serial: Int, at now: Timestamp) {
    let position = counting.accept(count, serial: serial, at: now)
    if let position, position == rows.first?.position { countAbove = count.above }
  }
}

extension InboxState {
  /// Orders the counts of the lists in sight that no counter knows.
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

  /// `106 of 1,160`: what a list has of what it would have without its filter; nil for a list that is
  /// whole. An ellipsis stands for a number that is not known yet.
  func narrowedText(of id: ListID) -> SafeText? {
    let list = self[id]
    guard case .narrowed(let whole, _) = list.query else { return nil }
    let counts = counting.base.map { _ in self.counts }
    let all: Int?
    switch whole {
    case .tray: all = counts?.tray
    case .history: all = counts?.kept
    case .later: all = counts?.later
    case .handled: all = counts?.handled
    case .search, .group, .narrowed: all = nil
    }
    let number = list.matches?.text ?? "…"
    return all.map { number + " of " + SafeText($0.grouped) } ?? number
  }
}
