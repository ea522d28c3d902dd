internal import BellhopCache
internal import BellhopInbox
internal import BellhopModel

/// Says what a whole list is: how many items for the question before it is changed, and which
/// operations change it.
///
/// Off the thread of the keys: a list that is narrowed is looked through.
struct BulkReader {
  let cache: any CacheReading

  /// Rows read at once; another reader of the same connection waits no longer than that takes.
  private static let pageRows = 1000

  /// How much the list is. The bound is the newest content that is known to be here: nobody has
  /// seen what is newer.
  func extent(_ query: ListQuery) throws(CacheError) -> SelectionExtent.Part {
    let through = try bound()
    let list = ListReader.list(query)
    var count = ItemCount()
    if let known = try cache.totals().count(of: list) {
      count = known
    } else {
      try eachPage(of: list) { row in
        guard row.contentSequence <= through else { return }
        count = count + ItemCount(count: 1, unread: row.readState.value == .unread ? 1 : 0)
      }
    }
    return SelectionExtent.Part(
      account: cache.account, count: count.count, unread: count.unread, through: through)
  }

  private func bound() throws(CacheError) -> SequenceNumber {
    let state = try cache.syncState()
    return state.isWhole ? state.sequence : state.appliedThrough
  }

  /// The operations that carry the order out, never more than it has ids for: one, where a predicate
  /// means exactly the items of the list, else as many as have to name them.
  func operations(of order: BulkOrder) throws(CacheError) -> [BellhopModel.Operation] {
    var items = Items()
    let list = ListReader.list(order.query)
    try eachPage(of: list) { row in
      if row.contentSequence <= order.through { items.add(row) }
    }
    guard !items.ids.isEmpty, !order.operations.isEmpty else { return [] }
    if items.ids.count > BulkOrder.namedMax, try cache.syncState().isWhole,
      let predicate = try self.predicate(of: order.query, items, through: order.through)
    {
      return [
        BellhopModel.Operation(
          id: order.operations[0], target: .matching(predicate, through: order.through),
          mutation: order.mutation)
      ]
    }
    return zip(order.operations, items.parts).map { id, part in
      BellhopModel.Operation(
        id: id, target: .items(part), mutation: order.mutation, seen: order.through)
    }
  }

  /// What the rows of a list have in common.
  private struct Items {
    var ids: [NotificationID] = []
    var apps: Set<String> = []
    var groups: Set<String?> = []
    var newest = Timestamp.distantPast
    var oldest = Timestamp.distantFuture
    var hasSnoozed = false

    mutating func add(_ row: CachedRow) {
      ids.append(row.id)
      apps.insert(row.app)
      groups.insert(row.group)
      newest = max(newest, row.arrival)
      oldest = min(oldest, row.arrival)
      if case .snoozed = row.userActionState.value { hasSnoozed = true }
    }

    var parts: [[NotificationID]] {
      stride(from: 0, to: ids.count, by: BulkOrder.namedMax).map { start in
        Array(ids[start..<min(start + BulkOrder.namedMax, ids.count)])
      }
    }
  }

  private func eachPage(
    of list: CacheList, _ body: (CachedRow) -> Void
  ) throws(CacheError) {
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
  private func predicate(
    of query: ListQuery, _ items: Items, through: SequenceNumber
  ) throws(CacheError) -> Predicate? {
    var filter = ListFilter()
    var whole = query
    if case .narrowed(let base, let terms) = query { (whole, filter) = (base, terms) }
    if case .group(let group) = query {
      whole = .tray
      filter.terms = [
        ListFilter.Term(.app([ListFilter.NamePattern(group.app)])),
        ListFilter.Term(.group([ListFilter.NamePattern(group.name)])),
      ]
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
    return try meansMore(filter, items, through) ? nil : predicate
  }

  /// Whether nobody has handled something that is in no tray, and that a predicate would mean as
  /// well: what has data only, and what was in the tray for its time.
  private func meansMore(
    _ filter: ListFilter, _ items: Items, _ through: SequenceNumber
  ) throws(CacheError) -> Bool {
    var filter = filter
    filter.terms += [
      ListFilter.Term(.state([.handled]), isNegated: true),
      ListFilter.Term(.arrivedSince(items.oldest)),
      ListFilter.Term(.arrivedBefore(items.newest.advanced(by: .milliseconds(1)))),
    ]
    let rows = try cache.rows(of: .narrowed(.history, filter), .first, limit: 1)
    return !rows.isEmpty
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

extension SyncState {
  /// Whether base has everything up to its sequence.
  fileprivate var isWhole: Bool { firstSync == nil && token != nil }
}
