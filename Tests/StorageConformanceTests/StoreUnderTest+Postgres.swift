#if BELLHOP_POSTGRES
  import BellhopModel
  import BellhopStore
  import BellhopStorePostgres
  import BellhopTestSupport
  import Foundation
  import PostgresTestSupport
  import Synchronization
  import Testing

  /// A backend in a schema of its own, which is dropped with the last reference to it.
  ///
  /// All schemas are in one cluster, which ends with this process.
  final class TemporaryPostgres: StorageBackend {
    private let backend: PostgresBackend
    private let settings: PostgresSettings
    private let place: Places.Place

    private init(_ backend: PostgresBackend, _ settings: PostgresSettings, _ place: Places.Place) {
      self.backend = backend
      self.settings = settings
      self.place = place
    }

    deinit {
      let (backend, settings, place) = (self.backend, self.settings, self.place)
      _ = Task.besidePrograms {
        await backend.close()
        defer { Places.shared.giveBack(place) }
        let connection = try PostgresConnection.open(settings)
        defer { connection.close() }
        try connection.runScript("DROP SCHEMA \(settings.session["search_path"] ?? "") CASCADE")
      }
    }

    /// The cluster of this process.
    private static let cluster = Task {
      try await PostgresCluster(options: ["max_connections=300", "max_locks_per_transaction=256"])
    }

    /// Creates a schema with all tables, and opens it.
    static func open() async throws -> TemporaryPostgres {
      let place = await Places.shared.take(for: Test.current.map { "\($0.id)" })
      do {
        let name = "t_" + String(UInt64.random(in: 0 ... .max), radix: 36)
        var settings = try await cluster.value.settings(schema: name)
        // Locks are held for long on a busy machine.
        settings.session["lock_timeout"] = "60s"
        settings.session["idle_in_transaction_session_timeout"] = "0"
        try await PostgresBackend.migrate(settings)
        var options = PostgresBackend.Options()
        options.writers = 2
        options.readers = 2
        options.requiresSynchronousStandby = false
        options.heartbeatInterval = .seconds(3600)
        options.unconfirmedMax = .seconds(7200)
        let backend = try await PostgresBackend.open(
          settings, options: options,
          now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
          random: { UInt64.random(in: 0 ... .max) })
        return TemporaryPostgres(backend, settings, place)
      } catch {
        Places.shared.giveBack(place)
        throw error
      }
    }

    // MARK: - The backend

    var longReadsMax: Int { backend.longReadsMax }

    func read<Value: Sendable>(
      _ body: @escaping @Sendable (any StoreReading) throws -> Value
    ) async throws -> Value {
      try await backend.read(body)
    }

    func write<Value: Sendable>(
      in scope: WriteScope,
      _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
      committed: @escaping @Sendable (Value) -> Void
    ) async throws -> Value {
      try await backend.write(in: scope, body, committed: committed)
    }

    func catchUp() async throws -> CatchUp { try await backend.catchUp() }

    func close() async { await backend.close() }

    func figures() async throws -> StorageFigures { try await backend.figures() }

    func problems() async throws -> [String] { try await backend.problems() }

    func reclaimFreeSpace(compactionBytesMax: Int) async throws {
      try await backend.reclaimFreeSpace(compactionBytesMax: compactionBytesMax)
    }
  }

  /// A limit of the stores that are open at the same time, because each has several connections.
  ///
  /// A test that already has one does not wait for more: tests with two stores would wait for each
  /// other.
  private final class Places: Sendable {
    /// The test that has a place; nil if it is unknown.
    struct Place: Sendable {
      let test: String?
    }

    private struct State {
      var count = 0
      var tests: [String: Int] = [:]
      var waiting: [(test: String?, continuation: CheckedContinuation<Void, Never>)] = []
    }

    static let shared = Places()
    private static let countMax = 32

    private let state = Mutex(State())

    func take(for test: String?) async -> Place {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          let hasOne = test.map { state.tests[$0] != nil } ?? true
          guard hasOne || state.count < Self.countMax else {
            state.waiting.append((test, continuation))
            return false
          }
          Self.enter(test, &state)
          return true
        }
        if isFree { continuation.resume() }
      }
      return Place(test: test)
    }

    func giveBack(_ place: Place) {
      let next: CheckedContinuation<Void, Never>? = state.withLock { state in
        state.count -= 1
        if let test = place.test {
          let rest = (state.tests[test] ?? 1) - 1
          state.tests[test] = rest > 0 ? rest : nil
        }
        guard state.count < Self.countMax, !state.waiting.isEmpty else { return nil }
        let (test, continuation) = state.waiting.removeFirst()
        Self.enter(test, &state)
        return continuation
      }
      next?.resume()
    }

    private static func enter(_ test: String?, _ state: inout State) {
      state.count += 1
      if let test { state.tests[test, default: 0] += 1 }
    }
  }

  @Suite("The conformance of PostgreSQL")
  struct PostgresConformanceTests {
    @Test(
      "the suite runs over PostgreSQL",
      .enabled(if: PostgresCluster.isInstalled, "PostgreSQL is not installed here"))
    func included() {
      #expect(BackendKind.allCases.contains(.postgres))
    }
  }
#endif
