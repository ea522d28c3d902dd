import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Pending requests over HTTP")
struct RequestTests {
  private static let path = Route.requests.path

  private func publish(
    _ id: String, _ delivery: String, in store: InProcessStore, token: String
  ) async throws {
    let answer = try await store.send(
      .post, Route.notifications.path, token: token,
      text: """
        {"targetHostName":"ci","appNotificationId":"\(id)",
        "payload":{"visualContent":{"title":"OTP 493021"}},\(delivery)}
        """)
    try #require(answer.status == 201, "\(answer.text)")
  }

  private static let hourly = #""trigger":{"interval":3600,"repeats":true}"#

  private func pending(_ answer: InProcessStore.Answer) throws -> [PendingRequestPayload] {
    try #require(answer.status == 200, "\(answer.text)")
    return try answer.decoded(PendingRequestListPayload.self).value
  }

  @Test("a publisher sees times and ids of its app's requests, but neither content nor state")
  func listed() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("ci"))
    let device = try await store.deviceToken()
    try await publish("a", Self.hourly, in: store, token: token)
    try await publish(
      "b", #""deliverAfterDateTime":"\#(store.time.now.advanced(by: .seconds(60)))""#,
      in: store, token: token)
    let answer = try await store.send(.get, Self.path, token: token)
    let listed = try pending(answer)
    #expect(listed.map(\.appNotificationId) == ["b", "a"])
    #expect(listed[0].nextTriggerDateTime == store.time.now.advanced(by: .seconds(60)))
    #expect(listed[1].trigger?.repeats == true)
    #expect(!answer.text.contains("OTP") && !answer.text.contains("State"), "\(answer.text)")
    let whole = try pending(try await store.send(.get, Self.path, token: device))
    #expect(whole.map(\.title) == ["OTP 493021", "OTP 493021"])
    let other = try await store.send(
      .get, Self.path + "?targetHostName=ci", token: store.publishToken(for: .app("nas")))
    #expect(other.status == 403)
    let any = try await store.publishToken(for: .any)
    #expect(try await store.send(.get, Self.path, token: any).status == 400)
    #expect(
      try pending(try await store.send(.get, Self.path + "?targetHostName=ci", token: any)).count
        == 2)
  }

  @Test("a request that the user cancelled stays in the publisher's list until it is its own act")
  func cancelledByUser() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("ci"))
    let device = try await store.deviceToken()
    try await publish("a", Self.hourly, in: store, token: token)
    store.time.advance(by: .seconds(3600))
    let before = try pending(try await store.send(.get, Self.path, token: token))
    let item = try #require(before.first)
    _ = try await store.service.change(
      item.id, StateChange(cancelled: true), by: Author(kind: .device, id: "d", name: "d"),
      for: store.service.user(named: "me").id)
    #expect(try pending(try await store.send(.get, Self.path, token: device)).isEmpty)
    #expect(try pending(try await store.send(.get, Self.path, token: token)) == before)
    #expect(item.nextTriggerDateTime == store.time.now.advanced(by: .seconds(3600)))
    #expect(try await store.send(.delete, Self.path, token: token).status == 204)
    #expect(try pending(try await store.send(.get, Self.path, token: token)).isEmpty)
  }

  @Test("a page names the next one, with the same app")
  func paged() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    for number in 1...5 {
      let time = store.time.now.advanced(by: .seconds(Int64(number) * 60))
      try await publish("\(number)", #""deliverAfterDateTime":"\#(time)""#, in: store, token: token)
    }
    var (path, seen) = (Self.path + "?targetHostName=ci&$top=2", [String?]())
    for _ in 0..<5 {
      let page = try await store.send(.get, path, token: token)
        .decoded(PendingRequestListPayload.self)
      seen += page.value.map(\.appNotificationId)
      guard let next = page.nextLink else { break }
      #expect(next.contains("targetHostName=ci"))
      path = "/v1.0" + (next.split(separator: "/v1.0").last ?? "")
    }
    #expect(seen == ["1", "2", "3", "4", "5"])
  }

  @Test("cancelling and removing are answered alike, whatever there was")
  func removals() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("ci"))
    try await publish("a", Self.hourly, in: store, token: token)
    try await publish("b", Self.hourly, in: store, token: token)
    try await publish("c", Self.hourly, in: store, token: token)
    for _ in 1...2 {
      let one = try await store.send(
        .delete, Self.path + "?appNotificationId=a&appNotificationId=x%2Fy", token: token)
      #expect(one.status == 204 && one.body.isEmpty, "\(one.text)")
    }
    let left = try pending(try await store.send(.get, Self.path, token: token))
    #expect(left.map(\.appNotificationId) == ["b", "c"])
    let byID = try await store.send(.delete, Self.path + "?id=\(left[0].id)", token: token)
    #expect(byID.status == 204)
    store.time.advance(by: .seconds(3600))
    let delivered = try await store.send(.delete, Self.path + "/delivered", token: token)
    #expect(delivered.status == 204)
    #expect(try pending(try await store.send(.get, Self.path, token: token)).count == 1)
    #expect(try await store.send(.delete, Self.path, token: token).status == 204)
    #expect(try pending(try await store.send(.get, Self.path, token: token)).isEmpty)
  }

  @Test(
    "a misspelt name is refused, because without names all would be meant",
    arguments: ["appNotificationID=a", "appNotificationId=", "id=3", "$filter=x", "x"])
  func misspelt(query: String) async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("ci"))
    try await publish("a", Self.hourly, in: store, token: token)
    for path in [Self.path, Self.path + "/delivered"] {
      let answer = try await store.send(.delete, path + "?" + query, token: token)
      #expect(answer.status == 400 && answer.text.contains("expected"), "\(answer.text)")
    }
    let many = (0...ItemNames.countMax).map { "appNotificationId=\($0)" }
    let answer = try await store.send(
      .delete, Self.path + "?" + many.joined(separator: "&"), token: token)
    #expect(answer.status == 400)
    #expect(try pending(try await store.send(.get, Self.path, token: token)).count == 1)
  }
}
