import BellhopModel

extension SQLiteTransaction {
  func entries(naming id: NotificationID) throws -> [OutboxEntry] {
    try statement.outbox(
      "WHERE position IN (SELECT position FROM outbox_item WHERE item = ?) ORDER BY position"
    ).bind(id).all(Self.entry)
  }

  func entries(configuring app: String?) throws -> [OutboxEntry] {
    try Self.entries(configuring: app, statement)
  }

  static func entries(
    configuring app: String?, _ statement: Statements
  ) throws -> [OutboxEntry] {
    guard let app else {
      return try statement.outbox("WHERE app IS NOT NULL ORDER BY position").all(Self.entry)
    }
    return try statement.outbox("WHERE app = ? ORDER BY position").bind(app).all(Self.entry)
  }

  func entry(_ id: OperationID) throws -> OutboxEntry? {
    try statement.outbox("WHERE id = ?").bind(id).first(Self.entry)
  }

  func append(_ entry: OutboxEntry) throws {
    outboxChanged()
    let insert = try statement(
      """
      INSERT INTO outbox (rule, id, number, seal_at, answered, made_at, author, operation, app,
        is_bulk, owner)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    )
    if let rule = entry.operation.rule { insert.bind(rule) } else { insert.bind(nil as [UInt8]?) }
    try insert.bind(entry.operation.id).bind(entry.number).bind(entry.sealAt).bind(entry.answered)
      .bind(entry.madeAt).bind(try JSON.encode(entry.author))
      .bind(try JSON.encode(entry.operation)).bind(entry.operation.app)
      .bind(entry.operation.selectsItems).bind(entry.owner?.rawValue).run()
    for id in entry.operation.notificationIDs {
      try statement(
        "INSERT OR IGNORE INTO outbox_item (item, position) VALUES (?, last_insert_rowid())"
      ).bind(id).run()
    }
  }

  func update(_ entry: OutboxEntry) throws {
    outboxChanged()
    try statement("UPDATE outbox SET number = ?, seal_at = ?, answered = ? WHERE position = ?")
      .bind(entry.number).bind(entry.sealAt).bind(entry.answered).bind(entry.position).run()
  }

  func remove(_ entry: OutboxEntry) throws {
    outboxChanged()
    try statement("DELETE FROM outbox WHERE position = ?").bind(entry.position).run()
    for id in entry.operation.notificationIDs {
      try statement("DELETE FROM outbox_item WHERE item = ? AND position = ?")
        .bind(id).bind(entry.position).run()
    }
  }

  func heldEntries() throws -> [OutboxEntry] {
    try statement.outbox("WHERE number IS NULL ORDER BY position").all(Self.entry)
  }

  func unansweredEntries(limit: Int) throws -> [OutboxEntry] {
    try statement.outbox(
      "WHERE number IS NOT NULL AND answered IS NULL ORDER BY number LIMIT ?"
    ).bind(limit).all(Self.entry)
  }

  func sealedEntries() throws -> [OutboxEntry] {
    try statement.outbox("WHERE number IS NOT NULL ORDER BY answered IS NULL, number")
      .all(Self.entry)
  }

  func answeredEntries(through sequence: SequenceNumber) throws -> [OutboxEntry] {
    try statement.outbox("WHERE answered <= ? ORDER BY position").bind(sequence).all(Self.entry)
  }

  func outboxCounts() throws -> OutboxCounts { try Self.outboxCounts(statement) }

  static func outboxCounts(_ statement: Statements) throws -> OutboxCounts {
    try statement(
      """
      SELECT count(*) FILTER (WHERE number IS NULL),
        count(*) FILTER (WHERE number IS NOT NULL AND answered IS NULL),
        count(*) FILTER (WHERE answered IS NOT NULL)
      FROM outbox
      """
    ).first { OutboxCounts(held: $0.count(0), waiting: $0.count(1), settling: $0.count(2)) }
      ?? OutboxCounts(held: 0, waiting: 0, settling: 0)
  }

  static func entry(_ row: SQLStatement) throws -> OutboxEntry {
    let row = NamedRow<OutboxColumn>(row)
    var entry = OutboxEntry(
      position: row.integer(.position), operation: try JSON.decode(row.text(.operation)),
      author: try JSON.decode(row.text(.author)), madeAt: row.time(.madeAt),
      sealAt: row.timeOrNil(.sealAt), number: row.integerOrNil(.number),
      answered: row.integerOrNil(.answered).map { SequenceNumber($0) })
    entry.owner = row.textOrNil(.owner).map { OutboxOwner($0) }
    return entry
  }
}

extension Statements {
  /// Reads entries of the outbox; the clause says which, and in which order.
  func outbox(_ clause: String) throws -> SQLStatement {
    try self("SELECT \(OutboxColumn.list) FROM outbox \(clause)")
  }
}

/// The columns of an outbox entry.
enum OutboxColumn: Int, TableColumn {
  case position, number, sealAt, answered, madeAt, author, operation, owner
}
