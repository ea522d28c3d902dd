import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

@Suite("Actions of items, over HTTP", .timeLimit(.minutes(15)))
struct ActionTests {
  private static let actions = """
    [{"id":"rerun","title":"Rerun","kind":"http","url":"https://ci.example.com/412","body":"{}"},
     {"label":"Assign","kind":"Reply","clear":true}]
    """

  private func publish(
    _ actions: String = actions, in store: InProcessStore, token: String
  ) async throws -> InProcessStore.Answer {
    try await store.send(
      .post, Route.notifications.path, token: token,
      text: """
        {"targetHostName":"ci","payload":{"visualContent":{"title":"t"}},"actions":\(actions)}
        """)
  }

  private func change(
    _ id: NotificationID, _ body: String, in store: InProcessStore, token: String
  ) async throws -> InProcessStore.Answer {
    try await store.send(.patch, Route.notification(id).path, token: token, text: body)
  }

  @Test("actions are returned as they are stored, and a choice with the device that made it")
  func chosen() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("laptop"))
    let item = try await publish(in: store, token: token).decoded(NotificationPayload.self).item
    #expect(
      item.content.extras.actions == [
        .init(
          id: "rerun", title: "Rerun", kind: .http, url: "https://ci.example.com/412", body: "{}"),
        .init(id: "2", title: "Assign", kind: .reply, options: ["clear"]),
      ])
    let answer = try await change(
      item.id, #"{"userActionState":"dismissed","actionId":"2","actionText":"to me"}"#, in: store,
      token: token)
    #expect(answer.status == 200)
    #expect(answer.text.contains(#""actionId":"2""#))
    let after = try await store.send(.get, Route.notification(item.id).path, token: token)
      .decoded(NotificationPayload.self).item
    let made = try #require(after.state.userActionState.change)
    #expect(made.by.id == "laptop")
    #expect(made.choice == ActionChoice(id: "2", title: "Assign", text: "to me"))
    let delta = try await store.send(.get, Route.delta.path, token: token)
      .decoded(DeltaPayload.self)
    #expect(delta.changes == [.item(after)])
  }

  @Test(
    "an invalid action is refused by its member's name",
    arguments: [
      (#"{"userActionState":"activated","actionId":"3"}"#, "actionId is wrong"),
      (#"{"actionId":"2"}"#, "actionId is wrong"),
      (#"{"readState":"read","actionText":"x"}"#, "actionText is wrong"),
      (#"{"userActionState":"activated","actionId":"2","actionText":"\u0000"}"#, "actionText"),
    ])
  func refused(body: String, message: String) async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("laptop"))
    let item = try await publish(in: store, token: token).decoded(NotificationPayload.self).item
    let answer = try await change(item.id, body, in: store, token: token)
    #expect(answer.status == 400)
    #expect(try answer.decoded(ErrorPayload.self).message.contains(message), "\(answer.text)")
    let after = try await store.send(.get, Route.notification(item.id).path, token: token)
    #expect(try after.decoded(NotificationPayload.self).item == item)
  }

  @Test("nine actions are too many, and one that cannot be performed is refused")
  func limits() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken()
    let nine = (1...9).map { #"{"title":"\#($0)"}"# }.joined(separator: ",")
    for (actions, message) in [
      ("[\(nine)]", "at most 8 actions"), (#"[{"title":"a","kind":"copy"}]"#, "actions.text"),
      (#"[{"title":"a","kind":"teleport"}]"#, "actions.kind"),
      (#"[{"title":"a","kind":"http","url":"https://a","headers":{"Host":"b"}}]"#, "headers"),
      (#"[{"kind":"report"}]"#, "actions[0].title"),
    ] {
      let answer = try await publish(actions, in: store, token: token)
      #expect(answer.status == 400)
      #expect(try answer.decoded(ErrorPayload.self).message.contains(message), "\(answer.text)")
    }
  }

  @Test("a publisher never learns what was chosen, and an app's reader not by whom")
  func secrecy() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken(DeviceID("laptop"))
    let publisher = try await store.publishToken()
    let user = try await store.service.user(named: "me")
    let reader = try await store.service.mintToken(
      named: "app token", scope: .app("ci"), for: user.id
    ).secret.text
    let published = try await publish(in: store, token: publisher)
      .decoded(PublishedPayload.self)
    _ = try await change(
      published.id, #"{"userActionState":"activated","actionId":"2","actionText":"secret"}"#,
      in: store, token: device)
    let path = Route.notification(published.id).path
    #expect(try await store.send(.get, path, token: publisher).status == 403)
    let seen = try await store.send(.get, path, token: reader)
    #expect(seen.status == 200)
    #expect(seen.text.contains(#""userActionState":"activated""#))
    #expect(!seen.text.contains("actionId") && !seen.text.contains("secret"))
  }

  @Test("a hook receives every choice, even if the state stays")
  func hook() async throws {
    let desk = try await HookDesk()
    try await desk.subscribed()
    try await desk.telling {
      let id = try await publish(in: desk.store, token: desk.token)
        .decoded(NotificationPayload.self).item.id
      try await desk.drive { desk.stub.told.count >= 1 }
      for (count, action) in ["rerun", "2"].enumerated() {
        let answer = try await change(
          id, #"{"userActionState":"activated","actionId":"\#(action)"}"#, in: desk.store,
          token: desk.token)
        #expect(answer.status == 200)
        try await desk.drive { desk.stub.told.count >= count + 2 }
        #expect(desk.stub.told[count + 1].words == ["updated"])
      }
    }
    await desk.stub.stop()
  }

  @Test("the OpenAPI description has actions and choices")
  func description() async throws {
    let store = try await InProcessStore()
    let document = try await store.send(.get, "/openapi.json").text
    for name in ["\"actionId\"", "\"actionTitle\"", "\"actionText\"", "\"placeholder\""] {
      #expect(document.contains(name))
    }
  }
}
