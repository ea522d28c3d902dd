import BellhopModel
import BellhopSearch
import GRDB

extension SQLiteTransaction {
  func item(_ id: NotificationID) throws -> ItemRecord? {
    try statement("SELECT \(ItemColumns.all) FROM item WHERE id = ?").bind(id)
      .first(ItemColumns.record)
  }

  func hasItem(at key: ArrivalKey) throws -> Bool {
    try statement("SELECT 1 FROM item WHERE arrival_key = ?").bind(key).first { _ in true }
      ?? false
  }

  func insert(_ record: ItemRecord) throws {
    let insert = try statement(ItemColumns.insert)
    try ItemColumns.bindInsert(record, change: noted.insert(record), to: insert)
    try insert.run()
    counts.add(record)
    try queueIndexing(at: record.key)
  }

  func replace(_ old: ItemRecord, with new: ItemRecord) throws {
    try queueChange(of: old, to: new)
    let update = try statement(ItemColumns.update)
    try ItemColumns.bindUpdate(new, change: noted.insert(new), to: update)
    try update.run()
    counts.remove(old)
    counts.add(new)
  }

  func update(_ old: ItemRecord, to new: ItemRecord) throws {
    let isListedAlike = old.effective == new.effective
    if !isListedAlike { try queueChange(of: old, to: new) }
    let update = try statement(ItemColumns.updateState)
    try ItemColumns.bindState(new, change: noted.update(old, to: new), to: update)
    try update.run()
    if old.placement != new.placement || old.isUnread != new.isUnread || !isListedAlike {
      counts.remove(old)
      counts.add(new)
    }
  }

  func remove(_ record: ItemRecord) throws {
    try statement("DELETE FROM item WHERE arrival_key = ?").bind(record.key).run()
    counts.remove(record)
    noted.remove(record)
    try queueRemoval(
      of: SearchText(record.searchable), at: record.key, wantsNew: false)
  }

  func items(dueAt now: Timestamp, limit: Int) throws -> [ItemRecord] {
    try statement(
      """
      SELECT \(ItemColumns.all) FROM item
      WHERE placement_until IS NOT NULL AND placement_until <= ?
      ORDER BY placement_until, arrival_key LIMIT ?
      """
    ).bind(now).bind(limit).all(ItemColumns.record)
  }

  func nextDue() throws -> Timestamp? { try Self.nextDue(statement) }

  static func nextDue(_ statement: Statements) throws -> Timestamp? {
    try statement(
      """
      SELECT placement_until FROM item WHERE placement_until IS NOT NULL
      ORDER BY placement_until LIMIT 1
      """
    ).first { $0.time(0) }
  }

  func generations(
    below key: ArrivalKey, limit: Int
  ) throws -> [(key: ArrivalKey, id: NotificationID, generation: Int64)] {
    try statement(
      """
      SELECT arrival_key, id, generation FROM item WHERE arrival_key < ?
      ORDER BY arrival_key DESC LIMIT ?
      """
    ).bind(key).bind(limit).all { row in
      (ArrivalKey(rawValue: row.integer(0)), try row.id(1), row.integer(2))
    }
  }

  func unannouncedInTray(limit: Int) throws -> [ItemRecord] {
    try statement(
      """
      SELECT \(ItemColumns.all) FROM item
      WHERE \(Placement.tray.condition)
        AND (announced < content_sequence OR announced_occurrence IS NOT occurrence
          OR announced_step < ring_step)
      ORDER BY arrival_key DESC LIMIT ?
      """
    ).bind(limit).all(ItemColumns.record)
  }

  func triggeredIDs() throws -> [NotificationID] {
    try statement(
      "SELECT id FROM item INDEXED BY item_triggered WHERE delivery_trigger IS NOT NULL"
    ).all { try $0.id(0) }
  }

  // MARK: Index queue

  private func queueIndexing(at key: ArrivalKey) throws {
    try statement(
      """
      INSERT INTO index_queue (arrival_key, wants_new, has_old) VALUES (?, 1, 0)
      ON CONFLICT DO UPDATE SET wants_new = 1
      """
    ).bind(key).run()
  }

  /// Queues an item to be indexed again if its text differs.
  private func queueChange(of old: ItemRecord, to new: ItemRecord) throws {
    let text = SearchText(old.searchable)
    guard text != SearchText(new.searchable) else { return }
    try queueRemoval(of: text, at: old.key, wantsNew: true)
  }

  /// Queues the removal of text that is still in the index but no longer in the item.
  private func queueRemoval(
    of text: SearchText, at key: ArrivalKey, wantsNew: Bool
  ) throws {
    let queued = try statement("SELECT has_old FROM index_queue WHERE arrival_key = ?")
      .bind(key).first { $0.bool(0) }
    switch queued {
    case false?:
      // The index contains nothing under this key.
      guard !wantsNew else { return }
      try statement("DELETE FROM index_queue WHERE arrival_key = ?").bind(key).run()
    case true?:
      try statement("UPDATE index_queue SET wants_new = ? WHERE arrival_key = ?")
        .bind(wantsNew).bind(key).run()
    case nil:
      try statement(
        """
        INSERT INTO index_queue (arrival_key, wants_new, has_old,
          title, subtitle, body, app, group_name, tags) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?)
        """
      ).bind(key).bind(wantsNew).bind(text.title).bind(text.subtitle).bind(text.body)
        .bind(text.app).bind(text.group).bind(text.tags).run()
    }
  }

  /// Indexes the newest `limit` queued rows.
  ///
  /// - Returns: Whether more rows are queued.
  func drainIndexQueue(limit: Int) throws -> Bool {
    let newest = try statement(
      """
      SELECT arrival_key, wants_new, has_old FROM index_queue
      ORDER BY arrival_key DESC LIMIT ?
      """
    ).bind(limit).all { (key: $0.integer(0), wantsNew: $0.bool(1), hasOld: $0.bool(2)) }
    guard let lowest = newest.last else { return false }
    // Ascending keys: FTS5 flushes what it has gathered whenever a key is not above the last.
    for row in newest.reversed() {
      if row.hasOld {
        try statement(
          """
          INSERT INTO item_index (item_index, rowid, title, subtitle, body, app, group_name, tags)
          SELECT 'delete', arrival_key, title, subtitle, body, app, group_name, tags
          FROM index_queue WHERE arrival_key = ?
          """
        ).bind(row.key).run()
      }
      if row.wantsNew {
        try statement(
          """
          INSERT INTO item_index (rowid, title, subtitle, body, app, group_name, tags)
          SELECT arrival_key, title, subtitle, body, app, group_name, tags
          FROM item WHERE arrival_key = ?
          """
        ).bind(row.key).run()
      }
    }
    try statement("DELETE FROM index_queue WHERE arrival_key >= ?").bind(lowest.key).run()
    return try statement("SELECT 1 FROM index_queue LIMIT 1").first { _ in true } ?? false
  }
}
