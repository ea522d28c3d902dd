import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopWire

/// Measures two thousand ntfy readers of one user, who all receive every message.
///
/// Half use lines of JSON, half WebSocket.
struct ReaderCrowdMeasurement {
  let bench: Bench

  private static let readers = 2000
  private static let messages = 500
  /// The number of messages to publish before waiting until all readers have received them.
  private static let step = 50
  private static let patience = Duration.seconds(300)

  func run() async throws {
    let readers = Crowd.makeRoom(for: bench.isQuick ? 200 : Self.readers)
    let messages = bench.isQuick ? 2 * Self.step : Self.messages
    let store = StoreFolder(path: try bench.workspace.scratch("readers"))
    defer { Files.remove(store.path) }
    let token = try await makeStore(store)
    let server = try Server(
      bench.workspace, store: store,
      settings: """
        [server]
        connections-max = \(readers + 100)
        [store]
        streams-per-user-max = \(readers)
        streams-per-token-max = \(readers)

        """)
    defer { server.stop() }
    let before = try ProcessFigures(of: server.processID).resident
    let crowd = try (0..<readers).map { index in
      let reader = try LoopbackConnection(port: server.port)
      reader.setPatience(Self.patience)
      try reader.ask(Self.request(isSocket: index % 2 == 1, token: token), .through("\"open\""))
      return reader
    }
    let publisher = try LoopbackConnection(port: server.port)
    publisher.setPatience(Self.patience)
    var publishing = Samples()
    var telling = Samples()
    let clock = ContinuousClock()
    let busy = try ProcessFigures(of: server.processID).cpu
    var start = clock.now
    for number in 1...messages {
      let content = Content(app: "nas", visual: VisualContent(title: "message \(number)."))
      let request = try BenchRequests.publish(content, token: token)
      publishing.add(try timed { try publisher.ask(request, .http) })
      guard number % Self.step == 0 else { continue }
      for reader in crowd { _ = try reader.receive(.through("message \(number).")) }
      telling.add((clock.now - start).inSeconds)
      start = clock.now
    }
    let figures = try ProcessFigures(of: server.processID)
    func add(_ what: String, _ samples: Samples) {
      bench.report.add(
        Line(what: "ntfy readers, " + what, size: shortCount(readers), ours: samples, target: ""))
    }
    add("a publication's answer, ms", publishing)
    add("\(Self.step) messages to all, s", telling)
    add(
      "CPU a message and reader, µs",
      Samples([(figures.cpu - busy).inMilliseconds * 1000 / Double(readers * messages)]))
    add("added at the most, MB", Samples([figures.residentGreatest - before]))
  }

  private static func request(isSocket: Bool, token: String) -> String {
    let upgrade =
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    return "GET /nas/\(isSocket ? "ws" : "json") HTTP/1.1\r\nHost: 127.0.0.1\r\n"
      + "Authorization: Bearer \(token)\r\n\(isSocket ? upgrade : "")\r\n"
  }

  private func makeStore(_ folder: StoreFolder) async throws -> String {
    let service = try await StoreService.open(
      .starting, on: SQLiteBackend(path: folder.database), environment: StoreFolder.environment)
    let user = try await service.addUser(named: "me").id
    let minted = try await service.mintToken(named: "all", scope: .device(nil), for: user)
    await service.close()
    return minted.secret.text
  }
}
