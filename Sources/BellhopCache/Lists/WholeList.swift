package import BellhopModel

/// A list as a whole: how much it is, for the question before it is changed, and the operations that
/// change it (SYNC-6 and SYNC-10).
package struct WholeList {
  /// How much a list is, and what of it the person can have been shown.
  package struct Extent: Hashable, Sendable {
    package var items: ItemCount
    package var bound: ShownBound
  }

  private let cache: any CacheReading
  private let list: CacheList
  private let namedMax: Int

  /// Rows read at once; another reader of the same connection waits no longer than that takes.
  private static let pageRows = 1000

  /// - Parameter namedMax: the most items that an operation names.
  package init(_ list: CacheList, of cache: any CacheReading, namedMax: Int) {
    self.cache = cache
    // The order says nothing of what is meant.
    self.list = list.unsorted
    self.namedMax = namedMax
  }

  /// Counts the list and says what of it is meant.
  ///
  /// While base has everything up to its sequence, that is the bound. While rows are missing, older
  /// contents may still arrive behind the person's back: then the contents that are here are meant,
  /// and no others.
  package func extent() throws(CacheError) -> Extent {
    let state = try cache.syncState()
    guard state.isCaughtUp || Mutant.wholeListUnbounded.isOn else { return try presentExtent() }
    let bound = ShownBound(
      through: Mutant.wholeListUnbounded.isOn ? state.appliedThrough : state.sequence)
    if let known = try cache.totals().count(of: list) { return Extent(items: known, bound: bound) }
    var count = ItemCount()
    try eachPage { row in
      if bound.includes(row.id, row.contentSequence) { count = count + row.count }
    }
    return Extent(items: count, bound: bound)
  }

  /// Counts the list row by row, and means these rows only.
  private func presentExtent() throws(CacheError) -> Extent {
    var count = ItemCount()
    var contents: [NotificationID: SequenceNumber] = [:]
    try eachPage { row in
      contents[row.id] = row.contentSequence
      count = count + row.count
    }
    let bound = ShownBound(through: contents.values.max() ?? .zero, contents: contents)
    return Extent(items: count, bound: bound)
  }

  /// The operations that change what is meant of the list, never more than there are ids: one, where
  /// a predicate means exactly these items, else as many as have to name them. Each named item is
  /// guarded by its own content.
  package func operations(
    _ mutation: Operation.Mutation, bound: ShownBound, ids: [OperationID]
  ) throws(CacheError) -> [Operation] {
    var items = Items()
    try eachPage { row in
      if bound.includes(row.id, row.contentSequence) { items.add(row) }
    }
    guard !items.shown.isEmpty, let first = ids.first else { return [] }
    if bound.contents == nil, items.shown.count > namedMax, try cache.syncState().isWhole,
      let predicate = try predicate(items)
    {
      return [
        Operation(
          id: first, target: .matching(predicate, through: bound.through), mutation: mutation)
      ]
    }
    return zip(ids, items.parts(of: namedMax)).map { id, part in
      Operation(id: id, onShown: part, mutation: mutation)
    }
  }

  /// The items of a list, with the properties that they have in common.
  private struct Items {
    var shown: [(id: NotificationID, content: SequenceNumber)] = []
    var apps: Set<String> = []
    var groups: Set<String?> = []
    var newest = Timestamp.distantPast
    var oldest = Timestamp.distantFuture
    var hasSnoozed = false

    mutating func add(_ row: CachedRow) {
      shown.append((row.id, row.contentSequence))
      apps.insert(row.app)
      groups.insert(row.group)
      newest = max(newest, row.arrival)
      oldest = min(oldest, row.arrival)
      if case .snoozed = row.registers.userActionState.value { hasSnoozed = true }
    }

    func parts(of limit: Int) -> [[(id: NotificationID, content: SequenceNumber)]] {
      stride(from: 0, to: shown.count, by: limit).map { start in
        Array(shown[start..<min(start + limit, shown.count)])
      }
    }
  }

  private func eachPage(_ body: (CachedRow) -> Void) throws(CacheError) {
    var window = ListWindow.first
    while true {
      let rows = try cache.rows(of: list, window, limit: Self.pageRows)
      for row in rows { body(row) }
      guard rows.count == Self.pageRows, let last = rows.last else { return }
      window = .below(last.position(in: list))
    }
  }

  // MARK: Predicates

  /// A predicate that means the items of the list and no others; nil where there is none.
  private func predicate(_ items: Items) throws(CacheError) -> Predicate? {
    var filter = ListFilter()
    var whole = list
    if case .narrowed(let base, let terms) = list { (whole, filter) = (base, terms) }
    if case .trayGroup(let group) = list {
      (whole, filter) = (.tray, ListFilter(group))
    }
    guard whole == .tray, !items.hasSnoozed, filter.words.isEmpty else { return nil }
    var predicate = Predicate()
    predicate.userActionState = .noInteraction
    predicate.arrivedSince = items.oldest
    predicate.arrivedBefore = items.newest.advanced(by: .milliseconds(1))
    for term in filter.terms {
      guard !term.isNegated, predicate.narrow(by: term.test, items.apps, items.groups) else {
        return nil
      }
    }
    return try meansMore(filter, items) ? nil : predicate
  }

  /// Whether a predicate would also match unhandled items outside the tray: items with data only,
  /// items whose time in the tray is over, and items that are not delivered yet, whose arrival can lie
  /// before that of others when a clock was set.
  private func meansMore(_ filter: ListFilter, _ items: Items) throws(CacheError) -> Bool {
    var filter = filter
    filter.terms += [
      ListFilter.Term(.state([.handled]), isNegated: true),
      ListFilter.Term(.arrivedSince(items.oldest)),
      ListFilter.Term(.arrivedBefore(items.newest.advanced(by: .milliseconds(1)))),
    ]
    if try !cache.rows(of: .narrowed(.history, filter), .first, limit: 1).isEmpty { return true }
    filter.terms.append(ListFilter.Term(.state([.scheduled])))
    return try !cache.rows(of: .narrowed(.later, filter), .first, limit: 1).isEmpty
  }
}

extension Predicate {
  /// Takes in what a term of a filter says; false where that cannot be said exactly.
  ///
  /// - Parameters:
  ///   - apps: Those of all items that pass the filter.
  ///   - groups: In the same way.
  fileprivate mutating func narrow(
    by test: ListFilter.Test, _ apps: Set<String>, _ groups: Set<String?>
  ) -> Bool {
    switch test {
    case .app:
      guard apps.count == 1 else { return false }
      app = apps.first
    case .group:
      guard groups.count == 1, let only = groups.first, let only else { return false }
      group = only
    case .state([.unread]): readState = .unread
    case .state([.read]): readState = .read
    case .state([.tray]): break
    case .priority(.atLeast, let priority):
      minimumPriority = max(minimumPriority ?? priority, priority)
    case .priority(.above, let priority):
      guard let next = Priority(rawValue: priority.rawValue + 1) else { return false }
      minimumPriority = max(minimumPriority ?? next, next)
    case .arrivedSince(let instant): arrivedSince = max(arrivedSince ?? instant, instant)
    case .arrivedBefore(let instant): arrivedBefore = min(arrivedBefore ?? instant, instant)
    case .tag, .state, .priority: return false
    }
    return true
  }
}

extension CachedRow {
  fileprivate var count: ItemCount {
    ItemCount(count: 1, unread: registers.readState.value == .unread ? 1 : 0)
  }
}

extension SyncState {
  /// Whether base has every item up to its sequence.
  fileprivate var isWhole: Bool { firstSync == nil && token != nil }

  /// Whether base also has nothing from beyond its sequence, as in the middle of a delta.
  fileprivate var isCaughtUp: Bool { isWhole && appliedThrough <= sequence }
}
