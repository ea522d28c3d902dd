import BellhopModel
import BellhopServer
import BellhopSettings
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopDialects

@Suite("Publishing with ntfy")
struct NtfyPublishingTests {
  @Test(
    "each request stores its content, and is answered as ntfy answers",
    arguments: ["bodies", "headers", "json", "topics", "actions", "delays"])
  func fixtures(file: String) async throws {
    let fixtures = try Fixtures.read("BellhopDialectsTests/Fixtures/ntfy/\(file).json")
    #expect(fixtures.count > 5)
    for fixture in fixtures {
      let store = try await InProcessStore()
      try await FixtureRun.check(fixture, on: store, token: store.publishToken())
    }
  }

  private func items(_ store: InProcessStore) async throws -> [UserNotification] {
    let user = try await store.service.user(named: "me")
    return try await store.service.list(rows: 10, for: user.id).items
  }

  /// The names of each parameter, a value for it, and the item that results.
  private static let parameters: [(names: [String], value: String, item: JSONValue)] = [
    (["X-Title", "Title", "t"], "T", ["payload": ["visualContent": ["title": "T"]]]),
    (["X-Message", "Message", "m"], "M", ["payload": ["visualContent": ["title": "M"]]]),
    (["X-Priority", "Priority", "prio", "p"], "high", ["priority": "high"]),
    (["X-Tags", "Tags", "Tag", "ta"], "a,b", ["tags": ["a", "b"]]),
    (["X-Click", "Click"], "https://a.b", ["clickUrl": "https://a.b"]),
    (["X-Icon", "Icon"], "https://a.b/i", ["icon": "https://a.b/i"]),
    (["X-Attach", "Attach", "a"], "https://a.b/c", ["attachments": [["url": "https://a.b/c"]]]),
    (
      ["X-Actions", "Actions", "Action"], "copy, Copy, text",
      ["actions": [["title": "Copy", "kind": "copy", "text": "text"]]]
    ),
    (
      ["X-Delay", "Delay", "X-At", "At", "X-In", "In"], "30m",
      ["deliverAfterDateTime": "2026-11-21T12:30:00.000Z"]
    ),
    (["X-Markdown", "Markdown", "md"], "1", ["markdown": true]),
    (["X-Sequence-ID", "Sequence-ID", "sid"], "b1", ["appNotificationId": "b1"]),
    (["X-Cache", "Cache"], "no", ["expirationDateTime": "2026-11-21T13:00:00.000Z"]),
  ]

  @Test("each name of a parameter works, in any case, as a header and in the query")
  func names() async throws {
    for (names, value, expected) in Self.parameters {
      for name in names {
        let query = "?" + name.lowercased() + "=" + Route.escaped(value)
        for (path, headers) in [
          ("/nas", [name: value]), ("/nas", [name.uppercased(): value]),
          ("/nas", [name.lowercased(): value]), ("/nas" + query, [:]),
        ] {
          let store = try await InProcessStore()
          let answer = try await store.send(
            .post, path, token: store.publishToken(), text: "", headers: headers)
          try #require(answer.status == 200, "\(path) \(headers): \(answer.text)")
          let item = try #require(try await items(store).first)
          let stored = try JSONValue(parsing: WireJSON.encode(PublishedPayload(item)))
          let difference = stored.difference(from: expected)
          #expect(difference == nil, "\(path) \(headers): \(difference ?? "")")
        }
      }
    }
  }

  @Test("a sequence id replaces in place, and does not reveal to the publisher what was read")
  func replacing() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    let first = try await store.send(.put, "/nas/b1", token: token, text: "half way")
    let one = try JSONValue(parsing: first.body)
    let item = try #require(try await items(store).first)
    let user = try await store.service.user(named: "me")
    _ = try await store.service.change(
      item.id, StateChange(readState: .read),
      by: Author(kind: .device, id: "d", name: "d"), for: user.id)
    store.time.advance(by: .seconds(60))
    let second = try await store.send(.put, "/nas/b1", token: token, text: "done")
    let two = try JSONValue(parsing: second.body)
    #expect(two["id"] == one["id"])
    let after = try await items(store)
    #expect(after.map(\.content.visual?.title) == ["done"])
    #expect(after.first?.state.readState.value == .unread)

    // The same with an untouched item: the answers differ only in the time.
    let other = try await InProcessStore()
    let otherToken = try await other.publishToken()
    _ = try await other.send(.put, "/nas/b1", token: otherToken, text: "half way")
    other.time.advance(by: .seconds(60))
    let untouched = try JSONValue(
      parsing: try await other.send(.put, "/nas/b1", token: otherToken, text: "done").body)
    #expect(untouched["time"] == two["time"])
    #expect(untouched["expires"] == two["expires"])
  }

  @Test("an item without a sequence id is replaced under the id that it was given")
  func replacingByID() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    let first = try JSONValue(
      parsing: try await store.send(.post, "/nas", token: token, text: "half way").body)
    let id = try #require(first["sequence_id"]?.text)
    #expect(try await store.send(.post, "/nas/\(id)", token: token, text: "done").status == 200)
    #expect(try await items(store).map(\.content.visual?.title) == ["done"])
    // An item of another app is not affected.
    #expect(try await store.send(.post, "/ci/\(id)", token: token, text: "other").status == 200)
    #expect(try await items(store).count == 2)
  }

  @Test("clearing dismisses, deleting deletes; a missing message gets the same answer")
  func clearing() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("nas"))
    _ = try await store.send(.put, "/nas/b1", token: token, text: "m")
    for word in ["clear", "read"] {
      let answer = try await store.send(.put, "/nas/b1/\(word)", token: token)
      #expect(answer.status == 200)
      let event = try JSONValue(parsing: answer.body)
      #expect(event["event"]?.text == "message_clear" && event["sequence_id"]?.text == "b1")
    }
    let item = try #require(try await items(store).first)
    #expect(item.state.readState.value == .read)
    #expect(item.state.userActionState.value == .dismissed)
    #expect(item.state.userActionState.change?.by.kind == .publisher)
    #expect(try await store.send(.put, "/ci/b1/clear", token: token).status == 403)
    for _ in 0..<2 {
      let answer = try await store.send(.delete, "/nas/b1", token: token)
      #expect(answer.status == 200)
      #expect(try JSONValue(parsing: answer.body)["event"]?.text == "message_delete")
    }
    #expect(try await items(store).isEmpty)
    // By the id of a message without a sequence id.
    let answer = try await store.send(.post, "/nas", token: token, text: "m")
    let id = try #require(try JSONValue(parsing: answer.body)["id"]?.text)
    _ = try await store.send(.put, "/nas/\(id)/clear", token: token)
    #expect(try await items(store).first?.state.userActionState.value == .dismissed)
    _ = try await store.send(.delete, "/nas/\(id)", token: token)
    #expect(try await items(store).isEmpty)
  }

  @Test("a scheduled item is replaced and cancelled by its sequence id")
  func scheduled() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    _ = try await store.send(
      .put, "/nas/b1", token: token, text: "later", headers: ["Delay": "1h"])
    _ = try await store.send(
      .put, "/nas/b1", token: token, text: "later still", headers: ["Delay": "2h"])
    let item = try #require(try await items(store).first)
    #expect(item.content.deliverAt == store.time.now.advanced(by: .seconds(7200)))
    #expect(item.content.visual?.title == "later still")
    _ = try await store.send(.delete, "/nas/b1", token: token)
    #expect(try await items(store).isEmpty)
  }

  @Test("without a token nothing is accepted, unless the store's owner opened the topic")
  func anonymous() async throws {
    let closed = try await InProcessStore()
    let refused = try await closed.send(.post, "/doorbell", text: "ding")
    #expect(refused.status == 401)
    #expect(try JSONValue(parsing: refused.body)["code"]?.number == 40101)

    let store = try await InProcessStore(configure: {
      $0.ntfy.anonymousUser = "me"
      $0.ntfy.anonymousTopics = ["doorbell"]
    })
    #expect(try await store.send(.post, "/doorbell", text: "ding").status == 200)
    #expect(
      try await store.send(.post, "/", text: #"{"topic":"doorbell"}"#).status == 200)
    #expect(try await items(store).map(\.content.app) == ["doorbell", "doorbell"])
    for (method, path, text) in [
      (HTTPRequest.Method.post, "/nas", "m"), (.post, "/", #"{"topic":"nas"}"#),
      (.get, "/nas/publish", ""), (.get, "/doorbell/auth", ""), (.delete, "/doorbell/x", ""),
      (.put, "/doorbell/x/clear", ""), (.get, "/v1/account", ""),
    ] {
      let answer = try await store.send(method, path, text: text)
      #expect(answer.status == 403, "\(path)")
      #expect(try JSONValue(parsing: answer.body)["code"]?.number == 40301)
    }
    // A wrong token does not count as a missing one.
    #expect(try await store.send(.post, "/doorbell", token: "blh_no", text: "m").status == 401)
    // Only the dialect is open.
    #expect(try await store.send(.get, Route.notifications.path).status == 401)

    let open = try await InProcessStore(configure: {
      $0.ntfy.anonymousUser = "me"
      $0.ntfy.anonymousTopics = ["*"]
      $0.ntfy.anonymousAccess = .readWrite
    })
    #expect(try await open.send(.get, "/nas/auth").status == 200)
    #expect(try await open.send(.put, "/nas/x", text: "m").status == 200)
    #expect(try await open.send(.delete, "/nas/x").status == 200)
    #expect(try await items(open).isEmpty)
  }

  @Test("clients learn what the server is, and which user they are")
  func account() async throws {
    let store = try await InProcessStore()
    let configuration = try await store.send(.get, "/v1/config")
    #expect(configuration.status == 200)
    let value = try JSONValue(parsing: configuration.body)
    #expect(value["enable_login"] == .bool(true))
    #expect(value["disallowed_topics"]?.elements.contains("docs") == true)
    let account = try await store.send(.get, "/v1/account", token: store.deviceToken())
    #expect(try JSONValue(parsing: account.body)["username"]?.text == "me")
    let device = try await store.deviceToken()
    #expect(try await store.send(.get, "/nas/auth", token: device).status == 200)
    #expect(try await store.send(.get, "/nas,ci/auth", token: device).status == 200)
    let publisher = try await store.publishToken()
    #expect(try await store.send(.get, "/nas/auth", token: publisher).status == 403)
  }

  @Test("an address below a reserved word does not exist, whatever the method")
  func reserved() async throws {
    let store = try await InProcessStore()
    #expect(try await store.send(.patch, "/settings/x", token: nil).status == 404)
    #expect(try await store.send(.patch, "/nas/x", token: nil).status == 405)
  }

  /// A machine one hour behind UTC that knows some time zones.
  private static func clock(knowing zones: Set<String>) -> WallClock {
    WallClock { time, name in
      switch name {
      case nil: -3600
      case "Europe/Berlin" where zones.contains("Europe/Berlin"):
        BerlinZone.rules.offsetSeconds(time)
      case "Asia/Tokyo" where zones.contains("Asia/Tokyo"): 9 * 3600
      default: nil  // open: String
      }
    }
  }

  /// Returns the delivery time of `tomorrow 9am`, published on 21 November.
  ///
  /// - Parameter lost: A zone that the machine has not known since the user set it.
  private func tomorrow(
    user: String?, configured: String?, lost: String? = nil
  ) async throws -> Timestamp? {
    let zones: Set = ["Europe/Berlin", "Asia/Tokyo"]
    let store = try await InProcessStore(
      wallClock: Self.clock(knowing: zones), configure: { $0.ntfy.timeZone = configured },
      adjust: { $0.wallClock = Self.clock(knowing: zones.filter { $0 != lost }) })
    if let user {
      var change = AppSettingsChange()
      change.timeZone = .set(user)
      let owner = try await store.service.user(named: "me").id
      _ = try await store.service.configure(AppSettings.everyApp, change, for: owner)
    }
    let answer = try await store.send(
      .post, "/nas", token: store.publishToken(), text: "m", headers: ["At": "tomorrow 9am"])
    #expect(answer.status == 200, "\(answer.text)")
    return try await items(store).first?.content.deliverAt
  }

  @Test("times in words use the user's time zone, the configured one, or else the machine's")
  func zone() async throws {
    let (berlin, tokyo) = ("Europe/Berlin", "Asia/Tokyo")
    let ownTime = Timestamp("2026-11-22T10:00:00.000Z")
    let berlinTime = Timestamp("2026-11-22T08:00:00.000Z")
    #expect(try await tomorrow(user: nil, configured: nil) == ownTime)
    #expect(try await tomorrow(user: nil, configured: berlin) == berlinTime)
    #expect(try await tomorrow(user: berlin, configured: nil) == berlinTime)
    #expect(try await tomorrow(user: berlin, configured: tokyo) == berlinTime)
    #expect(try await tomorrow(user: tokyo, configured: berlin, lost: tokyo) == berlinTime)
    #expect(try await tomorrow(user: tokyo, configured: nil, lost: tokyo) == ownTime)
  }

  @Test("the configured time zone must be one that the machine knows")
  func configuredZone() {
    let (settings, findings) = StoreSettings.read(
      "[ntfy]\ntime-zone = 'Europe/Berlin'", version: "0")
    #expect(findings.isEmpty && settings.server.ntfy.timeZone == "Europe/Berlin")
    let unknown = StoreSettings.read("[ntfy]\ntime-zone = 'Mars/Olympus'", version: "0").findings
    #expect(unknown.map(\.words).joined().contains("Europe/Berlin"))
  }

  @Test("a JSON body and a file past their limits get different errors")
  func largeJSON() async throws {
    let store = try await InProcessStore()
    let text = #"{"topic":"nas","message":""# + String(repeating: "m", count: 70_000) + #""}"#
    let answer = try await store.send(.post, "/", token: store.publishToken(), text: text)
    #expect(answer.status == 413)
    #expect(try JSONValue(parsing: answer.body)["code"]?.number == 41303)
  }

  @Test(
    "spans are parsed as users write them",
    arguments: [
      ("30m", 1800), ("1h30m", 5400), ("2 days", 172_800), ("in 1 hour, 5 min", 3900),
      ("", nil), ("m", nil), ("5", nil), ("5 parsecs", nil),
      ("99999999999h", nil),
    ] as [(String, Int64?)])
  func spans(text: String, seconds: Int64?) {
    #expect(NtfyTime.span(text) == seconds.map { .seconds($0) })
  }
}
