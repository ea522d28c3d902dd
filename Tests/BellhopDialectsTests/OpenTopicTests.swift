import BellhopModel
import BellhopServer
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopDialects

@Suite("ntfy topics that are open without a token")
struct OpenTopicTests {
  private func store(
    _ topics: [String] = ["*"], _ adjust: (inout NtfyConfiguration) -> Void = { _ in }
  ) async throws -> InProcessStore {
    try await InProcessStore(configure: {
      $0.ntfy.anonymousUser = "me"
      $0.ntfy.anonymousTopics = topics
      $0.ntfy.anonymousAccess = .readWrite
      adjust(&$0.ntfy)
    })
  }

  private func code(_ answer: InProcessStore.Answer) throws -> Int? {
    try JSONValue(parsing: answer.body)["code"]?.number
  }

  private func apps(_ store: InProcessStore) async throws -> Set<String> {
    let user = try await store.service.user(named: "me")
    return Set(try await store.service.list(rows: 100, for: user.id).items.map(\.content.app))
  }

  @Test("publishing without a token has small limits, per network and in total")
  func rates() async throws {
    let store = try await store {
      $0.anonymousPublishesPerMinute = 2
      $0.allAnonymousPublishesPerMinute = 4
    }
    func publish(
      _ method: HTTPRequest.Method = .post, _ path: String = "/a", from address: String
    ) async throws -> InProcessStore.Answer {
      try await store.send(
        method, path, text: path == "/" ? #"{"topic":"a"}"# : "m",
        headers: ["X-Forwarded-For": address])
    }
    #expect(try await publish(.get, "/a/publish", from: "2001:db8::1").status == 200)
    #expect(try await publish(.put, from: "2001:db8::2").status == 200)
    for (method, path) in [
      (HTTPRequest.Method.post, "/a"), (.get, "/a/send"), (.post, "/"), (.put, "/a/x"),
      (.put, "/a/x/clear"), (.delete, "/a/x"),
    ] {
      let refused = try await publish(method, path, from: "2001:db8::3")
      #expect(refused.status == 429, "\(method) \(path)")
      #expect(try code(refused) == 42901 && refused.header("Retry-After") != nil)
    }
    // Reading and tokens have their own limits.
    let read = try await store.send(
      .get, "/a/json?poll=1", headers: ["X-Forwarded-For": "2001:db8::3"])
    #expect(read.status == 200)
    #expect(
      try await store.send(
        .post, "/a", token: store.publishToken(), text: "m",
        headers: ["X-Forwarded-For": "2001:db8::3"]
      ).status == 200)
    #expect(try await publish(from: "198.51.100.1").status == 200)
    #expect(try await publish(from: "198.51.100.2").status == 200)
    #expect(try await publish(from: "198.51.100.3").status == 429)
    store.time.advance(by: .seconds(60))
    #expect(try await publish(from: "198.51.100.3").status == 200)
  }

  @Test("reading without a token has limits of its own, per network and in total")
  func readingRates() async throws {
    let store = try await store {
      $0.anonymousReadsPerMinute = 2
      $0.allAnonymousReadsPerMinute = 3
    }
    func read(from address: String, token: String? = nil) async throws -> Int {
      try await store.send(
        .get, "/a/json?poll=1", token: token, headers: ["X-Forwarded-For": address]
      ).status
    }
    for status in [200, 200, 429] { #expect(try await read(from: "2001:db8::1") == status) }
    for status in [200, 429] { #expect(try await read(from: "198.51.100.1") == status) }
    #expect(try await read(from: "2001:db8::1", token: store.deviceToken()) == 200)
    #expect(try await store.send(.post, "/a", text: "m").status == 200)
    store.time.advance(by: .seconds(60))
    #expect(try await read(from: "198.51.100.1") == 200)
  }

  @Test("many open topics leave space for the user's own apps")
  func apps() async throws {
    let store = try await store { $0.anonymousAppsMax = 3 }
    let token = try await store.publishToken()
    #expect(try await store.send(.post, "/own", token: token, text: "m").status == 200)
    for (topic, status) in [("a", 200), ("b", 200), ("c", 507), ("a", 200), ("own", 200)] {
      #expect(try await store.send(.post, "/" + topic, text: "m").status == status, "\(topic)")
    }
    #expect(try await store.send(.post, "/d", token: token, text: "m").status == 200)
    #expect(try await apps(store) == ["own", "a", "b", "d"])
  }

  @Test("a publish token for any app leaves apps for the user's own devices (SECURITY-7)")
  func publishersApps() async throws {
    var limits = StoreLimits()
    limits.appsMax = 4
    let store = try await InProcessStore(limits: limits)
    let publisher = try await store.publishToken()
    let device = try await store.deviceToken()
    for (topic, status) in [("a", 200), ("b", 200), ("c", 200), ("d", 507), ("a", 200)] {
      let answer = try await store.send(.post, "/" + topic, token: publisher, text: "m")
      #expect(answer.status == status, "\(topic): \(answer.text)")
    }
    #expect(try await store.send(.post, "/own", token: device, text: "m").status == 200)
  }

  @Test("a token for ci.* publishes to a topic that is an alias of such an app, and no other")
  func prefixAndAlias() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken(DeviceID("d"))
    let user = try await store.service.user(named: "me").id
    let token = try await store.service.mintToken(
      named: "ci", scope: .publish(.prefix("ci")), for: user
    ).secret.text
    let answer = try await store.send(
      .patch, Route.app("ci.example.com").path, token: device, text: #"{"aliases":["build"]}"#)
    try #require(answer.status == 200, "\(answer.text)")
    #expect(try await store.send(.post, "/build", token: token, text: "m").status == 200)
    #expect(try await store.send(.post, "/ci", token: token, text: "m").status == 403)
    #expect(try await apps(store) == ["ci.example.com"])
  }

  @Test("a file needs a token, unless the configuration allows a size without one")
  func files() async throws {
    let file = [UInt8](repeating: 0xff, count: 2000)
    let closed = try await store()
    for headers in [[:], ["Filename": "a.txt"]] {
      let refused = try await closed.send(.put, "/a", body: file, headers: headers)
      #expect(refused.status == 400)
      #expect(try code(refused) == 40014)
    }
    #expect(try await apps(closed).isEmpty)
    let token = try await closed.publishToken()
    #expect(try await closed.send(.put, "/a", token: token, body: file).status == 200)
    // A link to a file is text.
    let link = ["Attach": "https://files.example/a.txt"]
    #expect(try await closed.send(.post, "/a", headers: link).status == 200)

    let open = try await store { $0.anonymousAttachmentBytesMax = 2000 }
    #expect(try await open.send(.put, "/a", body: file).status == 200)
    #expect(try await open.send(.put, "/a", body: file + [0xff]).status == 413)
    let large = try await open.send(.put, "/a", token: open.publishToken(), body: file + [0xff])
    #expect(large.status == 200)
  }

  @Test("files that come without a token share one limit, which the user's own do not use")
  func filesTogether() async throws {
    let store = try await store {
      $0.anonymousAttachmentBytesMax = 10_000
      $0.allAnonymousAttachmentBytesMax = 20_000
    }
    let token = try await store.deviceToken(DeviceID("d"))
    let file = [UInt8](repeating: 0xff, count: 9_000)
    func put(_ topic: String, token: String? = nil) async throws -> InProcessStore.Answer {
      try await store.send(.put, "/" + topic, token: token, body: file)
    }
    #expect(try await put("a", token: token).status == 200)
    let first = try await put("a")
    #expect(first.status == 200)
    #expect(try await put("b").status == 200)
    let refused = try await put("c")
    #expect(refused.status == 507)
    #expect(
      refused.text.contains(
        "at most 20000 bytes of attachments uploaded without an access token; nothing was "
          + "published"), "\(refused.text)")
    #expect(try await apps(store) == ["a", "b"])
    // Texts are still published, and so are the user's own files.
    #expect(try await store.send(.post, "/c", text: "m").status == 200)
    #expect(try await put("c", token: token).status == 200)
    let id = try #require(try JSONValue(parsing: first.body)["id"]?.text)
    #expect(try await store.send(.delete, "/a/" + id, token: token).status == 200)
    #expect(try await put("c").status == 200)
    #expect(try await put("c").status == 507)
  }

  @Test(
    "a page of another site does nothing without a token",
    arguments: [
      (["Origin": "https://evil.example"], false), (["Origin": "null"], false),
      (["Origin": "https://store.test.evil.example"], false),
      (["Origin": "https://other.store.test"], false),
      (["Origin": "http://store.test:8080"], false),
      (["Sec-Fetch-Site": "cross-site"], false), (["Sec-Fetch-Site": "same-site"], false),
      (["Origin": "https://store.test"], true), (["Origin": "HTTP://Store.Test"], true),
      (["Sec-Fetch-Site": "same-origin"], true), (["Sec-Fetch-Site": "none"], true), ([:], true),
    ] as [([String: String], Bool)])
  func pages(headers: [String: String], isLetIn: Bool) async throws {
    let store = try await store()
    let token = try await store.deviceToken()
    for (method, path) in [
      (HTTPRequest.Method.post, "/a"), (.post, "/"), (.get, "/a/publish"), (.put, "/a/x"),
      (.get, "/a/json?poll=1"), (.get, "/a/auth"), (.delete, "/a/x"), (.put, "/a/x/clear"),
    ] {
      let text = path == "/" ? #"{"topic":"a"}"# : ""
      let answer = try await store.send(method, path, text: text, headers: headers)
      #expect(answer.status == (isLetIn ? 200 : 403), "\(method) \(path): \(answer.text)")
      let known = try await store.send(method, path, token: token, text: text, headers: headers)
      #expect(known.status == 200, "\(method) \(path): \(known.text)")
    }
    // A WebSocket is opened before the store checks who reads it.
    let socket = try await store.send(.get, "/a/ws", headers: headers)
    #expect(try code(socket) == (isLetIn ? 40016 : 40301))
  }

  @Test("an alias that is an open topic does not open the app that it names")
  func alias() async throws {
    let store = try await store(["doorbell", "porch"])
    let token = try await store.deviceToken(DeviceID("d"))
    func set(_ alias: String, to app: String) async throws {
      let answer = try await store.send(
        .patch, Route.app(app).path, token: token, text: #"{"aliases":["\#(alias)"]}"#)
      try #require(answer.status == 200, "\(answer.text)")
    }
    #expect(try await store.send(.post, "/doorbell", text: "m").status == 200)
    try await set("porch", to: "mail.example.com")
    _ = try await store.send(.post, "/porch", token: token, text: "secret")
    for (method, path) in [
      (HTTPRequest.Method.post, "/porch"), (.post, "/"), (.get, "/porch/json?poll=1"),
      (.get, "/doorbell,porch/json?poll=1"), (.get, "/porch/auth"), (.delete, "/porch/x"),
    ] {
      let answer = try await store.send(
        method, path, text: path == "/" ? #"{"topic":"porch"}"# : "m")
      #expect(answer.status == 403 && !answer.text.contains("secret"), "\(method) \(path)")
      #expect(try code(answer) == 40301)
    }
    #expect(try await apps(store) == ["doorbell", "mail.example.com"])
    // With both names open the app is open.
    let open = try await self.store(["*"])
    let other = try await open.deviceToken(DeviceID("d"))
    _ = try await open.send(
      .patch, Route.app("mail.example.com").path, token: other, text: #"{"aliases":["porch"]}"#)
    #expect(try await open.send(.post, "/porch", text: "m").status == 200)
  }
}
