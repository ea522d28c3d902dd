package import BellhopModel

/// All items of a list: their number, and the operations that change them (SYNC-6 and SYNC-10).
///
/// The number is for the confirmation before the change.
package struct WholeList {
  /// The number of items in a list, and the bound of what the user may have seen.
  package struct Extent: Hashable, Sendable {
    package var items: ItemCount
    package var bound: ShownBound
  }

  private let cache: any CacheReading
  private let list: CacheList
  private let namedMax: Int

  /// The number of rows read at once. Another reader of the connection waits no longer than for
  /// these.
  private static let pageRows = 1000

  /// - Parameter namedMax: The maximum number of items that an operation names.
  package init(_ list: CacheList, of cache: any CacheReading, namedMax: Int) {
    self.cache = cache
    // The order does not affect which items are changed.
    self.list = list.unsorted
    self.namedMax = namedMax
  }

  /// Counts the list and determines which of its contents a change affects.
  ///
  /// While base has everything up to its sequence, that sequence is the bound. While rows are
  /// missing, older contents may still arrive without the user seeing them. The change then affects
  /// only the contents that are here.
  package func extent() throws(CacheError) -> Extent {
    let state = try cache.syncState()
    guard state.isCaughtUp || Mutant.wholeListUnbounded.isOn else { return try presentExtent() }
    let bound = ShownBound(
      through: Mutant.wholeListUnbounded.isOn ? state.appliedThrough : state.sequence,
      throughTime: try latestOccurrence())
    if let known = try cache.totals().count(of: list) { return Extent(items: known, bound: bound) }
    var count = ItemCount()
    try eachPage { row in
      if row.isIncluded(in: bound) { count = count + row.count }
    }
    return Extent(items: count, bound: bound)
  }

  /// Counts the list row by row, and bounds the change to these rows.
  private func presentExtent() throws(CacheError) -> Extent {
    var count = ItemCount()
    var contents: [NotificationID: SequenceNumber] = [:]
    try eachPage { row in
      contents[row.id] = row.meaningSequence
      count = count + row.count
    }
    let bound = ShownBound(
      through: contents.values.max() ?? .zero, contents: contents,
      throughTime: try latestOccurrence())
    return Extent(items: count, bound: bound)
  }

  private func latestOccurrence() throws(CacheError) -> Timestamp {
    try cache.latestOccurrence() ?? ShownBound.beforeOccurrences
  }

  /// Returns the operations that change the items of the list within the bound, at most one for
  /// each id.
  ///
  /// Returns one operation if a predicate matches exactly these items, and otherwise as many as are
  /// needed to name them. Each named item is guarded by its own content.
  package func operations(
    _ mutation: Operation.Mutation, bound: ShownBound, ids: [OperationID]
  ) throws(CacheError) -> [Operation] {
    var items = Items()
    try eachPage { row in
      if row.isIncluded(in: bound) { items.add(row) }
    }
    guard !items.shown.isEmpty, let first = ids.first else { return [] }
    if bound.contents == nil, items.shown.count > namedMax, try cache.syncState().isWhole,
      let predicate = try predicate(items)
    {
      return [
        Operation(
          id: first, target: .matching(predicate, through: bound.through), mutation: mutation,
          occurrences: .through(bound.throughTime))
      ]
    }
    return zip(ids, items.parts(of: namedMax)).map { id, part in
      Operation(id: id, onShown: part, mutation: mutation)
    }
  }

  /// The items of a list, with the properties that they have in common.
  private struct Items {
    var shown: [(id: NotificationID, version: ShownVersion)] = []
    var apps: Set<String> = []
    var groups: Set<String?> = []
    var newest = Timestamp.distantPast
    var oldest = Timestamp.distantFuture
    var hasSnoozed = false

    mutating func add(_ row: CachedRow) {
      shown.append((row.id, row.version))
      apps.insert(row.app)
      groups.insert(row.group)
      newest = max(newest, row.arrival)
      oldest = min(oldest, row.arrival)
      if case .snoozed = row.registers.userActionState.value { hasSnoozed = true }
    }

    func parts(of limit: Int) -> [[(id: NotificationID, version: ShownVersion)]] {
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

  /// Returns a predicate that matches the items of the list and no others, or nil.
  private func predicate(_ items: Items) throws(CacheError) -> Predicate? {
    var filter = ListFilter()
    var whole = list
    if case .narrowed(let base, let terms) = list { (whole, filter) = (base, terms) }
    if case .trayGroup(let group) = list {
      (whole, filter) = (.tray, ListFilter(group))
    }
    guard whole == .tray, !items.hasSnoozed, filter.words.isEmpty else { return nil }
    var predicate = Predicate()
    predicate.isEffective = true
    predicate.userActionState = .noInteraction
    predicate.arrivedSince = items.oldest
    predicate.arrivedBefore = items.newest.advanced(by: .milliseconds(1))
    for term in filter.terms {
      guard !term.isNegated, predicate.narrow(by: term.test, items.apps, items.groups) else {
        return nil
      }
    }
    return try matchesMore(filter, items) ? nil : predicate
  }

  /// Returns whether a predicate would also match unhandled items outside the tray.
  ///
  /// These are items with data only, items past their time in the tray, and items that are not
  /// delivered yet. The arrival of the latter can be before that of others if a clock was set.
  private func matchesMore(_ filter: ListFilter, _ items: Items) throws(CacheError) -> Bool {
    var filter = filter
    filter.terms += [
      ListFilter.Term(.state([.handled]), isNegated: true),
      ListFilter.Term(.arrivedSince(items.oldest)),
      ListFilter.Term(.arrivedBefore(items.newest.advanced(by: .milliseconds(1)))),
    ]
    if try !cache.rows(of: .narrowed(.handled, filter), .first, limit: 1).isEmpty { return true }
    filter.terms.append(ListFilter.Term(.state([.scheduled])))
    return try !cache.rows(of: .narrowed(.later, filter), .first, limit: 1).isEmpty
  }
}

extension Predicate {
  /// Narrows the predicate by a term of a filter. Returns false if that can't be done exactly.
  ///
  /// - Parameters:
  ///   - apps: The apps of all items that pass the filter.
  ///   - groups: The groups of all items that pass the filter.
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
  var isWhole: Bool { firstSync == nil && token != nil }

  /// Whether base also has nothing beyond its sequence, unlike in the middle of a delta.
  fileprivate var isCaughtUp: Bool { isWhole && appliedThrough <= sequence }
}
