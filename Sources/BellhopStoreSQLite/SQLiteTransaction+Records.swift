internal import BellhopModel
internal import BellhopStore
internal import GRDB

extension SQLiteTransaction {
  private static let publicationColumns = """
    token, key, body_hash, item, short_number, created, arrival, expiration, sequence, outcome, at
    """

  // MARK: - Publications under an idempotency key

  func publication(
    _ key: String, of token: AccessTokenID, user: UserID
  ) throws -> PublicationRecord? {
    try first(
      """
      SELECT \(Self.publicationColumns) FROM publication
      WHERE user = ? AND token = ? AND key = ?
      """, [user.rawValue, token.blob, key]
    ) { row in
      PublicationRecord(
        key: IdempotencyKey(token: try row.id(0), key: row[1], bodyHash: try row.bytes(2)),
        id: try row.id(3), shortNumber: row[4], created: row.time(5), arrival: row.time(6),
        expiration: row.optionalTime(7), sequence: SequenceNumber(row[8]),
        outcome: try row.value(9), at: row.time(10))
    }
  }

  func insert(_ record: PublicationRecord, of user: UserID) throws {
    try run(
      """
      INSERT INTO publication (user, \(Self.publicationColumns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        user.rawValue, record.key.token.blob, record.key.key, record.key.bodyHash.blob,
        record.id.blob, record.shortNumber, record.created.milliseconds,
        record.arrival.milliseconds, record.expiration?.milliseconds,
        record.sequence.rawValue, record.outcome.rawValue, record.at.milliseconds,
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
      SELECT operation FROM outbox_number
      WHERE user = ? AND device = ? AND lineage = ? AND epoch = ? AND number = ?
      """, outboxArguments(outbox, user) + [number]
    ) { try $0.id(0) }
  }

  func operation(_ id: OperationID, of user: UserID) throws -> OperationRecord? {
    try first(
      "SELECT result, latest, at FROM operation WHERE user = ? AND id = ?",
      [user.rawValue, id.blob]
    ) { row in
      guard let result = OperationResult(kind: row[0], latest: row.optionalTime(1)) else {
        throw row.damaged()
      }
      return OperationRecord(id: id, result: result, at: row.time(2))
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
      INSERT INTO outbox_number (user, device, lineage, epoch, number, operation)
      VALUES (?, ?, ?, ?, ?, ?)
      """, key + [number, id.blob])
  }

  func insert(_ record: OperationRecord, of user: UserID) throws {
    try run(
      "INSERT INTO operation (user, id, result, latest, at) VALUES (?, ?, ?, ?, ?)",
      [
        user.rawValue, record.id.blob, record.result.column.kind,
        record.result.column.latest?.milliseconds, record.at.milliseconds,
      ])
  }

  func removeOperations(before time: Timestamp, limit: Int) throws -> Int {
    let old: [(rowID: Int64, user: UserID, id: OperationID)] = try all(
      "SELECT rowid, user, id FROM operation WHERE at < ? ORDER BY at LIMIT ?",
      [time.milliseconds, limit]
    ) { ($0[0], UserID(rawValue: $0[1]), try $0.id(2)) }
    for (rowID, user, id) in old {
      try run(
        "DELETE FROM outbox_number WHERE user = ? AND operation = ?", [user.rawValue, id.blob])
      try run("DELETE FROM operation WHERE rowid = ?", [rowID])
    }
    return old.count
  }
}

extension OperationResult {
  /// The result as two columns.
  var column: (kind: String, latest: Timestamp?) {
    switch self {
    case .applied: ("applied", nil)
    case .alreadyApplied: ("alreadyApplied", nil)
    case .superseded: ("superseded", nil)
    case .gone: ("gone", nil)
    case .refused(let latest): ("refused", latest)
    case .unacceptable(let fault): (fault.rawValue, nil)
    }
  }

  init?(kind: String, latest: Timestamp?) {
    switch (kind, latest) {
    case ("applied", _): self = .applied
    case ("alreadyApplied", _): self = .alreadyApplied
    case ("superseded", _): self = .superseded
    case ("gone", _): self = .gone
    case ("refused", let latest?): self = .refused(latest: latest)
    default:
      guard let fault = SettingsFault(rawValue: kind) else { return nil }
      self = .unacceptable(fault)
    }
  }
}
