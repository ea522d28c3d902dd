#if BELLHOP_POSTGRES
import BellhopStorePostgres
import BellhopTestSupport
import PostgresTestSupport
import Synchronization
import Testing

extension ServerTests {
  @Suite("Transactions")
  struct TransactionTests {
    /// Creates a table that no other test uses.
    private func withTable(_ name: String) throws -> PostgresConnection {
      let connection = try connect()
      try connection.run("CREATE TABLE \(name) (n int8 PRIMARY KEY, parent int8)")
      return connection
    }

    private func count(_ table: String) throws -> Int {
      try connect().run("SELECT count(*) AS n FROM \(table)").first().value("n")
    }

    /// Lets `COMMIT` take this long after a row was inserted.
    private func delayCommit(of table: String, on connection: PostgresConnection) throws {
      try connection.runScript(
        """
        CREATE FUNCTION \(table)_slow() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(300); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON \(table) DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION \(table)_slow();
        """)
    }

    /// Waits until a process of the server runs `COMMIT`.
    private func expectCommit(of process: Int32) async throws {
      let watcher = try connect()
      try await eventually("a COMMIT that sleeps") {
        try !watcher.run(
          "SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'",
          .integer(Int64(process))
        ).isEmpty
      }
    }

    @Test("a commit is acknowledged, and a rollback leaves nothing")
    func plain() throws {
      let connection = try withTable("plain")
      try connection.begin()
      #expect(connection.isInTransaction)
      try connection.queue("INSERT INTO plain VALUES (1)")
      try connection.queue("INSERT INTO plain VALUES (2)")
      #expect(connection.commit() == .committed)
      #expect(!connection.isInTransaction)
      try connection.begin()
      try connection.run("DELETE FROM plain")
      connection.rollback()
      try connection.begin()
      try connection.queue("DELETE FROM plain")
      connection.rollback()
      #expect(!connection.isInTransaction)
      #expect(try count("plain") == 2)
    }

    @Test("a snapshot sees one state and refuses to write")
    func snapshot() throws {
      let connection = try withTable("snapshot")
      let reader = try connect()
      try reader.begin(.snapshot)
      #expect(try reader.run("SELECT n FROM snapshot").isEmpty)
      try connection.run("INSERT INTO snapshot VALUES (1)")
      #expect(try reader.run("SELECT n FROM snapshot").isEmpty)
      #expect(reader.commit() == .committed)
      #expect(try reader.run("SELECT n FROM snapshot").count == 1)
      try reader.begin(.snapshot)
      #expect(throws: PostgresError.readOnly) { try reader.run("DELETE FROM snapshot") }
    }

    @Test("an open connection writes nothing once the server was set to read only")
    func readOnlyServer() throws {
      let connection = try withTable("guarded_rows")
      try connection.run("SET default_transaction_read_only = on")
      try connection.begin()
      #expect(throws: PostgresError.readOnly) {
        try connection.run("INSERT INTO guarded_rows VALUES (1)")
      }
      // Another host may accept writes.
      #expect(!connection.isUsable)
      #expect(try count("guarded_rows") == 0)
    }

    @Test("COMMIT after a failed statement is known not to have committed")
    func afterFailure() throws {
      let connection = try withTable("failed")
      try connection.begin()
      try connection.run("INSERT INTO failed VALUES (1)")
      #expect(throws: PostgresError.self) { try connection.run("INSERT INTO failed VALUES (1)") }
      // The server answers with success, and with another tag.
      #expect(connection.commit() == .notCommitted(.failedTransaction))
      #expect(try count("failed") == 0)
    }

    @Test("a queued statement that fails keeps COMMIT from running")
    func queuedFailure() throws {
      let connection = try withTable("queued")
      try connection.begin()
      try connection.queue("INSERT INTO queued VALUES (1)")
      try connection.queue("INSERT INTO queued VALUES (1)")
      try connection.queue("INSERT INTO queued VALUES (2)")
      guard case .notCommitted(.refused("23505", _, "queued_pkey")) = connection.commit() else {
        Issue.record("a duplicate was committed")
        return
      }
      #expect(!connection.isInTransaction)
      #expect(try count("queued") == 0)
    }

    @Test("an error of COMMIT itself is known not to have committed")
    func deferredConstraint() throws {
      let connection = try withTable("deferred")
      try connection.run(
        """
        ALTER TABLE deferred ADD FOREIGN KEY (parent) REFERENCES deferred
          DEFERRABLE INITIALLY DEFERRED
        """)
      try connection.begin()
      try connection.run("INSERT INTO deferred VALUES (1, 2)")
      guard case .notCommitted(.refused("23503", _, _)) = connection.commit() else {
        Issue.record("a dangling reference was committed")
        return
      }
      #expect(!connection.isInTransaction)
      #expect(try count("deferred") == 0)
    }

    @Test("a warning counts only when COMMIT itself gives it")
    func warnings() throws {
      let connection = try withTable("warned")
      try connection.begin()
      try connection.queue("INSERT INTO warned VALUES (1)")
      try connection.queue("DO $$ BEGIN RAISE WARNING 'of a statement'; END $$")
      #expect(connection.commit() == .committed)
      try connection.runScript(
        """
        CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE WARNING 'of COMMIT'; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON warned DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION warn();
        """)
      try connection.begin()
      try connection.queue("DO $$ BEGIN RAISE WARNING 'of a statement'; END $$")
      try connection.queue("INSERT INTO warned VALUES (2)")
      #expect(
        connection.commit() == .unknown(.warning(sqlState: "01000", message: "of COMMIT")))
      #expect(connection.isUsable && !connection.isInTransaction)
      #expect(try count("warned") == 2)
    }

    @Test("a backend killed before COMMIT is known not to have committed, and can be retried")
    func killedBefore() async throws {
      let connection = try withTable("before")
      try connection.begin()
      try connection.run("INSERT INTO before VALUES (1)")
      try connection.run("DO $$ BEGIN RAISE WARNING 'not the reason'; END $$")
      let killer = try connect()
      let process = Int64(connection.processID)
      try killer.run("SELECT pg_terminate_backend($1::int4)", .integer(process))
      try await eventually("the end of the backend") {
        try killer.run("SELECT FROM pg_stat_activity WHERE pid = $1", .integer(process)).isEmpty
      }
      #expect(connection.commit() == .notCommitted(.shuttingDown))
      #expect(PostgresError.shuttingDown.remedy == .retry)
      #expect(!connection.isUsable)
      #expect(throws: PostgresError.shuttingDown) { try connection.run("SELECT 1") }
      #expect(try count("before") == 0)
    }

    @Test("a backend killed while it waits for a statement ends it with an error to retry")
    func killedDuringStatement() async throws {
      let cluster = try cluster()
      let watcher = try connect()
      let task = Task.besidePrograms {
        try PostgresConnection.open(cluster.settings()).run("SELECT pg_sleep(300) AS killed")
        return
      }
      try await eventually("the end of the statement") {
        try watcher.run(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE query LIKE '%AS killed' AND state = 'active' AND pid <> pg_backend_pid()
          """
        ).count == 1
      }
      let error = await #expect(throws: PostgresError.self) { try await task.value }
      #expect(error?.remedy == .retry)
    }

    @Test("the outcome is unknown when the backend is killed during COMMIT")
    func killedDuring() async throws {
      let connection = try withTable("during")
      try delayCommit(of: "during", on: connection)
      let process = Mailbox<Int32>()
      let commit = try beside { connection in
        process.put(connection.processID)
        try connection.begin()
        try connection.queue("INSERT INTO during VALUES (1)")
        return (connection.commit(), connection.isUsable)
      }
      let number = try await process.take()
      try await expectCommit(of: number)
      try connection.run("SELECT pg_terminate_backend($1::int4)", .integer(Int64(number)))
      let (outcome, isUsable) = try await commit.value
      #expect(outcome == .unknown(.connection(.shuttingDown)))
      #expect(!isUsable)
    }

    @Test("the outcome is unknown, and the connection dropped, at the deadline of COMMIT")
    func deadline() throws {
      let connection = try withTable("deadline")
      try delayCommit(of: "deadline", on: connection)
      try connection.begin()
      try connection.run("INSERT INTO deadline VALUES (1)")
      let start = ContinuousClock.now
      let limit = Duration.milliseconds(200)
      #expect(connection.commit(within: limit) == .unknown(.connection(.timedOut(after: limit))))
      #expect(start.duration(to: .now) < patience)
      #expect(!connection.isUsable)
    }

    @Test("a lock that is held too long is an error of its own")
    func lockTimeout() throws {
      let connection = try withTable("locked")
      try connection.run("INSERT INTO locked VALUES (1)")
      try connection.begin()
      try connection.run("SELECT FROM locked FOR NO KEY UPDATE")
      let waiter = try connect { $0.session["lock_timeout"] = "100ms" }
      try waiter.begin()
      #expect(throws: PostgresError.lockTimeout) {
        try waiter.run("SELECT FROM locked FOR NO KEY UPDATE")
      }
      waiter.rollback()
      #expect(try waiter.run("SELECT FROM locked").count == 1)
    }

    @Test("a transaction that is idle for too long ends with its session, and can be retried")
    func idle() async throws {
      let connection = try connect { $0.session["idle_in_transaction_session_timeout"] = "50ms" }
      try connection.begin()
      try connection.run("SELECT 1")
      try await eventually("the end of the session") { !connection.isUsable }
      guard case .notCommitted(let error) = connection.commit() else {
        Issue.record("a transaction without a session was committed")
        return
      }
      #expect(error.remedy == .retry)
    }

    @Test("one of two transactions in a deadlock fails with an error to retry")
    func deadlock() async throws {
      let connection = try withTable("dead")
      try connection.run("INSERT INTO dead VALUES (1), (2)")
      let lock = "SELECT FROM dead WHERE n = $1 FOR NO KEY UPDATE"
      try connection.begin()
      try connection.run(lock, .integer(1))
      let process = Mailbox<Int32>()
      let other = try beside { connection in
        try connection.begin()
        try connection.run(lock, .integer(2))
        process.put(connection.processID)
        try connection.run(lock, .integer(1))
      }
      _ = try await process.take()
      let own = Result { try connection.run(lock, .integer(2)) }
      if case .success = own { connection.rollback() }
      let results = [own.map { _ in }, await other.result]
      let errors = results.compactMap { result -> PostgresError? in
        if case .failure(let error) = result { error as? PostgresError } else { nil }
      }
      #expect(errors == [.conflict])
    }
  }

  /// The wait of `COMMIT` for a standby that does not exist.
  @Suite("Synchronous replication", .cluster("synchronous_standby_names=absent"))
  struct SynchronousTests {
    /// Begins a commit, and waits until it waits for the standby.
    private func commit(
      _ name: String, within limit: Duration = patience
    ) async throws -> (process: Int64, watcher: PostgresConnection, task: Task<Commit, any Error>) {
      let watcher = try connect { $0.session["synchronous_commit"] = "local" }
      try watcher.run("CREATE TABLE \(name) (n int8)")
      let process = Mailbox<Int32>()
      let task = try beside { connection in
        process.put(connection.processID)
        try connection.begin()
        try connection.queue("INSERT INTO \(name) VALUES (1)")
        return Commit(outcome: connection.commit(within: limit), isUsable: connection.isUsable)
      }
      let number = Int64(try await process.take())
      try await eventually("a COMMIT that waits for the standby") {
        try isWaiting(number, watcher)
      }
      return (number, watcher, task)
    }

    struct Commit: Sendable, Equatable {
      var outcome: CommitOutcome
      var isUsable: Bool
    }

    private func isWaiting(_ process: Int64, _ watcher: PostgresConnection) throws -> Bool {
      try !watcher.run(
        "SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'", .integer(process)
      ).isEmpty
    }

    @Test("a cancelled wait is no acknowledgement, although the row is visible")
    func cancelled() async throws {
      let (process, watcher, task) = try await commit("cancelled")
      #expect(try watcher.run("SELECT FROM cancelled").isEmpty)
      try watcher.run("SELECT pg_cancel_backend($1::int4)", .integer(process))
      let commit = try await task.value
      guard case .unknown(.warning("01000", let message)) = commit.outcome else {
        Issue.record("\(commit)")
        return
      }
      #expect(message == "canceling wait for synchronous replication due to user request")
      #expect(commit.isUsable)
      #expect(try watcher.run("SELECT FROM cancelled").count == 1)
    }

    @Test("the outcome is unknown when the backend is terminated in its wait")
    func terminated() async throws {
      let (process, watcher, task) = try await commit("terminated")
      try watcher.run("SELECT pg_terminate_backend($1::int4)", .integer(process))
      let commit = try await task.value
      guard case .unknown(.connection(let error)) = commit.outcome else {
        Issue.record("\(commit)")
        return
      }
      #expect(error.remedy == .retry)
      #expect(!commit.isUsable)
    }

    @Test("a dropped connection leaves the wait, and its locks, on the server")
    func abandoned() async throws {
      let (process, watcher, task) = try await commit("abandoned", within: .seconds(2))
      let commit = try await task.value
      #expect(commit.outcome == .unknown(.connection(.timedOut(after: .seconds(2)))))
      #expect(try isWaiting(process, watcher))
    }
  }
}

/// Hands one value from a thread to a test.
final class Mailbox<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  func put(_ value: Value) { self.value.withLock { $0 = value } }

  func take() async throws -> Value {
    try await eventually("a value of another thread") { value.withLock { $0 } }
  }
}
#endif
