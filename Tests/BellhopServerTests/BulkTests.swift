import BellhopModel
import BellhopServer
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Bulk publications")
struct BulkTests {
  static let path = "/v1.0/me/notifications/bulk"

  private func results(_ answer: InProcessStore.Answer) throws -> [BulkResultPayload] {
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.header("Content-Type") == "application/x-ndjson")
    #expect(answer.text.hasSuffix("\n"))
    return try answer.text.split(separator: "\n").map {
      try WireJSON.decode(BulkResultPayload.self, from: Array($0.utf8))
    }
  }

  private func titles(_ store: InProcessStore, _ token: String) async throws -> [String?] {
    try await store.send(.get, Route.notifications.path + "?$top=1000", token: token)
      .decoded(ListPayload.self).items.map { $0.content.visual?.title }.reversed()
  }

  @Test("every line is published in order, with a result line each, and one signal for all")
  func whole() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let lines = (1...1000).map { PublishTests.body("item \($0)") }
    let answer = try await store.send(
      .post, Self.path, token: token, text: lines.joined(separator: "\n"))
    let results = try results(answer)
    #expect(results.map(\.line) == Array(1...1000))
    #expect(results.allSatisfy { $0.status == 201 && $0.error == nil })
    #expect(results.map(\.shortNumber) == (1...1000).map { Int64($0) })
    #expect(Set(results.compactMap(\.id)).count == 1000)
    let user = try await store.service.user(named: "me")
    #expect(try await store.service.position(of: user.id).sequence == SequenceNumber(1000))
    #expect(try await titles(store, token) == (1...1000).map { "item \($0)" })
  }

  @Test("invalid lines are refused alone, with their number; the others are stored")
  func badLines() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("ci.example.com"))
    let body = [
      PublishTests.body("first"), "", "{", "\r", PublishTests.body("foreign", app: "nas"),
      PublishTests.body(String(repeating: "x", count: 600)), "[1]",
      PublishTests.body(String(repeating: "x", count: 70_000)), PublishTests.body("last") + "\r",
    ].joined(separator: "\n")
    let answer = try await store.send(.post, Self.path, token: token, text: body)
    let results = try results(answer)
    #expect(results.map(\.line) == [1, 3, 5, 6, 7, 8, 9])
    #expect(results.map(\.status) == [201, 400, 403, 400, 400, 413, 201])
    #expect(results[3].error?.message.contains("payload.visualContent.title") == true)
    #expect(results[2].error?.code == .accessDenied)
    #expect(results[1].id == nil)
    #expect(try await titles(store, store.deviceToken()) == ["first", "last"])
    #expect(!answer.text.contains(String(repeating: "x", count: 65)))
    #expect(!answer.text.contains("tate"))
  }

  @Test("lines of one app id replace each other; a quiet update keeps place and state")
  func replacing() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let body = [PublishTests.body("one", id: "a"), PublishTests.body("two", id: "a")]
    let first = try results(
      await store.send(.post, Self.path, token: token, text: body.joined(separator: "\n")))
    #expect(first[0].id == first[1].id)
    let path = Route.notification(try #require(first[0].id)).path
    _ = try await store.send(.patch, path, token: token, text: #"{"readState":"read"}"#)
    let quiet = try await store.send(
      .post, Self.path, token: token, text: PublishTests.body("three", id: "a"),
      headers: ["Prefer": "bellhop.quiet-update"])
    #expect(quiet.header("Preference-Applied") == "bellhop.quiet-update")
    let item = try await store.send(.get, path, token: token).decoded(NotificationPayload.self).item
    #expect(item.content.visual?.title == "three")
    #expect(item.state.readState.value == .read)
  }

  @Test("an idempotency key makes the whole request safe to repeat, and belongs to its body")
  func idempotency() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let body = ["one", "two"].map { PublishTests.body($0) }.joined(separator: "\n") + "\n{"
    let key = ["Idempotency-Key": "k"]
    let first = try await store.send(.post, Self.path, token: token, text: body, headers: key)
    let again = try await store.send(.post, Self.path, token: token, text: body, headers: key)
    #expect(first.body == again.body)
    let other = try await store.send(
      .post, Self.path, token: token, text: PublishTests.body("three") + "\n" + body, headers: key)
    #expect(other.status == 422)
    // The same key on a single publication is a different key.
    let single = try await store.send(
      .post, Route.notifications.path, token: token, text: PublishTests.body("single"),
      headers: key)
    #expect(single.status == 201)
    #expect(try await titles(store, token) == ["one", "two", "single"])
  }

  @Test("empty bodies and too many lines or bytes are refused whole")
  func limits() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let line = PublishTests.body("x") + "\n"
    for (body, status) in [
      ("", 400), ("\n \n\t\r\n", 400), (String(repeating: line, count: 1001), 413),
      (String(repeating: "\n", count: 8 * 1024 * 1024 + 1), 413),
    ] {
      let answer = try await store.send(.post, Self.path, token: token, text: body)
      #expect(answer.status == status)
    }
    #expect(try await titles(store, token).isEmpty)
  }
}
