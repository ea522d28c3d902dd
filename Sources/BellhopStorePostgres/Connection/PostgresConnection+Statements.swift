#if BELLHOP_POSTGRES
internal import CPostgres

/// An answer that the server still owes.
enum AwaitedAnswer {
  case preparation(PreparedStatement)
  case rows(PreparedStatement)
  /// The end of a statement that was not prepared.
  case plain
  case commit(PreparedStatement)
  /// The end of a batch. After an error, the server skips everything before it.
  case sync
}

/// The server's answer to one command.
enum Answer {
  case rows(PostgresRows)
  case sync
  /// The server skipped the command because an earlier one failed.
  case skipped
  /// - Parameter isFatal: Whether the server has ended the connection.
  case failure(PostgresError, isFatal: Bool)
}

extension PostgresConnection {
  /// The most statements that ``queue(_:_:)`` sends before it waits for their answers.
  private static let queuedMax = 500
  /// The size of queued parameters at which ``queue(_:_:)`` waits. libpq keeps what the server does not take.
  private static let queuedBytesMax = 4 << 20

  /// Runs a statement, after those that are queued, and returns its rows.
  ///
  /// - Throws: The first error of the queued statements and this one.
  @discardableResult
  package func run(
    _ sql: String, _ values: PostgresValue...
  ) throws(PostgresError) -> PostgresRows {
    try run(sql, values: values)
  }

  /// Runs a statement like ``run(_:_:)``, with a list of values.
  @discardableResult
  package func run(
    _ sql: String, values: [PostgresValue]
  ) throws(PostgresError) -> PostgresRows {
    try send(sql, values)
    try sendSync()
    guard let rows = try collect().last else { throw .missingRow }
    return rows
  }

  /// Sends a statement without waiting for its answer.
  ///
  /// Outside of a transaction, the statements up to the next answer are one transaction.
  ///
  /// - Throws: When it has to wait because many are queued: see ``flush()``.
  package func queue(_ sql: String, _ values: PostgresValue...) throws(PostgresError) {
    try queue(sql, values: values)
  }

  /// Sends a statement like ``queue(_:_:)``, with a list of values.
  package func queue(_ sql: String, values: [PostgresValue]) throws(PostgresError) {
    try send(sql, values)
    if awaited.count >= Self.queuedMax || queuedBytes >= Self.queuedBytesMax { try flush() }
  }

  /// Waits for the answers of all queued statements.
  ///
  /// - Returns: The number of rows that each has returned or changed.
  /// - Throws: The first error of the statements.
  @discardableResult
  package func flush() throws(PostgresError) -> [Int] {
    guard !awaited.isEmpty else { return [] }
    try sendSync()
    return try collect().map(\.affected)
  }

  /// Runs several statements that are separated by semicolons, such as a migration, and ignores rows.
  ///
  /// They are one transaction, unless they contain `BEGIN` or one is open.
  package func runScript(_ sql: String) throws(PostgresError) {
    try flush()
    let handle = try live()
    guard PQexitPipelineMode(handle) == 1, PQsendQuery(handle, sql) == 1 else {
      throw drop(lossReason())
    }
    var first: PostgresError?
    let end = ContinuousClock.now + answerTimeout
    while true {
      try waitForResult(until: end, limit: answerTimeout)
      guard let result = PQgetResult(handle) else { break }
      let answer = try read(result, columns: nil)
      if case .failure(let error, let isFatal) = answer {
        if isFatal { throw drop(error) }
        first = first ?? error
      }
    }
    guard PQenterPipelineMode(handle) == 1 else { throw drop(lossReason()) }
    if let first { throw first }
  }

  // MARK: - Sending

  /// Sends a statement, which is prepared when its text is new.
  func send(
    _ sql: String, _ values: [PostgresValue], isCommit: Bool = false
  ) throws(PostgresError) {
    let handle = try live()
    parameters.fill(values)
    let statement = try prepare(sql, on: handle)
    let isSent = parameters.withPointers { values, lengths, formats in
      PQsendQueryPrepared(
        handle, statement.name, Int32(parameters.types.count), values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw drop(lossReason()) }
    awaited.append(isCommit ? .commit(statement) : .rows(statement))
    queuedBytes += parameters.byteCount
    onStep?(processID, .statement(sql: sql, values: values))
  }

  private func prepare(
    _ sql: String, on handle: OpaquePointer
  ) throws(PostgresError) -> PreparedStatement {
    let types = parameters.types
    if let statement = statements.find(sql, types: types) { return statement }
    let (statement, removed) = statements.add(sql, types: types)
    if let removed {
      let isSent = PQsendQueryParams(handle, "DEALLOCATE \(removed)", 0, nil, nil, nil, nil, 1)
      guard isSent == 1 else { throw drop(lossReason()) }
      awaited.append(.plain)
    }
    let numbers = types.map(\.rawValue)
    guard PQsendPrepare(handle, statement.name, sql, Int32(numbers.count), numbers) == 1 else {
      throw drop(lossReason())
    }
    awaited.append(.preparation(statement))
    return statement
  }

  /// Marks the end of a batch, and lets the server answer.
  func sendSync() throws(PostgresError) {
    guard PQpipelineSync(try live()) == 1 else { throw drop(lossReason()) }
    awaited.append(.sync)
    queuedBytes = 0
    onStep?(processID, .end)
  }

  // MARK: - Receiving

  /// Reads all awaited answers, and returns those that are rows.
  ///
  /// - Throws: The first error; the other answers have been read all the same.
  private func collect() throws(PostgresError) -> [PostgresRows] {
    let end = ContinuousClock.now + answerTimeout
    var rows: [PostgresRows] = []
    var first: PostgresError?
    for expected in take() {
      switch try nextAnswer(expected, until: end, limit: answerTimeout) {
      case .rows(let found): if case .rows = expected { rows.append(found) }
      case .sync, .skipped: break
      case .failure(let error, let isFatal):
        first = first ?? error
        if isFatal { throw drop(first ?? error) }
      }
    }
    guard let first else { return rows }
    // Another host accepts writes now. The next connection looks for it.
    if first == .readOnly { drop(first) }
    throw first
  }

  /// Returns what is awaited; afterwards nothing is.
  func take() -> [AwaitedAnswer] {
    defer { awaited.removeAll(keepingCapacity: true) }
    return awaited
  }

  /// Reads the answer to one command.
  ///
  /// - Throws: ``PostgresError/timedOut(after:)`` or the reason why the connection broke, without a
  ///   word from the server. The connection is dropped then.
  func nextAnswer(
    _ expected: AwaitedAnswer, until end: ContinuousClock.Instant, limit: Duration
  ) throws(PostgresError) -> Answer {
    try waitForResult(until: end, limit: limit)
    let handle = try live()
    guard let result = PQgetResult(handle) else { throw drop(lossReason()) }
    let status = PQresultStatus(result)
    let answer: Answer
    switch expected {
    case .sync:
      guard status == PGRES_PIPELINE_SYNC else {
        let error = PostgresError(result)
        PQclear(result)
        throw drop(error ?? lossReason())
      }
      PQclear(result)
      return .sync
    case .rows(let statement), .commit(let statement):
      answer = try read(result, columns: statement.columns)
      if case .rows(let rows) = answer, statement.columns == nil {
        statement.columns = rows.columns
      }
      if case .failure(.refused(let state, _, _), _) = answer, Self.outdated.contains(state) {
        statements.forget(statement)
      }
    case .preparation(let statement):
      answer = try read(result, columns: nil)
      if case .rows = answer {} else { statements.forget(statement) }
    case .plain: answer = try read(result, columns: nil)
    }
    if case .failure(_, isFatal: true) = answer { return answer }
    // libpq ends each command but a sync with nothing.
    try waitForResult(until: end, limit: limit)
    while let more = PQgetResult(handle) { PQclear(more) }
    return answer
  }

  /// The SQLSTATEs by which the server says that a prepared statement no longer fits its tables, or
  /// does not exist.
  private static let outdated: Set<String> = ["0A000", "26000"]

  /// - Throws: The reason why the connection broke. The connection is dropped then.
  private func read(
    _ result: OpaquePointer, columns: PostgresColumns?
  ) throws(PostgresError) -> Answer {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
      return .rows(PostgresRows(result, columns: columns))
    case PGRES_PIPELINE_ABORTED:
      PQclear(result)
      return .skipped
    default:  // open: ExecStatusType
      defer { PQclear(result) }
      guard let error = PostgresError(result) else { throw drop(lossReason()) }
      return .failure(error, isFatal: PostgresError.isFatal(result))
    }
  }
}
#endif
