import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import BellhopWire
import Dispatch
import HTTPTypes
import Synchronization
import Testing

@testable import BellhopServer

@Suite("Readiness after a write has failed")
struct ReadinessTests {
  @Test(
    "a store that fails to write what it is sent is not ready until such a write succeeds",
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
    // At once, and not with the next look at the storage only.
    let answer = try await store.send(.get, "/health/ready")
    #expect(answer.status == 503)
    #expect(answer.text.contains("a write has failed"), "\(answer.text)")
    #expect(try await store.send(.get, "/health/live").status == 200)
    for _ in 0..<3 where !isEmpty {
      store.time.advance(by: .seconds(10))
      #expect(try await !isReady())
    }
    _ = try await backend.inspect("DROP TRIGGER damage")
    let before = try await backend.inspect("SELECT * FROM item")
    store.time.advance(by: .seconds(10))
    #expect(try await isReady())
    // What was tried changed nothing.
    #expect(try await backend.inspect("SELECT * FROM item") == before)
    #expect(try await publish() == 200)
    #expect(try await isReady())
    await store.service.close()
  }

  @Test("a request that is refused is no failed write, and asking often writes seldom")
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

  @Test("all who ask while the storage is being asked share one write (SECURITY-5)")
  func together() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let backend = try SQLiteBackend(path: folder.path + "/store.sqlite")
    let time = SettableTime()
    let asked = Atomic<Int>(0)
    let store = try await InProcessStore(
      on: backend, time: time,
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
    let begun = Atomic<Bool>(false)
    let gate = DispatchSemaphore(value: 0)
    let held = Task {
      try await backend.write(
        { _ in
          begun.store(true, ordering: .relaxed)
          gate.wait()
        }, committed: { _ in })
    }
    try await eventually("a held writer") { begun.load(ordering: .relaxed) }
    let before = asked.load(ordering: .relaxed)
    let answers = (0..<20).map { _ in
      Task { try await store.send(.get, "/health/ready").status }
    }
    try await eventually("20 questions", last: "\(asked.load(ordering: .relaxed))") {
      asked.load(ordering: .relaxed) >= before + 20
    }
    gate.signal()
    try await held.value
    for answer in answers { #expect(try await answer.value == 200) }
    #expect(try await backend.inspect("SELECT * FROM written").count == 1)
    await store.service.close()
  }
}
