internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  // MARK: - Publications under an idempotency key

  func publication(
    _ key: String, of token: AccessTokenID, user: UserID
  ) throws -> PublicationRecord? {
    try first(
      """
      SELECT \(PublicationColumn.list) FROM publication
      WHERE user = ? AND token = ? AND key = ?
      """, [user.rawValue, token.blob, key]
    ) { row in
      let row = NamedRow<PublicationColumn>(row)
      return PublicationRecord(
        key: IdempotencyKey(
          token: try row.id(.token), key: row[.key], bodyHash: try row.bytes(.bodyHash)),
        id: try row.id(.item), shortNumber: row[.shortNumber], created: row.time(.created),
        arrival: row.time(.arrival), expiration: row.optionalTime(.expiration),
        sequence: SequenceNumber(row[.sequence]), outcome: try row.value(.outcome),
        at: row.time(.at))
    }
  }

  /// Numbers the records of a token, so that those beyond `count` are found without counting.
  func insert(_ record: PublicationRecord, keeping count: Int, of user: UserID) throws {
    let token = record.key.token.blob
    let ordinal =
      try first(
        "SELECT max(ordinal) FROM publication WHERE user = ? AND token = ?",
        [user.rawValue, token]
      ) { $0[0] as Int64? }.flatMap { $0 } ?? 0
    try run(
      """
      DELETE FROM publication WHERE rowid IN (
        SELECT rowid FROM publication WHERE user = ? AND token = ? AND ordinal <= ?
        ORDER BY ordinal LIMIT ?)
      """,
      [
        user.rawValue, token, ordinal + 1 - Int64(count), PublicationRecord.forgottenAtOnceMax,
      ])
    try run(
      """
      INSERT INTO publication (user, \(PublicationColumn.list), ordinal)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        user.rawValue, record.key.token.blob, record.key.key, record.key.bodyHash.blob,
        record.id.blob, record.shortNumber, record.created.milliseconds,
        record.arrival.milliseconds, record.expiration?.milliseconds,
        record.sequence.rawValue, record.outcome.rawValue, record.at.milliseconds, ordinal + 1,
      ])
  }

  func removePublications(before time: Timestamp, limit: Int) throws -> Int {
    try count(
      """
      DELETE FROM publication WHERE rowid IN (
        SELECT rowid FROM publication WHERE at < ? ORDER BY at LIMIT ?)
      """, [time.milliseconds, limit])
  }

  // MARK: - Operations

  private func outboxArguments(
    _ outbox: OutboxKey, _ user: UserID
  ) -> [(any DatabaseValueConvertible)?] {
    [
      user.rawValue, outbox.device.rawValue, outbox.lineage.rawValue, outbox.epoch.rawValue,
    ]
  }

  func lastNumber(in outbox: OutboxKey, of user: UserID) throws -> Int64 {
    try first(
      """
      SELECT last FROM outbox WHERE user = ? AND device = ? AND lineage = ? AND epoch = ?
      """, outboxArguments(outbox, user)
    ) { $0[0] } ?? 0
  }

  func operationID(
    _ number: Int64, in outbox: OutboxKey, of user: UserID
  ) throws -> OperationID? {
    try first(
      """
      SELECT operation FROM outbox_number WHERE user = ?1 AND number = ?5 AND outbox = (
        SELECT id FROM outbox WHERE user = ?1 AND device = ?2 AND lineage = ?3 AND epoch = ?4)
      """, outboxArguments(outbox, user) + [number]
    ) { try $0.id(0) }
  }

  func isNumbered(_ id: OperationID, of user: UserID) throws -> Bool {
    try first(
      "SELECT 1 FROM outbox_number WHERE user = ? AND operation = ? LIMIT 1",
      [user.rawValue, id.blob]
    ) { _ in true } ?? false
  }

  func outboxCount(of device: DeviceID, user: UserID) throws -> Int {
    try first(
      "SELECT count(*) FROM outbox WHERE user = ? AND device = ?",
      [user.rawValue, device.rawValue]
    ) { $0[0] } ?? 0
  }

  func operation(_ id: OperationID, of user: UserID) throws -> OperationRecord? {
    try first(
      """
      SELECT result, latest, at, item, content_sequence, reason FROM operation
      WHERE user = ? AND id = ?
      """, [user.rawValue, id.blob]
    ) { row in
      guard
        let result = OperationResult(
          kind: row[0], latest: row.optionalTime(1), reason: row[5] as String?)
      else { throw row.damaged() }
      let item: NotificationID? = try row.optionalID(3)
      return OperationRecord(
        id: id, result: result, at: row.time(2),
        content: item.map { MadeContent(item: $0, sequence: SequenceNumber(row[4])) })
    }
  }

  func insert(
    _ id: OperationID, number: Int64, in outbox: OutboxKey, of user: UserID
  ) throws {
    let key = outboxArguments(outbox, user)
    try run(
      """
      INSERT INTO outbox (user, device, lineage, epoch, last) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (user, device, lineage, epoch) DO UPDATE SET last = excluded.last
      """, key + [number])
    try run(
      """
      INSERT INTO outbox_number (user, outbox, number, operation)
      SELECT user, id, ?5, ?6 FROM outbox
      WHERE user = ?1 AND device = ?2 AND lineage = ?3 AND epoch = ?4
      """, key + [number, id.blob])
  }

  func insert(_ record: OperationRecord, of user: UserID) throws {
    try run(
      """
      INSERT INTO operation (user, id, result, latest, at, item, content_sequence, reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        user.rawValue, record.id.blob, record.result.column.kind,
        record.result.column.latest?.milliseconds, record.at.milliseconds,
        record.content?.item.blob, record.content?.sequence.rawValue, record.result.column.reason,
      ])
  }

  func removeOperations(before time: Timestamp, limit: Int) throws -> Int {
    try count(
      """
      DELETE FROM operation WHERE rowid IN (
        SELECT rowid FROM operation WHERE at < ? ORDER BY at LIMIT ?)
      """, [time.milliseconds, limit])
  }

  /// Finds the oldest numbers without counting rows: every number of an outbox from `forgotten` to
  /// `last` has one.
  func forgetNumbers(
    of device: DeviceID, keeping count: Int, limit: Int, user: UserID
  ) throws {
    let outboxes: [(id: Int64, last: Int64, forgotten: Int64)] = try all(
      "SELECT id, last, forgotten FROM outbox WHERE user = ? AND device = ? ORDER BY id",
      [user.rawValue, device.rawValue]
    ) { ($0[0], $0[1], $0[2]) }
    let known = outboxes.reduce(0) { $0 + ($1.last - $1.forgotten) }
    var excess = min(known - Int64(count), Int64(limit))
    for outbox in outboxes where excess > 0 && outbox.last > outbox.forgotten {
      let end = min(outbox.forgotten + excess, outbox.last)
      excess -= end - outbox.forgotten
      try run(
        """
        DELETE FROM operation WHERE user = ?1 AND id IN (
          SELECT operation FROM outbox_number WHERE user = ?1 AND outbox = ?2 AND number <= ?3)
        """, [user.rawValue, outbox.id, end])
      try run(
        "DELETE FROM outbox_number WHERE user = ? AND outbox = ? AND number <= ?",
        [user.rawValue, outbox.id, end])
      try run("UPDATE outbox SET forgotten = ? WHERE id = ?", [end, outbox.id])
    }
  }
}

/// The columns of the result of a publication under an idempotency key.
private enum PublicationColumn: Int, TableColumn {
  case token, key, bodyHash, item, shortNumber, created, arrival, expiration, sequence, outcome, at
}
