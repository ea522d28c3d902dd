import BellhopModel
import BellhopServer
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Batches of requests")
struct BatchTests {
  static let path = "/v1.0/$batch"

  /// A publication as a part of a batch.
  static func publication(_ title: String, id: String? = nil) -> String {
    PublishTests.body(title, id: id)
  }

  private func send(
    _ requests: String, to store: InProcessStore, token: String, path: String = Self.path
  ) async throws -> BatchAnswerPayload {
    let answer = try await store.send(
      .post, path, token: token, text: #"{"requests":[\#(requests)]}"#,
      headers: ["Content-Type": "application/json"])
    #expect(answer.status == 200, "\(answer.text)")
    return try BatchAnswerPayload(parsing: answer.body)
  }

  @Test("each request gets its own answer, under both versions, with a slash or without")
  func mixed() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    for path in ["/v1.0/$batch", "/beta/$batch"] {
      let batch = try await send(
        """
        {"id":"1","method":"POST","url":"/me/notifications",
         "headers":{"Content-Type":"application/json"},"body":\(Self.publication("one"))},
        {"id":"2","method":"post","url":"me/notifications","body":\(Self.publication("two"))},
        {"id":"3","method":"GET","url":"/beta/me/notifications?$top=1"},
        {"id":"4","method":"GET","url":"/v1.0/users/me/notifications"},
        {"id":"5","method":"GET","url":"/me/nothing"},
        {"id":"6","method":"PUT","url":"/me/notifications"}
        """, to: store, token: token, path: path)
      #expect(batch.answers.map(\.status) == [201, 201, 200, 200, 404, 405])
      #expect(batch.answers.map(\.id) == ["1", "2", "3", "4", "5", "6"])
      let first = try #require(batch["1"])
      let item = try payload(first, as: NotificationPayload.self).item
      #expect(item.content.visual?.title == "one")
      #expect(first.headers["Location"] == "http://store.test/v1.0/me/notifications/\(item.id)")
      #expect(first.headers["ETag"] == NotificationPayload.entityTag(item.state))
      #expect(first.headers["request-id"]?.isEmpty == false)
      #expect(try payload(#require(batch["3"]), as: ListPayload.self).items.count == 1)
      let missing = try payload(#require(batch["5"]), as: ErrorPayload.self)
      #expect(missing.code == .itemNotFound)
    }
  }

  private func payload<Payload: Decodable>(
    _ answer: BatchAnswerPayload.Answer, as type: Payload.Type
  ) throws -> Payload {
    guard case .json(let bytes)? = answer.body else {
      throw WireError.malformed(reason: "no JSON body")
    }
    return try WireJSON.decode(type, from: bytes)
  }

  @Test("the headers of a request are its own; the batch's token is used without another")
  func headers() async throws {
    let store = try await InProcessStore(users: ["me", "you"])
    let token = try await store.deviceToken()
    let publisher = try await store.publishToken(for: .app("other.app"))
    let batch = try await send(
      """
      {"id":"a","method":"POST","url":"/me/notifications","body":\(Self.publication("x")),
       "headers":{"client-request-id":"mine","Prefer":"bellhop.quiet-update"}},
      {"id":"b","method":"POST","url":"/me/notifications","body":\(Self.publication("x")),
       "headers":{"Authorization":"Bearer \(publisher)"}},
      {"id":"c","method":"GET","url":"/me/notifications",
       "headers":{"authorization":"Bearer garbage"}},
      {"id":"d","method":"GET","url":"/users/you/notifications"}
      """, to: store, token: token)
    #expect(batch.answers.map(\.status) == [201, 403, 401, 403])
    #expect(batch["a"]?.headers["client-request-id"] == "mine")
    #expect(batch["a"]?.headers["Preference-Applied"] == "bellhop.quiet-update")
  }

  @Test("a request that depends on a failed one is not performed, nor what depends on that")
  func dependencies() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let batch = try await send(
      """
      {"id":"last","method":"POST","url":"/me/notifications","dependsOn":["LIST"],
       "body":\(Self.publication("last"))},
      {"id":"list","method":"GET","url":"/me/notifications","dependsOn":["first"]},
      {"id":"first","method":"POST","url":"/me/notifications","body":\(Self.publication("first"))},
      {"id":"bad","method":"POST","url":"/me/notifications","body":{}},
      {"id":"after","method":"POST","url":"/me/notifications","dependsOn":["first","bad"],
       "body":\(Self.publication("after"))},
      {"id":"end","method":"GET","url":"/me/notifications","dependsOn":["after"]}
      """, to: store, token: token)
    #expect(batch.answers.map(\.status) == [201, 200, 201, 400, 424, 424])
    let list = try payload(#require(batch["list"]), as: ListPayload.self)
    #expect(list.items.map { $0.content.visual?.title } == ["first"])
    #expect(
      try payload(#require(batch["after"]), as: ErrorPayload.self).code == .failedDependency)
    let all = try await store.send(.get, Route.notifications.path, token: token)
      .decoded(ListPayload.self)
    #expect(all.items.count == 2)
  }

  @Test("bodies that are not JSON are in base64, text as it is")
  func otherBodies() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let batch = try await send(
      """
      {"id":"base64","method":"POST","url":"/me/notifications",
       "headers":{"Content-Type":"application/octet-stream"},
       "body":"eyJ0YXJnZXRIb3N0TmFtZSI6ImNpIiwicGF5bG9hZCI6eyJyYXdDb250ZW50IjoieCJ9fQ"},
      {"id":"text","method":"POST","url":"/me/notifications/bulk",
       "headers":{"Content-Type":"text/plain"},
       "body":"{\\"targetHostName\\":\\"ci\\",\\"payload\\":{\\"rawContent\\":\\"y\\"}}\\n"},
      {"id":"gzip","method":"POST","url":"/me/notifications","body":"\(CodingTests.gzip)",
       "headers":{"Content-Encoding":"gzip"}}
      """, to: store, token: token)
    #expect(batch.answers.map(\.status) == [201, 200, 201])
    guard case .text(let lines)? = batch["text"]?.body else {
      Issue.record("the bulk answer is no base64")
      return
    }
    #expect(!lines.contains("{"))
  }

  @Test(
    "an invalid batch is refused whole, and none of it is performed",
    arguments: [
      ("{}", "requests"), (#"{"requests":[]}"#, "1 to 20"), ("[", "JSON"),
      (#"{"requests":[{"method":"GET","url":"/me"}]}"#, "requests[0].id"),
      (#"{"requests":[{"id":"1","url":"/me"}]}"#, "requests[0].method"),
      (#"{"requests":[{"id":"1","method":"HEAD","url":"/me"}]}"#, "requests[0].method"),
      (#"{"requests":[{"id":"1","method":"GET"}]}"#, "requests[0].url"),
      (#"{"requests":[{"id":"1","method":"GET","url":"http://a/me"}]}"#, "relative"),
      (#"{"requests":[{"id":"1","method":"GET","url":"/me/notifications\r\nX: y"}]}"#, "relative"),
      (
        #"{"requests":[{"id":"1","method":"GET","url":"/me","headers":{"a b":"c"}}]}"#, "headers"
      ),
      (
        #"{"requests":[{"id":"1","method":"GET","url":"/me","headers":{"X-A":"b\r\nX-C: d"}}]}"#,
        "headers"
      ),
      (#"{"requests":[{"id":"1","method":"POST","url":"/me","body":"!"}]}"#, "base64"),
      (
        #"{"requests":[GOOD,{"id":"g","method":"GET","url":"/me"}]}"#, "a unique id"
      ),
      (
        #"{"requests":[GOOD,{"id":"2","method":"GET","url":"/me","dependsOn":["3"]}]}"#,
        "requests[1].dependsOn"
      ),
      (
        #"{"requests":[GOOD,{"id":"2","method":"GET","url":"/me","dependsOn":["2"]}]}"#, "circular"
      ),
      (
        """
        {"requests":[GOOD,{"id":"a","method":"GET","url":"/me","dependsOn":["b"]},
        {"id":"b","method":"GET","url":"/me","dependsOn":["a"]}]}
        """, "circular"
      ),
    ])
  func refused(body: String, word: String) async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let good = #"{"id":"G","method":"POST","url":"/me/notifications","body":BODY}"#
      .replacing("BODY", with: Self.publication("x"))
    let answer = try await store.send(
      .post, Self.path, token: token, text: body.replacing("GOOD", with: good))
    #expect(answer.status == 400)
    #expect(answer.text.contains(word), "\(answer.text)")
    let list = try await store.send(.get, Route.notifications.path, token: token)
    #expect(try list.decoded(ListPayload.self).items.isEmpty)
  }

  @Test("twenty requests are accepted, 21 are not; batches and streams are not allowed inside")
  func limits() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    func gets(_ count: Int) -> String {
      (0..<count).map { #"{"id":"\#($0)","method":"GET","url":"/me/devices"}"# }
        .joined(separator: ",")
    }
    let batch = try await send(gets(20), to: store, token: token)
    #expect(batch.answers.allSatisfy { $0.status == 200 })
    let many = try await store.send(
      .post, Self.path, token: token, text: #"{"requests":[\#(gets(21))]}"#)
    #expect(many.status == 400)
    let odd = try await send(
      """
      {"id":"1","method":"POST","url":"/$batch","body":{"requests":[]}},
      {"id":"2","method":"GET","url":"/me/notifications/signal"},
      {"id":"3","method":"POST","url":"/me/notifications","body":"\(base64(bytes: 70_000))"}
      """, to: store, token: token)
    #expect(odd.answers.map(\.status) == [400, 400, 413])
    let large = try await store.send(
      .post, Self.path, token: token, text: String(repeating: " ", count: 3_000_000))
    #expect(large.status == 413)
  }

  @Test("answers past the limit are left out, except those that report a change")
  func answerBytes() async throws {
    let store = try await InProcessStore(configure: { $0.batchAnswerBytesMax = 4400 })
    let token = try await store.deviceToken()
    let user = try await store.service.user(named: "me").id
    for number in 0..<2 {
      let text = String(repeating: "x", count: 1500)
      let content = Content(app: "nas", visual: VisualContent(title: "\(number)", body: text))
      _ = try await store.service.publish(PublishRequest(content), for: user)
    }
    func get(_ id: Int, _ top: Int) -> String {
      #"{"id":"\#(id)","method":"GET","url":"/me/notifications?$top=\#(top)&$select=payload"}"#
    }
    let publication =
      #"{"id":"3","method":"POST","url":"/me/notifications","body":\#(Self.publication("three"))}"#
    let batch = try await send(
      [get(1, 2), get(2, 1), publication].joined(separator: ","), to: store, token: token)
    // Two items of 1,500 bytes fit, a third does not.
    #expect(batch.answers.map(\.status) == [200, 413, 201])
    #expect(try await store.service.list(rows: 10, for: user).items.count == 3)
  }

  private func base64(bytes: Int) -> String { String(repeating: "AAAA", count: bytes / 3) }
}
