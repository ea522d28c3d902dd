import BellhopCache
import BellhopModel
import BellhopServer
import BellhopStore
import BellhopStoreMemory
import BellhopSync
import BellhopTestSupport
import Logging
import Synchronization
import Testing

/// The client's transport against a real socket.
@Suite("Pulling", .timeLimit(.minutes(10)))
struct ConditionalPullTests {
  /// Keeps the status of each answer that the server logs.
  private final class Statuses: Sendable {
    private let statuses = Mutex<[String]>([])

    var all: [String] { statuses.withLock { $0 } }

    func append(_ status: String) { statuses.withLock { $0.append(status) } }
  }

  private struct StatusHandler: LogHandler {
    let statuses: Statuses
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      guard event.message == "answered", let status = event.metadata?["status"] else { return }
      statuses.append("\(status)")
    }
  }

  @Test("the first page of a first synchronisation is short, the next as long as the store's")
  func firstPage() async throws {
    let store = try await InProcessStore()
    let user = try await store.service.user(named: "me").id
    let token = try await store.deviceToken()
    for number in 1...250 {
      let content = Content(app: "ci", visual: VisualContent(title: "item \(number)"))
      _ = try await store.service.publish(PublishRequest(content), for: user)
    }
    try await withRunningServer(store.server) { addresses, _ in
      let transport = try HTTPTransport(
        .init(url: "\(addresses[0])", device: DeviceID("laptop"), deviceName: "Laptop"),
        localTime: { store.time.now }, token: { token })
      let first = try await transport.pull(.page(nil))
      #expect(first.changes.count == 100)
      guard case .page(let next?, _, _) = first.end else {
        Issue.record("there is another page")
        return
      }
      #expect(try await transport.pull(.page(next)).changes.count == 150)
      await transport.shutdown()
    }
  }

  @Test("a restarted store reports its history once")
  func validOnce() async throws {
    let backend = MemoryBackend()
    let former = try await InProcessStore(on: backend)
    let token = try await former.deviceToken()
    let user = try await former.service.user(named: "me").id
    let content = Content(app: "ci", visual: VisualContent(title: "old"))
    _ = try await former.service.publish(PublishRequest(content), for: user)
    let known = try await former.service.delta(from: .beginning, rows: 10, for: user)
    let position = try #require(known.started)
    let store = try await InProcessStore(on: backend, seed: 2)
    try await withRunningServer(store.server) { addresses, _ in
      let transport = try HTTPTransport(
        .init(url: "\(addresses[0])", device: DeviceID("laptop"), deviceName: "Laptop"),
        localTime: { store.time.now }, token: { token })
      let first = try await transport.pull(.delta(since: position))
      #expect(first.validThrough != nil, "the token is of the former start")
      guard case .delta(let next, _, _) = first.end else {
        Issue.record("a delta ends with a token")
        return
      }
      #expect(try await transport.pull(.delta(since: next)).validThrough == nil)
      await transport.shutdown()
    }
  }

  @Test("an engine that is up to date gets no body, and still learns of new changes")
  func unchanged() async throws {
    let store = try await InProcessStore()
    let user = try await store.service.user(named: "me").id
    let token = try await store.deviceToken()
    let statuses = Statuses()
    let server = StoreServer(
      store: store.service, configuration: store.server.configuration,
      environment: ServerEnvironment(
        makeRequestID: { "r" }, sleep: { try await Task.sleep(for: $0) }),
      logger: Logger(label: "test", factory: { _ in StatusHandler(statuses: statuses) }),
      dialects: [])
    let publish: @Sendable (String) async throws -> Void = { title in
      let content = Content(app: "ci", visual: VisualContent(title: title))
      _ = try await store.service.publish(PublishRequest(content), for: user)
    }
    try await publish("old")
    try await withRunningServer(server) { addresses, _ in
      let transport = try HTTPTransport(
        .init(url: "\(addresses[0])", device: DeviceID("laptop"), deviceName: "Laptop"),
        localTime: { store.time.now }, token: { token })
      guard case .page(_, let start, _) = try await transport.pull(.page(nil)).end else {
        Issue.record("a first synchronisation has pages")
        return
      }
      let first = try await transport.pull(.delta(since: start))
      let second = try await transport.pull(.delta(since: start))
      #expect(first == second)
      try await publish("new")
      let third = try await transport.pull(.delta(since: start))
      #expect(third.changes.count == 1)
      guard case .delta(let position, _, _) = third.end else {
        Issue.record("a delta ends with a token")
        return
      }
      let fourth = try await transport.pull(.delta(since: position))
      #expect(fourth.changes.isEmpty)
      #expect(fourth.end == third.end)
      #expect(fourth.epoch == third.epoch)
      await transport.shutdown()
    }
    #expect(statuses.all == ["200", "200", "304", "200", "304"])
  }
}
