package import BellhopModel
import BellhopSearch

extension MemoryCache {
  /// Does nothing: each read sees the present state, because this cache is in memory and for tests.
  package func holdSnapshot() {}

  package func releaseSnapshot() {}

  package func rows(
    of list: CacheList, _ window: ListWindow, limit: Int
  ) throws(CacheError) -> [CachedRow] {
    let rows = window.part(of: listed(list).map { CachedRow($0) }, in: list, limit: limit)
    guard let query = list.query else { return rows }
    return rows.map { row in
      var row = row
      row.excerpt = row.excerpt(
        for: query, body: contents.items[row.id]?.record.base.content.visual?.body)
      return row
    }
  }

  package func countAbove(
    _ position: ListPosition, in list: CacheList, limit: Int
  ) throws(CacheError) -> Int? {
    switch list {
    case .search, .narrowed, .sorted(.narrowed, _): return nil
    case .tray, .handled, .history, .later, .trayGroup, .sorted: break
    }
    return min(
      limit,
      listed(list).count {
        CachedRow($0).position(in: list).stands(above: position, in: list)
      })
  }

  package func item(_ id: NotificationID) throws(CacheError) -> CachedItem? {
    contents.items[id].map { CachedItem($0.record) }
  }

  package func row(_ id: NotificationID) throws(CacheError) -> CachedRow? {
    guard let record = contents.items[id]?.record, !record.isPendingDelete else { return nil }
    return CachedRow(record)
  }

  package func lookUp(_ reference: ItemReference) throws(CacheError) -> ItemLookup {
    let found = contents.records.filter { record in
      guard !record.isPendingDelete else { return false }
      switch reference {
      case .id(let id): return record.base.id == id
      case .number(let number): return record.base.shortNumber == number
      case .prefix(let prefix):
        let digits = record.base.id.description.filter { $0 != "-" }
        return digits.hasPrefix(prefix.lowercased().filter { $0 != "-" })
      }
    }
    guard let first = found.first else { return .notFound }
    return found.count == 1
      ? .found(CachedItem(first)) : .ambiguous(found.prefix(10).map(\.base.id))
  }

  package func totals() throws(CacheError) -> CacheTotals { CacheTotals(contents.records) }

  package func latestOccurrence() throws(CacheError) -> Timestamp? {
    contents.records.compactMap(\.occurrence?.time).max()
  }

  package func badgeShares() throws(CacheError) -> BadgeShares {
    shownSettings.reduce(into: BadgeShares()) { shares, settings in
      guard let share = settings.badgeShare else { return }
      shares.sum += share
      shares.unread += contents.records.count {
        $0.placement == .tray && $0.isUnread && $0.countedApp == settings.app
      }
    }
  }

  package func counts(hours: Range<Int64>) throws(CacheError) -> ItemCount {
    contents.records.reduce(into: ItemCount()) { sum, record in
      guard record.isInHistory, hours.contains(record.key.hour) else { return }
      sum = sum + ItemCount(count: 1, unread: record.isUnread ? 1 : 0)
    }
  }

  package func countsByHour(_ hours: Range<Int64>) throws(CacheError) -> [ItemCount] {
    var counts: [ItemCount] = []
    for hour in hours.prefix(10_000) { counts.append(try self.counts(hours: hour..<hour + 1)) }
    return counts
  }

  package func countsByHour(
    from start: Timestamp, until end: Timestamp, limit: Int
  ) throws(CacheError) -> [ItemCount]? {
    let (first, last) = (ArrivalKey(floorOf: start), ArrivalKey(floorOf: end))
    let found = contents.records.filter { $0.isInHistory && $0.key >= first && $0.key < last }
    guard found.count <= limit else { return nil }
    var counts = [ItemCount](
      repeating: ItemCount(), count: hourCount(from: start, until: end))
    for record in found {
      let hour = Int((record.key.arrival.milliseconds - start.milliseconds) / 3_600_000)
      guard counts.indices.contains(hour) else { continue }
      counts[hour] = counts[hour] + ItemCount(count: 1, unread: record.isUnread ? 1 : 0)
    }
    return counts
  }

  package func apps() throws(CacheError) -> [AppSummary] {
    Dictionary(grouping: contents.records.filter { $0.placement != .gone }) {
      $0.countedApp
    }.map { AppSummary(app: $0, totals: CacheTotals($1)) }.sorted { $0.app < $1.app }
  }

  package func countsByApp(_ hours: Range<Int64>) throws(CacheError) -> [String: Int] {
    contents.records.filter { $0.isInHistory && hours.contains($0.key.hour) }
      .reduce(into: [:]) { $0[$1.countedApp, default: 0] += 1 }
  }

  package func lastArrivals() throws(CacheError) -> [String: Timestamp] {
    contents.records.filter(\.isInHistory).reduce(into: [:]) { arrivals, record in
      let app = record.countedApp
      arrivals[app] = max(arrivals[app] ?? .distantPast, record.key.arrival)
    }
  }

  package func appSettings() throws(CacheError) -> [AppSettings] {
    shownSettings
  }

  package func appSettings(of app: String) throws(CacheError) -> AppSettings? {
    shownSettings.first { $0.app == app }
  }

  package func appsWithPendingSettings() throws(CacheError) -> Set<String> {
    Set(contents.outbox.compactMap(\.operation.app))
  }

  package func displayNames() throws(CacheError) -> [String: String] {
    shownSettings.reduce(into: [:]) { $0[$1.app] = $1.displayName }
  }

  private var shownSettings: [AppSettings] {
    ShownSettings(
      base: contents.apps.values.map(\.settings),
      entries: MemoryTransaction(contents).entries(configuring: nil)
    ).all
  }

  package func rules() throws(CacheError) -> [Rule] {
    let transaction = MemoryTransaction(contents)
    return ShownRules(
      base: transaction.rules().map(\.rule), entries: transaction.entriesChangingRules()
    ).inOrder
  }

  package func rulesWithPendingChanges() throws(CacheError) -> Set<RuleID> {
    Set(contents.outbox.compactMap(\.operation.rule))
  }

  package func trayGroups(limit: Int) throws(CacheError) -> [GroupSummary] {
    let tray = contents.records.filter { $0.placement == .tray }
    let groups = Dictionary(grouping: tray) { record in
      let fields = record.effective
      return [fields.app, fields.group ?? ""]
    }
    let summaries = groups.compactMap { name, records in
      records.first.map { newest in
        GroupSummary(
          app: name[0], group: name[1].isEmpty ? nil : name[1], newest: newest.key,
          tray: ItemCount(count: records.count, unread: records.count(where: \.isUnread)))
      }
    }
    return Array(summaries.sorted { $0.newest > $1.newest }.prefix(limit))
  }

  package func nextDue() throws(CacheError) -> Timestamp? {
    MemoryTransaction(contents).nextDue()
  }

  package func interruptSearch() {}

  /// Returns the records that a query finds, newest first.
  func found(_ query: SearchQuery) -> [ItemRecord] {
    guard !query.isEmpty else { return [] }
    return contents.records.filter {
      $0.placement != .gone && query.matches(SearchText($0.searchable).fields)
    }
  }

  /// Returns the records of a list from top to bottom.
  private func listed(_ list: CacheList) -> [ItemRecord] {
    switch list {
    case .tray: return contents.records.filter { $0.placement == .tray }
    case .handled: return contents.records.filter { $0.placement == .handled }
    case .history: return contents.records.filter(\.isInHistory)
    case .later:
      return contents.records.filter { $0.due != nil }.sorted {
        ($0.due ?? .distantPast, $0.key) < ($1.due ?? .distantPast, $1.key)
      }
    case .trayGroup(let group):
      let members = contents.records.filter {
        $0.placement == .tray && $0.effective.app == group.app
          && $0.effective.group == group.name
      }
      return inSections(members, of: list)
    case .search(let text):
      return found(SearchQuery(text))
    case .narrowed(let base, let filter):
      return listed(base).filter { filter.passes($0.listed, in: $0.placement) }
    case .sorted(let base, _): return inSections(listed(base), of: list)
    }
  }

  /// Returns the records in the order of a list with sections.
  private func inSections(_ records: [ItemRecord], of list: CacheList) -> [ItemRecord] {
    records.map { (record: $0, position: CachedRow($0).position(in: list)) }
      .sorted { $0.position.stands(above: $1.position, in: list) }.map(\.record)
  }
}

extension ListPosition {
  /// Returns whether the position comes before another in the list's order.
  package func stands(above other: ListPosition, in list: CacheList) -> Bool {
    if let section, let others = other.section, section != others {
      return section.isAbove(others)
    }
    guard list.isByDueTime else { return key > other.key }
    return (due ?? .distantPast, key) < (other.due ?? .distantPast, other.key)
  }
}

extension ArrivalKey {
  /// The whole hour since 1970 in which the item arrived.
  var hour: Int64 { arrival.milliseconds / 3_600_000 }
}

extension ItemRecord {
  /// Whether ``CacheList/history`` contains the item.
  var isInHistory: Bool { placement == .tray || placement == .handled || placement == .snoozed }
}

extension CacheTotals {
  fileprivate init(_ records: [ItemRecord]) {
    self.init()
    for record in records {
      let one = ItemCount(count: 1, unread: record.isUnread ? 1 : 0)
      add(one, to: record.placement)
      if record.isRepeating { repeating = repeating + one }
    }
  }

  mutating func add(_ count: ItemCount, to placement: Placement) {
    switch placement {
    case .tray: tray = tray + count
    case .handled: handled = handled + count
    case .snoozed: snoozed = snoozed + count
    case .scheduled: scheduled = scheduled + count
    case .gone: break
    }
  }
}
