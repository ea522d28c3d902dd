import BellhopModel

/// The changes of a transaction to the counters, summed up before they are written.
///
/// 250 items of one app and hour thus take one write.
struct CountChanges {
  private struct Hour: Hashable {
    var hour: Int64
    var app: String
    var placement: Placement
  }

  private struct Group: Hashable {
    var app: String
    var name: String
  }

  private struct GroupChange {
    var sum = ItemCount()
    var highestAdded: ArrivalKey?
    var highestRemoved: ArrivalKey?

    mutating func change(_ key: ArrivalKey, by step: Int) {
      if step > 0 {
        highestAdded = max(highestAdded ?? key, key)
      } else {
        highestRemoved = max(highestRemoved ?? key, key)
      }
    }

    /// The key of the newest added item; nil if a removed item was as new.
    var arrived: ArrivalKey? {
      highestAdded.flatMap { added in highestRemoved.map { $0 < added } ?? true ? added : nil }
    }
  }

  private struct App: Hashable {
    var app: String
    var placement: Placement
  }

  private var hours: [Hour: ItemCount] = [:]
  private var groups: [Group: GroupChange] = [:]
  private var arrivals: [App: GroupChange] = [:]

  mutating func add(_ record: ItemRecord) { change(record, by: 1) }
  mutating func remove(_ record: ItemRecord) { change(record, by: -1) }

  private mutating func change(_ record: ItemRecord, by step: Int) {
    guard record.placement != .gone else { return }
    let sum = ItemCount(count: step, unread: record.isUnread ? step : 0)
    let app = record.countedApp
    let hour = Hour(hour: record.key.hour, app: app, placement: record.placement)
    hours[hour] = hours[hour, default: ItemCount()] + sum
    arrivals[App(app: app, placement: record.placement), default: GroupChange()]
      .change(record.key, by: step)
    guard record.placement == .tray else { return }
    let fields = record.effective
    let group = Group(app: fields.app, name: fields.group ?? "")
    var change = groups[group] ?? GroupChange()
    change.sum = change.sum + sum
    change.change(record.key, by: step)
    groups[group] = change
  }

  /// Writes the sums. The items themselves must be written before.
  func write(_ statement: Statements) throws {
    var apps: [App: ItemCount] = [:]
    var totals: [Placement: ItemCount] = [:]
    for (hour, sum) in hours where sum != ItemCount() {
      let app = App(app: hour.app, placement: hour.placement)
      apps[app] = apps[app, default: ItemCount()] + sum
      totals[hour.placement] = totals[hour.placement, default: ItemCount()] + sum
      try statement(
        """
        INSERT INTO hour_count (hour, app, placement, count, unread) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET count = count + excluded.count, unread = unread + excluded.unread
        """
      ).bind(hour.hour).bind(hour.app).bind(hour.placement.rawValue).bind(sum.count)
        .bind(sum.unread).run()
      guard sum.count < 0 else { continue }
      try statement(
        "DELETE FROM hour_count WHERE hour = ? AND app = ? AND placement = ? AND count = 0"
      ).bind(hour.hour).bind(hour.app).bind(hour.placement.rawValue).run()
    }
    for app in arrivals.keys { try write(apps[app] ?? ItemCount(), of: app, statement) }
    for (placement, sum) in totals where sum != ItemCount() {
      try statement(
        """
        INSERT INTO total_count (placement, count, unread) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET count = count + excluded.count, unread = unread + excluded.unread
        """
      ).bind(placement.rawValue).bind(sum.count).bind(sum.unread).run()
    }
    for (group, change) in groups { try write(change, of: group, statement) }
  }

  private func write(_ sum: ItemCount, of app: App, _ statement: Statements) throws {
    let arrived = arrivals[app]?.arrived
    guard sum != ItemCount() || arrived != nil else { return }
    try statement(
      """
      INSERT INTO app_count (app, placement, count, unread, newest) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count, unread = unread + excluded.unread,
        newest = max(newest, excluded.newest)
      """
    ).bind(app.app).bind(app.placement.rawValue).bind(sum.count).bind(sum.unread)
      .bind(arrived?.rawValue ?? 0).run()
    guard sum.count < 0 else { return }
    try statement("DELETE FROM app_count WHERE app = ? AND placement = ? AND count = 0")
      .bind(app.app).bind(app.placement.rawValue).run()
  }

  private func write(
    _ change: GroupChange, of group: Group, _ statement: Statements
  ) throws {
    try statement(
      """
      INSERT INTO tray_group (app, group_name, newest, count, unread) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET newest = max(newest, excluded.newest),
        count = count + excluded.count, unread = unread + excluded.unread
      """
    ).bind(group.app).bind(group.name).bind(change.highestAdded?.rawValue ?? 0)
      .bind(change.sum.count).bind(change.sum.unread).run()
    guard let removed = change.highestRemoved else { return }
    try statement("DELETE FROM tray_group WHERE app = ? AND group_name = ? AND count = 0")
      .bind(group.app).bind(group.name).run()
    // The newest item is looked up only if it may have left.
    try statement(
      """
      UPDATE tray_group SET newest = ifnull((
        SELECT arrival_key FROM item
        WHERE \(Placement.tray.condition) AND app = ?1 AND ifnull(group_name, '') = ?2
        ORDER BY arrival_key DESC LIMIT 1), 0)
      WHERE app = ?1 AND group_name = ?2 AND newest <= ?3
      """
    ).bind(group.app).bind(group.name).bind(removed).run()
  }
}
