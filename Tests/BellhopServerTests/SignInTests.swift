import BellhopModel
import BellhopStore
import BellhopTestSupport
import BellhopWire
import HTTPTypes
import Testing

@testable import BellhopServer

/// A device that requests a sign-in, as any OAuth client would.
struct Newcomer {
  var store: InProcessStore
  var deviceCode = ""
  var userCode = ""

  init(_ store: InProcessStore, id: String? = "desk", address: String? = nil) async throws {
    self.store = store
    let answer = try await Self.ask(store, id: id, address: address)
    #expect(answer.status == 200, "\(answer.text)")
    let payload = try answer.decoded(DeviceAuthorizationPayload.self)
    deviceCode = payload.deviceCode
    userCode = payload.userCode
  }

  static func post(
    _ store: InProcessStore, _ path: String, _ form: [String: String],
    headers: [String: String] = [:]
  ) async throws -> InProcessStore.Answer {
    let body = FormCoding.encode(form.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    let answer = try await store.send(
      .post, path, text: body,
      headers: headers.merging(["Content-Type": FormCoding.contentType]) { $1 })
    #expect(answer.header("Cache-Control") == "no-store")
    return answer
  }

  static func ask(
    _ store: InProcessStore, id: String? = "desk", address: String? = nil
  ) async throws -> InProcessStore.Answer {
    var form = ["client_id": "bellhop"]
    if let id {
      form.merge(["device_id": id, "device_name": "The desk", "device_platform": "linux"]) { $1 }
    }
    return try await post(
      store, Route.deviceAuthorization.path, form,
      headers: address.map { ["X-Forwarded-For": $0] } ?? [:])
  }

  func poll(client: String = "bellhop") async throws -> InProcessStore.Answer {
    try await Self.post(
      store, Route.token.path,
      [
        "grant_type": OAuthGrantType.deviceCode.rawValue, "device_code": deviceCode,
        "client_id": client,
      ])
  }

  func decide(_ decision: String, by token: String) async throws -> InProcessStore.Answer {
    try await store.send(
      .post, Route.deviceGrant(userCode).path, token: token,
      text: #"{"decision":"\#(decision)"}"#)
  }
}

extension InProcessStore.Answer {
  var oauthError: OAuthErrorCode? { try? decoded(OAuthErrorPayload.self).error }
}

@Suite("Signing a device in (RFC 8628)")
struct SignInTests {
  @Test("an approved device gets a token that is bound to it, once")
  func approved() async throws {
    let store = try await InProcessStore()
    let laptop = try await store.deviceToken(DeviceID("laptop"))
    let answer = try await Newcomer.ask(store, address: "203.0.113.7")
    let asked = try answer.decoded(DeviceAuthorizationPayload.self)
    #expect(asked.expiresInSeconds == 600 && asked.intervalSeconds == 5)
    #expect(asked.verificationURI == "http://store.test/oauth/device")
    #expect(
      asked.verificationURIComplete
        == "http://store.test/oauth/device?user_code=\(asked.userCode)")
    #expect(asked.userCode.utf8.count == 9 && UserCode(asked.userCode) != nil)

    var desk = try await Newcomer(store)
    desk.deviceCode = asked.deviceCode
    desk.userCode = asked.userCode
    #expect(try await desk.poll().oauthError == .authorizationPending)

    // As a user types it: any case, without the dash.
    let typed = asked.userCode.lowercased().replacing("-", with: "")
    let seen = try await store.send(.get, Route.deviceGrant(typed).path, token: laptop)
    let grant = try seen.decoded(DeviceGrantPayload.self)
    #expect(grant.deviceName == "The desk" && grant.platform == "linux")
    #expect(grant.address == "203.0.113.7" && grant.state == .pending && !grant.isKnownDevice)
    #expect(grant.userCode == asked.userCode && grant.clientID == "bellhop")
    #expect(grant.expirationDateTime == store.time.now.advanced(by: .seconds(600)))

    let approved = try await desk.decide("approve", by: laptop)
    #expect(try approved.decoded(DeviceGrantPayload.self).state == .approved)
    #expect(try await desk.decide("approve", by: laptop).status == 200)
    #expect(try await desk.decide("deny", by: laptop).status == 409)
    store.time.advance(by: .seconds(5))
    let token = try await desk.poll()
    #expect(token.status == 200 && token.header("Pragma") == "no-cache")
    let payload = try token.decoded(AccessTokenPayload.self)
    #expect(payload.tokenType == "Bearer" && payload.scope == "device" && payload.user == "me")
    #expect(payload.deviceID == DeviceID("desk") && payload.issuedTokenType == nil)
    store.time.advance(by: .seconds(5))
    #expect(try await desk.poll().oauthError == .invalidGrant)

    let devices = try await store.send(.get, Route.devices.path, token: payload.accessToken)
      .decoded(DeviceListPayload.self).value
    #expect(devices.map(\.name) == ["The laptop", "The desk"])
    #expect(devices.filter(\.isCurrent).map(\.name) == ["The desk"])
    #expect(devices.allSatisfy { $0.state == .registered })
    let operations = try await store.send(
      .post, Route.operations(DeviceID("desk")).path, token: payload.accessToken,
      text: #"{"lineage":"l","operations":[]}"#)
    #expect(operations.status == 200)
  }

  @Test("polling too early adds five seconds to the interval, permanently")
  func slowDown() async throws {
    let store = try await InProcessStore()
    let desk = try await Newcomer(store)
    func poll(after seconds: Int) async throws -> OAuthErrorCode? {
      store.time.advance(by: .seconds(seconds))
      // Setting the machine's clock does not matter.
      store.time.step(by: .seconds(-3600))
      return try await desk.poll().oauthError
    }
    #expect(try await poll(after: 0) == .authorizationPending)
    #expect(try await poll(after: 5) == .authorizationPending)
    #expect(try await poll(after: 4) == .slowDown)
    #expect(try await poll(after: 9) == .slowDown)
    #expect(try await poll(after: 14) == .slowDown)
    #expect(try await poll(after: 20) == .authorizationPending)
    #expect(try await poll(after: 20) == .authorizationPending)
  }

  @Test("a denied, expired or wrong code gets its own error")
  func refused() async throws {
    let store = try await InProcessStore()
    let laptop = try await store.deviceToken(DeviceID("laptop"))
    let denied = try await Newcomer(store)
    #expect(try await denied.decide("deny", by: laptop).status == 200)
    #expect(try await denied.poll().oauthError == .accessDenied)
    store.time.advance(by: .seconds(5))
    #expect(try await denied.poll().oauthError == .accessDenied)

    let late = try await Newcomer(store)
    #expect(try await late.poll(client: "other").oauthError == .invalidClient)
    store.time.advance(by: .seconds(600))
    #expect(try await late.poll().oauthError == .expiredToken)
    #expect(try await late.decide("approve", by: laptop).status == 404)

    var unknown = late
    unknown.deviceCode = "unknown"
    #expect(try await unknown.poll().oauthError == .invalidGrant)
    #expect(try await store.service.devices(of: store.service.user(named: "me").id).count == 1)
  }

  @Test(
    "invalid requests are refused in OAuth's format",
    arguments: [
      ("client_id=bellhop", "invalid_request", 400),
      ("grant_type=password&client_id=bellhop", "unsupported_grant_type", 400),
      (
        "grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=bellhop",
        "invalid_request", 400
      ),
      (
        "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x",
        "invalid_request", 400
      ),
      (
        "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=x&client_id=no",
        "invalid_client", 401
      ),
      ("grant_type=a&grant_type=b", "invalid_request", 400),
      ("grant_type=%ZZ", "invalid_request", 400), ("", "invalid_request", 400),
      (
        "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&client_id=bellhop"
          + "&subject_token=x&subject_token_type=urn:ietf:params:oauth:token-type:jwt",
        "invalid_request", 400
      ),
      (
        "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&client_id=bellhop"
          + "&subject_token=x&subject_token_type=urn:ietf:params:oauth:token-type:access_token",
        "invalid_grant", 400
      ),
    ])
  func malformed(body: String, error: String, status: Int) async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(
      .post, Route.token.path, text: body, headers: ["Content-Type": FormCoding.contentType])
    #expect(answer.status == status)
    #expect(try answer.decoded(OAuthErrorPayload.self).error.rawValue == error)
    #expect(answer.header("Cache-Control") == "no-store")
    #expect(answer.header("Pragma") == "no-cache")
  }

  @Test("an invalid form, a too large one, or an unknown client is refused in OAuth's format")
  func malformedAsk() async throws {
    let store = try await InProcessStore()
    let path = Route.deviceAuthorization.path
    let json = try await store.send(
      .post, path, text: "{}", headers: ["Content-Type": "application/json"])
    #expect(json.status == 400 && json.oauthError == .invalidRequest)
    let large = try await Newcomer.post(
      store, path, ["client_id": String(repeating: "x", count: 10_000)])
    #expect(large.status == 413 && large.oauthError == .invalidRequest)
    #expect(try await Newcomer.post(store, path, [:]).oauthError == .invalidRequest)
    #expect(
      try await Newcomer.post(store, path, ["client_id": "x"]).oauthError == .invalidClient)
    #expect(
      try await Newcomer.post(store, path, ["client_id": "bellhop", "scope": "admin"])
        .oauthError == .invalidScope)
    let name = try await Newcomer.post(
      store, path, ["client_id": "bellhop", "device_id": "a b"])
    #expect(name.oauthError == .invalidRequest && name.text.contains("device_id is wrong"))
    #expect(try await store.send(.get, path).status == 405)
  }

  @Test("requests per address and pending requests are limited")
  func limits() async throws {
    let store = try await InProcessStore(configure: { $0.signIn.grantsMax = 15 })
    for _ in 0..<10 {
      #expect(try await Newcomer.ask(store, address: "2001:db8::1").status == 200)
    }
    // The same network of 64 bits is the same household.
    let eleventh = try await Newcomer.ask(store, address: "2001:db8::2")
    #expect(eleventh.status == 429 && eleventh.oauthError == .temporarilyUnavailable)
    #expect(eleventh.header("Retry-After") == "7")
    for number in 1...5 {
      #expect(try await Newcomer.ask(store, address: "198.51.100.\(number)").status == 200)
    }
    // At the limit, the crowded network loses its oldest request.
    func count() async throws -> Int {
      try await store.service.inspect { try $0.deviceGrantCount() }
    }
    #expect(try await count() == 15)
    #expect(try await Newcomer.ask(store, address: "198.51.100.9").status == 200)
    #expect(try await count() == 15)
    // An expired request frees its slot once its client can no longer poll it.
    store.time.advance(by: .seconds(1200))
    #expect(try await Newcomer.ask(store, address: "198.51.100.9").status == 200)
    #expect(try await count() == 1)
  }

  @Test("a user may try a few wrong codes, then has to wait, even with the right one")
  func guesses() async throws {
    let store = try await InProcessStore(users: ["me", "you"])
    let laptop = try await store.deviceToken(DeviceID("laptop"))
    let other = try await store.deviceToken(DeviceID("other"), of: "you")
    let desk = try await Newcomer(store)
    for code in ["BCDF-GHJK", "X", "%", "AAAA-AAAA"] + Array(repeating: "BCDFGHJL", count: 6) {
      let answer = try await store.send(.get, Route.deviceGrant(code).path, token: laptop)
      #expect(answer.status == 404, "\(code)")
    }
    let stopped = try await desk.decide("approve", by: laptop)
    #expect(stopped.status == 429 && stopped.header("Retry-After") == "61")
    // Another user does not wait, and a request decided by one user is gone for the others.
    #expect(try await desk.decide("approve", by: other).status == 200)
    store.time.advance(by: .seconds(60))
    #expect(try await desk.decide("approve", by: laptop).status == 404)
    let token = try await desk.poll().decoded(AccessTokenPayload.self)
    #expect(token.user == "you")
  }

  @Test("signing in again keeps the device and ends its older token")
  func again() async throws {
    let store = try await InProcessStore()
    let laptop = try await store.deviceToken(DeviceID("laptop"))
    let old = try await store.deviceToken(DeviceID("desk"))
    let desk = try await Newcomer(store)
    let grant = try await store.send(
      .get, Route.deviceGrant(desk.userCode).path, token: laptop)
    #expect(try grant.decoded(DeviceGrantPayload.self).isKnownDevice)
    _ = try await desk.decide("approve", by: laptop)
    let new = try await desk.poll().decoded(AccessTokenPayload.self).accessToken
    let refused = try await store.send(.get, Route.devices.path, token: old)
    #expect(refused.status == 401)
    #expect(try refused.decoded(ErrorPayload.self).revocation?.by == "The desk")
    let devices = try await store.send(.get, Route.devices.path, token: new)
      .decoded(DeviceListPayload.self).value
    #expect(Set(devices.map(\.id)) == [DeviceID("laptop"), DeviceID("desk")])
  }

  @Test("a client that registers later gets a token that is not bound yet")
  func unbound() async throws {
    let store = try await InProcessStore()
    let laptop = try await store.deviceToken(DeviceID("laptop"))
    let client = try await Newcomer(store, id: nil)
    _ = try await client.decide("approve", by: laptop)
    let payload = try await client.poll().decoded(AccessTokenPayload.self)
    #expect(payload.deviceID == nil)
    let answer = try await store.send(
      .post, Route.devices.path, token: payload.accessToken, text: #"{"id":"x","name":"X"}"#)
    #expect(answer.status == 201)
  }

  @Test("an enrolment token is exchanged once for a device's token")
  func enrol() async throws {
    let store = try await InProcessStore()
    let user = try await store.service.user(named: "me").id
    let enrol = try await store.service.mintToken(named: "e", scope: .enrol, for: user)
    let laptop = try await store.deviceToken(DeviceID("laptop"))
    func exchange(_ secret: String, id: String) async throws -> InProcessStore.Answer {
      try await Newcomer.post(
        store, Route.token.path,
        [
          "grant_type": OAuthGrantType.tokenExchange.rawValue, "client_id": "bellhop",
          "subject_token": secret, "subject_token_type": OAuthGrantType.accessTokenType,
          "device_id": id, "device_name": "The desk",
        ])
    }
    // A device that can't be registered does not use up the token.
    #expect(try await exchange(enrol.secret.text, id: "a b").oauthError == .invalidRequest)
    let answer = try await exchange(enrol.secret.text, id: "desk")
    let payload = try answer.decoded(AccessTokenPayload.self)
    #expect(payload.deviceID == DeviceID("desk"))
    #expect(payload.issuedTokenType == OAuthGrantType.accessTokenType)
    #expect(
      try await store.send(.get, Route.delta.path, token: payload.accessToken).status == 200)
    #expect(try await exchange(enrol.secret.text, id: "desk").oauthError == .invalidGrant)
    #expect(try await exchange(laptop, id: "desk").oauthError == .invalidGrant)
    #expect(
      try await store.send(.get, Route.delta.path, token: payload.accessToken).status == 200)
  }

  @Test("the admin socket approves a device for a user, or denies it")
  func administration() async throws {
    let store = try await InProcessStore()
    let administrator = Administrator.direct(store.server)
    let desk = try await Newcomer(store)
    let waiting = try await administrator.send(.waitingDevice(desk.userCode, for: "me"))
    #expect(waiting.name == "The desk" && waiting.address == "this machine")
    await #expect(throws: AdminError.self) {
      try await administrator.send(.decide(desk.userCode, isApproved: true, for: "absent"))
    }
    await #expect(throws: AdminError.self) {
      try await administrator.send(.decide("BCDF-GHJK", isApproved: true, for: "me"))
    }
    _ = try await administrator.send(.decide(desk.userCode, isApproved: true, for: "me"))
    #expect(try await desk.poll().status == 200)
    let other = try await Newcomer(store, id: "other")
    _ = try await administrator.send(.decide(other.userCode, isApproved: false, for: "me"))
    #expect(try await other.poll().oauthError == .accessDenied)
  }

  @Test("the store publishes where to sign in, and shows users which command to run")
  func metadata() async throws {
    let store = try await InProcessStore()
    let answer = try await store.send(.get, Route.authorizationServer.path)
    let payload = try answer.decoded(AuthorizationServerPayload.self)
    #expect(payload.issuer == "http://store.test")
    #expect(
      payload.deviceAuthorizationEndpoint == "http://store.test/oauth/device_authorization")
    #expect(payload.tokenEndpoint == "http://store.test/oauth/token")
    #expect(payload.grantTypes == [.deviceCode, .tokenExchange])
    #expect(answer.text.contains(#""response_types_supported":[]"#))

    let page = Route.signInPage(code: "bcdfghjk").path
    let plain = try await store.send(.get, page)
    #expect(plain.text.contains("bellhop devices approve BCDF-GHJK\n"))
    let html = try await store.send(.get, page, headers: ["Accept": "text/html,*/*"])
    #expect(html.header("Content-Type") == "text/html; charset=utf-8")
    #expect(html.text.contains("<pre>bellhop devices approve BCDF-GHJK</pre>"))
    // The page loads and runs nothing, and no other page can frame it.
    #expect(
      html.header("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'")
    #expect(html.header("Referrer-Policy") == "no-referrer")
    let hostile = try await store.send(
      .get, Route.signInPage(code: "<script>x").path, headers: ["Accept": "text/html"])
    #expect(!hostile.text.contains("script") && hostile.text.contains("approve CODE"))
  }
}
