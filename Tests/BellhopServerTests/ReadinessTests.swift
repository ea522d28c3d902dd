import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Synchronization
import Testing

@testable import BellhopServer

@Suite("Readiness after a failed write")
struct ReadinessTests {
  @Test(
    "a store that fails to write publications is not ready until such a write succeeds",
    arguments: [false, true])
  func failedWrite(isEmpty: Bool) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let backend = try SQLiteBackend(path: folder.path + "/store.sqlite")
    let store = try await InProcessStore(on: backend)
    let token = try await store.deviceToken()
    func publish() async throws -> Int {
      try await store.send(.put, "/nas", token: token, text: "text").status
    }
    func isReady() async throws -> Bool {
      let ready = try await store.send(.get, "/health/ready").status
      #expect(try await store.send(.get, "/health").status == ready)
      return ready == 200
    }
    if !isEmpty { #expect(try await publish() == 200) }
    #expect(try await isReady())
    // Something small can still be written, as into a file with damaged pages.
    _ = try await backend.inspect(
      """
      CREATE TRIGGER damage BEFORE INSERT ON item BEGIN SELECT RAISE(ABORT, 'damaged'); END
      """)
    #expect(try await isReady())
    #expect(try await publish() == 503)
    // At once, and not only with the next check of the storage.
    let answer = try await store.send(.get, "/health/ready")
    #expect(answer.status == 503)
    #expect(answer.text.contains("a write has failed"), "\(answer.text)")
    #expect(try await store.send(.get, "/health/live").status == 200)
    for _ in 0..<3 {
      store.time.advance(by: .seconds(10))
      #expect(try await !isReady())
    }
    _ = try await backend.inspect("DROP TRIGGER damage")
    func rows() async throws -> [[String]] {
      var rows: [[String]] = []
      for table in ["item", "user", "app", "start_sequence"] {
        rows += try await backend.inspect("SELECT * FROM \(table)")
      }
      return rows
    }
    let before = try await rows()
    store.time.advance(by: .seconds(10))
    #expect(try await isReady())
    // The attempts changed nothing.
    #expect(try await rows() == before)
    #expect(try await publish() == 200)
    #expect(try await isReady())
    await store.service.close()
  }

  @Test(
    "a store whose writes fail for one user of many is not ready until one of that user succeeds",
    arguments: ["INSERT", "UPDATE"])
  func failedWriteOfOne(kind: String) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let backend = try SQLiteBackend(path: folder.path + "/store.sqlite")
    let store = try await InProcessStore(on: backend)
    var users = [try await store.service.user(named: "me").id]
    for number in 1..<20 { users.append(try await store.service.addUser(named: "u\(number)").id) }
    let last = try #require(users.last)
    func publish(for user: UserID) async -> StoreError? {
      do throws(StoreError) {
        let content = Content(
          app: "nas", appNotificationID: kind == "UPDATE" ? "x" : nil,
          visual: VisualContent(title: "text"))
        _ = try await store.service.publish(PublishRequest(content), for: user)
        return nil
      } catch {
        return error
      }
    }
    func isReady() async throws -> Bool {
      store.time.advance(by: .seconds(10))
      return try await store.send(.get, "/health/ready").status == 200
    }
    for user in [users[0], last] { #expect(await publish(for: user) == nil) }
    // AFTER: an upsert that finds its row only updates it.
    _ = try await backend.inspect(
      """
      CREATE TRIGGER damage AFTER \(kind) ON item WHEN NEW.user = \(last.rawValue)
      BEGIN SELECT RAISE(ABORT, 'damaged'); END
      """)
    #expect(try await isReady())
    guard case .unavailable? = await publish(for: last) else {
      Issue.record("the write did not fail")
      return
    }
    #expect(await publish(for: users[0]) == nil)
    for _ in 0..<3 { #expect(try await !isReady()) }
    _ = try await backend.inspect("DROP TRIGGER damage")
    #expect(try await isReady())
    #expect(await publish(for: last) == nil)
    #expect(try await isReady())
    // A removed user whose write failed does not block readiness.
    _ = try await backend.inspect(
      "CREATE TRIGGER damage AFTER INSERT ON item BEGIN SELECT RAISE(ABORT, 'damaged'); END")
    _ = await publish(for: users[18])
    _ = try await backend.inspect("DROP TRIGGER damage")
    try await store.service.removeUser(named: "u18")
    #expect(try await isReady())
    await store.service.close()
  }

  @Test("a refused request is not a failed write, and frequent checks write seldom")
  func refusals() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let backend = try SQLiteBackend(path: folder.path + "/store.sqlite")
    let store = try await InProcessStore(on: backend)
    let token = try await store.deviceToken()
    #expect(try await store.send(.get, "/health/ready").status == 200)
    let unknown = Route.notification(NotificationID(high: 1, low: 1)).path
    let answer = try await store.send(
      .patch, unknown, token: token, text: #"{"readState":"read"}"#)
    #expect(answer.status == 404)
    let commits = backend.commitCount
    for _ in 0..<10 { #expect(try await store.send(.get, "/health/ready").status == 200) }
    #expect(backend.commitCount == commits)
    await store.service.close()
  }

  @Test("concurrent checks share one write to the storage (SECURITY-5)")
  func together() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let backend = try SQLiteBackend(path: folder.path + "/store.sqlite")
    let time = SettableTime()
    let asked = Atomic<Int>(0)
    let store = try await InProcessStore(
      on: backend, time: time, configure: { $0.readinessTimeout = .seconds(600) },
      adjust: {
        $0.elapsed = {
          asked.add(1, ordering: .relaxed)
          return time.elapsed
        }
      })
    _ = try await backend.inspect("CREATE TABLE written (at)")
    _ = try await backend.inspect(
      """
      CREATE TRIGGER count BEFORE INSERT ON metadata BEGIN INSERT INTO written VALUES (1); END
      """)
    let answers = try await withHeldWriter(of: backend) {
      let before = asked.load(ordering: .relaxed)
      let answers = (0..<20).map { _ in
        Task { try await store.send(.get, "/health/ready").status }
      }
      try await eventually("20 questions", last: "\(asked.load(ordering: .relaxed))") {
        asked.load(ordering: .relaxed) >= before + 20
      }
      return answers
    }
    for answer in answers { #expect(try await answer.value == 200) }
    #expect(try await backend.inspect("SELECT * FROM written").count == 1)
    await store.service.close()
  }
}
