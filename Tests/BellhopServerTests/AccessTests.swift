import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

@Suite("Who may do what")
struct AccessTests {
  /// Every path that is served, with ids of the item and device filled in.
  private func calls(
    item: NotificationID, device: String
  ) -> [(method: HTTPRequest.Method, path: String, access: Endpoint.Access)] {
    StoreServer.table.flatMap { path, endpoints in
      endpoints.map { endpoint in
        let id = path.contains("devices") ? device : item.description
        return (
          endpoint.method,
          path.replacing(":id", with: id).replacing(":topic", with: "topic"), endpoint.access
        )
      }
    }
  }

  @Test("every endpoint but health refuses a missing, garbage, revoked and expired token")
  func wrongTokens() async throws {
    let store = try await InProcessStore()
    let user = try await store.service.user(named: "me")
    let revoked = try await store.service.mintToken(
      named: "r", scope: .device(nil), for: user.id)
    try await store.service.revokeToken(revoked.token.id, of: user.id)
    let expired = try await store.service.mintToken(
      named: "e", scope: .device(nil), expires: store.time.now.advanced(by: .seconds(1)),
      for: user.id)
    store.time.advance(by: .seconds(2))
    let tokens: [String?] = [
      nil, "garbage", "blh_" + String(repeating: "A", count: 43), "", revoked.secret.text,
      expired.secret.text,
    ]
    var count = 0
    for call in calls(item: NotificationID(high: 1, low: 1), device: "d")
    where call.access != .open {
      for token in tokens {
        let answer = try await store.send(call.method, call.path, token: token, text: "{}")
        #expect(answer.status == 401, "\(call.method) \(call.path)")
        #expect(answer.header("WWW-Authenticate") == "Bearer")
        if let token, token.count > 20 { #expect(!answer.text.contains(token)) }
        count += 1
      }
    }
    #expect(count > 100)
  }

  @Test("a publish token is refused wherever items or devices are read or changed")
  func publishTokens() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    for call in calls(item: NotificationID(high: 1, low: 1), device: "d")
    where call.access == .device {
      let answer = try await store.send(call.method, call.path, token: token, text: "{}")
      #expect(answer.status == 403, "\(call.method) \(call.path)")
      #expect(try answer.decoded(ErrorPayload.self).code == .accessDenied)
    }
    let other = try await store.publishToken(for: .app("only.this"))
    for path in ["/v1.0/me/notifications", "/topic"] {
      let answer = try await store.send(
        .post, path, token: other,
        text: #"{"targetHostName":"topic","payload":{"rawContent":"x"}}"#)
      #expect(answer.status == 403)
    }
  }

  @Test("another user's token reaches nothing and learns nothing, on any route")
  func isolation() async throws {
    let store = try await InProcessStore(users: ["me", "you"])
    let mine = try await store.deviceToken(DeviceID("my-laptop"))
    let published = try await store.send(
      .post, "/v1.0/me/notifications", token: mine,
      text: #"{"targetHostName":"a","payload":{"visualContent":{"title":"my secret"}}}"#)
    let item = try published.decoded(NotificationPayload.self).item
    let path = Route.notification(item.id).path
    let before = try await store.send(.get, path, token: mine).body
    let strange = try await store.deviceToken(DeviceID("your-laptop"), of: "you")
    for call in calls(item: item.id, device: "my-laptop") where !call.path.contains("signal") {
      let answer = try await store.send(
        call.method, call.path, token: strange,
        text: #"{"readState":"read","lineage":"l","operations":[]}"#)
      #expect(!answer.text.contains("my secret"), "\(call.method) \(call.path)")
      #expect(!answer.text.contains("my-laptop"), "\(call.method) \(call.path)")
    }
    #expect(try await store.send(.get, path, token: mine).body == before)
    #expect(try await store.send(.get, Route.devices.path, token: mine).status == 200)
    // Someone's delta token says nothing to anybody else.
    let delta = try await store.send(.get, Route.delta.path, token: mine)
      .decoded(DeltaPayload.self)
    guard case .complete(let token) = delta.end else { return }
    let stolen = try await store.send(.get, Route.deltaSince(token).path, token: strange)
    #expect(stolen.status == 410)
  }

  @Test("the log's lines hold no control characters that came from outside")
  func logLines() {
    #expect(LineLogHandler.quoted("a\"\\\n\u{1b}\u{9b}é") == #""a\"\\\n\u001b\u009bé""#)
  }
}
