package import BellhopModel
import GRDB
import Synchronization

/// A reader of a cache file, with connections of its own beside the writing process.
///
/// Opening reads the file's first bytes and one row, whatever the size of the cache. Lists and
/// counts share one connection. Searches use another, so that a search never delays a list. A
/// reader can be used from any thread; calls on the same connection wait for each other.
package final class CacheReader: CacheReading {
  package let account: AccountName
  private let path: String
  private let lists: Connection
  private let search = Mutex<Connection?>(nil)
  /// Decoded app settings by their JSON text, so that unchanged text is not decoded again.
  private let decoded = Mutex<[String: AppSettings]>([:])

  /// Opens an account's cache for reading.
  ///
  /// - Throws: ``CacheError/missing(path:)``, ``CacheError/newerSchema(path:)``,
  ///   ``CacheError/olderSchema(path:)``, ``CacheError/otherAccount(path:found:)``,
  ///   ``CacheError/corrupt(path:detail:)``, ``CacheError/io(path:detail:)``.
  package init(path: String, account: AccountName) throws(CacheError) {
    self.account = account
    self.path = path
    guard CacheFile.exists(path) else { throw .missing(path: path) }
    try CacheFile.check(path)
    if CacheFile.isMarkedDamaged(path) { throw CacheFile.damageMet(path) }
    lists = try Connection(path: path, role: .reader)
    let found = try lists.read { statement in
      let version = try statement("PRAGMA user_version").first { $0.integer(0) } ?? 0
      if version > Schema.version { throw CacheError.newerSchema(path: path) }
      if version == 0 { throw CacheError.missing(path: path) }
      if version < Schema.version { throw CacheError.olderSchema(path: path) }
      return try SQLiteTransaction.readState(statement)?.account
    }
    guard let found else { throw .missing(path: path) }
    guard found == account else { throw .otherAccount(path: path, found: found) }
  }

  package func holdSnapshot() { lists.holdSnapshot() }

  package func releaseSnapshot() { lists.releaseSnapshot() }

  /// Reads on the connection for lists.
  func readList<Result>(
    _ body: (Statements) throws -> Result
  ) throws(CacheError) -> Result {
    try lists.read(body)
  }

  // MARK: Items

  package func item(_ id: NotificationID) throws(CacheError) -> CachedItem? {
    try lists.read { try $0.item(id) }
  }

  package func row(_ id: NotificationID) throws(CacheError) -> CachedRow? {
    try lists.read { statement in
      try statement(
        "SELECT \(ItemColumns.line) FROM item WHERE id = ? AND pending_delete = 0"
      ).bind(id).first(ItemColumns.row)
    }
  }

  package func lookUp(_ reference: ItemReference) throws(CacheError) -> ItemLookup {
    try lists.read { statement in
      let ids: [NotificationID]
      switch reference {
      case .id(let id): ids = [id]
      case .number(let number):
        ids = try statement(
          """
          SELECT id FROM item WHERE short_number = ? AND pending_delete = 0
          ORDER BY arrival_key DESC LIMIT 10
          """
        ).bind(number).all { try $0.id(0) }
      case .prefix(let prefix): ids = try statement.ids(prefix: prefix)
      }
      if ids.count > 1 { return .ambiguous(ids) }
      guard let id = ids.first, let item = try statement.item(id), !item.isPendingDelete else {
        return .notFound
      }
      return .found(item)
    }
  }

  // MARK: Counts

  package func totals() throws(CacheError) -> CacheTotals {
    try lists.read { statement in
      var totals = CacheTotals()
      try statement("SELECT placement, count, unread FROM total_count").eachRow { row in
        guard let placement = Placement(rawValue: row.count(0)) else { return }
        totals.add(ItemCount(count: row.count(1), unread: row.count(2)), to: placement)
      }
      totals.repeating = try repeating(statement).values.reduce(ItemCount(), +)
      return totals
    }
  }

  package func badgeShares() throws(CacheError) -> BadgeShares {
    try lists.read { statement in
      // Rare: changes that the user made just now, or offline.
      let isPending =
        try statement("SELECT 1 FROM outbox WHERE app IS NOT NULL LIMIT 1").first { $0.integer(0) }
        != nil
      let settings =
        isPending
        ? try statement.shownSettings().all
        : try statement(
          """
          SELECT settings FROM app_settings
          WHERE coalesce(json_extract(settings, '$.permissions.badge'), 1) = 0
            OR json_extract(settings, '$.authorization') IS NOT NULL
            OR json_extract(settings, '$.badge') IS NOT NULL
          """
        ).all { row -> AppSettings in try JSON.decode(row.text(0)) }
      return try settings.reduce(into: BadgeShares()) { shares, settings in
        guard let share = settings.badgeShare else { return }
        shares.sum += share
        shares.unread +=
          try statement("SELECT unread FROM app_count WHERE app = ? AND placement = ?")
          .bind(settings.app).bind(Int64(Placement.tray.rawValue)).first { $0.count(0) } ?? 0
      }
    }
  }

  package func counts(hours: Range<Int64>) throws(CacheError) -> ItemCount {
    try lists.read { statement in
      try statement(
        """
        SELECT sum(count), sum(unread) FROM hour_count
        WHERE hour >= ? AND hour < ? AND \(Placement.listed.condition)
        """
      ).bind(hours.lowerBound).bind(hours.upperBound)
        .first { ItemCount(count: $0.count(0), unread: $0.count(1)) } ?? ItemCount()
    }
  }

  package func countsByHour(_ hours: Range<Int64>) throws(CacheError) -> [ItemCount] {
    let hours = hours.prefix(10_000)
    guard let first = hours.first, let last = hours.last else { return [] }
    return try lists.read { statement in
      var counts = [ItemCount](repeating: ItemCount(), count: hours.count)
      try statement(
        """
        SELECT hour, sum(count), sum(unread) FROM hour_count
        WHERE hour >= ? AND hour <= ? AND \(Placement.listed.condition) GROUP BY hour
        """
      ).bind(first).bind(last).eachRow { row in
        counts[Int(row.integer(0) - first)] = ItemCount(
          count: row.count(1), unread: row.count(2))
      }
      return counts
    }
  }

  package func countsByHour(
    from start: Timestamp, until end: Timestamp, limit: Int
  ) throws(CacheError) -> [ItemCount]? {
    let count = hourCount(from: start, until: end)
    return try lists.read { statement in
      var counts = [ItemCount](repeating: ItemCount(), count: count)
      var found = 0
      // One index range for each placement. The limit ends each range before it gets long.
      for placement in Placement.listed where found <= limit {
        try statement(
          """
          SELECT arrival_key, read FROM item
          WHERE placement = ? AND arrival_key >= ? AND arrival_key < ? LIMIT ?
          """
        ).bind(placement.rawValue).bind(ArrivalKey(floorOf: start)).bind(ArrivalKey(floorOf: end))
          .bind(limit + 1 - found).eachRow { row in
            found += 1
            let arrival = ArrivalKey(rawValue: row.integer(0)).arrival
            let hour = Int((arrival.milliseconds - start.milliseconds) / 3_600_000)
            guard counts.indices.contains(hour) else { return }
            counts[hour] =
              counts[hour] + ItemCount(count: 1, unread: row.integer(1) == 0 ? 1 : 0)
          }
      }
      return found <= limit ? counts : nil
    }
  }

  package func countsByApp(_ hours: Range<Int64>) throws(CacheError) -> [String: Int] {
    try lists.read { statement in
      var counts: [String: Int] = [:]
      try statement(
        """
        SELECT app, sum(count) FROM hour_count
        WHERE hour >= ? AND hour < ? AND \(Placement.listed.condition) GROUP BY app
        """
      ).bind(hours.lowerBound).bind(hours.upperBound).eachRow { counts[$0.text(0)] = $0.count(1) }
      return counts
    }
  }

  package func apps() throws(CacheError) -> [AppSummary] {
    try lists.read { statement in
      var summaries: [AppSummary] = []
      try statement("SELECT app, placement, count, unread FROM app_count ORDER BY app").eachRow {
        row in
        let app = row.text(0)
        if summaries.last?.app != app {
          summaries.append(AppSummary(app: app, totals: CacheTotals()))
        }
        guard let placement = Placement(rawValue: row.count(1)) else { return }
        summaries[summaries.count - 1].totals.add(
          ItemCount(count: row.count(2), unread: row.count(3)), to: placement)
      }
      let repeating = try repeating(statement)
      for index in summaries.indices {
        guard let count = repeating[summaries[index].app] else { continue }
        summaries[index].totals.repeating = count
      }
      return summaries
    }
  }

  package func latestOccurrence() throws(CacheError) -> Timestamp? {
    try lists.read { statement in
      try statement(
        """
        SELECT occurred FROM item WHERE occurred IS NOT NULL ORDER BY occurred DESC LIMIT 1
        """
      ).first { $0.time(0) }
    }
  }

  /// Returns the counts of repeating items by app: see `ItemRecord.isRepeating`.
  private func repeating(_ statement: Statements) throws -> [String: ItemCount] {
    var counts: [String: ItemCount] = [:]
    try statement(
      """
      SELECT app, count(*), sum(read = 0) FROM item INDEXED BY item_repeating
      WHERE next_occurrence IS NOT NULL AND \([Placement.tray, .handled].condition)
      GROUP BY app
      """
    ).eachRow { counts[$0.text(0)] = ItemCount(count: $0.count(1), unread: $0.count(2)) }
    return counts
  }

  package func lastArrivals() throws(CacheError) -> [String: Timestamp] {
    try lists.read { statement in
      var arrivals: [String: Timestamp] = [:]
      try statement(
        "SELECT app, max(newest) FROM app_count WHERE \(Placement.listed.condition) GROUP BY app"
      ).eachRow { row in
        arrivals[row.text(0)] = ArrivalKey(rawValue: row.integer(1)).arrival
      }
      return arrivals
    }
  }

  package func appSettings() throws(CacheError) -> [AppSettings] {
    try lists.read { statement in
      let known = decoded.withLock { $0 }
      var read: [String: AppSettings] = [:]
      let base = try statement("SELECT settings FROM app_settings").all { row in
        let text = row.text(0)
        let settings: AppSettings = try known[text] ?? JSON.decode(text)
        read[text] = settings
        return settings
      }
      decoded.withLock { $0 = read }
      return ShownSettings(
        base: base, entries: try SQLiteTransaction.entries(configuring: nil, statement)
      ).all
    }
  }

  package func appSettings(of app: String) throws(CacheError) -> AppSettings? {
    try lists.read { statement in
      let base = try statement("SELECT settings FROM app_settings WHERE app = ?").bind(app)
        .all { try JSON.decode($0.text(0)) as AppSettings }
      return ShownSettings(
        base: base, entries: try SQLiteTransaction.entries(configuring: app, statement)
      ).all.first
    }
  }

  package func appsWithPendingSettings() throws(CacheError) -> Set<String> {
    try lists.read { statement in
      Set(try statement("SELECT app FROM outbox WHERE app IS NOT NULL").all { $0.text(0) })
    }
  }

  package func displayNames() throws(CacheError) -> [String: String] {
    try lists.read { statement in
      var names: [String: String] = [:]
      try statement(
        """
        SELECT app, json_extract(settings, '$.displayName') FROM app_settings
        WHERE json_extract(settings, '$.displayName') IS NOT NULL
        """
      ).eachRow { names[$0.text(0)] = $0.text(1) }
      // Rare: changes that the user made just now, or offline.
      let pending = try statement("SELECT app FROM outbox WHERE app IS NOT NULL").all { $0.text(0) }
      guard !pending.isEmpty else { return names }
      return try statement.shownSettings().all.reduce(into: [:]) { $0[$1.app] = $1.displayName }
    }
  }

  package func trayGroups(limit: Int) throws(CacheError) -> [GroupSummary] {
    try lists.read { statement in
      try statement(
        """
        SELECT app, group_name, newest, count, unread FROM tray_group
        ORDER BY newest DESC LIMIT ?
        """
      ).bind(limit).all { row in
        let group = row.text(1)
        return GroupSummary(
          app: row.text(0), group: group.isEmpty ? nil : group,
          newest: ArrivalKey(rawValue: row.integer(2)),
          tray: ItemCount(count: row.count(3), unread: row.count(4)))
      }
    }
  }

  // MARK: Synchronisation

  package func syncState() throws(CacheError) -> SyncState {
    let state = try lists.read { try SQLiteTransaction.readState($0)?.state }
    guard let state else {
      throw .corrupt(path: path, detail: "the state row is missing")
    }
    return state
  }

  package func outboxCounts() throws(CacheError) -> OutboxCounts {
    try lists.read { try SQLiteTransaction.outboxCounts($0) }
  }

  package func nextDue() throws(CacheError) -> Timestamp? {
    try lists.read { try SQLiteTransaction.nextDue($0) }
  }

  /// Reads the change log in one read transaction.
  func readChanges<Result>(
    _ body: (ChangeLog<SQLiteChangeSource>) throws -> Result
  ) throws(CacheError) -> Result {
    try lists.read { statement in
      try body(ChangeLog(source: SQLiteChangeSource(account: account, statement: statement)))
    }
  }

  // MARK: Search

  package func interruptSearch() {
    search.withLock { $0 }?.queue.interrupt()
  }

  /// Returns the connection for searches, opening it for the first search.
  ///
  /// The first screen does not need it.
  func searchConnection() throws(CacheError) -> Connection {
    do {
      return try search.withLock { connection throws in
        if let connection { return connection }
        let opened = try Connection(path: path, role: .search)
        connection = opened
        return opened
      }
    } catch {
      throw CacheError(error, path: path)
    }
  }

  /// Returns the query plans of all statements so far, by SQL text.
  ///
  /// Each plan has one text for each step of `EXPLAIN QUERY PLAN`. No statement for a screen may
  /// scan every item.
  package func queryPlans() throws(CacheError) -> [String: [String]] {
    let listed = try readList { try $0.plans() }
    let searched = try searchConnection().read { try $0.plans() }
    return listed.merging(searched) { plan, _ in plan }
  }
}

extension Statements {
  /// Returns the settings of all apps as shown.
  fileprivate func shownSettings() throws -> ShownSettings {
    ShownSettings(
      base: try self("SELECT settings FROM app_settings").all { try JSON.decode($0.text(0)) },
      entries: try SQLiteTransaction.entries(configuring: nil, self))
  }
}
