import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@Suite("Tokens created by devices")
struct TokenTests {
  private func create(
    _ body: String, in store: InProcessStore, token: String
  ) async throws -> UserTokenPayload {
    let answer = try await store.send(.post, Route.accessTokens.path, token: token, text: body)
    #expect(answer.status == 201, "\(answer.text)")
    let made = try answer.decoded(UserTokenPayload.self)
    #expect(answer.header("Location") == "http://store.test" + Route.accessToken(made.id).path)
    return made
  }

  private func list(_ store: InProcessStore, _ token: String) async throws -> [UserTokenPayload] {
    let answer = try await store.send(.get, Route.accessTokens.path, token: token)
    #expect(!answer.text.contains("blh_"))
    return try answer.decoded(UserTokenListPayload.self).value
  }

  private func publish(
    _ app: String, in store: InProcessStore, token: String?
  ) async throws -> Int {
    try await store.send(
      .post, Route.notifications.path, token: token, text: PublishTests.body("x", app: app)
    ).status
  }

  @Test(
    "a token publishes for its app, and can do nothing else",
    arguments: [
      (#"{"targetHostName":"ci"}"#, "ci", "ci.build"),
      (#"{"targetHostName":"ci.*"}"#, "ci.build", "ci"), (#"{"anyApp":true}"#, "nas", nil),
    ] as [(String, String, String?)])
  func scopes(body: String, allowed: String, refused: String?) async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken(DeviceID("laptop"))
    let made = try await create(body, in: store, token: device)
    #expect(made.scope == .publish)
    #expect(try await publish(allowed, in: store, token: made.secret) == 201)
    if let refused { #expect(try await publish(refused, in: store, token: made.secret) == 403) }
    #expect(
      try await store.send(.get, Route.notifications.path, token: made.secret).status == 403)
    #expect(try await store.send(.get, Route.accessTokens.path, token: made.secret).status == 403)
    let known = try await list(store, device)
    #expect(known.map(\.scope) == [.device, .publish])
    #expect(known.map(\.isCurrent) == [true, false])
    #expect(known.map(\.deviceId) == [DeviceID("laptop"), nil])
    #expect(known[1].lastUsedDateTime == store.time.now)
    #expect(!"\(made) \(made.debugDescription)".contains("blh_"))
  }

  @Test("a token ends at its expiry, and at once when it is revoked")
  func ends() async throws {
    let store = try await InProcessStore()
    let device = try await store.deviceToken(DeviceID("laptop"))
    let end = store.time.now.advanced(by: .seconds(60))
    let short = try await create(
      #"{"targetHostName":"ci","expirationDateTime":"\#(end)"}"#, in: store, token: device)
    #expect(short.expirationDateTime == end)
    let other = try await create(
      #"{"targetHostName":"ci","name":"build"}"#, in: store, token: device)
    #expect(other.name == "build")
    #expect(try await publish("ci", in: store, token: short.secret) == 201)
    store.time.advance(by: .seconds(60))
    #expect(try await publish("ci", in: store, token: short.secret) == 401)
    for _ in 0..<2 {
      let answer = try await store.send(.delete, Route.accessToken(other.id).path, token: device)
      #expect(answer.status == 204)
    }
    #expect(try await publish("ci", in: store, token: other.secret) == 401)
    #expect(try await list(store, device).map(\.id).contains(other.id) == false)
    #expect(
      try await store.send(.get, Route.accessToken(other.id).path, token: device).status == 404)
    #expect(
      try await store.send(.get, Route.accessToken(short.id).path, token: device).status == 200)
  }

  @Test("another user's tokens do not exist")
  func isolation() async throws {
    let store = try await InProcessStore(users: ["me", "you"])
    let mine = try await store.deviceToken()
    let yours = try await store.deviceToken(of: "you")
    let made = try await create(#"{"targetHostName":"ci"}"#, in: store, token: mine)
    for method in [.get, .delete] as [HTTPRequest.Method] {
      let answer = try await store.send(method, Route.accessToken(made.id).path, token: yours)
      #expect(answer.status == 404)
    }
    #expect(try await list(store, yours).count == 1)
    #expect(try await publish("ci", in: store, token: made.secret) == 201)
  }

  @Test(
    "an invalid request creates no token, and the error has the accepted form",
    arguments: [
      ("{}", "targetHostName"), (#"{"targetHostName":"*"}"#, "targetHostName"),
      (#"{"targetHostName":"a b"}"#, "targetHostName"),
      (#"{"targetHostName":"ci","anyApp":true}"#, "either an app"),
      (#"{"targetHostName":"ci","name":""}"#, "name"),
      (#"{"targetHostName":"ci","expirationDateTime":"2020-01-01T00:00Z"}"#, "after now"),
    ])
  func wrong(body: String, word: String) async throws {
    let store = try await InProcessStore()
    let token = try await store.deviceToken()
    let answer = try await store.send(.post, Route.accessTokens.path, token: token, text: body)
    #expect(answer.status == 400)
    #expect(answer.text.contains(word), "\(answer.text)")
    #expect(try await list(store, token).count == 1)
  }

  @Test("the number of valid tokens is limited; ended ones do not count")
  func limit() async throws {
    var limits = StoreLimits()
    limits.tokensPerUserMax = 2
    let store = try await InProcessStore(limits: limits)
    let token = try await store.deviceToken()
    let made = try await create(#"{"targetHostName":"ci"}"#, in: store, token: token)
    let body = #"{"targetHostName":"nas"}"#
    let refused = try await store.send(.post, Route.accessTokens.path, token: token, text: body)
    #expect(refused.status == 403)
    #expect(refused.text.contains("revoke those"))
    _ = try await store.send(.delete, Route.accessToken(made.id).path, token: token)
    _ = try await create(body, in: store, token: token)
  }
}
