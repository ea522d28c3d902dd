import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Answers over HTTP")
struct ResponseTests {
  private static let publication = """
    {"targetHostName":"ci","awaitsResponse":true,"payload":{"visualContent":{"title":"Deploy?"}},
     "actions":[{"id":"yes","title":"Yes"},{"id":"why","title":"Why?","kind":"reply"}]}
    """

  private func publish(_ store: InProcessStore, _ token: String) async throws -> String {
    let answer = try await store.send(
      .post, "/v1.0/me/notifications", token: token, text: Self.publication)
    #expect(answer.status == 201)
    let id = try #require(
      try await store.service.list(
        rows: 1, for: try await store.service.user(named: "me").id
      ).items.first?.id)
    return "/v1.0/me/notifications/\(id)"
  }

  @Test("a publish token receives the answer that a device gives while it waits, and again later")
  func waiting() async throws {
    let store = try await InProcessStore(users: ["me"])
    let publisher = try await store.publishToken(of: "me")
    let device = try await store.deviceToken(DeviceID("laptop"))
    let item = try await publish(store, publisher)
    #expect(try await store.send(.get, item + "/response", token: publisher).status == 204)
    async let waiting = store.send(.get, item + "/response?wait=60", token: publisher)
    let chosen = try await store.send(
      .patch, item, token: device,
      text: #"{"userActionState":"activated","actionId":"why","actionText":"Friday!"}"#)
    #expect(chosen.status == 200)
    for answer in [
      try await waiting, try await store.send(.get, item + "/response", token: publisher),
    ] {
      #expect(answer.status == 200)
      let payload = try answer.decoded(ResponsePayload.self)
      #expect(payload.status == .answered && payload.actionId == "why")
      #expect(payload.actionText == "Friday!" && payload.dateTime != nil)
      #expect(!answer.text.contains("laptop"), "who answered is not the app's business")
    }
    // The second choice is refused; the first one stays.
    let second = try await store.send(
      .patch, item, token: device, text: #"{"userActionState":"activated","actionId":"yes"}"#)
    #expect(second.status == 412)
  }

  @Test("other tokens and other items are not found, and a wait that is wrong is refused")
  func refused() async throws {
    let store = try await InProcessStore(users: ["me"])
    let publisher = try await store.publishToken(of: "me")
    let item = try await publish(store, publisher)
    let other = try await store.publishToken(of: "me")
    let device = try await store.deviceToken(DeviceID("laptop"))
    for token in [other, device] {
      #expect(try await store.send(.get, item + "/response", token: token).status == 404)
    }
    for wait in ["61", "-1", "soon", ""] {
      let answer = try await store.send(
        .get, item + "/response?wait=" + wait, token: publisher)
      #expect(answer.status == 400 && answer.text.contains("0 to 60"), "\(wait): \(answer.text)")
    }
  }
}
