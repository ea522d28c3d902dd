#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// The outboxes of devices, and the results of operations.
extension PostgresTransaction {
  /// The parameters $1 to $4 of a statement about one outbox.
  private func key(_ outbox: OutboxKey, _ user: UserID) -> [PostgresValue] {
    [
      .user(user), .text(outbox.device.rawValue), .text(outbox.lineage.rawValue),
      .text(outbox.epoch.rawValue),
    ]
  }

  func lastNumber(in outbox: OutboxKey, of user: UserID) throws -> Int64 {
    let last: Int64? = try first(
      """
      SELECT last FROM outbox
      WHERE user_id = $1 AND device = $2 AND lineage = $3 AND epoch = $4
      """, key(outbox, user)
    ) { try $0.value("last") }
    return last ?? 0
  }

  func operationID(
    _ number: Int64, in outbox: OutboxKey, of user: UserID
  ) throws -> OperationID? {
    try first(
      """
      SELECT operation FROM outbox_number WHERE user_id = $1 AND number = $5 AND outbox = (
        SELECT id FROM outbox
        WHERE user_id = $1 AND device = $2 AND lineage = $3 AND epoch = $4)
      """, key(outbox, user) + [.integer(number)]
    ) { try $0.id("operation") }
  }

  func isNumbered(_ id: OperationID, of user: UserID) throws -> Bool {
    try !rows(
      "SELECT FROM outbox_number WHERE user_id = $1 AND operation = $2 LIMIT 1",
      [.user(user), .id(id)]
    ).isEmpty
  }

  func outboxCount(of device: DeviceID, user: UserID) throws -> Int {
    let count: Int? = try first(
      "SELECT count(*) AS count FROM outbox WHERE user_id = $1 AND device = $2",
      [.user(user), .text(device.rawValue)]
    ) { try $0.value("count") }
    return count ?? 0
  }

  func operation(_ id: OperationID, of user: UserID) throws -> OperationRecord? {
    try first(
      """
      SELECT result, latest, at, item, content_sequence, reason FROM operation
      WHERE user_id = $1 AND id = $2
      """, [.user(user), .id(id)]
    ) { row in
      guard
        let result = OperationResult(
          kind: try row.text("result"), latest: try row.timeIfAny("latest"),
          reason: try row.textIfAny("reason"))
      else { throw row.damaged() }
      let item: NotificationID? = try row.idIfAny("item")
      let content = try item.map { item in
        MadeContent(item: item, sequence: try row.sequence("content_sequence"))
      }
      return OperationRecord(id: id, result: result, at: try row.time("at"), content: content)
    }
  }

  /// Begins the outbox with its first number. Outboxes of a user are numbered in the order in which
  /// they begin.
  func insert(
    _ id: OperationID, number: Int64, in outbox: OutboxKey, of user: UserID
  ) throws {
    try write(
      """
      WITH known AS (
        INSERT INTO outbox (user_id, id, device, lineage, epoch, last)
        VALUES ($1, coalesce((SELECT max(id) FROM outbox WHERE user_id = $1), 0) + 1,
          $2, $3, $4, $5)
        ON CONFLICT (user_id, device, lineage, epoch) DO UPDATE SET last = excluded.last
        RETURNING id
      )
      INSERT INTO outbox_number (user_id, outbox, number, operation)
      SELECT $1, id, $5, $6 FROM known
      """, key(outbox, user) + [.integer(number), .id(id)])
  }

  func insert(_ record: OperationRecord, of user: UserID) throws {
    let result = record.result.column
    try write(
      """
      INSERT INTO operation (user_id, id, result, latest, at, item, content_sequence, reason)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      """,
      [
        .user(user), .id(record.id), .text(result.kind), .time(result.latest), .time(record.at),
        .id(record.content?.item), .sequence(record.content?.sequence), .text(result.reason),
      ])
  }

  func removeOperations(before time: Timestamp, limit: Int) throws -> Int {
    try count(
      """
      DELETE FROM operation WHERE at < $1 AND ctid = ANY (ARRAY (
        SELECT ctid FROM operation WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED))
      """, [.time(time), .count(limit)])
  }

  /// Finds the oldest numbers without counting rows: every number of an outbox from `forgotten` to
  /// `last` has one.
  func forgetNumbers(
    of device: DeviceID, keeping count: Int, limit: Int, user: UserID
  ) throws {
    let outboxes: [(id: Int64, last: Int64, forgotten: Int64)] = try all(
      "SELECT id, last, forgotten FROM outbox WHERE user_id = $1 AND device = $2 ORDER BY id",
      [.user(user), .text(device.rawValue)]
    ) { row in
      (
        id: try row.value("id"), last: try row.value("last"),
        forgotten: try row.value("forgotten")
      )
    }
    let known = outboxes.reduce(Int64(0)) { $0 + ($1.last - $1.forgotten) }
    var excess = min(known - Int64(count), Int64(limit))
    for outbox in outboxes where excess > 0 && outbox.last > outbox.forgotten {
      let end = min(outbox.forgotten + excess, outbox.last)
      excess -= end - outbox.forgotten
      let place: [PostgresValue] = [.user(user), .integer(outbox.id), .integer(end)]
      try write(
        """
        WITH numbers AS (
          DELETE FROM outbox_number WHERE user_id = $1 AND outbox = $2 AND number <= $3
          RETURNING operation
        )
        DELETE FROM operation WHERE user_id = $1 AND id IN (SELECT operation FROM numbers)
        """, place)
      try write("UPDATE outbox SET forgotten = $3 WHERE user_id = $1 AND id = $2", place)
    }
  }
}
#endif
