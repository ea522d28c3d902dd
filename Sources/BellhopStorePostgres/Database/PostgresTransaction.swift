#if BELLHOP_POSTGRES
internal import BellhopModel
internal import BellhopStore

/// A transaction or a reader's snapshot, as required by the store's logic.
///
/// Several bodies may share one transaction of the database. Each has an object of this class, and all
/// share one ``TransactionContext``. Statements are constants: they are prepared once per connection.
final class PostgresTransaction: StoreTransaction {
  let context: TransactionContext
  let connection: PostgresConnection
  private(set) var accessChanges: Set<UserID> = []
  var takenSequence: TakenSequence?
  var changedRevocation: AccessToken?
  var publishTally = PublishTally()

  init(_ context: TransactionContext) {
    self.context = context
    connection = context.connection
  }

  func noteAccess(_ user: UserID) { accessChanges.insert(user) }

  /// Runs a statement and returns its rows. Anything but a `SELECT` counts as a write.
  @discardableResult
  func rows(_ sql: String, _ values: [PostgresValue] = []) throws -> PostgresRows {
    try check(values)
    try context.writeCounters(before: sql)
    if !sql.hasPrefix("SELECT") { context.noteWrite(sql) }
    return try connection.run(sql, values: values)
  }

  /// Sends a write without waiting for its answer.
  ///
  /// The answer is read before the next rows or `COMMIT`, and so its failure may be thrown there.
  func write(_ sql: String, _ values: [PostgresValue] = []) throws {
    try check(values)
    try context.writeCounters(before: sql)
    context.noteWrite(sql)
    try connection.queue(sql, values: values)
  }

  /// Runs a write at once and returns the number of changed rows.
  func count(_ sql: String, _ values: [PostgresValue] = []) throws -> Int {
    try rows(sql, values).affected
  }

  /// Returns the first row; nil if there is none.
  func first<Value>(
    _ sql: String, _ values: [PostgresValue] = [], _ decode: (PostgresRow) throws -> Value
  ) throws -> Value? {
    let rows = try rows(sql, values)
    return rows.isEmpty ? nil : try decode(rows[0])
  }

  func all<Value>(
    _ sql: String, _ values: [PostgresValue] = [], _ decode: (PostgresRow) throws -> Value
  ) throws -> [Value] {
    try rows(sql, values).map(decode)
  }

  /// Returns the rows that fit on a page. The statement's own limit is that of ``PageLimit/rows``.
  func page<Value>(
    _ sql: String, _ values: [PostgresValue], _ limit: PageLimit, bytes: (Value) -> Int,
    _ decode: (PostgresRow) throws -> Value
  ) throws -> [Value] {
    var found: [Value] = []
    var count = 0
    for row in try rows(sql, values) {
      guard found.count < limit.rows, count < limit.bytes else { break }
      let value = try decode(row)
      count += bytes(value)
      found.append(value)
    }
    return found
  }

  /// Refuses a text that contains U+0000, which PostgreSQL cannot store.
  private func check(_ values: [PostgresValue]) throws {
    if values.contains(where: \.containsNull) {
      throw StoreError.invalid(field: "text", expectation: "text without U+0000")
    }
  }
}
#endif
