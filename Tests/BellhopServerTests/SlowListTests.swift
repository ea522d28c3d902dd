import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Synchronization
import Testing

@testable import BellhopServer

@Suite("Slow lists", .timeLimit(.minutes(5)))
struct SlowListTests {
  @Test("health, sign-in and deltas are answered while lists occupy all their readers")
  func health() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let clock = HeldUptime()
    let backend = try SQLiteBackend(path: folder.path + "/store.sqlite")
    let store = try await InProcessStore(
      on: backend, users: ["me", "you"], workUptime: { clock.now })
    try await store.publish(3, app: "nas")
    let tokens = [
      try await store.deviceToken(), try await store.deviceToken(of: "you"),
    ]
    defer { clock.release() }
    clock.hold()
    let lists = tokens.flatMap { Array(repeating: $0, count: 6) }.map { token in
      Task { try await store.send(.get, "/v1.0/me/notifications", token: token).status }
    }
    try await eventually("lists at their readers") { clock.held == backend.longReadsMax }
    store.time.advance(by: .seconds(60))
    for path in ["/health", "/health/ready", "/v1/health"] {
      #expect(try await store.send(.get, path).status == 200, "\(path)")
    }
    #expect(
      try await store.send(.get, "/v1.0/me/devices", token: "not a token").status == 401)
    let delta = try await store.send(.get, "/v1.0/me/notifications/delta", token: tokens[0])
    #expect(delta.status == 200)
    #expect(try await store.service.users().count == 2)
    clock.release()
    for list in lists { #expect(try await list.value == 200) }
    await store.service.close()
  }

  @Test("one list too many of a user gets 429, and when to try again")
  func refused() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let clock = HeldUptime()
    let backend = try SQLiteBackend(path: folder.path + "/store.sqlite")
    var limits = StoreLimits()
    limits.listsWaitingPerUserMax = 1
    let store = try await InProcessStore(on: backend, limits: limits, workUptime: { clock.now })
    let token = try await store.deviceToken()
    let user = try await store.service.user(named: "me").id
    defer { clock.release() }
    clock.hold()
    let lists = (0..<3).map { _ in
      Task { try await store.send(.get, "/v1.0/me/notifications", token: token).status }
    }
    try await eventually("two lists and one that waits") {
      store.service.longReads(of: user) == (2, 1)
    }
    for path in ["/v1.0/me/notifications", "/message", "/nas/json?poll=1"] {
      let answer = try await store.send(.get, path, token: token)
      #expect(answer.status == 429, "\(path): \(answer.text)")
      #expect(answer.header("Retry-After") == "1", "\(path)")
    }
    clock.release()
    for list in lists { #expect(try await list.value == 200) }
    await store.service.close()
  }

  @Test("polls of open topics without a token take no slot of the user's lists (SECURITY-7)")
  func anonymousPolls() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let clock = HeldUptime()
    let backend = try SQLiteBackend(path: folder.path + "/store.sqlite")
    let store = try await InProcessStore(
      on: backend,
      configure: {
        $0.ntfy.anonymousUser = "me"
        $0.ntfy.anonymousTopics = ["*"]
        $0.ntfy.anonymousAccess = .readWrite
      }, workUptime: { clock.now })
    try await store.publish(3, app: "nas")
    let token = try await store.deviceToken()
    let user = try await store.service.user(named: "me").id
    defer { clock.release() }
    clock.hold()
    let answers = Mutex<[Int]>([])
    let polls = (0..<40).map { _ in
      Task { @Sendable in
        let status = try await store.send(.get, "/nas/json?poll=1").status
        answers.withLock { $0.append(status) }
      }
    }
    // One is read, four wait, and the others are refused while those are held.
    try await eventually("35 refusals", last: "\(answers.withLock { $0 })") {
      answers.withLock { $0 } == Array(repeating: 429, count: 35)
    }
    #expect(store.service.longReads(of: user, isAnonymous: true) == (1, 4))
    let list = Task { try await store.send(.get, "/v1.0/me/notifications", token: token).status }
    try await eventually("the user's list beside them") {
      store.service.longReads(of: user) == (1, 0)
    }
    clock.release()
    #expect(try await list.value == 200)
    for poll in polls { try await poll.value }
    await store.service.close()
  }

  @Test("a list is not read for a client that has disconnected; its other requests are performed")
  func clientLeaves() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let clock = HeldUptime()
    let backend = try SQLiteBackend(path: folder.path + "/store.sqlite")
    let store = try await InProcessStore(on: backend, workUptime: { clock.now })
    let token = try await store.deviceToken()
    let user = try await store.service.user(named: "me").id
    defer { clock.release() }
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      // A server does not end while its readers are held.
      defer { clock.release() }
      clock.hold()
      let lists = (0..<2).map { _ in
        Task { try await store.service.list(rows: 10, for: user).items.count }
      }
      try await eventually("two lists") { store.service.longReads(of: user) == (2, 0) }
      var connections: [RawConnection] = []
      let paths = [
        "/v1.0/me/notifications", "/message", "/nas/json?poll=1", "/nas/json?since=all",
      ]
      for (place, path) in paths.enumerated() {
        let connection = try RawConnection(port: port)
        connection.write(
          "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n")
        connections.append(connection)
        try await eventually("\(path) waits") {
          store.service.longReads(of: user) == (2, place + 1)
        }
      }
      connections = []
      try await eventually("their places are free") { store.service.longReads(of: user) == (2, 0) }
      clock.release()
      for list in lists { #expect(try await list.value == 0) }
    }
  }
}
