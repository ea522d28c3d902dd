import BellhopModel
import BellhopServer
import BellhopStore
import BellhopStoreMemory
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopDialects

@Suite("Web sockets of ntfy and Gotify", .timeLimit(.minutes(15)))
struct GotifyStreamTests {
  private func publish(_ store: InProcessStore, _ texts: [String], app: String) async throws {
    let token = try await store.publishToken(for: .app(app))
    for text in texts {
      let answer = try await store.send(
        .post, "/message", token: token, text: #"{"message":"\#(text)"}"#)
      try #require(answer.status == 200, "\(answer.text)")
    }
  }

  private func handshake(_ path: String, _ token: String) -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nUpgrade: websocket\r\n"
      + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
  }

  /// Reads the socket's next text and skips frames before it.
  private func text(_ connection: RawConnection) async throws -> JSONValue {
    let text = try await connection.read(until: "}")
    let start = try #require(text.firstIndex(of: "{"), "the socket is closed")
    return try JSONValue(parsing: Array(text[start...].utf8))
  }

  @Test(
    "a socket sends each message as a text, until the reader closes it",
    arguments: ["/stream", "/nas/ws"])
  func sockets(path: String) async throws {
    let store = try await InProcessStore()
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let token = try await store.deviceToken()
      let socket = try RawConnection(port: port)
      socket.write(self.handshake(path, token))
      let head = try await socket.read(until: "\r\n\r\n")
      #expect(head.hasPrefix("HTTP/1.1 101"))
      // The example key of RFC 6455 §1.3 and its `Sec-WebSocket-Accept`.
      #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
      if path == "/nas/ws" { #expect(try await self.text(socket)["event"]?.text == "open") }
      for text in ["one", "two"] {
        try await self.publish(store, [text], app: "nas")
        #expect(try await self.text(socket)["message"]?.text == text)
      }
      // A ping with a zero mask gets a pong; then the close frame is answered and obeyed.
      socket.write([0x89, 0x80, 0, 0, 0, 0, 0x88, 0x80, 0, 0, 0, 0])
      #expect(try await socket.readBytes(4) == [0x8a, 0, 0x88, 0])
      try await eventually("the end of all streams") { store.service.subscriberCount == 0 }
    }
  }

  @Test(
    "a socket whose reader disappears releases its slot",
    arguments: ["/stream", "/nas/ws"])
  func leaving(path: String) async throws {
    var limits = StoreLimits()
    limits.streamsPerTokenMax = 1
    let store = try await InProcessStore(limits: limits)
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let token = try await store.deviceToken()
      func open() async throws -> (socket: RawConnection, head: String) {
        let socket = try RawConnection(port: port)
        socket.write(self.handshake(path, token))
        return (socket, try await socket.read(until: "\r\n\r\n"))
      }
      do {
        let first = try await open()
        #expect(first.head.hasPrefix("HTTP/1.1 101"))
        try await eventually("a subscriber") { store.service.subscriberCount == 1 }
        #expect(try await open().head.hasPrefix("HTTP/1.1 429"))
        // With nothing left to read, closing it sends an end and not a reset.
        if path == "/nas/ws" { #expect(try await self.text(first.socket)["event"]?.text == "open") }
        withExtendedLifetime(first.socket) {}
      }
      try await eventually("the end of all streams") { store.service.subscriberCount == 0 }
      #expect(try await open().head.hasPrefix("HTTP/1.1 101"))
    }
  }

  @Test("a repeat of an alert is no further message", arguments: ["/stream", "/nas/ws"])
  func repeats(path: String) async throws {
    let backend = MemoryBackend()
    let store = try await InProcessStore(on: backend)
    let user = try await store.service.user(named: "me").id
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let token = try await store.deviceToken()
      let socket = try RawConnection(port: port)
      socket.write(self.handshake(path, token))
      #expect(try await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101"))
      if path == "/nas/ws" { #expect(try await self.text(socket)["event"]?.text == "open") }
      try await self.publish(store, ["full"], app: "nas")
      #expect(try await self.text(socket)["message"]?.text == "full")
      let item = try #require(try await store.service.list(rows: 1, for: user).items.first)
      try await backend.storeRepeat(of: item.id, user: user, at: store.time.now)
      // The reader gets the changes since its last message, the repeat among them.
      try await self.publish(store, ["next"], app: "nas")
      #expect(try await self.text(socket)["message"]?.text == "next")
    }
  }

  @Test("a stream sends a scheduled item when it is due, and a withdrawn one never")
  func delivery() async throws {
    let clocked = try await ClockedStore()
    let store = clocked.store
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let token = try await store.deviceToken()
      let socket = try RawConnection(port: port)
      socket.write(self.handshake("/stream", token))
      _ = try await socket.read(until: "\r\n\r\n")
      for (path, text, delay) in [("/nas/a", "later", "100s"), ("/nas/b", "never", "50s")] {
        let sent = try await store.send(
          .put, path, token: token, text: text, headers: ["In": delay])
        #expect(sent.status == 200)
      }
      #expect(try await store.send(.delete, "/nas/b", token: token).status == 200)
      try await self.publish(store, ["now"], app: "nas")
      #expect(try await self.text(socket)["message"]?.text == "now")
      let ticker = clocked.runTime()
      defer { ticker.cancel() }
      #expect(try await self.text(socket)["message"]?.text == "later")
    }
  }

  @Test("a stream sends a message for each delivery by a trigger, and none once it is cancelled")
  func trigger() async throws {
    let clocked = try await ClockedStore()
    let store = clocked.store
    let user = try await store.service.user(named: "me").id
    let hourly = try Trigger(.interval(seconds: 3600), repeats: true)
    func publish(_ title: String) async throws -> UserNotification {
      try await store.service.publish(
        PublishRequest(
          Content(app: "nas", visual: VisualContent(title: title), trigger: hourly)), for: user
      ).item
    }
    let kept = try await publish("kept")
    let cancelled = try await publish("cancelled")
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let token = try await store.deviceToken()
      func listed() async throws -> [String] {
        let answer = try await store.send(.get, "/message", token: token)
        let messages = try JSONValue(parsing: answer.body)["messages"]?.elements ?? []
        return messages.compactMap { $0["message"]?.text }
      }
      let socket = try RawConnection(port: port)
      socket.write(self.handshake("/stream", token))
      _ = try await socket.read(until: "\r\n\r\n")
      #expect(try await listed().isEmpty, "not delivered yet")
      _ = try await store.service.change(
        cancelled.id, StateChange(cancelled: true),
        by: Author(kind: .device, id: "d", name: "d"), for: user)
      let ticker = clocked.runTime()
      defer { ticker.cancel() }
      var dates: [String] = []
      for _ in 1...3 {
        let message = try await self.text(socket)
        #expect(message["message"]?.text == "kept")
        dates.append(message["date"]?.text ?? "")
      }
      #expect(dates == dates.sorted() && Set(dates).count == 3)
      #expect(dates.first.map { $0 > kept.arrival.description } == true)
      #expect(try await listed() == ["kept"])
    }
  }

  @Test("a stream sends one message when the first device arrives at a place, and none before")
  func place() async throws {
    let store = try await InProcessStore()
    let user = try await store.service.user(named: "me").id
    var places = AppSettingsChange()
    places.places = ["office": .add]
    _ = try await store.service.configure(AppSettings.everyApp, places, for: user)
    let token = try await store.deviceToken(DeviceID("desktop"))
    _ = try await store.deviceToken(DeviceID("phone"))
    let entry = try Trigger(.place(PlaceCrossing(.entry, of: "office")), repeats: true)
    let content = Content(app: "nas", visual: VisualContent(title: "Ask Ann"), trigger: entry)
    _ = try await store.service.publish(PublishRequest(content, isDevice: true), for: user)
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let socket = try RawConnection(port: port)
      socket.write(self.handshake("/stream", token))
      _ = try await socket.read(until: "\r\n\r\n")
      /// A device reports that it is at the office now, which is its first operation.
      func arrive(_ device: String, _ number: UInt64) async throws -> [OperationResult] {
        store.time.advance(by: .seconds(60))
        var change = AppSettingsChange()
        change.places = [
          "office": .report(PlaceReport(isInside: true, at: store.time.now, isCrossing: true))
        ]
        let operation = Operation(
          id: OperationID(high: 1, low: number), target: .app(AppSettings.everyApp),
          mutation: .configure(change))
        return try await store.service.apply(
          OperationBatch(
            device: DeviceID(device), lineage: Lineage("l1"),
            operations: [NumberedOperation(number: 1, operation: operation)]), for: user
        ).results
      }
      try await self.publish(store, ["before"], app: "nas")
      #expect(try await self.text(socket)["message"]?.text == "before")
      #expect(try await arrive("desktop", 1) == [.applied])
      #expect(try await self.text(socket)["message"]?.text == "Ask Ann")
      #expect(try await arrive("phone", 2) == [.applied])
      try await self.publish(store, ["after"], app: "nas")
      #expect(try await self.text(socket)["message"]?.text == "after")
    }
  }

  @Test("without the headers of a WebSocket there is none")
  func noSocket() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let ntfy = try await store.send(.get, "/nas/ws", token: token)
    #expect(ntfy.status == 400)
    #expect(try JSONValue(parsing: ntfy.body)["code"]?.number == 40016)
    #expect(try await store.send(.get, "/stream", token: token).status == 400)
    #expect(try await store.send(.get, "/stream").status == 401)
  }
}
