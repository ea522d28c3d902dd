#if BELLHOP_POSTGRES
import BellhopStorePostgres
import BellhopTestSupport
import Testing

extension ServerTests {
  @Suite("Pipeline mode")
  struct PipelineTests {
    private func numbers(_ connection: PostgresConnection) throws -> [Int] {
      try connection.run("SELECT n FROM line ORDER BY n").map { try $0.value("n") }
    }

    private func withTable() throws -> PostgresConnection {
      let connection = try connect()
      try connection.run("CREATE TEMPORARY TABLE line (n int8 PRIMARY KEY, text text)")
      return connection
    }

    @Test("queued statements run in order, before the next that is waited for")
    func order() throws {
      let connection = try withTable()
      for number in 1...3 {
        try connection.queue("INSERT INTO line (n) VALUES ($1)", .integer(Int64(number)))
      }
      try connection.queue("UPDATE line SET n = n + 10 WHERE n > $1", .integer(1))
      #expect(try numbers(connection) == [1, 12, 13])
      try connection.queue("DELETE FROM line WHERE n > $1", .integer(1))
      try connection.queue("DELETE FROM line WHERE n > $1", .integer(100))
      try connection.queue("SELECT n FROM line")
      #expect(try connection.flush() == [2, 0, 1])
      #expect(try connection.flush() == [])
    }

    @Test("the first error is thrown, and nothing of its batch remains")
    func errors() throws {
      let connection = try withTable()
      try connection.queue("INSERT INTO line (n) VALUES ($1)", .integer(1))
      try connection.queue("INSERT INTO line (n) VALUES ($1)", .integer(1))
      // Never before: its preparation is skipped, so it must be prepared again.
      try connection.queue("INSERT INTO line (n, text) VALUES ($1, 'skipped')", .integer(2))
      let error = #expect(throws: PostgresError.self) { try connection.flush() }
      guard case .refused("23505", _, "line_pkey") = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try numbers(connection) == [])
      try connection.queue("INSERT INTO line (n, text) VALUES ($1, 'skipped')", .integer(2))
      #expect(try numbers(connection) == [2])
    }

    @Test("an error in front of a statement that is waited for is thrown by that")
    func errorBefore() throws {
      let connection = try withTable()
      try connection.queue("INSERT INTO line (n) VALUES (1 / $1)", .integer(0))
      let error = #expect(throws: PostgresError.self) { try numbers(connection) }
      #expect(error?.description.contains("22012") == true)
      #expect(try numbers(connection) == [])
    }

    @Test("a transaction with a failed queued statement can only be rolled back")
    func failedTransaction() throws {
      let connection = try withTable()
      try connection.begin()
      try connection.queue("INSERT INTO line (n) VALUES ($1)", .integer(1))
      try connection.queue("INSERT INTO line (n) VALUES ($1)", .integer(1))
      #expect(throws: PostgresError.self) { try connection.flush() }
      #expect(throws: PostgresError.failedTransaction) { try numbers(connection) }
      connection.rollback()
      #expect(try numbers(connection) == [])
    }

    @Test("more is queued than fits the buffers of both sides, without a standstill")
    func large() throws {
      let connection = try withTable()
      let text = String(repeating: "bell ", count: 2000)
      for number in 0..<3000 {
        // Each also returns as much as it has sent.
        try connection.queue(
          "INSERT INTO line VALUES ($1, $2) RETURNING text", .integer(Int64(number)), .text(text))
      }
      try connection.flush()
      #expect(try connection.run("SELECT count(*) AS n FROM line").first().value("n") == 3000)
    }

    @Test("a script of several statements is one transaction")
    func scripts() throws {
      let connection = try withTable()
      try connection.runScript("INSERT INTO line VALUES (1); INSERT INTO line VALUES (2);")
      #expect(try numbers(connection) == [1, 2])
      #expect(throws: PostgresError.self) {
        try connection.runScript("DELETE FROM line; INSERT INTO line VALUES (3), (3);")
      }
      #expect(try numbers(connection) == [1, 2])
    }

    @Test("a statement without an answer in time ends with the connection, also on the server")
    func deadline() async throws {
      let connection = try connect { $0.session["client_connection_check_interval"] = "100ms" }
      let watcher = try connect()
      let process = connection.processID
      connection.answerTimeout = .milliseconds(200)
      let start = ContinuousClock.now
      #expect(throws: PostgresError.timedOut(after: .milliseconds(200))) {
        try connection.run("SELECT pg_sleep($1)", .double(300))
      }
      #expect(start.duration(to: .now) < patience)
      #expect(!connection.isUsable)
      #expect(throws: PostgresError.timedOut(after: .milliseconds(200))) {
        try connection.run("SELECT 1")
      }
      try await eventually("the end of the abandoned statement") {
        try watcher.run(
          "SELECT FROM pg_stat_activity WHERE pid = $1", .integer(Int64(process))
        ).isEmpty
      }
    }
  }
}
#endif
