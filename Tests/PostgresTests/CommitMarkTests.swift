#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStore
import PostgresTestSupport
import Testing

@testable import BellhopStorePostgres

extension ServerTests {
  @Suite("Marks of transactions")
  struct CommitMarkTests {
    private static let user = UserID(rawValue: 1)

    /// Opens a schema of its own with one user.
    private func open(schema: String) throws -> PostgresConnection {
      let connection = try PostgresConnection.open(cluster().settings(schema: schema))
      try PostgresSchema.migrate(connection)
      try connection.run("INSERT INTO users (id, name, created) VALUES (1, 'ada', 0)")
      return connection
    }

    /// Commits a transaction of the user that writes nothing but its mark.
    private func commit(
      by process: UInt64, mark number: UInt64, on connection: PostgresConnection
    ) throws -> CommitMark {
      let context = TransactionContext(connection, .user(Self.user))
      try context.begin()
      context.noteWrite("")
      let mark = try #require(try context.finish(by: process, mark: number))
      #expect(connection.commit() == .committed)
      return mark
    }

    @Test("a process finds its transaction, however often other processes have committed since")
    func others() throws {
      let connection = try open(schema: "commit_marks")
      let mark = try commit(by: 1, mark: 7, on: connection)
      for number: UInt64 in 0..<40 {
        _ = try commit(by: 2, mark: number, on: connection)
      }
      #expect(try mark.wasCommitted(on: connection) == true)
      let missing = CommitMark(process: 1, number: 8, user: Self.user)
      #expect(try missing.wasCommitted(on: connection) == false)
    }

    /// Runs a transaction of several users up to its `COMMIT`.
    private func beginOfSeveralUsers(
      mark number: UInt64, on connection: PostgresConnection
    ) throws -> CommitMark {
      let context = TransactionContext(connection, .users)
      try context.begin()
      context.noteWrite("")
      return try #require(try context.finish(by: 1, mark: number))
    }

    @Test("an investigation without an acknowledgement does not make a transaction committed")
    func voidMark() throws {
      let connection = try open(schema: "commit_mark_void")
      // The first COMMIT succeeds with a warning, as after a cancelled wait for a standby.
      try connection.runScript(
        """
        CREATE SEQUENCE commits;
        CREATE FUNCTION warn_once() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN
            IF nextval('commits') = 1 THEN RAISE WARNING 'of COMMIT'; END IF; RETURN NULL;
          END $$;
        CREATE CONSTRAINT TRIGGER warn AFTER INSERT OR UPDATE ON commit_mark
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn_once();
        """)
      let mark = CommitMark(process: 1, number: 7, user: nil)
      #expect(try mark.wasCommitted(on: connection) == nil)
      #expect(try mark.wasCommitted(on: connection) == false)
      #expect(try mark.wasCommitted(on: connection) == false)
      // The transaction comes late, and cannot be committed.
      _ = try beginOfSeveralUsers(mark: 7, on: connection)
      guard case .notCommitted(.refused("23505", _, _)) = connection.commit() else {
        Issue.record("a transaction with a void mark was committed")
        return
      }
    }

    @Test("a transaction of several users is found whenever its mark is looked for")
    func severalUsers() throws {
      let connection = try open(schema: "commit_mark_users")
      let mark = try beginOfSeveralUsers(mark: 7, on: connection)
      #expect(connection.commit() == .committed)
      #expect(try mark.wasCommitted(on: connection) == true)
      #expect(try mark.wasCommitted(on: connection) == true)
    }

    @Test("a row keeps one mark of each of the last processes")
    func bound() throws {
      let connection = try open(schema: "commit_mark_bound")
      for process: UInt64 in 0..<40 {
        for number: UInt64 in 0..<2 {
          _ = try commit(by: process, mark: number, on: connection)
        }
      }
      let count: Int64 = try connection.run(
        "SELECT cardinality(marks)::int8 AS count FROM users WHERE id = 1"
      ).first().value("count")
      #expect(count == Int64(CommitMark.keptMax))
    }
  }
}
#endif
