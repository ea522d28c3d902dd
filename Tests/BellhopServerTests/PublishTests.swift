import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Publishing")
struct PublishTests {
  static let path = "/v1.0/me/notifications"

  static func body(_ title: String, id: String? = nil, app: String = "ci.example.com") -> String {
    let name = id.map { ",\"appNotificationId\":\"\($0)\"" } ?? ""
    return """
      {"targetHostName":"\(app)"\(name),"payload":{"visualContent":{"title":"\(title)"}}}
      """
  }

  @Test("a publication is stored and answered with its address", arguments: ["/v1.0", "/beta"])
  func created(version: String) async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let answer = try await store.send(
      .post, version + "/me/notifications", token: token, text: Self.body("Hello"),
      headers: ["client-request-id": "mine"])
    #expect(answer.status == 201)
    let item = try answer.decoded(NotificationPayload.self).item
    #expect(item.content.visual?.title == "Hello")
    #expect(answer.header("Location") == "http://store.test/v1.0/me/notifications/\(item.id)")
    #expect(answer.header("client-request-id") == "mine")
    #expect(answer.header("request-id")?.isEmpty == false)
    #expect(answer.header("Date") == HTTPDate.text(store.time.now))
    let got = try await store.send(.get, Route.notification(item.id).path, token: token)
    #expect(try got.decoded(NotificationPayload.self).item == item)
  }

  @Test("a publish token's answer never contains the state, even if the item was read")
  func noStateForPublishers() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken()
    let publisher = try await store.publishToken(for: .app("ci.example.com"))
    let first = try await store.send(
      .post, Self.path, token: publisher, text: Self.body("one", id: "a"))
    let id = try first.decoded(PublishedPayload.self).id
    _ = try await store.send(
      .patch, Route.notification(id).path, token: device, text: #"{"readState":"read"}"#)
    let second = try await store.send(
      .post, Self.path, token: publisher, text: Self.body("two", id: "a"))
    #expect(second.status == 201)
    #expect(try second.decoded(PublishedPayload.self).id == id)
    for answer in [first, second] {
      #expect(!answer.text.contains("tate"))
      #expect(!answer.text.contains("equence"))
      #expect(answer.header("ETag") == nil)
    }
  }

  @Test("publishing the same app id replaces the item; a read item is unread again unless quiet")
  func replacement() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("d"))
    func publish(_ title: String, quiet: Bool = false) async throws -> UserNotification {
      try await store.send(
        .post, Self.path, token: token, text: Self.body(title, id: "a"),
        headers: quiet ? ["Prefer": "bellhop.quiet-update"] : [:]
      ).decoded(NotificationPayload.self).item
    }
    let first = try await publish("one")
    let path = Route.notification(first.id).path
    _ = try await store.send(.patch, path, token: token, text: #"{"readState":"read"}"#)
    let quiet = try await publish("two", quiet: true)
    #expect(quiet.id == first.id)
    #expect(quiet.state.readState.value == .read)
    #expect(quiet.arrival == first.arrival)
    store.time.advance(by: .seconds(60))
    let loud = try await publish("three")
    #expect(loud.id == first.id)
    #expect(loud.state.readState.value == .unread)
    #expect(loud.arrival > first.arrival)
  }

  @Test("an idempotency key publishes once; with another body it is refused")
  func idempotency() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    let key = ["Idempotency-Key": "k1"]
    let first = try await store.send(
      .post, Self.path, token: token, text: Self.body("one"), headers: key)
    let again = try await store.send(
      .post, Self.path, token: token, text: Self.body("one"), headers: key)
    #expect(first.status == 201)
    #expect(again.status == 201)
    #expect(again.body == first.body)
    let other = try await store.send(
      .post, Self.path, token: token, text: Self.body("two"), headers: key)
    #expect(other.status == 422)
    #expect(try other.decoded(ErrorPayload.self).code == .idempotencyConflict)
    let list = try await store.send(.get, Self.path, token: store.deviceToken())
    #expect(try list.decoded(ListPayload.self).items.count == 1)
    let long = try await store.send(
      .post, Self.path, token: token, text: Self.body("x"),
      headers: ["Idempotency-Key": String(repeating: "k", count: 256)])
    #expect(long.status == 400)
  }

  @Test(
    "invalid bodies are refused with the field's name, and nothing is stored",
    arguments: [
      ("{", "JSON"), ("[1]", "not an array"), ("", "empty"),
      (#"{"targetHostName":"a"}"#, "payload"),
      (#"{"targetHostName":"a","payload":{"visualContent":{"title":7}}}"#, "title"),
      (#"{"targetHostName":"a","payload":{"visualContent":{"title":""}}}"#, "title"),
      (#"{"targetHostName":"a b","payload":{"rawContent":"x"}}"#, "targetHostName"),
      (
        #"{"targetHostName":"a","payload":{"rawContent":"x"},"expirationDateTime":"2020-01-01T00:00Z"}"#,
        "expirationDateTime"
      ),
      (
        #"{"targetHostName":"a","payload":{"rawContent":"x"},"expirationDateTime":"2027-06-01T00:00Z"}"#,
        "expirationDateTime"
      ),
    ])
  func badBodies(body: String, word: String) async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let answer = try await store.send(.post, Self.path, token: token, text: body)
    #expect(answer.status == 400)
    let error = try answer.decoded(ErrorPayload.self)
    #expect(error.message.contains(word), "\(error.message)")
    #expect(error.requestID == answer.header("request-id"))
    let list = try await store.send(.get, Self.path, token: token)
    #expect(try list.decoded(ListPayload.self).items.isEmpty)
  }

  @Test("over-long fields are refused and not repeated in the answer")
  func overlongField() async throws {
    let store = try await InProcessStore()
    let secret = String(repeating: "s", count: 600)
    let answer = try await store.send(
      .post, Self.path, token: store.deviceToken(), text: Self.body(secret))
    #expect(answer.status == 400)
    #expect(!answer.text.contains(String(repeating: "s", count: 65)))
  }

  @Test("bodies past the limit, encodings and conditions have their own errors")
  func limits() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let large = try await store.send(
      .post, Self.path, token: token, text: String(repeating: " ", count: 70_000))
    #expect(large.status == 413)
    let encoded = try await store.send(
      .post, Self.path, token: token, text: Self.body("x"), headers: ["Content-Encoding": "br"])
    #expect(encoded.status == 415)
    for header in ["If-Modified-Since", "If-Range"] {
      let answer = try await store.send(
        .post, Self.path, token: token, text: Self.body("x"),
        headers: [header: "Sat, 21 Nov 2026 06:32:04 GMT"])
      #expect(answer.status == 400)
    }
    let deep = try await store.send(
      .post, Self.path, token: token, text: String(repeating: "[", count: 1000))
    #expect(deep.status == 400)
    #expect(deep.text.contains("nested too deeply"))
    let head = try await store.send(
      .get, "/health", headers: ["X-Much": String(repeating: "x", count: 20_000)])
    #expect(head.status == 431)
    let long = try await store.send(.get, "/health?" + String(repeating: "x", count: 9000))
    #expect(long.status == 414)
  }

  @Test("a client's request id is echoed only if it is safe")
  func unsafeRequestID() async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(
      .get, "/health", headers: ["client-request-id": String(repeating: "x", count: 129)])
    #expect(answer.status == 200)
    #expect(answer.header("client-request-id") == nil)
  }
}
