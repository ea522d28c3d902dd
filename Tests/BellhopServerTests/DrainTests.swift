import BellhopModel
import BellhopStore
import BellhopStoreMemory
import BellhopStoreSQLite
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Synchronization
import Testing

@testable import BellhopServer

/// A backend in memory whose concerns a test sets.
private final class ConcernedBackend: StorageBackend {
  private let inner = MemoryBackend()
  private let known = Mutex<[String]>([])

  var concerns: [String] {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) throws -> Value {
    try inner.read(body)
  }

  func write<Value: Sendable>(
    in scope: WriteScope,
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value,
    committed: @escaping @Sendable (Value) -> Void
  ) throws -> Value {
    try inner.write(in: scope, body, committed: committed)
  }

  func catchUp() -> CatchUp { .done }
  func close() {}
}

@Suite("Readiness of one process among several", .timeLimit(.minutes(10)))
struct DrainTests {
  private func port(_ addresses: [Listener]) throws -> Int {
    guard case .tcp(_, let port)? = addresses.first else { throw StoreError.busy }
    return port
  }

  /// Sends a request on a connection of its own, and returns the response.
  private func answer(_ path: String, _ port: Int) async throws -> String {
    let connection = try RawConnection(port: port)
    connection.write("GET \(path) HTTP/1.1\r\nHost: store\r\nConnection: close\r\n\r\n")
    return try await connection.readToEnd()
  }

  @Test("a stopping server reports that it is not ready, still serves, and then ends its streams")
  func drain() async throws {
    let store = try await InProcessStore(
      configure: {
        $0.drainDelay = .seconds(3600)
        $0.drainTimeout = .seconds(300)
      }, adjust: { $0.random = { 0.5 } })
    let token = try await store.deviceToken()
    try await withRunningServer(store.server) { addresses, running in
      let port = try port(addresses)
      #expect(try await answer("/health/ready", port).hasPrefix("HTTP/1.1 200"))
      let authorization = "Host: store\r\nAuthorization: Bearer \(token)\r\n"
      let signals = try RawConnection(port: port)
      signals.write("GET \(Route.signal.path) HTTP/1.1\r\n\(authorization)\r\n")
      _ = try await signals.read(until: "event: changed")
      let reader = try RawConnection(port: port)
      reader.write("GET /nas/sse HTTP/1.1\r\n\(authorization)\r\n")
      _ = try await reader.read(until: "event: open")
      let socket = try RawConnection(port: port)
      socket.write(
        """
        GET /stream HTTP/1.1\r\n\(authorization)Connection: Upgrade\r\nUpgrade: websocket\r
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """)
      _ = try await socket.read(until: "\r\n\r\n")

      let stopping = Task { await running.shutDown() }
      try await eventually("a server that is not ready") { store.server.activity.isDraining }
      for path in ["/health/ready", "/health", "/v1/health"] {
        let refused = try await answer(path, port)
        #expect(refused.hasPrefix("HTTP/1.1 503"), "\(path): \(refused)")
        #expect(refused.lowercased().contains("\r\nretry-after: "), "\(path): \(refused)")
        #expect(refused.contains("the store is stopping"), "\(path): \(refused)")
      }
      #expect(try await answer("/health/live", port).hasPrefix("HTTP/1.1 200"))
      #expect(try await answer("/metrics", port).contains("bellhop_draining 1"))
      // Requests on new connections succeed, and open streams go on.
      let publisher = try await store.publishToken()
      let published = try RawConnection(port: port)
      published.write(
        "POST /nas HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer \(publisher)\r\n"
          + "Connection: close\r\nContent-Length: 1\r\n\r\nx")
      #expect(try await published.readToEnd().hasPrefix("HTTP/1.1 200"))
      _ = try await signals.read(until: "event: changed")
      _ = try await reader.read(until: "data: {")

      // A cancelled delay ends, as after a second signal.
      stopping.cancel()
      let end = try await signals.readToEnd()
      #expect(end.contains("retry: 500\n\n"), "\(end)")
      #expect(try await reader.readToEnd().contains("retry: 500\n\n"))
      // RFC 6455 §7.4.1: 1001, going away.
      let frames = try await socket.readBytes(1 << 20)
      #expect(frames.suffix(4) == [0x88, 0x02, 0x03, 0xe9], "\(frames)")
      await stopping.value
    }
  }

  @Test("a concern about the storage makes the store degraded, which is ready")
  func degraded() async throws {
    let backend = ConcernedBackend()
    let store = try await InProcessStore(on: backend)
    func check() async throws -> (status: Int, readiness: Readiness) {
      let answer = try await store.send(.get, "/health/ready")
      return (answer.status, try answer.decoded(Readiness.self))
    }
    var (status, readiness) = try await check()
    #expect(status == 200 && readiness == Readiness())
    #expect(readiness.status == .ok)
    backend.concerns = ["the database has no synchronous standby"]
    (status, readiness) = try await check()
    #expect(status == 200 && readiness.status == .degraded)
    #expect(readiness.concerns == backend.concerns)
    #expect(try await store.send(.get, "/health").status == 200)
    let text = try await store.send(.get, "/metrics").text
    #expect(text.contains("\nbellhop_storage_concerns 1\n"))
    // The concern ends without a check of the storage.
    backend.concerns = []
    #expect(try await check().readiness.status == .ok)
    #expect(Readiness(problems: ["x"], concerns: ["y"]).status == .unavailable)
  }

  @Test("a storage that hangs makes the store unavailable, and does not delay the answer")
  func hanging() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let backend = try SQLiteBackend(path: folder.path + "/store.sqlite")
    let store = try await InProcessStore(
      on: backend, configure: { $0.readinessTimeout = .milliseconds(50) })
    try await withHeldWriter(of: backend) {
      let refused = try await store.send(.get, "/health/ready")
      #expect(refused.status == 503)
      #expect(refused.text.contains("does not respond"), "\(refused.text)")
      #expect(refused.header("Retry-After") == "1")
      #expect(try await store.send(.get, "/health/live").status == 200)
    }
    try await eventually("a store that is ready") {
      try await store.send(.get, "/health/ready").status == 200
    }
    await store.service.close()
  }

  @Test(
    "Retry-After is spread over a few seconds, or over half of a longer time",
    arguments: [
      (nil, 0, "1"), (nil, 0.99, "5"), ("1", 0.5, "3"), ("5", 0, "5"), ("5", 0.99, "9"),
      ("30", 0.999, "45"), ("0", 0, "1"), ("soon", 0, "1"), ("1", 1, "5"),
    ] as [(String?, Double, String)])
  func returnTimes(shortest: String?, random: Double, expected: String) {
    #expect(ReturnTime.retryAfter(shortest, random: random) == expected)
  }

  @Test(
    "the readers of a stopping process connect again within a minute, and a few within a second",
    arguments: [
      (0, 0.5, 500), (1, 0, 0), (200, 0.5, 500), (2000, 0.5, 5000), (10_000, 0.5, 25_000),
      (100_000, 0.5, 30_000),
    ] as [(Int, Double, Int64)])
  func reconnections(streams: Int, random: Double, milliseconds: Int64) {
    let delay = ReturnTime.reconnection(amongStreams: streams, random: random)
    #expect(delay.milliseconds == milliseconds)
  }

  @Test("metrics name the machine and the process, and a refusal has a random Retry-After")
  func process() async throws {
    let store = try await InProcessStore(adjust: {
      $0.process = ProcessLabel(host: "a\"b", number: 42)
      $0.random = { 0.99 }
    })
    let text = try await store.send(.get, "/metrics").text
    #expect(text.contains(#"bellhop_process_info{host="a\"b",pid="42"} 1"#))
    #expect(text.contains("\nbellhop_draining 0\n"))
    store.server.activity.beginDrain()
    #expect(try await store.send(.get, "/health").header("Retry-After") == "9")
    #expect(try await store.send(.get, "/health/ready").header("Retry-After") == "5")
  }
}
