import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Environments over HTTP")
struct EnvironmentEndpointTests {
  private func publish(
    _ environment: String, _ store: InProcessStore, token: String
  ) async throws -> InProcessStore.Answer {
    try await store.send(
      .post, Route.notifications.path, token: token,
      text: """
        {"targetHostName":"ci","appNotificationId":"a",
         "payload":{"visualContent":{"title":"a probe"}},"environment":"\(environment)"}
        """)
  }

  /// The token of a device that registers in an environment.
  private func device(
    _ name: String, in environment: RegistrationEnvironment, _ store: InProcessStore
  ) async throws -> String {
    let token = try await store.deviceToken()
    let answer = try await store.send(
      .post, Route.devices.path, token: token,
      text: #"{"id":"\#(name)","name":"n","environment":"\#(environment.rawValue)"}"#)
    #expect(answer.status == 201)
    #expect(try answer.decoded(DevicePayload.self).environment == environment.written)
    return token
  }

  @Test("only a device in development finds a development item, and sees what it is for")
  func reach() async throws {
    let store = try await InProcessStore()
    let publisher = try await store.publishToken()
    let published = try await publish("development", store, token: publisher)
    #expect(published.status == 201)
    let id = try published.decoded(PublishedPayload.self).id
    let tokens = [
      try await device("desk", in: .development, store),
      try await device("phone", in: .production, store), try await store.deviceToken(),
    ]
    for (place, token) in tokens.enumerated() {
      let isFound = place == 0
      let item = try await store.send(.get, Route.notification(id).path, token: token)
      #expect(item.status == (isFound ? 200 : 404))
      #expect(item.text.contains(#""environment":"development""#) == isFound)
      let list = try await store.send(.get, Route.notifications.path, token: token)
      #expect(try list.decoded(ListPayload.self).items.map(\.id) == (isFound ? [id] : []))
      let delta = try await store.send(.get, Route.delta.path, token: token)
      #expect(delta.text.contains(id.description) == isFound)
      let poll = try await store.send(.get, "/ci/json?poll=1", token: token)
      #expect(poll.text.contains("a probe") == isFound)
      let change = try await store.send(
        .patch, Route.notification(id).path, token: token, text: #"{"readState":"read"}"#)
      #expect(change.status == (isFound ? 200 : 404))
    }
  }

  @Test("another word, and another environment for a live item, are refused with the field")
  func refused() async throws {
    let store = try await InProcessStore()
    let token = try await device("desk", in: .development, store)
    let wrong = try await publish("staging", store, token: token)
    #expect(wrong.status == 400)
    #expect(wrong.text.contains("environment is wrong: expected development or production"))
    let list = try await store.send(.get, Route.notifications.path, token: token)
    #expect(try list.decoded(ListPayload.self).items.isEmpty)
    #expect(try await publish("development", store, token: token).status == 201)
    let other = try await publish("production", store, token: token)
    #expect(other.status == 400)
    #expect(other.text.contains("a live item keeps its environment"))
    let registration = try await store.send(
      .post, Route.devices.path, token: token,
      text: #"{"id":"desk","name":"n","environment":"staging"}"#)
    #expect(registration.status == 400)
    #expect(registration.text.contains("environment"))
  }

  @Test("a device changes its environment, and then its delta token is refused")
  func change() async throws {
    let store = try await InProcessStore()
    let token = try await device("desk", in: .production, store)
    let publisher = try await store.publishToken()
    #expect(try await publish("development", store, token: publisher).status == 201)
    let first = try await store.send(.get, Route.delta.path, token: token)
    guard case .complete(let position) = try first.decoded(DeltaPayload.self).end else {
      Issue.record("\(first.text)")
      return
    }
    let patch = try await store.send(
      .patch, Route.device(DeviceID("desk")).path, token: token,
      text: #"{"environment":"development"}"#)
    #expect(try patch.decoded(DevicePayload.self).environment == .development)
    let since = try await store.send(.get, Route.deltaSince(position).path, token: token)
    #expect(since.status == 410)
    // Another change of the registration leaves the environment as it is.
    let renamed = try await store.send(
      .patch, Route.device(DeviceID("desk")).path, token: token, text: #"{"name":"Desk"}"#)
    #expect(try renamed.decoded(DevicePayload.self).environment == .development)
  }

  @Test("its publisher lists and withdraws it with a publish token")
  func publisher() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("ci"))
    #expect(try await publish("development", store, token: token).status == 201)
    let path = Route.notifications.path + "/app/a"
    let quiet = try await store.send(
      .patch, path, token: token, text: #"{"payload":{"visualContent":{"title":"u"}}}"#)
    #expect(quiet.status == 204)
    #expect(try await store.send(.delete, path, token: token).status == 204)
    let desk = try await device("desk", in: .development, store)
    let list = try await store.send(.get, Route.notifications.path, token: desk)
    #expect(try list.decoded(ListPayload.self).items.isEmpty)
  }
}
