import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Effective fields over HTTP")
struct EffectiveFieldEndpointTests {
  @Test("an app token reads the items of its app wherever rules moved them")
  func appTokens() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken()
    let user = try await store.service.user(named: "me").id
    func token(_ app: String) async throws -> String {
      try await store.service.mintToken(named: app, scope: .app(app), for: user).secret.text
    }
    let (own, other) = (try await token("ci"), try await token("noise"))
    let content = Content(app: "ci", visual: VisualContent(title: "passed"))
    let item = try await store.service.publish(PublishRequest(content), for: user).item
    let path = Route.notification(item.id).path
    let change = try await store.send(
      .patch, path, token: device, text: #"{"applied":{"targetHostName":"noise"}}"#)
    try #require(change.status == 200, "\(change.text)")
    func listed(_ filter: String?, _ token: String) async throws -> [NotificationID] {
      let query = filter.map { "?$filter=" + Route.escaped($0) } ?? ""
      let answer = try await store.send(.get, Route.notifications.path + query, token: token)
      try #require(answer.status == 200, "\(answer.text)")
      return try answer.decoded(ListPayload.self).items.map(\.id)
    }
    for token in [device, own] {
      #expect(try await listed(nil, token) == [item.id])
      #expect(try await listed("targetHostName eq 'noise'", token) == [item.id])
      #expect(try await listed("targetHostName eq 'ci'", token) == [])
      #expect(try await store.send(.get, path, token: token).status == 200)
    }
    #expect(try await listed(nil, other) == [])
    #expect(try await listed("targetHostName eq 'noise'", other) == [])
    #expect(try await store.send(.get, path, token: other).status == 404)
    // The item names its publisher, and shows what rules made of it.
    let shown = try await store.send(.get, path, token: own).decoded(NotificationPayload.self).item
    #expect(shown.content.app == "ci" && shown.effectiveApp == "noise")
  }
}
