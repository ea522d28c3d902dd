import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("The authorization of apps over HTTP")
struct AuthorizationTests {
  private static let item = """
    {"targetHostName":"ci","badge":4,"payload":{"visualContent":{"title":"a"}}}
    """

  private static func patch(_ json: String, app: String, _ store: InProcessStore) async throws {
    let device = try await store.deviceToken(DeviceID("laptop"))
    let answer = try await store.send(.patch, "/v1.0/me/apps/\(app)", token: device, text: json)
    #expect(answer.status == 200)
  }

  private static func authorization(
    _ store: InProcessStore, token: String
  ) async throws -> [String] {
    let answer = try await store.send(.get, "/v1.0/me/apps/ci/authorization", token: token)
    let payload = try answer.decoded(AuthorizationPayload.self)
    let ways = [("alert", payload.alert), ("sound", payload.sound), ("badge", payload.badge)]
    return [payload.authorization.rawValue] + ways.filter(\.1).map(\.0)
  }

  @Test("a publisher reads its authorization, before its first item and after each decision")
  func reads() async throws {
    let store = try await InProcessStore()
    let publisher = try await store.publishToken()
    #expect(
      try await Self.authorization(store, token: publisher)
        == ["authorized", "alert", "sound", "badge"])
    try await Self.patch(#"{"authorization":"notDetermined"}"#, app: "*", store)
    #expect(try await Self.authorization(store, token: publisher) == ["notDetermined"])
    let published = try await store.send(
      .post, "/v1.0/me/notifications", token: publisher, text: Self.item)
    #expect(published.status == 201)
    #expect(try await Self.authorization(store, token: publisher) == ["notDetermined"])
    try await Self.patch(
      #"{"authorization":"authorized","permissions":{"sound":false}}"#, app: "ci", store)
    #expect(
      try await Self.authorization(store, token: publisher) == ["authorized", "alert", "badge"])
  }

  @Test("a denied app gets 403 with the reason, over every interface, and nothing is stored")
  func denied() async throws {
    let store = try await InProcessStore()
    let publisher = try await store.publishToken()
    try await Self.patch(#"{"authorization":"denied"}"#, app: "ci", store)
    let native = try await store.send(
      .post, "/v1.0/me/notifications", token: publisher, text: Self.item)
    #expect(native.status == 403)
    #expect(native.text.contains("does not accept notifications of this app"))
    let badge = try await store.send(
      .put, "/v1.0/me/apps/ci/badge", token: publisher, text: #"{"badge":1}"#)
    #expect(badge.status == 403)
    let device = try await store.deviceToken(DeviceID("laptop"))
    let app = try await store.send(.get, "/v1.0/me/apps/ci", token: device)
      .decoded(AppPayload.self)
    #expect(app.usage.items == 0 && app.settings.badge == nil)
  }

  @Test("an app sets its badge with an item or by itself, and devices see the number")
  func badge() async throws {
    let store = try await InProcessStore()
    let publisher = try await store.publishToken()
    let device = try await store.deviceToken(DeviceID("laptop"))
    func shown() async throws -> Int? {
      try await store.send(.get, "/v1.0/me/apps/ci", token: device).decoded(AppPayload.self)
        .settings.badge
    }
    _ = try await store.send(.post, "/v1.0/me/notifications", token: publisher, text: Self.item)
    #expect(try await shown() == 4)
    let set = try await store.send(
      .put, "/v1.0/me/apps/ci/badge", token: publisher, text: #"{"badge":0}"#)
    #expect(set.status == 200)
    #expect(try await shown() == 0)
    let wrong = try await store.send(
      .put, "/v1.0/me/apps/ci/badge", token: publisher, text: #"{"badge":-1}"#)
    #expect(wrong.status == 400)
    #expect(wrong.text.contains("badge"))
  }
}
