import BellhopModel
import BellhopStore
import BellhopStoreMemory
import BellhopTestSupport
import BellhopWire
import Synchronization
import Testing

@testable import BellhopServer

@Suite("A server beside another process", .timeLimit(.minutes(10)))
struct PeerServiceTests {
  private let backend = MemoryBackend()
  private let channel = MemoryPeerChannel()

  /// Opens the other process, after the server's store.
  private func openOther(at time: SettableTime) async throws -> StoreService {
    let words = RandomWords(seed: 2)
    return try await StoreService.open(
      .joining, on: backend,
      environment: StoreEnvironment(
        now: { time.now }, random: { words.next() }, uptime: { time.elapsed }),
      peers: channel.another())
  }

  private func publish(_ text: String, in service: StoreService, for user: UserID) async throws {
    _ = try await service.publish(
      PublishRequest(Content(app: "nas", visual: VisualContent(title: text, body: text))),
      for: user)
  }

  @Test(
    "a stream hears of changes and revocations, and within seconds of a lost revocation",
    arguments: [Route.signal.path, "/nas/json"], [false, true])
  func streams(path: String, isLost: Bool) async throws {
    let clock = ManualClock()
    let store = try await InProcessStore(
      on: backend, peers: channel,
      configure: {
        $0.heartbeatInterval = .seconds(1_000_000)
        $0.sweepInterval = .seconds(1_000_000)
      },
      adjust: { $0.sleep = { try await clock.sleep(for: $0) } })
    let other = try await openOther(at: store.time)
    let user = try await store.service.user(named: "me").id
    let token = try await other.mintToken(named: "laptop", scope: .device(nil), for: user)
    try await withRunningServer(store.server) { [self] addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let stream = try RawConnection(port: port)
      stream.write(
        "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token.secret.text)\r\n\r\n")
      let mark = path == "/nas/json" ? "\"open\"" : "event: changed"
      #expect(try await stream.read(until: mark).hasSuffix(mark))
      try await publish("from afar", in: other, for: user)
      let news = path == "/nas/json" ? "from afar" : "event: changed"
      #expect(try await stream.read(until: news).hasSuffix(news))
      channel.losesMessages = isLost
      try await other.revokeToken(token.token.id, of: user, by: "Desk")
      if isLost {
        #expect(store.service.subscriberCount == 1)
        // No heartbeat is due, which would check the token too.
        try await eventually("the end of the stream", every: .zero) {
          clock.advance(by: .seconds(1))
          return store.service.subscriberCount == 0
        }
      }
      let rest = try await stream.read(until: "0\r\n\r\n")
      #expect(rest.hasSuffix("0\r\n\r\n"))
      #expect(rest.contains("revoked") == (path != "/nas/json"))
      try await eventually("the end of all streams") { store.service.subscriberCount == 0 }
    }
  }

  @Test("a web hook is called for a change and a subscription of another process")
  func hooks() async throws {
    let desk = try await HookDesk(on: backend, peers: channel)
    let other = try await openOther(at: desk.store.time)
    let user = try await desk.store.service.user(named: "me").id
    try await desk.subscribed()
    try await desk.telling {
      try await publish("a", in: other, for: user)
      try await desk.drive { desk.stub.told.count == 1 }
      try await publish("b", in: other, for: user)
      try await desk.drive { desk.stub.told.count == 2 }
    }
    #expect(desk.stub.told.map(\.words) == [["created"], ["created"]])
    await desk.stub.stop()
  }

  @Test("a web hook is called after a notice of lost messages")
  func lostHooks() async throws {
    let desk = try await HookDesk(on: backend, peers: channel)
    let other = try await openOther(at: desk.store.time)
    let user = try await desk.store.service.user(named: "me").id
    try await desk.subscribed()
    try await desk.telling {
      try await publish("a", in: other, for: user)
      try await desk.drive { desk.store.server.hooks.counts.requestsAccepted == 1 }
      try await desk.wait { desk.store.server.hooks.counts.calling == 0 }
      channel.losesMessages = true
      try await publish("b", in: other, for: user)
      // It begins with the notice of a new connection.
      let repair = Task {
        await desk.store.service.followPeers { try await desk.clock.sleep(for: $0) }
      }
      defer { repair.cancel() }
      try await desk.drive { desk.store.server.hooks.counts.requestsAccepted == 2 }
    }
    await desk.stub.stop()
  }
}

/// Repeatable random words for all threads.
private final class RandomWords: Sendable {
  private let random: Mutex<SeededRandom>

  init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

  func next() -> UInt64 { random.withLock { $0.next() } }
}
