import AsyncHTTPClient
import BellhopModel
import BellhopServer
import BellhopStore
import BellhopSync
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import NIOCore
import NIOHTTP1
import Testing

@Suite("On a real socket", .timeLimit(.minutes(10)))
struct SocketTests {
  /// Runs a server on a free port around `body`, and shuts it down afterwards.
  private func withServer(
    _ store: InProcessStore,
    _ body: @escaping @Sendable (_ base: String, _ server: RunningServer) async throws -> Void
  ) async throws {
    try await withRunningServer(store.server) { addresses, running in
      try await body(try #require(addresses.first).description, running)
    }
  }

  private func request(_ url: String, token: String, body: String? = nil) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Authorization", value: "Bearer " + token)
    if let body {
      request.method = .POST
      request.body = .bytes(ByteBuffer(string: body))
    }
    return request
  }

  @Test("the signal comes at once, again after a publication, and the stream ends at shutdown")
  func signal() async throws {
    // On a busy machine the end of the stream takes its time too.
    let store = try await InProcessStore(configure: { $0.drainTimeout = .seconds(300) })
    let token = try await store.deviceToken(DeviceID("d"))
    let publisher = try await store.publishToken()
    try await withServer(store) { base, server in
      let stream = try await HTTPClient.shared.execute(
        request(base + "/v1.0/me/notifications/signal", token: token), deadline: .distantFuture)
      #expect(stream.headers.first(name: "content-type") == "text/event-stream")
      var text = ""
      var hasPublished = false
      for try await chunk in stream.body {
        text += String(buffer: chunk)
        if !hasPublished, text.contains("\"sequence\":0") {
          hasPublished = true
          let answer = try await HTTPClient.shared.execute(
            request(base + "/backups", token: publisher, body: "done"), timeout: .seconds(20))
          #expect(answer.status == .ok)
        }
        if text.contains("\"sequence\":1") { await server.shutDown() }
      }
      #expect(text.components(of: "event: changed") == 2)
      #expect(!text.contains("done"))
    }
  }

  @Test("on a Unix socket a request needs no host, as clients omit it there")
  func unixSocket() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/store.sock"
    let store = try await InProcessStore()
    try await withRunningServer(store.server, on: [.unix(path: path)]) { _, _ in
      let url = "http+unix://" + path.replacing("/", with: "%2F") + "/health"
      let answer = try await HTTPClient.shared.execute(
        HTTPClientRequest(url: url), timeout: .seconds(60))
      #expect(answer.status == .ok)
    }
  }

  @Test("the signal includes the changes for a client that requests them")
  func signalWithChanges() async throws {
    let store = try await InProcessStore(configure: { $0.drainTimeout = .seconds(300) })
    let token = try await store.deviceToken(DeviceID("d"))
    let publisher = try await store.publishToken()
    try await withServer(store) { base, server in
      let stream = try await HTTPClient.shared.execute(
        request(base + Route.signal.path, token: token), deadline: .distantFuture)
      var parser = EventStreamParser()
      var signals: [SignalPayload] = []
      for try await chunk in stream.body {
        for case .event(SignalPayload.event, let data) in try parser.feed(chunk.readableBytesView) {
          signals.append(try WireJSON.decode(SignalPayload.self, from: Array(data.utf8)))
          if signals.count == 1 {
            let answer = try await HTTPClient.shared.execute(
              request(base + "/backups", token: publisher, body: "done"), timeout: .seconds(20))
            #expect(answer.status == .ok)
          } else {
            await server.shutDown()
          }
        }
      }
      #expect(signals.map(\.sequence) == [0, 1].map { SequenceNumber($0) })
      #expect(signals.first?.resourceData == nil)
      let data = try #require(signals.last?.resourceData)
      let answer = try await store.send(.get, Route.deltaSince(data.since).path, token: token)
      #expect(try answer.decoded(DeltaPayload.self) == data.delta)
      guard case .item(let item)? = data.delta.changes.first else {
        Issue.record("\(data.delta.changes)")
        return
      }
      #expect(item.content.visual?.title == "done")
    }
  }

  @Test("a device that another one signs out learns by whom, and its stream ends")
  func revoked() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("lost"))
    let mine = try await store.deviceToken(DeviceID("mine"))
    try await withServer(store) { base, _ in
      let stream = try await HTTPClient.shared.execute(
        request(base + Route.signal.path, token: token), deadline: .distantFuture)
      var text = ""
      for try await chunk in stream.body {
        if text.isEmpty {
          let answer = try await store.send(
            .delete, Route.device(DeviceID("lost")).path, token: mine)
          #expect(answer.status == 204)
        }
        text += String(buffer: chunk)
      }
      #expect(text.components(of: "event: changed") == 1)
      let end = try #require(text.ranges(of: "event: revoked\ndata: ").last?.upperBound)
      #expect(text[end...].contains(#""revokedBy":"The mine""#))
      #expect(text.hasSuffix("\n\n"))
    }
  }

  @Test("a disconnected client is noticed and its stream removed")
  func disconnect() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    try await withServer(store) { base, _ in
      let task = Task {
        let stream = try await HTTPClient.shared.execute(
          request(base + Route.signal.path, token: token), deadline: .distantFuture)
        for try await _ in stream.body {}
      }
      try await eventually("a subscriber") { store.service.subscriberCount > 0 }
      task.cancel()
      try await eventually("the end of all streams") { store.service.subscriberCount == 0 }
      _ = await task.result
    }
  }

  @Test("concurrent publications are all stored once they are acknowledged")
  func concurrentPublications() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    try await withServer(store) { base, _ in
      let ids = try await withThrowingTaskGroup(of: NotificationID.self) { group in
        for number in 1...64 {
          group.addTask {
            let body = """
              {"targetHostName":"ci","payload":{"visualContent":{"title":"\(number)"}}}
              """
            let answer = try await HTTPClient.shared.execute(
              request(base + Route.notifications.path, token: token, body: body),
              timeout: .seconds(60))
            #expect(answer.status == .created)
            let bytes = try await answer.body.collect(upTo: 65_536)
            return try WireJSON.decode(PublishedPayload.self, from: bytes.readableBytesView).id
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(ids.count == 64)
      let user = try await store.service.user(named: "me")
      let page = try await store.service.list(rows: 1000, for: user.id)
      #expect(Set(page.items.map(\.id)) == ids)
    }
  }

  @Test("a port in use is reported as such")
  func portTaken() async throws {
    let store = try await InProcessStore()
    try await withServer(store) { base, _ in
      let other = try await InProcessStore()
      let listener = try #require(Listener(address: String(base.dropFirst("http://".count))))
      let second = try RunningServer(
        other.server, on: [listener], stopsOnSignals: false, ready: { _ in })
      let error = await #expect(throws: ServerError.self) { try await second.run() }
      guard case .addressInUse? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test(
    "listen addresses are parsed",
    arguments: [
      ("127.0.0.1:8642", "http://127.0.0.1:8642"), ("[::1]:0", "http://[::1]:0"),
      ("8642", "http://127.0.0.1:8642"), ("x", nil), ("::1:80", nil), ("a:99999", nil),
      (":80", nil),
    ] as [(String, String?)])
  func addresses(text: String, address: String?) {
    #expect(Listener(address: text)?.description == address)
  }
}

extension String {
  /// The number of times that `part` occurs.
  fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
