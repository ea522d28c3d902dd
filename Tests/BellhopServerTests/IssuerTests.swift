import BellhopIdentity
import BellhopModel
import BellhopSettings
import BellhopStore
import BellhopTestSupport
import BellhopWire
import Foundation
import HTTPTypes
import Testing

@testable import BellhopServer

/// A store that accepts a provider's tokens without a network.
private struct Realm {
  let store: InProcessStore
  let provider: TestIssuer
  let uptime = ManualUptime()

  init(_ change: (inout IssuerRules) -> Void = { _ in }) async throws {
    var rules = IssuerRules(issuer: TestIssuer.address, audiences: ["bellhop"])
    change(&rules)
    let uptime = uptime
    provider = TestIssuer([try TestKey("ES256", id: "one")])
    store = try await InProcessStore(
      users: ["me", "you"],
      issuer: Issuer(rules, fetching: provider, uptime: { uptime.now }))
  }

  func token(_ claims: [String: Any] = [:]) throws -> String {
    try provider.token(at: store.time.now, claims)
  }

  func register(
    _ device: String, token: String, header: Bool = false
  ) async throws -> InProcessStore.Answer {
    try await store.send(
      .post, "/v1.0/me/devices", token: token,
      text: #"{"id":"\#(device)","name":"The \#(device)","platform":"test"}"#,
      headers: header ? [DeviceHeader.name: device] : [:])
  }

  func post(
    operationsOf device: String, token: String, header: Bool = false
  ) async throws -> InProcessStore.Answer {
    try await store.send(
      .post, "/v1.0/me/devices/\(device)/operations", token: token,
      text: #"{"lineage":"l","operations":[]}"#,
      headers: header ? [DeviceHeader.name: device] : [:])
  }
}

@Suite("Bearer tokens of an identity provider")
struct IssuerTests {
  @Test("a user's token reads and publishes; one for an app publishes and reads nothing")
  func scopes() async throws {
    let realm = try await Realm()
    let publisher = try realm.token(["scope": "bellhop.publish:nas"])
    let body = #"{"targetHostName":"nas","payload":{"visualContent":{"title":"done"}}}"#
    let published = try await realm.store.send(
      .post, "/v1.0/me/notifications", token: publisher, text: body)
    #expect(published.status == 201)
    #expect(
      try await realm.store.send(
        .post, "/v1.0/me/notifications", token: publisher,
        text: body.replacing("nas", with: "ci")
      ).status == 403)
    #expect(
      try await realm.store.send(.get, "/v1.0/me/notifications", token: publisher).status == 403)
    let list = try await realm.store.send(
      .get, "/v1.0/me/notifications", token: try realm.token())
    #expect(list.status == 200)
    #expect(list.text.contains("done"))
    // The other dialects accept it as well.
    #expect(
      try await realm.store.send(.post, "/nas", token: publisher, text: "again").status == 200)
  }

  @Test("the store's own tokens still work beside them")
  func ownTokens() async throws {
    let realm = try await Realm()
    let token = try await realm.store.deviceToken(DeviceID("laptop"))
    #expect(
      try await realm.store.send(.get, "/v1.0/me/notifications", token: token).status == 200)
    #expect(realm.provider.requests.isEmpty)
  }

  @Test("a refusal is a challenge that names the reason, and never contains the token")
  func challenges() async throws {
    let realm = try await Realm()
    let expired = try realm.token(["exp": 1_700_000_000])
    let answer = try await realm.store.send(.get, "/v1.0/me/notifications", token: expired)
    #expect(answer.status == 401)
    #expect(
      answer.header("WWW-Authenticate")
        == #"Bearer error="invalid_token", error_description="the token has expired""#)
    #expect(try answer.decoded(ErrorPayload.self).code == .unauthenticated)
    for part in expired.split(separator: ".") {
      #expect(!answer.text.contains(part))
      #expect(!answer.headers.contains { $0.value.contains(part) })
    }
    let poor = try await realm.store.send(
      .get, "/v1.0/me/notifications", token: try realm.token(["scope": "openid"]))
    #expect(poor.status == 403)
    #expect(poor.header("WWW-Authenticate")?.contains(#"error="insufficient_scope""#) == true)
    let stranger = try await realm.store.send(
      .get, "/v1.0/me/notifications", token: try realm.token(["sub": "absent"]))
    #expect(stranger.status == 403)
  }

  @Test("every endpoint refuses a wrong token")
  func everyEndpoint() async throws {
    let realm = try await Realm()
    let other = try TestKey("ES256", id: "one")
    let now = realm.store.time.now
    let wrong = [
      try realm.token(["exp": 1_700_000_000]), try realm.token(["aud": "other"]),
      try realm.token(["iss": "https://other.test"]),
      try realm.token(["nbf": 4_000_000_000]), try realm.provider.token(at: now, key: other),
      try realm.provider.token(at: now, header: ["alg": "none"]),
    ]
    var count = 0
    for (path, endpoints) in realm.store.server.table {
      for endpoint in endpoints where endpoint.access != .open {
        let path = path.replacing(":id", with: NotificationID(high: 1, low: 1).description)
          .replacing(":topic", with: "topic").replacing(":user", with: "me")
        for token in wrong {
          let answer = try await realm.store.send(
            endpoint.method, path, token: token, text: "{}")
          #expect(answer.status == 401, "\(endpoint.method) \(path)")
          count += 1
        }
      }
    }
    #expect(count > 100)
  }

  @Test("a session is bound to its first device; a revoked device is refused despite a valid token")
  func devices() async throws {
    let realm = try await Realm()
    let laptop = try realm.token(["sid": "a"])
    let desk = try realm.token(["sid": "b"])
    #expect(try await realm.register("laptop", token: laptop).status == 201)
    #expect(try await realm.register("desk", token: desk).status == 201)
    #expect(try await realm.register("second", token: laptop).status == 403)
    #expect(try await realm.post(operationsOf: "laptop", token: laptop).status == 200)
    #expect(try await realm.post(operationsOf: "desk", token: laptop).status == 403)
    realm.store.time.advance(by: .seconds(10))
    let renewed = try realm.token(["sid": "a"])
    #expect(try await realm.post(operationsOf: "laptop", token: renewed).status == 200)
    #expect(
      try await realm.store.send(.delete, "/v1.0/me/devices/laptop", token: desk).status == 204)
    for token in [laptop, renewed, try realm.token(["sid": "a"])] {
      let answer = try await realm.post(operationsOf: "laptop", token: token)
      #expect(answer.status == 401)
      #expect(try answer.decoded(ErrorPayload.self).revocation?.by == "The desk")
      #expect(try await realm.register("laptop", token: token).status == 401)
    }
    #expect(try await realm.post(operationsOf: "desk", token: desk).status == 200)
    #expect(try await realm.register("laptop", token: try realm.token(["sid": "c"])).status == 201)
  }

  @Test("without sessions the request names its device, and acts for no other")
  func namedDevices() async throws {
    let realm = try await Realm()
    let token = try realm.token()
    for device in ["laptop", "desk"] {
      #expect(try await realm.register(device, token: token, header: true).status == 201)
      #expect(
        try await realm.post(operationsOf: device, token: token, header: true).status == 200)
    }
    #expect(try await realm.post(operationsOf: "laptop", token: token).status == 403)
    // Another user's device of this name is a different device, and another client's is taken.
    let other = try realm.token(["azp": "other"])
    #expect(try await realm.register("laptop", token: other, header: true).status == 403)
    let you = try realm.token(["sub": "you"])
    #expect(try await realm.post(operationsOf: "laptop", token: you, header: true).status == 403)
    let revoked = try await realm.store.send(
      .delete, "/v1.0/me/devices/laptop", token: token, headers: [DeviceHeader.name: "desk"])
    #expect(revoked.status == 204)
    #expect(
      try await realm.post(operationsOf: "laptop", token: token, header: true).status == 401)
    #expect(try await realm.post(operationsOf: "desk", token: token, header: true).status == 200)
  }

  @Test("while the provider can't be reached the answer is to wait, not to sign in")
  func providerDown() async throws {
    let realm = try await Realm()
    realm.provider.behaviour = .isDown
    let answer = try await realm.store.send(
      .get, "/v1.0/me/notifications", token: try realm.token())
    #expect(answer.status == 503)
    #expect(answer.header("Retry-After") == "30")
    #expect(answer.header("WWW-Authenticate") == nil)
  }

  @Test("the store tells clients where to sign in")
  func metadata() async throws {
    let realm = try await Realm { $0.bellhopClient = "bellhop-cli" }
    let answer = try await realm.store.send(.get, Route.resourceMetadata.path)
    let payload = try answer.decoded(ResourceMetadataPayload.self)
    #expect(payload.resource == "http://store.test")
    #expect(payload.authorizationServers == [TestIssuer.address])
    #expect(payload.scopes.contains("bellhop.device"))
    #expect(payload.clientID == "bellhop-cli")
    #expect(payload.requestedScope == "openid bellhop.device")
    #expect(payload.requestedResource == nil)
    let particular = try await Realm {
      $0.bellhopScope = "openid bellhop.device offline_access"
      $0.resource = "http://store.test"
    }
    let other = try await particular.store.send(.get, Route.resourceMetadata.path)
      .decoded(ResourceMetadataPayload.self)
    #expect(other.requestedScope == "openid bellhop.device offline_access")
    #expect(other.requestedResource == "http://store.test")
    let plain = try await InProcessStore()
    #expect(try await plain.send(.get, Route.resourceMetadata.path).status == 404)
  }

  @Test("a store without a provider refuses such tokens")
  func noProvider() async throws {
    let realm = try await Realm()
    let plain = try await InProcessStore()
    let answer = try await plain.send(
      .get, "/v1.0/me/notifications", token: try realm.token())
    #expect(answer.status == 401)
  }
}

@Suite("The configuration of an identity provider")
struct IdentityProviderSettingsTests {
  private func problems(_ text: String) -> [String] {
    StoreSettings.read(text, version: "0").findings.map(\.words)
  }

  @Test("issuer and audience belong together, and the issuer is a safe address")
  func together() {
    #expect(
      problems(
        """
        [identity-provider]
        issuer = "https://id.example.com"
        audience = "bellhop"
        algorithms = ["ES256"]
        """) == [])
    #expect(
      problems("[identity-provider]\nissuer = \"https://id.example.com\"")
        == [
          "line 1: identity-provider.audience is missing. It is the name of this store at the "
            + "issuer."
        ])
    #expect(problems("[identity-provider]\naudience = \"bellhop\"").count == 1)
    for wrong in [
      "issuer = \"http://id.example.com\"", "algorithms = [\"none\"]", "algorithms = [\"HS256\"]",
      "algorithms = []", "leeway = \"1h\"", "user-claim = \"a b\"", "add-users = 1",
    ] {
      let text =
        "[identity-provider]\nissuer = \"https://id.example.com\"\naudience = \"bellhop\"\n"
      let found = problems(
        wrong.hasPrefix("issuer") ? "[identity-provider]\n" + wrong : text + wrong)
      #expect(found.contains { $0.contains("must be") }, "\(wrong)")
    }
  }

  @Test("every value of the rules has its key")
  func complete() {
    let rules = Mirror(reflecting: IssuerRules(issuer: "", audiences: [])).children.count
    let keys = Mirror(reflecting: KeyCachePolicy()).children.count
    // One key more: the file of certificates.
    #expect(StoreSettings.identityProvider.count == rules + keys + 1)
  }

  @Test("a store without the table has no provider")
  func none() throws {
    let settings = StoreSettings.read("", version: "0").settings
    #expect(settings.issuer == nil)
  }
}
