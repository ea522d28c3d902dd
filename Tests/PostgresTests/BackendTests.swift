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
  /// A cluster of its own, and one test after another, because one changes the settings of the server.
  @Suite("The backend", .serialized, .cluster())
  struct BackendTests {
    private static let created = Timestamp(milliseconds: 1_000_000)

    private struct Refusal: Error {}

    /// Opens a store in a new schema.
    private func open() async throws -> (backend: PostgresBackend, settings: PostgresSettings) {
      let name = "t_" + String(UInt64.random(in: 0 ... .max), radix: 36)
      let settings = try cluster().settings(schema: name)
      try await PostgresBackend.migrate(settings)
      return (try await open(settings), settings)
    }

    private func open(
      _ settings: PostgresSettings, requiresSynchronousStandby: Bool = false,
      now: Timestamp? = nil
    ) async throws -> PostgresBackend {
      var options = PostgresBackend.Options()
      options.writers = 2
      options.readers = 2
      options.requiresSynchronousStandby = requiresSynchronousStandby
      options.heartbeatInterval = .seconds(3600)
      options.unconfirmedMax = .seconds(7200)
      return try await PostgresBackend.open(
        settings, options: options,
        now: {
          now ?? Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))
        }, random: { UInt64.random(in: 0 ... .max) })
    }

    private func addUser(_ name: String, to backend: PostgresBackend) async throws -> UserID {
      try await backend.write(
        in: .store, { try $0.insertUser(named: name, created: Self.created).id },
        committed: { _ in })
    }

    /// Takes the user's next short number.
    private func takeNumber(
      of user: UserID, in backend: PostgresBackend, fails: Bool = false
    ) async throws -> Int64 {
      try await backend.write(
        in: .user(user),
        { transaction in
          var counters = try transaction.counters(of: user) ?? UserCounters()
          counters.shortNumber += 1
          try transaction.setCounters(counters, of: user)
          if fails { throw Refusal() }
          return counters.shortNumber
        }, committed: { _ in })
    }

    private func refusal(_ body: () async throws -> Void) async throws -> StoreError? {
      do {
        try await body()
        return nil
      } catch let error as StoreError {
        return error
      }
    }

    @Test("a schema is migrated once, and a newer one is refused only if it says so")
    func schema() async throws {
      let (backend, settings) = try await open()
      await backend.close()
      try await PostgresBackend.migrate(settings)
      let owner = try PostgresConnection.open(settings)
      let newer = "INSERT INTO schema_migration VALUES (1000, 'newer', $1, 0)"
      try owner.run(newer, .integer(1))
      let accepting = try await open(settings)
      await accepting.close()
      try owner.run("UPDATE schema_migration SET program_min = 1000 WHERE number = 1000")
      #expect(try await refusal { _ = try await open(settings) } == .newerSchema)
      #expect(try await refusal { try await PostgresBackend.migrate(settings) } == .newerSchema)
    }

    @Test("an empty database, an asynchronous server and a wrong clock are refused")
    func checks() async throws {
      let (backend, settings) = try await open()
      await backend.close()
      let empty = try cluster().settings(schema: "missing")
      let errors = [
        try await refusal { _ = try await open(empty) },
        try await refusal { _ = try await open(settings, requiresSynchronousStandby: true) },
        try await refusal { _ = try await open(settings, now: Self.created) },
      ]
      for error in errors {
        guard case .unavailable? = error else {
          Issue.record("the server was accepted, or refused with \(String(describing: error))")
          continue
        }
      }
    }

    @Test("a running store reports a concern once commits wait for no standby")
    func lostStandby() async throws {
      let (first, settings) = try await open()
      await first.close()
      let owner = try connect()
      try owner.runScript("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
      try owner.run("SELECT pg_reload_conf()")
      defer {
        try? owner.runScript("ALTER SYSTEM RESET synchronous_standby_names")
        _ = try? owner.run("SELECT pg_reload_conf()")
      }
      var local = settings
      // The absent standby would confirm no heartbeat.
      local.session["synchronous_commit"] = "local"
      var options = PostgresBackend.Options()
      (options.writers, options.readers) = (1, 1)
      options.heartbeatInterval = .milliseconds(50)
      options.standbyCheckInterval = .milliseconds(50)
      let (opened, chosen) = (local, options)
      let backend = try await eventually("a server that waits for a standby") {
        try? await PostgresBackend.open(
          opened, options: chosen,
          now: { Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)) },
          random: { UInt64.random(in: 0 ... .max) })
      }
      #expect(backend.concerns.isEmpty)
      try owner.runScript("ALTER SYSTEM RESET synchronous_standby_names")
      try owner.run("SELECT pg_reload_conf()")
      try await eventually("a concern", holds: { backend.concerns.count == 1 })
      #expect(backend.concerns.first?.contains("synchronous_standby_names") == true)
      await backend.close()
    }

    @Test("a body that throws after it has written does not affect others")
    func groups() async throws {
      let (backend, _) = try await open()
      let user = try await addUser("ada", to: backend)
      let numbers = try await withThrowingTaskGroup(of: Int64?.self) { group in
        for index in 0..<90 {
          group.addTask {
            do {
              return try await takeNumber(
                of: user, in: backend, fails: index.isMultiple(of: 3))
            } catch StoreError.unavailable {
              return nil
            }
          }
        }
        return try await group.reduce(into: [Int64]()) { found, number in
          if let number { found.append(number) }
        }
      }
      #expect(numbers.sorted() == Array(1...60))
      let figures = try await backend.figures()
      #expect(figures.commits.count < figures.writes)
      await backend.close()
    }

    @Test("two processes never give the same number")
    func processes() async throws {
      let (first, settings) = try await open()
      let second = try await open(settings)
      let user = try await addUser("ada", to: first)
      let numbers = try await withThrowingTaskGroup(of: Int64.self) { group in
        for index in 0..<100 {
          let backend = index.isMultiple(of: 2) ? first : second
          group.addTask { try await takeNumber(of: user, in: backend) }
        }
        return try await group.reduce(into: [Int64]()) { $0.append($1) }
      }
      #expect(numbers.sorted() == Array(1...100))
      #expect(
        try await refusal { _ = try await addUser("ada", to: second) }
          == .alreadyExists(what: "the user"))
      await first.close()
      await second.close()
    }

    @Test(
      "the backend finds the unknown outcome of a commit, and runs its body once",
      arguments: ["pg_cancel_backend", "pg_terminate_backend"])
    func unknownOutcome(end: String) async throws {
      let (backend, _) = try await open()
      let user = try await addUser("ada", to: backend)
      let watcher = try connect { $0.session["synchronous_commit"] = "local" }
      try watcher.runScript("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
      try watcher.run("SELECT pg_reload_conf()")
      defer {
        try? watcher.runScript("ALTER SYSTEM RESET synchronous_standby_names")
        _ = try? watcher.run("SELECT pg_reload_conf()")
      }
      try await eventually("commits that wait for the standby") {
        let probe = try connect()
        try probe.begin()
        try probe.queue("SELECT pg_logical_emit_message(true, 'probe', '')")
        // A busy server may only be slow.
        return try probe.commit(within: .milliseconds(200)) != .committed
          && !waiting(watcher).isEmpty
      }
      let before = try Set(waiting(watcher))
      let runs = Counter()
      let task = Task.besidePrograms {
        try await backend.write(
          in: .user(user),
          { transaction in
            runs.add()
            var counters = try transaction.counters(of: user) ?? UserCounters()
            counters.shortNumber += 1
            try transaction.setCounters(counters, of: user)
            return counters.shortNumber
          }, committed: { _ in })
      }
      let process: Int64 = try await eventually("a commit that waits for the standby") {
        try waiting(watcher).first { !before.contains($0) }
      }
      // The transaction that finds the outcome also waits for the standby, until the reset.
      try watcher.run("SELECT \(end)($1::int4)", .integer(process))
      try watcher.runScript("ALTER SYSTEM RESET synchronous_standby_names")
      try watcher.run("SELECT pg_reload_conf()")
      #expect(try await task.value == 1)
      #expect(runs.value == 1)
      #expect(try await backend.read { try $0.counters(of: user)?.shortNumber } == 1)
      await backend.close()
    }

    /// The processes of the server that wait for the standby.
    private func waiting(_ watcher: PostgresConnection) throws -> [Int64] {
      try watcher.run("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        .map { try $0.value("pid") }
    }
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func add() { count.withLock { $0 += 1 } }
  }
}
#endif
