import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import NIOCore
import Testing

@testable import BellhopDialects
@testable import BellhopServer

@Suite("Reading with ntfy", .timeLimit(.minutes(15)))
struct NtfyReadingTests {
  /// The events that a poll returns.
  func poll(
    _ store: InProcessStore, _ path: String, token: String, headers: [String: String] = [:]
  ) async throws -> [JSONValue] {
    let answer = try await store.send(.get, path, token: token, headers: headers)
    try #require(answer.status == 200, "\(answer.text)")
    return try answer.text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }

  func messages(_ events: [JSONValue]) -> [String] {
    events.filter { $0["event"]?.text == "message" }.compactMap { $0["message"]?.text }
  }

  @Test("a poll returns what there is, oldest first, of the requested topics")
  func polling() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    for (topic, text) in [("nas", "one"), ("ci", "two"), ("nas", "three"), ("door", "four")] {
      _ = try await store.send(.post, "/" + topic, token: token, text: text)
      store.time.advance(by: .seconds(60))
    }
    let all = try await poll(store, "/nas,ci/json?poll=1", token: token)
    #expect(messages(all) == ["one", "two", "three"])
    #expect(all.compactMap { $0["topic"]?.text } == ["nas", "ci", "nas"])
    let first = try #require(all.first?["id"]?.text)
    for (since, expected) in [
      ("all", ["one", "two", "three"]), ("none", []), ("latest", ["two", "three"]),
      (first, ["two", "three"]), ("130s", ["three"]), ("1795262460", ["two", "three"]),
      ("10m", ["one", "two", "three"]),
    ] {
      let found = try await poll(store, "/nas,ci/json?poll=1&since=\(since)", token: token)
      #expect(messages(found) == expected, "since=\(since)")
    }
    let wrong = try await store.send(.get, "/nas/json?poll=1&since=never", token: token)
    #expect(wrong.status == 400)
    #expect(try JSONValue(parsing: wrong.body)["code"]?.number == 40008)
    let raw = try await store.send(.get, "/nas/raw?poll=1", token: token)
    #expect(raw.text == "one\nthree\n")
    #expect(raw.header("Content-Type") == "text/plain; charset=utf-8")
    let events = try await store.send(.get, "/nas/sse?poll=1", token: token)
    #expect(events.text.hasPrefix("data: {") && events.text.hasSuffix("}\n\n"))
  }

  @Test("a reader sees a message's content, and that a device handled it")
  func content() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    _ = try await store.send(
      .put, "/nas/b1", token: token, text: "a\nb",
      headers: [
        "Title": "T", "Priority": "5", "Tags": "x,y", "Click": "https://a.b",
        "Actions": "view, Open, https://a.b", "Markdown": "yes", "Attach": "https://a.b/c.png",
      ])
    let event = try #require(try await poll(store, "/nas/json?poll=1", token: token).first)
    let difference = event.difference(
      from: [
        "sequence_id": "b1", "event": "message", "topic": "nas", "title": "T", "message": "a\nb",
        "priority": 5, "tags": ["x", "y"], "click": "https://a.b", "content_type": "text/markdown",
        "actions": [["action": "view", "label": "Open", "url": "https://a.b"]],
        "attachment": ["name": "c.png", "url": "https://a.b/c.png"], "time": 1_795_262_400,
      ])
    #expect(difference == nil)
    _ = try await store.send(.put, "/nas/b1/clear", token: token)
    let after = try await poll(store, "/nas/json?poll=1", token: token)
    #expect(after.compactMap { $0["event"]?.text } == ["message", "message_clear"])
    #expect(after.last?["sequence_id"]?.text == "b1")
    // Readers ignore a message whose id they know.
    _ = try await store.send(.put, "/nas/b1", token: token, text: "new")
    let replaced = try await poll(store, "/nas/json?poll=1", token: token)
    #expect(messages(replaced) == ["new"] && replaced.first?["id"] != event["id"])
    #expect(
      messages(
        try await poll(
          store, "/nas/json?poll=1&id=\(replaced.first?["id"]?.text ?? "")", token: token))
        == ["new"])
  }

  @Test("scheduled messages are shown to readers that request them")
  func scheduled() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    _ = try await store.send(.post, "/nas", token: token, text: "later", headers: ["In": "1h"])
    #expect(try await poll(store, "/nas/json?poll=1", token: token).isEmpty)
    #expect(
      messages(try await poll(store, "/nas/json?poll=1&scheduled=1", token: token)) == ["later"])
    store.time.advance(by: .seconds(3600))
    #expect(messages(try await poll(store, "/nas/json?poll=1", token: token)) == ["later"])
  }

  @Test(
    "a message must match all filters",
    arguments: [
      ("title=T", ["one"]), ("message=two", ["two"]), ("priority=high,urgent", ["one"]),
      ("p=3", ["two"]), ("tags=a", ["one", "two"]), ("tags=a,b", ["two"]), ("ta=c", []),
      ("m=two&p=1", []),
    ] as [(String, [String])])
  func filters(query: String, expected: [String]) async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    _ = try await store.send(
      .post, "/nas", token: token, text: "one",
      headers: ["Title": "T", "Priority": "4", "Tags": "a"])
    store.time.advance(by: .seconds(1))
    _ = try await store.send(.post, "/nas", token: token, text: "two", headers: ["Tags": "a,b"])
    #expect(
      messages(try await poll(store, "/nas/json?poll=1&" + query, token: token)) == expected)
  }

  @Test("a reader without access to a topic gets ntfy's error")
  func refusals() async throws {
    let store = try await InProcessStore()
    let user = try await store.service.user(named: "me").id
    let app = try await store.service.mintToken(named: "a", scope: .app("nas"), for: user)
      .secret.text
    _ = try await store.send(.post, "/nas", token: app, text: "m")
    #expect(messages(try await poll(store, "/nas/json?poll=1", token: app)) == ["m"])
    for (path, token, status, code) in [
      ("/nas,ci/json?poll=1", app, 403, 40301), ("/ci/json?poll=1", app, 403, 40301),
      ("/nas/json?poll=1", try await store.publishToken(), 403, 40301),
      ("/nas/json?poll=1", "blh_no", 401, 40101), ("/docs/json?poll=1", app, 400, 40010),
      ("/nas,/json?poll=1", app, 400, 40009), ("/nas/json", app, 400, 40000),
      ("/nas/json?poll=1&p=loud", app, 400, 40007),
    ] {
      let answer = try await store.send(.get, path, token: token)
      #expect(answer.status == status, "\(path)")
      #expect(try JSONValue(parsing: answer.body)["code"]?.number == code, "\(path)")
    }
  }

  // MARK: - Streams

  private func withServer(
    _ body: @escaping @Sendable (InProcessStore, _ port: Int) async throws -> Void
  ) async throws {
    let store = try await InProcessStore()
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      try await body(store, port)
    }
  }

  func open(_ port: Int, _ path: String, _ token: String) throws -> RawConnection {
    let connection = try RawConnection(port: port)
    connection.write(
      "GET \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n")
    return connection
  }

  /// Reads the next event of a JSON stream, which comes in chunks after a head.
  func event(_ connection: RawConnection) async throws -> JSONValue {
    while true {
      let line = try await connection.read(until: "\n")
      try #require(!line.isEmpty, "the stream is over")
      guard let start = line.firstIndex(of: "{") else { continue }
      return try JSONValue(parsing: Array(line[start...].dropLast().utf8))
    }
  }

  @Test("a stream sends messages, and what any device does with them")
  func stream() async throws {
    try await withServer { store, port in
      let token = try await store.deviceToken(DeviceID("laptop"))
      _ = try await store.send(.post, "/nas", token: token, text: "before")
      let reader = try open(port, "/nas/json?since=all", token)
      let opened = try await event(reader)
      #expect(opened["event"]?.text == "open" && opened["topic"]?.text == "nas")
      #expect(try await event(reader)["message"]?.text == "before")
      _ = try await store.send(.post, "/ci", token: token, text: "elsewhere")
      store.time.advance(by: .seconds(1))
      _ = try await store.send(.put, "/nas/b1", token: token, text: "now")
      let now = try await event(reader)
      #expect(now["message"]?.text == "now" && now["sequence_id"]?.text == "b1")
      let item = try #require(NtfyMessage.item(now["id"]?.text ?? ""))
      // A device dismisses it through the native interface.
      _ = try await store.send(
        .patch, Route.notification(item).path, token: token,
        text: #"{"userActionState":"dismissed"}"#)
      let cleared = try await event(reader)
      #expect(cleared["event"]?.text == "message_clear" && cleared["sequence_id"]?.text == "b1")
      _ = try await store.send(.delete, Route.notification(item).path, token: token)
      let deleted = try await event(reader)
      #expect(deleted["event"]?.text == "message_delete" && deleted["sequence_id"]?.text == "b1")
    }
  }

  @Test("messages for a slow reader wait in the store, with one page in memory")
  func pages() async throws {
    let store = try await InProcessStore()
    let user = try await store.service.user(named: "me").id
    var reader = NtfyReader(
      store: store.service, pages: ChangePages(store.service), user: user, apps: ["nas": "nas"],
      filter: NtfyFilter(), showsScheduled: false, base: "")
    #expect(try await reader.begin(.none).isEmpty)
    let due = store.time.now.advanced(by: .seconds(60))
    for number in 0..<1400 {
      var content = Content(app: "nas", visual: VisualContent(title: "\(number)"))
      if number >= 1100 { content.deliverAt = due }
      _ = try await store.service.publish(PublishRequest(content), for: user)
    }
    func all() async throws -> (pages: [Int], messages: [String]) {
      var pages: [Int] = []
      var told: [JSONValue] = []
      var isMore = true
      let known = try await store.service.position(of: user).sequence
      while isMore {
        let page = try await reader.changes(knowing: known)
        pages.append(page.events.count)
        told += page.events.map(\.value)
        isMore = page.isMore
      }
      return (pages, messages(told))
    }
    let now = try await all()
    #expect(now.pages.max() == 500 && now.messages == (0..<1100).map(String.init))
    store.time.advance(by: .seconds(60))
    let later = try await all()
    #expect(later.pages.max() == 100 && Set(later.messages) == Set((1100..<1400).map(String.init)))
    #expect(try await all().messages.isEmpty)
  }

  @Test("each text is encoded once for all readers that get the same one")
  func texts() async throws {
    let store = try await InProcessStore()
    let user = try await store.service.user(named: "me").id
    let pages = ChangePages(store.service)
    let places = [("nas", "a"), ("nas", "a"), ("disks", "a"), ("nas", "b")]
    var readers = places.map { topic, base in
      NtfyReader(
        store: store.service, pages: pages, user: user, apps: ["nas": topic],
        filter: NtfyFilter(), showsScheduled: false, base: base)
    }
    for index in readers.indices { _ = try await readers[index].begin(.none) }
    let before = try await store.service.position(of: user).sequence
    let token = try await store.publishToken()
    let sent = try await store.send(
      .put, "/nas", token: token, text: "text", headers: ["Filename": "a.txt"])
    #expect(sent.status == 200)
    let known = try await store.service.position(of: user).sequence
    for (index, (topic, base)) in places.enumerated() {
      let events = try await readers[index].changes(knowing: known).events
      try #require(events.count == 1)
      for format in NtfyReading.Format.allCases {
        #expect(
          Array(format.buffer(events).readableBytesView)
            == Array(format.text(events[0].value).utf8))
      }
      #expect(events[0].value["topic"]?.text == topic)
      let address = events[0].value["attachment"]?["url"]?.text
      #expect(address?.hasPrefix(base == "a" ? "a/file" : "b/file") == true, "\(address ?? "")")
    }
    let texts = try await pages.page(after: before, knowing: known, of: user).texts
    #expect(texts.writes == 3 * NtfyReading.Format.allCases.count)
  }

  @Test("one reader too many is refused, and the others stay")
  func crowd() async throws {
    var limits = StoreLimits()
    limits.streamsPerTokenMax = 1
    let store = try await InProcessStore(limits: limits)
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let token = try await store.deviceToken()
      let reader = try self.open(port, "/nas/json", token)
      #expect(try await self.event(reader)["event"]?.text == "open")
      let refused = try await (try self.open(port, "/nas/json", token)).read(until: "}")
      #expect(refused.hasPrefix("HTTP/1.1 429") && refused.contains("42903"))
      _ = try await store.send(.post, "/nas", token: token, text: "still here")
      #expect(try await self.event(reader)["message"]?.text == "still here")
    }
  }

  @Test("a reader that disconnects is removed")
  func leaving() async throws {
    try await withServer { store, port in
      let token = try await store.deviceToken()
      do {
        let reader = try open(port, "/nas/sse", token)
        _ = try await reader.read(until: "event: open\n")
        #expect(store.service.subscriberCount == 1)
      }
      try await eventually("the end of all streams") { store.service.subscriberCount == 0 }
    }
  }

  @Test("a stream sends a keepalive every 45 seconds, and a scheduled item when it is due")
  func keepalive() async throws {
    let clocked = try await ClockedStore()
    let store = clocked.store
    try await withRunningServer(store.server) { addresses, _ in
      guard case .tcp(_, let port)? = addresses.first else { return }
      let token = try await store.deviceToken()
      let reader = try self.open(port, "/nas/json", token)
      _ = try await self.event(reader)
      _ = try await store.send(.post, "/nas", token: token, text: "later", headers: ["In": "100s"])
      let ticker = clocked.runTime()
      defer { ticker.cancel() }
      var seen: Set<String> = []
      while !seen.isSuperset(of: ["keepalive", "message"]) {
        seen.insert(try await self.event(reader)["event"]?.text ?? "")
      }
    }
  }

  @Test("a message has the level and tags of rules, which the answer to its publisher has not")
  func effectiveFields() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let user = try await store.service.user(named: "me").id
    func publish(_ text: String) async throws -> JSONValue {
      let answer = try await store.send(
        .put, "/nas/b1", token: token, text: text, headers: ["Priority": "4", "Tags": "x"])
      try #require(answer.status == 200, "\(answer.text)")
      return try JSONValue(parsing: answer.body)
    }
    _ = try await publish("one")
    let item = try #require(
      try await store.service.list(ListRequest(rows: 1), for: user).items.first)
    func apply(_ effect: String) async throws {
      let answer = try await store.send(
        .patch, Route.notification(item.id).path, token: token, text: #"{"applied":\#(effect)}"#)
      try #require(answer.status == 200, "\(answer.text)")
    }
    try await apply(#"{"priority":"urgent","tags":["ci"],"targetHostName":"noise"}"#)
    let event = try #require(try await poll(store, "/nas/json?poll=1", token: token).first)
    #expect(event.difference(from: ["topic": "nas", "priority": 5, "tags": ["x", "ci"]]) == nil)
    for (query, texts) in [("p=5", ["one"]), ("p=4", []), ("tags=ci", ["one"])] {
      let found = try await poll(store, "/nas/json?poll=1&" + query, token: token)
      #expect(messages(found) == texts, "\(query)")
    }
    try await apply(#"{"tags":["ci"],"silent":true}"#)
    let silent = try #require(try await poll(store, "/nas/json?poll=1", token: token).first)
    #expect(silent["priority"] == 2)
    let gotify = try await store.send(.get, "/message", token: token)
    let listed = try JSONValue(parsing: gotify.body)["messages"]?.elements.first
    #expect(listed?["priority"]?.number == GotifyDialect.number(of: .low))
    let answer = try await publish("two")
    #expect(answer.difference(from: ["message": "two", "priority": 4, "tags": ["x"]]) == nil)
  }
}
