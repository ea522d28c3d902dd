import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

@Suite("Connection limits, on real sockets", .timeLimit(.minutes(10)))
struct ConnectionLimitTests {
  private func port(_ addresses: [Listener]) throws -> Int {
    guard case .tcp(_, let port)? = addresses.first else {
      throw ServerError.failed(reason: "no port")
    }
    return port
  }

  private func store(
    _ adjust: (inout ServerConfiguration) -> Void
  ) async throws -> InProcessStore {
    var configuration = ServerConfiguration(version: "0")
    configuration.proxies = []
    adjust(&configuration)
    return try await InProcessStore(configure: { $0 = configuration })
  }

  private static let health = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test("an incomplete head is closed after its time limit", arguments: ["", "GET /health HT"])
  func slowHead(beginning: String) async throws {
    let store = try await store { $0.headerTimeout = .milliseconds(50) }
    try await withRunningServer(store.server) { addresses, _ in
      let slow = try RawConnection(port: try port(addresses))
      slow.write(beginning)
      #expect(try await slow.readToEnd() == "")
      #expect(store.server.activity.connections.figures.tooSlow == 1)
    }
  }

  @Test("an idle connection is not slow, and its next head has its own time limit")
  func idle() async throws {
    let store = try await store { $0.headerTimeout = .milliseconds(50) }
    try await withRunningServer(store.server) { addresses, _ in
      var connection = try RawConnection(port: try port(addresses))
      connection.write(Self.health)
      var answer = try await connection.read(until: "}")
      // On a busy machine this test itself may be too slow between connecting and writing.
      var late = 0
      while answer.isEmpty {
        late += 1
        #expect(store.server.activity.connections.figures.tooSlow == late)
        connection = try RawConnection(port: try port(addresses))
        connection.write(Self.health)
        answer = try await connection.read(until: "}")
      }
      #expect(answer.contains("200 OK"))
      let other = try RawConnection(port: try port(addresses))
      // Once it is closed, the first connection has outlived the same time limit.
      #expect(try await other.readToEnd() == "")
      connection.write(Self.health)
      #expect(try await connection.read(until: "}").contains("200 OK"))
    }
  }

  @Test("a body that is too slow is closed")
  func slowBody() async throws {
    let store = try await store {
      $0.headerTimeout = .seconds(3600)
      $0.bodyTimeout = .milliseconds(50)
      $0.transferBytesPerSecondMin = 1 << 20
    }
    let token = try await store.publishToken()
    try await withRunningServer(store.server) { addresses, _ in
      let slow = try RawConnection(port: try port(addresses))
      slow.write(
        "POST /nas HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
          + "Content-Length: 1000\r\n\r\nhalf")
      _ = try await slow.readToEnd()
      #expect(store.server.activity.connections.figures.tooSlow == 1)
      let user = try await store.service.user(named: "me")
      #expect(try await store.service.list(rows: 10, for: user.id).items.isEmpty)
    }
  }

  @Test("a file that is too slow is closed, and none of it stays")
  func slowUpload() async throws {
    let shelf = MemoryShelf()
    let store = try await InProcessStore(
      shelf: shelf,
      configure: {
        $0.proxies = []
        $0.headerTimeout = .seconds(3600)
        $0.bodyTimeout = .milliseconds(50)
        $0.transferBytesPerSecondMin = 1 << 20
      })
    let token = try await store.publishToken()
    let user = try await store.service.user(named: "me").id
    let owner = FileOwner(
      user: user, token: try #require(try await store.service.accessTokens(of: user).first).id,
      app: nil)
    try await withRunningServer(store.server) { addresses, _ in
      for path in ["/nas", Route.attachments.path] {
        let slow = try RawConnection(port: try port(addresses))
        slow.write(
          "\(path == "/nas" ? "PUT" : "POST") \(path) HTTP/1.1\r\nHost: a\r\nFilename: a.bin\r\n"
            + "Authorization: Bearer \(token)\r\nContent-Length: 100000\r\n\r\nhalf")
        _ = try await slow.readToEnd()
      }
      #expect(store.server.activity.connections.figures.tooSlow == 2)
      // Its upload slots are free again.
      var intakes: [FileUpload] = []
      try await eventually("eight free places", last: "\(intakes.count) places") {
        while intakes.count < 8,
          let intake = try? await store.service.beginFile(named: nil, size: nil, of: owner)
        {
          intakes.append(intake)
        }
        return intakes.count == 8
      }
    }
    try await store.service.sweep()
    #expect(shelf.hashes(beginningWith: "").isEmpty)
    #expect(try await store.service.list(rows: 10, for: user).items.isEmpty)
  }

  @Test("an answer that the client does not read is dropped with its connection")
  func slowReader() async throws {
    let store = try await store {
      $0.answerTimeout = .milliseconds(50)
      $0.transferBytesPerSecondMin = 1 << 20
    }
    let token = try await store.deviceToken(DeviceID("d"))
    let user = try await store.service.user(named: "me")
    for number in 0..<200 {
      var content = Content(app: "a", visual: VisualContent(title: "\(number)"))
      content.raw = String(repeating: "x", count: 30_000)
      _ = try await store.service.publish(PublishRequest(content), for: user.id)
    }
    try await withRunningServer(store.server) { addresses, _ in
      let slow = try RawConnection(port: try port(addresses), receiveBuffer: 4096)
      slow.write(
        "GET \(Route.delta.path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n")
      let connections = store.server.activity.connections
      try await eventually("the end of a slow reader", last: "\(connections.figures)") {
        connections.figures.tooSlow > 0 && connections.figures.open == 0
      }
      _ = slow
    }
  }

  @Test("connections per address are counted, and refused beyond the limit")
  func perAddress() async throws {
    let store = try await store {
      $0.connectionsPerAddressMax = 2
      // Proxies share their connections among clients, and have no limit.
      $0.trustedProxies = []
    }
    try await withRunningServer(store.server) { addresses, _ in
      let port = try port(addresses)
      var open: [RawConnection] = []
      for _ in 0..<2 {
        let connection = try RawConnection(port: port)
        connection.write(Self.health)
        #expect(try await connection.read(until: "}").contains("200 OK"))
        open.append(connection)
      }
      #expect(try await (try RawConnection(port: port)).readToEnd() == "")
      #expect(store.server.activity.connections.figures.refused == 1)
      open.removeLast()
      let connections = store.server.activity.connections
      try await eventually("the end of one connection", last: "\(connections.figures)") {
        connections.figures.open <= 1
      }
      let next = try RawConnection(port: port)
      next.write(Self.health)
      #expect(try await next.read(until: "}").contains("200 OK"))
    }
  }

  @Test("connections beyond a listener's limit wait until one ends")
  func total() async throws {
    let store = try await store { $0.connectionsMax = 1 }
    try await withRunningServer(store.server) { addresses, _ in
      let port = try port(addresses)
      var first: RawConnection? = try RawConnection(port: port)
      first?.write(Self.health)
      #expect(try await first?.read(until: "}").contains("200 OK") == true)
      let second = try RawConnection(port: port)
      second.write(Self.health)
      #expect(store.server.activity.connections.figures.accepted == 1)
      first = nil
      #expect(try await second.read(until: "}").contains("200 OK"))
    }
  }

  @Test(
    "heads and addresses beyond limits, or without exactly one host, are refused by status")
  func heads() async throws {
    let store = try await store {
      $0.headerBytesMax = 2048
      $0.targetBytesMax = 300
      $0.headerFieldsMax = 10
      // A refused head is never complete, and a busy machine may be slow to answer.
      $0.headerTimeout = .seconds(3600)
    }
    try await withRunningServer(store.server) { addresses, _ in
      let port = try port(addresses)
      for (request, status) in [
        ("GET /health?" + String(repeating: "q", count: 400) + " HTTP/1.1\r\nHost: a\r\n", "414"),
        ("GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n", "400"),
        ("GET /health HTTP/1.1\r\nHost: a\r\nhOST: a\r\n", "400"),
        ("GET /health HTTP/1.1\r\n", "400"),
        ("PUT /a HTTP/1.1\r\nContent-Length: 3\r\n", "400"),
        ("GET /health HTTP/2.0\r\n", "400"),
        ("GET /health HTTP/1.1\r\nhost:\r\n", "200"),
        ("GET /health HTTP/1.0\r\n", "200"),
        (
          "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n",
          "400"
        ),
        ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n", "400"),
        ("GET /health HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n", "400"),
        ("GET /health HTTP/1.1\nHost: a\n", "400"),
        ("GET /health HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n", "400"),
        ("GET /health HTTP/1.1\r\nHost : a\r\n", "400"),
        (
          "GET /health HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 3000) + "\r\n",
          "400"
        ),
        (
          "GET /health HTTP/1.1\r\nHost: a\r\n"
            + (0..<20).map { "X-\($0): x\r\n" }.joined(), "400"
        ),
      ] {
        let connection = try RawConnection(port: port)
        connection.write(request + "Connection: close\r\n\r\n")
        let answer = try await connection.readToEnd()
        #expect(
          answer.hasPrefix("HTTP/1.1 \(status)"),
          "\(request.debugDescription.prefix(120)): \(answer.prefix(200))")
      }
    }
  }

  @Test("a request without a host after a valid one is refused after its answer")
  func pipelinedHead() async throws {
    let store = try await store { _ in }
    try await withRunningServer(store.server) { addresses, _ in
      let connection = try RawConnection(port: try port(addresses))
      connection.write(
        Self.health + "GET /health HTTP/1.1\r\n\r\n" + Self.health)
      let answer = try await connection.readToEnd()
      let statuses = answer.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
      #expect(statuses == ["200", "400"], "\(answer)")
    }
  }

  @Test("a token with too many requests has to wait, and the others do not")
  func tooOften() async throws {
    var configuration = ServerConfiguration(version: "0")
    configuration.tokenRequestsPerSecond = 1
    configuration.tokenRequestBurst = 2
    let store = try await InProcessStore(configure: { $0 = configuration })
    let (token, other) = (try await store.deviceToken(), try await store.deviceToken())
    for _ in 0..<2 {
      #expect(try await store.send(.get, Route.devices.path, token: token).status == 200)
    }
    let refused = try await store.send(.get, Route.devices.path, token: token)
    #expect(refused.status == 429)
    #expect(refused.header("Retry-After") == "1")
    #expect(try refused.decoded(ErrorPayload.self).code == .tooManyRequests)
    #expect(try await store.send(.get, Route.devices.path, token: other).status == 200)
    #expect(try await store.send(.post, "/nas", token: token, text: "x").status == 429)
    store.time.advance(by: .seconds(1))
    #expect(try await store.send(.get, Route.devices.path, token: token).status == 200)
  }

  @Test("streams of signals beyond the limit of their token are refused")
  func streams() async throws {
    var limits = StoreLimits()
    limits.streamsPerTokenMax = 1
    let store = try await InProcessStore(limits: limits)
    let secret = try await store.deviceToken()
    let principal = try await store.service.authenticate(AccessTokenSecret(secret))
    let stream = try await store.service.signals(
      for: principal.user.id, with: principal.token.id)
    let refused = try await store.send(.get, Route.signal.path, token: secret)
    #expect(refused.status == 429)
    #expect(refused.header("Retry-After") != nil)
    _ = stream
  }

  @Test("the depth of nested brackets is limited as configured")
  func depth() async throws {
    var configuration = ServerConfiguration(version: "0")
    configuration.jsonDepthMax = 8
    let store = try await InProcessStore(configure: { $0 = configuration })
    let token = try await store.publishToken()
    let nested = String(repeating: "[", count: 9) + String(repeating: "]", count: 9)
    let answer = try await store.send(
      .post, Route.notifications.path, token: token,
      text: #"{"targetHostName":"a","payload":{"rawContent":"x"},"x":\#(nested)}"#)
    #expect(answer.status == 400)
    #expect(answer.text.contains("8"))
  }
}
