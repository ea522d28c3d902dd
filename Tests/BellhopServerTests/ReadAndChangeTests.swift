import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Reading and changing")
struct ReadAndChangeTests {
  private let root = "/v1.0/me/notifications"

  /// Publishes `count` items a second apart and returns their ids, oldest first.
  private func publish(_ count: Int, in store: InProcessStore) async throws -> [NotificationID] {
    let user = try await store.service.user(named: "me")
    var ids: [NotificationID] = []
    for number in 1...count {
      store.time.advance(by: .seconds(1))
      let content = Content(app: "ci", visual: VisualContent(title: "item \(number)"))
      ids.append(
        try await store.service.publish(PublishRequest(content), for: user.id).item.id)
    }
    return ids
  }

  @Test("the history is paged newest first, each item once")
  func list() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let ids = try await publish(5, in: store)
    var seen: [NotificationID] = []
    var path: String? = root + "?$top=2"
    while let next = path {
      let page = try await store.send(.get, next, token: token).decoded(ListPayload.self)
      seen += page.items.map(\.id)
      path = page.nextLink.map { String($0.dropFirst("http://store.test".count)) }
    }
    #expect(seen == ids.reversed())
  }

  @Test("an item is returned with its etag, and 304 if the client has it")
  func etag() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let path = Route.notification(try await publish(1, in: store)[0]).path
    let first = try await store.send(.get, path, token: token)
    let tag = try #require(first.header("ETag"))
    let same = try await store.send(
      .get, path, token: token, headers: ["If-None-Match": "W/\(tag), \"9\""])
    #expect(same.status == 304)
    #expect(same.body.isEmpty)
    let changed = try await store.send(
      .patch, path, token: token, text: #"{"readState":"read"}"#, headers: ["If-Match": tag])
    #expect(changed.status == 200)
    let stale = try await store.send(
      .patch, path, token: token, text: #"{"readState":"unread"}"#, headers: ["If-Match": tag])
    #expect(stale.status == 412)
    #expect(try stale.decoded(ErrorPayload.self).code == .resourceModified)
    let kept = try await store.send(.delete, path, token: token, headers: ["If-Match": tag])
    #expect(kept.status == 412)
    let modified = try await store.send(
      .get, path, token: token, headers: ["If-None-Match": tag])
    #expect(modified.status == 200)
  }

  @Test("conditions accept any etag, weak ones, and stars")
  func conditions() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let path = Route.notification(try await publish(1, in: store)[0]).path
    let list = try await store.send(.get, root, token: token)
    #expect(list.text.contains(#""@odata.etag":"\"1\"""#), "\(list.text)")
    let known = try await store.send(.get, path, token: token, headers: ["If-None-Match": "*"])
    #expect(known.status == 304)
    #expect(known.header("ETag") == "\"1\"")
    for (number, match) in ["*", "\"2\"", "W/\"3\""].enumerated() {
      let body = number.isMultiple(of: 2) ? #"{"readState":"read"}"# : #"{"readState":"unread"}"#
      let answer = try await store.send(
        .patch, path, token: token, text: body, headers: ["If-Match": match])
      #expect(answer.status == 200, "\(match): \(answer.text)")
      #expect(answer.header("ETag") == "\"\(number + 2)\"")
    }
    for nonsense in ["3", "\"x\"", "\"\""] {
      let answer = try await store.send(
        .delete, path, token: token, headers: ["If-Match": nonsense])
      #expect(answer.status == 412, "\(nonsense)")
    }
    let listed = try await store.send(
      .patch, path, token: token, text: #"{"readState":"unread"}"#,
      headers: ["If-Match": #"W/"17" , "x,y",, "4""#])
    #expect(listed.status == 200, "\(listed.text)")
    let outdated = try await store.send(
      .delete, path, token: token, headers: ["If-Match": #""3","4""#])
    #expect(outdated.status == 412, "\(outdated.text)")
    for damaged in ["\"5", "\"5\" \"6\"", "\"5\", *", ",", "5\""] {
      let answer = try await store.send(
        .delete, path, token: token, headers: ["If-Match": damaged])
      #expect(answer.status == 400, "\(damaged)")
      #expect(answer.text.contains("If-Match is wrong"), "\(answer.text)")
    }
    let deleted = try await store.send(.delete, path, token: token, headers: ["If-Match": "*"])
    #expect(deleted.status == 204)
  }

  @Test("a client that prefers no body gets only the headers")
  func minimal() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken()
    let body =
      #"{"targetHostName":"ci","appNotificationId":"a","payload":{"visualContent":{"title":"t"}}}"#
    let prefer = ["Prefer": "return=minimal"]
    let made = try await store.send(.post, root, token: device, text: body, headers: prefer)
    #expect(made.status == 204)
    #expect(made.body.isEmpty)
    #expect(made.header("Preference-Applied") == "return=minimal")
    #expect(made.header("ETag") == "\"1\"")
    let location = try #require(made.header("Location"))
    #expect(made.header("OData-EntityId") == location)
    let path = String(location.dropFirst("http://store.test".count))
    let changed = try await store.send(
      .patch, path, token: device, text: #"{"readState":"read"}"#, headers: prefer)
    #expect(changed.status == 204)
    #expect(changed.body.isEmpty)
    #expect(changed.header("ETag") == "\"2\"")
    #expect(changed.header("Preference-Applied") == "return=minimal")
    let item = try await store.send(.get, path, token: device).decoded(NotificationPayload.self)
    #expect(item.item.state.readState.value == .read)
    // A publisher gets no number that rises when a device reads.
    let again = try await store.send(
      .post, root, token: store.publishToken(), text: body,
      headers: ["Prefer": "bellhop.quiet-update, return=minimal"])
    #expect(again.status == 204)
    #expect(again.header("ETag") == nil)
    #expect(again.header("Preference-Applied") == "bellhop.quiet-update, return=minimal")
    let whole = try await store.send(
      .post, root, token: device, text: body, headers: ["Prefer": "return=representation"])
    #expect(whole.status == 201)
  }

  @Test("a change records the device that made it and the value before")
  func provenance() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("laptop"))
    let path = Route.notification(try await publish(1, in: store)[0]).path
    let answer = try await store.send(
      .patch, path, token: token, text: #"{"userActionState":"dismissed","kept":true}"#)
    let item = try answer.decoded(NotificationPayload.self).item
    let register = item.state.userActionState
    #expect(register.value == .dismissed)
    #expect(register.previous == .noInteraction)
    #expect(register.change?.by == Author(kind: .device, id: "laptop", name: "The laptop"))
    #expect(register.change?.at == store.time.now)
    #expect(register.change?.operation != nil)
    #expect(item.state.pinned.value)
  }

  @Test(
    "invalid changes are refused",
    arguments: [
      "{}", "[]", #"{"readState":"maybe"}"#, #"{"userActionState":"snoozed"}"#,
      #"{"userActionState":"snoozed","snoozedUntilDateTime":"soon"}"#,
      #"{"userActionState":"snoozed","snoozedUntilDateTime":"2020-01-01T00:00Z"}"#,
      #"{"snoozedUntilDateTime":"2026-12-01T00:00Z"}"#,
    ])
  func wrongChanges(body: String) async throws {
    let store = try await InProcessStore()
    let path = Route.notification(try await publish(1, in: store)[0]).path
    let answer = try await store.send(.patch, path, token: store.deviceToken(), text: body)
    #expect(answer.status == 400, "\(answer.text)")
  }

  @Test("deleting twice gets the same answer; unknown items are not found")
  func delete() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let path = Route.notification(try await publish(1, in: store)[0]).path
    for _ in 1...2 {
      #expect(try await store.send(.delete, path, token: token).status == 204)
    }
    let gone = try await store.send(.get, path, token: token)
    #expect(gone.status == 404)
    #expect(try gone.decoded(ErrorPayload.self).code == .itemNotFound)
    #expect(try await store.send(.get, root + "/nonsense", token: token).status == 404)
    let patched = try await store.send(
      .patch, path, token: token, text: #"{"readState":"read"}"#)
    #expect(patched.status == 404)
  }

  @Test("unknown addresses are 404, unknown methods 405, in Graph's format")
  func unrouted() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    for path in ["/v1.0/me/nothing", "/a/b/c", "/v1.0/me/notifications/x/y"] {
      let answer = try await store.send(.get, path, token: token)
      #expect(answer.status == 404)
      #expect(try answer.decoded(ErrorPayload.self).code == .itemNotFound)
      #expect(answer.header("request-id") != nil)
    }
    let answer = try await store.send(.put, root, token: token)
    #expect(answer.status == 405)
    #expect(answer.header("Allow") == "GET, HEAD, POST")
    #expect(try answer.decoded(ErrorPayload.self).code == .methodNotAllowed)
  }

  @Test("health needs no token")
  func health() async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(.get, "/health")
    #expect(try answer.decoded(HealthPayload.self).status == "healthy")
    #expect(try await store.send(.get, "/v1/health").text == #"{"healthy":true}"#)
    let head = try await store.send(.head, "/health")
    #expect(head.status == 200)
    #expect(head.body.isEmpty)
  }
}
