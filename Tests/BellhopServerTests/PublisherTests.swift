import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Changes by publishers")
struct PublisherTests {
  static let path = "/v1.0/me/notifications/app/"

  private func item(_ id: NotificationID, in store: InProcessStore) async throws -> UserNotification
  {
    let user = try await store.service.user(named: "me")
    return try await store.service.item(id, of: user.id)
  }

  private func publish(
    _ title: String, id: String, in store: InProcessStore, token: String
  ) async throws -> NotificationID {
    try await store.send(
      .post, Route.notifications.path, token: token, text: PublishTests.body(title, id: id)
    ).decoded(PublishedPayload.self).id
  }

  @Test("an update changes the named fields, keeps the rest, and returns no state to the publisher")
  func update() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("ci.example.com"))
    let published = try await store.send(
      .post, Route.notifications.path, token: token,
      text: """
        {"targetHostName":"ci.example.com","appNotificationId":"build/main","groupName":"main",
        "tags":["linux"],"payload":{"visualContent":{"title":"running","body":"step 1"}}}
        """)
    let id = try published.decoded(PublishedPayload.self).id
    let answer = try await store.send(
      .patch, Self.path + "build%2Fmain", token: token,
      text: """
        {"groupName":null,"priority":"High","payload":{"visualContent":{"title":"failed 💥"}}}
        """)
    #expect(answer.status == 204 && answer.body.isEmpty, "\(answer.text)")
    #expect(answer.header("ETag") == nil)
    let content = try await item(id, in: store).content
    #expect(content.visual == VisualContent(title: "failed 💥", body: "step 1"))
    #expect(content.group == nil)
    #expect(content.tags == ["linux"])
    #expect(content.priority == .high)
  }

  @Test(
    "an update reveals nothing about an item that the publisher may not read",
    arguments: [
      "{}", #"{"priority":"High"}"#, #"{"payload":{"visualContent":{"title":"t"}}}"#,
    ])
  func secrets(patch: String) async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken()
    let published = try await store.send(
      .post, Route.notifications.path, token: device,
      text: """
        {"targetHostName":"nas","appNotificationId":"a","payload":{"visualContent":{
        "title":"OTP 493021","body":"hidden"}},"actions":[{"title":"Go","kind":"http",
        "url":"https://nas.example/go","headers":{"Authorization":"Bearer SECRET"}}]}
        """)
    try #require(published.status == 201, "\(published.text)")
    for (apps, preference) in [
      (AppPattern.app("nas"), ""), (.any, ""), (.any, "return=representation"),
    ] {
      let answer = try await store.send(
        .patch, Self.path + "a?targetHostName=nas", token: store.publishToken(for: apps),
        text: patch, headers: preference.isEmpty ? [:] : ["Prefer": preference])
      #expect(answer.status == 204 && answer.body.isEmpty, "\(answer.text)")
      #expect(answer.header("Preference-Applied") == nil && answer.header("ETag") == nil)
      #expect(answer.header("OData-EntityId")?.contains("/notifications/") == true)
    }
    // Within a batch the answer is the same.
    let batch = try await store.send(
      .post, "/v1.0/$batch", token: store.publishToken(),
      text: """
        {"requests":[{"id":"1","method":"PATCH","headers":{"Content-Type":"application/json"},
        "url":"/me/notifications/app/a?targetHostName=nas","body":\(patch)}]}
        """)
    #expect(batch.text.contains("204") && !batch.text.contains("hidden"), "\(batch.text)")
    #expect(!batch.text.contains("SECRET"))
    let whole = try await store.send(
      .patch, Self.path + "a?targetHostName=nas", token: device, text: patch)
    #expect(whole.status == 200 && whole.text.contains("SECRET"))
  }

  @Test(
    "an update of a read item moves it to the top, a quiet one does not, an empty one changes nothing"
  )
  func resurfacing() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken()
    let token = try await store.publishToken(for: .app("ci.example.com"))
    let id = try await publish("one", id: "a", in: store, token: token)
    _ = try await store.send(
      .patch, Route.notification(id).path, token: device, text: #"{"readState":"read"}"#)
    let read = try await item(id, in: store)
    store.time.advance(by: .seconds(60))
    func patch(_ title: String, quiet: Bool = false) async throws -> InProcessStore.Answer {
      try await store.send(
        .patch, Self.path + "a", token: token,
        text: #"{"payload":{"visualContent":{"title":"\#(title)"}}}"#,
        headers: quiet ? ["Prefer": "bellhop.quiet-update"] : [:])
    }
    // The same text again is not a change.
    #expect(try await patch("one").status == 204)
    #expect(try await item(id, in: store) == read)
    let quiet = try await patch("two", quiet: true)
    #expect(quiet.header("Preference-Applied") == "bellhop.quiet-update")
    let updated = try await item(id, in: store)
    #expect(updated.state.readState.value == .read)
    #expect(updated.arrival == read.arrival)
    #expect(updated.state.contentSequence > read.state.contentSequence)
    #expect(try await patch("three").header("Preference-Applied") == nil)
    let loud = try await item(id, in: store)
    #expect(loud.state.readState.value == .unread)
    #expect(loud.arrival == store.time.now)
  }

  @Test("a withdrawn item is gone everywhere; withdrawing it again is not an error")
  func withdrawal() async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("ci.example.com"))
    let id = try await publish("one", id: "a", in: store, token: token)
    for _ in 0..<2 {
      let answer = try await store.send(.delete, Self.path + "a", token: token)
      #expect(answer.status == 204)
    }
    let device = try await store.deviceToken()
    #expect(try await store.send(.get, Route.notification(id).path, token: device).status == 404)
    let late = try await store.send(.patch, Self.path + "a", token: token, text: "{}")
    #expect(late.status == 404)
  }

  @Test("a token for several apps has to name one; a token for one app need not")
  func whichApp() async throws {
    let store = try await InProcessStore()
    let any = try await store.publishToken()
    let some = try await store.publishToken(for: .prefix("ci"))
    let device = try await store.deviceToken()
    for token in [any, some, device] {
      _ = try await publish("one", id: "a", in: store, token: token)
      let vague = try await store.send(.delete, Self.path + "a", token: token)
      #expect(vague.status == 400)
      #expect(try vague.decoded(ErrorPayload.self).message.contains("?targetHostName="))
      let plain = try await store.send(
        .delete, Self.path + "a?targetHostName=ci.example.com", token: token)
      #expect(plain.status == 204)
    }
    let other = try await store.publishToken(for: .app("nas"))
    for method in [.patch, .delete] as [HTTPRequest.Method] {
      let answer = try await store.send(
        method, Self.path + "a?targetHostName=ci.example.com", token: other, text: "{}")
      #expect(answer.status == 403)
    }
    // Its own app has no such item, and it learns of no other's.
    #expect(
      try await store.send(.patch, Self.path + "a", token: other, text: "{}").status == 404)
  }

  @Test(
    "an update that would leave no valid publication is refused, and nothing changes",
    arguments: [
      ("[]", "JSON object"), ("{", "JSON"), ("", "empty"),
      (#"{"payload":null}"#, "payload"),
      (#"{"payload":{"visualContent":{"title":""}}}"#, "title"),
      (#"{"targetHostName":"nas"}"#, "targetHostName"),
      (#"{"appNotificationId":"b"}"#, "appNotificationId"),
      (#"{"priority":"loud"}"#, "priority"),
      (#"{"expirationDateTime":"2020-01-01T00:00:00Z"}"#, "expirationDateTime"),
    ])
  func refused(body: String, word: String) async throws {
    let store = try await InProcessStore()
    let token = try await store.publishToken(for: .app("ci.example.com"))
    let id = try await publish("one", id: "a", in: store, token: token)
    let before = try await item(id, in: store)
    let answer = try await store.send(.patch, Self.path + "a", token: token, text: body)
    #expect(answer.status == 400)
    #expect(answer.text.contains(word), "\(answer.text)")
    #expect(try await item(id, in: store) == before)
  }

  @Test("the user's name or number means me, and all other names get the same refusal")
  func users() async throws {
    let store = try await InProcessStore(users: ["me", "anna:k"])
    let token = try await store.deviceToken(of: "anna:k")
    let number = try await store.service.user(named: "anna:k").id.rawValue
    for name in ["anna%3Ak", "anna:k", "\(number)"] {
      for version in Route.versions {
        let path = "/\(version)/users/\(name)/notifications"
        let posted = try await store.send(
          .post, path, token: token, text: PublishTests.body("x"))
        #expect(posted.status == 201)
        let id = try posted.decoded(NotificationPayload.self).item.id
        #expect(try await store.send(.get, path + "/\(id)", token: token).status == 200)
        #expect(try await store.send(.get, path + "/delta", token: token).status == 200)
        #expect(
          try await store.send(.get, "/\(version)/users/\(name)/devices", token: token).status
            == 200)
      }
    }
    var answers: Set<String> = []
    for name in ["me", "1", "absent", "99", "anna", "%ff"] {
      let answer = try await store.send(
        .get, "/v1.0/users/\(name)/notifications", token: token)
      #expect(answer.status == 403)
      answers.insert(try answer.decoded(ErrorPayload.self).message)
      #expect(try await store.send(.get, "/v1.0/users/\(name)/notifications").status == 401)
    }
    #expect(answers.count == 1)
  }
}
