#if BELLHOP_POSTGRES
import BellhopStorePostgres
import BellhopTestSupport
import Dispatch
import Foundation
import Glibc
import PostgresTestSupport
import Synchronization
import Testing

extension ServerTests {
  @Suite("The pool")
  struct PoolTests {
    private func pool(
      size: Int, waitingMax: Int = 100, settings: PostgresSettings? = nil,
      prepare: @escaping @Sendable (PostgresConnection) throws -> Void = { _ in }
    ) throws -> PostgresPool {
      try PostgresPool(
        settings ?? cluster().settings(), size: size, waitingMax: waitingMax,
        random: { UInt64.random(in: 0 ... .max) }, prepare: prepare)
    }

    /// Occupies connections until `gate` is signalled for each.
    private func occupy(
      _ pool: PostgresPool, _ count: Int, gate: DispatchSemaphore
    ) async throws -> [Task<Void, any Error>] {
      let before = pool.figures.busy
      let tasks = (0..<count).map { _ in
        Task.besidePrograms {
          try await pool.run { _ in
            try #require(gate.wait(timeout: .now() + 300) == .success)
          }
        }
      }
      try await eventually("busy connections", last: "\(pool.figures)") {
        pool.figures.busy == before + count
      }
      return tasks
    }

    @Test("calls run on several connections at once, which are used again")
    func parallel() async throws {
      let pool = try pool(size: 4)
      let processes = try await withThrowingTaskGroup(of: Int32.self) { group in
        for _ in 0..<100 { group.addTask { try await pool.run { $0.processID } } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect((1...4).contains(processes.count))
      #expect(pool.figures.connected <= 4)
      await pool.close()
      #expect(pool.figures.connected == 0 && pool.figures.busy == 0)
    }

    @Test("calls wait in a bounded queue, and beyond it are refused at once")
    func bounds() async throws {
      let pool = try pool(size: 2, waitingMax: 3)
      let gate = DispatchSemaphore(value: 0)
      let running = try await occupy(pool, 2, gate: gate)
      let waiting = (0..<3).map { number in
        Task.besidePrograms { try await pool.run { _ in number } }
      }
      try await eventually("three waiting calls") { pool.figures.waiting == 3 }
      await #expect(throws: PostgresError.tooManyWaiting) { try await pool.run { _ in } }
      for _ in running { gate.signal() }
      for (number, task) in waiting.enumerated() { #expect(try await task.value == number) }
      for task in running { try await task.value }
      await pool.close()
    }

    @Test("more blocked calls than Swift has threads delay no task")
    func threads() async throws {
      let size = sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 2 + 2
      let pool = try pool(size: size)
      let gate = DispatchSemaphore(value: 0)
      let running = try await occupy(pool, size, gate: gate)
      // On the threads that all tasks share.
      #expect(await Task.detached { 7 }.value == 7)
      for _ in running { gate.signal() }
      for task in running { try await task.value }
      await pool.close()
    }

    @Test("closing waits for running and accepted calls, and refuses later ones")
    func closing() async throws {
      // Full, so that the calls below are refused in any case.
      let pool = try pool(size: 1, waitingMax: 1)
      let gate = DispatchSemaphore(value: 0)
      let running = try await occupy(pool, 1, gate: gate)
      let accepted = Task.besidePrograms { try await pool.run { $0.isUsable } }
      try await eventually("a waiting call") { pool.figures.waiting == 1 }
      let isClosed = Mutex(false)
      let closing = Task.besidePrograms {
        await pool.close()
        isClosed.withLock { $0 = true }
      }
      try await eventually("a pool that refuses calls") {
        do {
          try await pool.run { _ in }
        } catch PostgresError.closed {
          return true
        } catch PostgresError.tooManyWaiting {}
        return false
      }
      #expect(!isClosed.withLock { $0 })
      gate.signal()
      for task in running { try await task.value }
      #expect(try await accepted.value)
      try await closing.value
      await pool.close()
    }

    @Test("a connection that was killed is replaced, and a forgotten transaction undone")
    func replacement() async throws {
      let pool = try pool(size: 1)
      let first = try await pool.run { connection in
        try connection.begin()
        try connection.run("CREATE TABLE forgotten (n int8)")
        return connection.processID
      }
      #expect(try await pool.run { !$0.isInTransaction })
      await #expect(throws: PostgresError.self) {
        try await pool.run { connection in
          _ = try connection.run("SELECT pg_terminate_backend(pg_backend_pid())")
        }
      }
      let second = try await pool.run { $0.processID }
      #expect(first != second)
      // Between two calls, the next one does not notice.
      let killer = try connect()
      try killer.run("SELECT pg_terminate_backend($1::int4)", .integer(Int64(second)))
      try await eventually("the end of the backend") {
        try killer.run(
          "SELECT FROM pg_stat_activity WHERE pid = $1", .integer(Int64(second))
        ).isEmpty
      }
      #expect(try await pool.run { $0.processID } != second)
      #expect(
        try killer.run("SELECT to_regclass('forgotten') IS NULL AS gone").first().value("gone"))
      await pool.close()
    }

    @Test("after a reset all connections are new, and a call that runs ends first")
    func reset() async throws {
      let pool = try pool(size: 2)
      let gate = DispatchSemaphore(value: 0)
      let former = Mutex<Set<Int32>>([])
      let running = (0..<2).map { _ in
        Task.besidePrograms {
          try await pool.run { connection in
            former.withLock { _ = $0.insert(connection.processID) }
            try #require(gate.wait(timeout: .now() + 300) == .success)
            try #require(connection.isUsable)
          }
        }
      }
      try await eventually("two calls that run", holds: { former.withLock { $0.count } == 2 })
      pool.reset()
      for _ in running { gate.signal() }
      for task in running { try await task.value }
      let old = former.withLock { $0 }
      for _ in 0..<20 {
        let process = try await pool.run { $0.processID }
        #expect(!old.contains(process))
      }
      await pool.close()
    }

    @Test("an error of a call reaches its caller and keeps the connection")
    func errors() async throws {
      let pool = try pool(size: 1)
      let process = try await pool.run { $0.processID }
      await #expect(throws: PostgresError.self) {
        try await pool.run { connection in
          try connection.begin()
          _ = try connection.run("SELECT 1 / $1", .integer(0))
        }
      }
      #expect(try await pool.run { $0.processID } == process)
      await pool.close()
    }

    @Test("while no server answers, calls throw the reason at once, until one does")
    func outage() async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let link = folder.path + "/server"
      let settings = try PostgresSettings(
        address: "postgres://postgres@/postgres?host=\(link)&port=5432")
      let pool = try pool(size: 8, settings: settings)
      for _ in 0..<20 {
        let error = await #expect(throws: PostgresError.self) { try await pool.run { _ in } }
        #expect(error?.remedy == .wait)
      }
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: cluster().folder)
      try await eventually("a pool that has recovered", last: "\(pool.figures)") {
        do {
          return try await pool.run { $0.isUsable }
        } catch PostgresError.unreachable {
          return false
        }
      }
      await pool.close()
    }

    @Test("a connection that fails its check counts as none")
    func check() async throws {
      let pool = try pool(size: 2) { _ in throw PostgresError.serverTooOld(version: 130_000) }
      for _ in 0..<3 {
        await #expect(throws: PostgresError.serverTooOld(version: 130_000)) {
          try await pool.run { _ in }
        }
      }
      await pool.close()
    }
  }
}
#endif
