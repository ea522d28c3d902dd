import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Apps over HTTP")
struct AppTests {
  private static let path = Route.app("ci.example.com").path

  @Test("an app is configured, read, listed and found by its alias")
  func configuring() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("laptop"))
    #expect(try await store.send(.get, Self.path, token: token).status == 404)
    let changed = try await store.send(
      .patch, Self.path, token: token,
      text: #"{"displayName":"CI","aliases":["ci"],"permissions":{"sound":false}}"#)
    #expect(changed.status == 200)
    let app = try changed.decoded(AppPayload.self)
    #expect(app.settings.displayName == "CI")
    #expect(app.settings.permissions == AppPermissions(sound: false))
    #expect(changed.header("ETag") == "\"1\"")
    _ = try await store.send(.post, "/ci", token: token, text: "published by topic")
    for path in [Self.path, Route.app("ci").path, "/beta/me/apps/ci"] {
      let answer = try await store.send(.get, path, token: token)
      #expect(answer.status == 200)
      let found = try answer.decoded(AppPayload.self)
      #expect(found.settings == app.settings)
      #expect(found.usage.items == 1)
    }
    let list = try await store.send(.get, Route.apps.path, token: token)
      .decoded(AppListPayload.self)
    #expect(list.value.map(\.settings) == [app.settings])
    let known = try await store.send(
      .get, Self.path, token: token, headers: ["If-None-Match": "\"1\""])
    #expect(known.status == 304)
  }

  @Test("If-Match guards settings as it does items")
  func ifMatch() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("laptop"))
    func patch(_ tag: String) async throws -> InProcessStore.Answer {
      try await store.send(
        .patch, Self.path, token: token, text: #"{"mute":"forever"}"#,
        headers: ["If-Match": tag])
    }
    let absent = try await patch("*")
    #expect(absent.status == 412, "it is not configured and has not published")
    #expect(try await patch("\"0\"").status == 200)
    let stale = try await patch("\"0\"")
    #expect(stale.status == 412)
    #expect(try stale.decoded(ErrorPayload.self).code == .resourceModified)
    #expect(try await patch("*").status == 200)
    #expect(try await patch(#""0", "1""#).status == 200)
  }

  @Test(
    "an invalid change is refused with its field, and changes nothing",
    arguments: [
      (#"{}"#, "expected displayName"), (#"{"retentionDays":0}"#, "retentionDays"),
      (#"{"aliases":["me"]}"#, "address of the store"), (#"{"aliases":["a b"]}"#, "aliases"),
      (#"{"mute":"until"}"#, "mutedUntilDateTime"), (#"[]"#, "JSON object"),
      (#"{"quietHours":{"from":"08:00","to":"08:00"}}"#, "quietHours.to"),
    ])
  func wrong(text: String, part: String) async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("laptop"))
    let answer = try await store.send(.patch, Self.path, token: token, text: text)
    #expect(answer.status == 400)
    #expect(try answer.decoded(ErrorPayload.self).message.contains(part), "\(answer.text)")
    #expect(try await store.send(.get, Self.path, token: token).status == 404)
  }

  @Test("an alias of another app is a conflict")
  func conflict() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("laptop"))
    let body = #"{"aliases":["ci"]}"#
    #expect(try await store.send(.patch, Self.path, token: token, text: body).status == 200)
    let answer = try await store.send(
      .patch, Route.app("other.example.com").path, token: token, text: body)
    #expect(answer.status == 409)
    #expect(try answer.decoded(ErrorPayload.self).code == .nameAlreadyExists)
  }

  @Test("a device's outbox sets settings too, and refuses an alias that is a path of the store")
  func outbox() async throws {
    let store = try await InProcessStore()
    let laptop = DeviceID("laptop")
    let token = try await store.deviceToken(laptop)
    func send(_ aliases: String) async throws -> InProcessStore.Answer {
      try await store.send(
        .post, Route.operations(laptop).path, token: token,
        text: """
          {"lineage":"l","operations":[{"sequence":1,"id":"0198c0de-0000-7000-8000-000000000001",\
          "targetHostName":"ci.example.com","configure":{"aliases":[\(aliases)]}}]}
          """)
    }
    let wrong = try await send(#""me""#)
    #expect(wrong.status == 400)
    #expect(try wrong.decoded(ErrorPayload.self).message.contains("aliases"))
    #expect(try await store.send(.get, Self.path, token: token).status == 404)
    let right = try await send(#""ci""#)
    #expect(right.status == 200)
    #expect(try right.decoded(OperationsAnswerPayload.self).results.map(\.result) == [.applied])
    let app = try await store.send(.get, Route.app("ci").path, token: token)
    #expect(try app.decoded(AppPayload.self).settings.aliases == ["ci"])
  }

  @Test("a publish token publishes by an alias of its app, and by no other app's")
  func aliasesAndTokens() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken(DeviceID("laptop"))
    _ = try await store.send(
      .patch, Self.path, token: device, text: #"{"aliases":["ci"]}"#)
    _ = try await store.send(
      .patch, Route.app("nas.example.com").path, token: device, text: #"{"aliases":["nas"]}"#)
    let token = try await store.publishToken(for: .app("ci.example.com"))
    #expect(try await store.send(.post, "/ci", token: token, text: "a").status == 200)
    #expect(try await store.send(.post, "/nas", token: token, text: "a").status == 403)
    #expect(try await store.send(.post, "/other", token: token, text: "a").status == 403)
    let lines = ["ci", "nas"].map {
      #"{"targetHostName":"\#($0)","payload":{"rawContent":"x"}}"#
    }
    let bulk = try await store.send(
      .post, "/v1.0/me/notifications/bulk", token: token, text: lines.joined(separator: "\n"),
      headers: ["Content-Type": "application/x-ndjson"])
    #expect(bulk.text.contains("201"))
    #expect(bulk.text.contains("403"))
  }

  @Test("in a bulk publication the lines beyond a limit are refused, and the others are stored")
  func bulk() async throws {
    var limits = StoreLimits()
    limits.appItemsMax = 2
    limits.appPublishesPerMinute = 3
    let store = try await InProcessStore(limits: limits)
    let token = try await store.publishToken()
    func line(_ app: String, _ id: String) -> String {
      #"{"targetHostName":"\#(app)","appNotificationId":"\#(id)","payload":{"rawContent":"x"}}"#
    }
    let lines = [
      line("ci", "1"), line("ci", "2"), line("ci", "3"), line("ci", "1"), line("ci", "1"),
      line("nas", "1"),
    ]
    let answer = try await store.send(
      .post, "/v1.0/me/notifications/bulk", token: token, text: lines.joined(separator: "\n"),
      headers: ["Content-Type": "application/x-ndjson"])
    let statuses = answer.text.split(separator: "\n").map { line in
      ["201", "507", "429"].first { line.contains("\"status\":\($0)") } ?? "?"
    }
    #expect(statuses == ["201", "201", "507", "201", "429", "201"], "\(answer.text)")
    let user = try await store.service.user(named: "me").id
    #expect(try await store.service.apps(of: user).map(\.use.items) == [2, 1])
  }

  @Test("settings arrive in the delta")
  func delta() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("laptop"))
    let first = try await store.send(.get, Route.delta.path, token: token)
      .decoded(DeltaPayload.self)
    guard case .complete(let position) = first.end else {
      Issue.record("several pages")
      return
    }
    let app = try await store.send(
      .patch, Self.path, token: token, text: #"{"mute":"forever"}"#
    ).decoded(AppPayload.self)
    let answer = try await store.send(
      .get, Route.deltaSince(position).path, token: token,
      headers: ["If-None-Match": "\"\(position)\""])
    #expect(answer.status == 200)
    #expect(try answer.decoded(DeltaPayload.self).changes == [.app(app.settings)])
    let fresh = try await store.send(.get, Route.delta.path, token: token)
      .decoded(DeltaPayload.self)
    #expect(fresh.changes == [.app(app.settings)])
  }

  @Test("an app at its limit gets 507, one that is too fast gets 429 with the time to wait")
  func limits() async throws {
    var limits = StoreLimits()
    limits.appItemsMax = 2
    limits.appPublishesPerMinute = 3
    let store = try await InProcessStore(limits: limits)
    let token = try await store.publishToken()
    for _ in 0..<2 {
      #expect(try await store.send(.post, "/ci", token: token, text: "a").status == 200)
    }
    let full = try await store.send(.post, "/ci", token: token, text: "a")
    #expect(full.status == 507)
    let graph = try await store.send(
      .post, Route.notifications.path, token: token,
      text: #"{"targetHostName":"ci","payload":{"rawContent":"x"}}"#)
    #expect(graph.status == 507)
    #expect(try graph.decoded(ErrorPayload.self).code == .quotaLimitReached)
    let replacement =
      #"{"targetHostName":"nas","appNotificationId":"x","payload":{"rawContent":"x"}}"#
    for _ in 0..<3 {
      let answer = try await store.send(
        .post, Route.notifications.path, token: token, text: replacement)
      #expect(answer.status == 201)
    }
    let quick = try await store.send(
      .post, Route.notifications.path, token: token, text: replacement)
    #expect(quick.status == 429)
    #expect(try quick.decoded(ErrorPayload.self).code == .tooManyRequests)
    #expect(quick.header("Retry-After") == "20")
    let topic = try await store.send(.post, "/nas", token: token, text: "a")
    #expect(topic.status == 429)
    #expect(topic.text.contains("42901"))
    store.time.advance(by: .seconds(20))
    let later = try await store.send(
      .post, Route.notifications.path, token: token, text: replacement)
    #expect(later.status == 201)
  }

  @Test("the time in an ntfy answer follows the app's retention")
  func expires() async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken(DeviceID("laptop"))
    _ = try await store.send(
      .patch, Route.app("nas").path, token: token, text: #"{"retentionDays":2}"#)
    let answer = try await store.send(.post, "/nas", token: token, text: "a")
    let expires = store.time.now.advanced(by: .seconds(2 * 86_400)).milliseconds / 1000
    #expect(answer.text.contains("\"expires\":\(expires)"))
  }
}
