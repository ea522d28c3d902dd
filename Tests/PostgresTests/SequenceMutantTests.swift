#if BELLHOP_POSTGRES
import BellhopModel
import BellhopStore
import BellhopStorePostgres
import BellhopTestSupport
import Foundation
import PostgresTestSupport
import Synchronization
import Testing

extension ServerTests {
  /// Two stores with sixteen writers each, whose commits are slow, and a poller.
  ///
  /// The poller only asks for rows above the last sequence that it saw. So it misses a row that
  /// becomes visible after one with a higher sequence.
  @Suite("The order of sequences", .cluster("max_connections=100"))
  struct SequenceMutantTests {
    /// The ways in which a transaction takes its sequence.
    enum Numbering: String, CaseIterable, CustomTestStringConvertible {
      /// From a row that it locks first, as stores do.
      case counter
      /// From a sequence of PostgreSQL, which locks nothing.
      case nextval

      var testDescription: String { rawValue }
    }

    private struct CommitError: Error {
      let outcome: CommitOutcome
    }

    private static let storesCount = 2
    private static let writersCount = 16
    private static let rowsPerWriter = 10
    private static let total = storesCount * writersCount * rowsPerWriter

    @Test(
      "rows that are numbered by nextval are missed, and those of a locked counter are not",
      arguments: Numbering.allCases)
    func poller(_ numbering: Numbering) async throws {
      let table = "by_\(numbering.rawValue)"
      try connect().runScript(
        """
        CREATE TABLE \(table) (sequence bigint NOT NULL);
        CREATE INDEX ON \(table) (sequence);
        CREATE TABLE \(table)_last (sequence bigint NOT NULL);
        INSERT INTO \(table)_last VALUES (0);
        CREATE SEQUENCE \(table)_next;
        """)
      let end = WritersEnd()
      let late: PostgresConnection? =
        numbering == .nextval ? try Self.beginLateRow(in: table) : nil
      let poller = try beside { connection in
        try Self.poll(table, on: connection, until: end)
      }
      let writers = try (0..<Self.storesCount * Self.writersCount).map { _ in
        try beside { connection in
          try connection.run("SELECT set_config('lock_timeout', '60s', false)")
          for _ in 0..<Self.rowsPerWriter {
            try Self.insert(numbering, into: table, on: connection)
          }
        }
      }
      var failure: (any Error)?
      if let late {
        // Without this row, a poller that begins late under load would miss nothing.
        do {
          try await eventually("a poller that has seen a row") { end.isPollerAhead }
          try Self.commit(late)
        } catch { failure = error }
      }
      for writer in writers {
        do { try await writer.value } catch { failure = error }
      }
      end.note()
      let seen = try await poller.value
      if let failure { throw failure }
      let rows = try connect().run("SELECT count(*) AS n FROM \(table)").first()
      let stored = Self.total + (late == nil ? 0 : 1)
      #expect(try rows.value("n", as: Int.self) == stored)
      switch numbering {
      case .counter: #expect(seen == stored)
      case .nextval: #expect(seen < stored, "the test does not notice the fault")
      }
    }

    /// Takes the first number of a sequence for a row that is not committed yet.
    private static func beginLateRow(in table: String) throws -> PostgresConnection {
      let connection = try connect()
      try connection.begin()
      try connection.run("INSERT INTO \(table) VALUES (nextval('\(table)_next'))")
      return connection
    }

    private static func commit(_ connection: PostgresConnection) throws {
      let outcome = connection.commit()
      guard outcome == .committed else { throw CommitError(outcome: outcome) }
    }

    private static func insert(
      _ numbering: Numbering, into table: String, on connection: PostgresConnection
    ) throws {
      try connection.begin()
      switch numbering {
      case .counter:
        // Another statement than the lock, which does not see what was committed while it waited.
        try connection.queue("SELECT FROM \(table)_last FOR NO KEY UPDATE")
        let row = try connection.run("SELECT sequence + 1 AS n FROM \(table)_last").first()
        let number: Int64 = try row.value("n")
        try connection.queue("INSERT INTO \(table) VALUES ($1)", .integer(number))
        try connection.queue("UPDATE \(table)_last SET sequence = $1", .integer(number))
      case .nextval:
        try connection.queue("INSERT INTO \(table) VALUES (nextval('\(table)_next'))")
      }
      try connection.queue("SELECT FROM pg_sleep(random() * 0.01)")
      try commit(connection)
    }

    /// Counts the rows that a poller sees until all writers have ended.
    private static func poll(
      _ table: String, on connection: PostgresConnection, until end: WritersEnd
    ) throws -> Int {
      var (last, count) = (Int64(0), 0)
      let limit = ContinuousClock.now + patience
      while ContinuousClock.now < limit {
        // The last check begins after the writers have ended.
        let isLast = end.isNoted
        let rows = try connection.run(
          "SELECT sequence AS n FROM \(table) WHERE sequence > $1 ORDER BY sequence",
          .integer(last))
        for row in rows {
          last = try row.value("n")
          count += 1
        }
        if count > 0 { end.notePoller() }
        if isLast { return count }
        try connection.run("SELECT FROM pg_sleep(0.001)")
      }
      throw NotSeen("the end of the writers", seen: "\(count) rows")
    }

    @Test("a device of one store misses no row of the writers of two, whose commits are slow")
    func stores() async throws {
      let settings = try cluster().settings(schema: "two_stores")
      try await PostgresBackend.migrate(settings)
      try PostgresConnection.open(settings).runScript(
        """
        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(random() * 0.01); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON item DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION slow();
        """)
      var services: [StoreService] = []
      for _ in 0..<Self.storesCount { services.append(try await open(settings)) }
      let stores = services
      let user = try await stores[0].addUser(named: "alice").id
      let end = WritersEnd()
      let reader = Task<Set<String>, any Error>.besidePrograms {
        try await stores[0].polledTitles(of: user, every: .milliseconds(1)) { end.isNoted }
      }
      let outcome: Result<Void, any Error>
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (index, store) in stores.enumerated() {
            for writer in 0..<Self.writersCount {
              group.addTask {
                for number in 0..<Self.rowsPerWriter {
                  let title = "\(index)/\(writer)/\(number)"
                  let content = Content(app: "ci", visual: VisualContent(title: title))
                  _ = try await store.publish(PublishRequest(content), for: user)
                }
              }
            }
          }
          try await group.waitForAll()
        }
        outcome = .success(())
      } catch {
        outcome = .failure(error)
      }
      end.note()
      let seen = await reader.result
      for store in stores { await store.close() }
      try outcome.get()
      #expect(try seen.get().count == Self.total)
    }

    private func open(_ settings: PostgresSettings) async throws -> StoreService {
      var settings = settings
      settings.session["lock_timeout"] = "60s"
      var options = PostgresBackend.Options()
      options.writers = 4
      options.readers = 4
      options.requiresSynchronousStandby = false
      let now: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
      }
      let random: @Sendable () -> UInt64 = { UInt64.random(in: 0 ... .max) }
      var limits = StoreLimits()
      limits.appPublishesPerMinute = 1_000_000
      limits.userPublishesPerMinute = 1_000_000
      return try await StoreService.open(
        .starting,
        on: PostgresBackend.open(settings, options: options, now: now, random: random),
        environment: StoreEnvironment(now: now, random: random), limits: limits)
    }
  }
}

/// Whether all writers have ended, and whether the poller has seen a row.
private final class WritersEnd: Sendable {
  private let value = Atomic<Bool>(false)
  private let hasPollerSeen = Atomic<Bool>(false)

  var isPollerAhead: Bool { hasPollerSeen.load(ordering: .acquiring) }

  func notePoller() { hasPollerSeen.store(true, ordering: .releasing) }

  var isNoted: Bool { value.load(ordering: .acquiring) }

  func note() { value.store(true, ordering: .releasing) }
}
#endif
