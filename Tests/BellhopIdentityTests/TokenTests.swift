import BellhopIdentity
import BellhopModel
import BellhopStore
import BellhopTestSupport
import Crypto
import Foundation
import Testing

/// An issuer with one provider behind it and a clock that stands still.
struct Desk: Sendable {
  let provider: TestIssuer
  let issuer: Issuer
  let time = SettableTime()
  let uptime: ManualUptime

  init(
    _ keys: [TestKey], policy: KeyCachePolicy = KeyCachePolicy(),
    _ change: (inout IssuerRules) -> Void = { _ in }
  ) {
    var rules = IssuerRules(issuer: TestIssuer.address, audiences: ["bellhop"])
    change(&rules)
    let uptime = ManualUptime()
    self.uptime = uptime
    provider = TestIssuer(keys)
    issuer = Issuer(rules, policy: policy, fetching: provider, uptime: { uptime.now })
  }

  init(_ change: (inout IssuerRules) -> Void = { _ in }) throws {
    self.init([try TestKey("ES256", id: "one")], change)
  }

  func token(
    _ claims: [String: Any] = [:], header: [String: Any] = [:], key: TestKey? = nil
  ) throws -> String {
    try provider.token(at: time.now, claims, header: header, key: key)
  }

  func check(_ token: String, device: DeviceID? = nil) async throws(TokenError) -> ExternalSignIn {
    try await issuer.signIn(token, device: device, at: time.now)
  }

  /// The reason for refusing the token; nil if it is accepted.
  func refusal(_ token: String) async -> TokenError? {
    do throws(TokenError) {
      _ = try await check(token)
      return nil
    } catch {
      return error
    }
  }
}

@Suite("Tokens of an identity provider")
struct TokenTests {
  @Test(
    "a token signed by each accepted algorithm is accepted",
    arguments: ["RS256", "PS256", "ES256", "ES384", "EdDSA"])
  func algorithms(name: String) async throws {
    let desk = Desk([try TestKey(name, id: "one")])
    let signIn = try await desk.check(
      try desk.token(["sid": "s1", "auth_time": 1_795_262_000]), device: DeviceID("laptop"))
    #expect(signIn.issuer == TestIssuer.address)
    #expect(signIn.subject == "me")
    #expect(signIn.userName == "me")
    #expect(signIn.client == "bellhop-client")
    #expect(signIn.session == "s1")
    #expect(signIn.device == DeviceID("laptop"))
    #expect(signIn.right == .device)
    #expect(signIn.issued == desk.time.now)
    #expect(signIn.authenticated == Timestamp(seconds: 1_795_262_000))
    #expect(!signIn.addsUser)
  }

  @Test(
    "one changed bit in any part is refused",
    arguments: ["RS256", "PS256", "ES256", "ES384", "EdDSA"])
  func tampering(name: String) async throws {
    let desk = Desk([try TestKey(name, id: "one")])
    let parts = try desk.token().split(separator: ".").map(String.init)
    for index in parts.indices {
      var changed = parts
      let letters = Array(parts[index])
      let place = letters.count / 2
      changed[index] =
        String(letters[..<place]) + (letters[place] == "A" ? "B" : "A")
        + String(letters[(place + 1)...])
      let refusal = await desk.refusal(changed.joined(separator: "."))
      guard case .invalid? = refusal else {
        Issue.record("part \(index): \(String(describing: refusal))")
        continue
      }
    }
    #expect(
      await desk.refusal(parts[0] + "." + parts[1] + "." + base64URL([0]))
        == .invalid("the token's signature is not valid"))
  }

  @Test("no signature, a shared secret and unlisted algorithms are refused")
  func algorithmConfusion() async throws {
    let key = try TestKey("RS256", id: "one")
    let desk = Desk([key])
    let good = try desk.token().split(separator: ".").map(String.init)
    let refused = TokenError.invalid("the token's algorithm is not accepted")
    for name in ["none", "None", "NONE", "HS256", "RS512", "rs256", "ES512", ""] {
      let head = try TestIssuer.part(["alg": name, "kid": "one"])
      #expect(await desk.refusal(head + "." + good[1] + "." + good[2]) == refused, "\(name)")
    }
    // The classic attack: the public key as the secret of HS256.
    let signed = try TestIssuer.part(["alg": "HS256", "kid": "one"]) + "." + good[1]
    let code = HMAC<SHA256>.authenticationCode(
      for: Data(signed.utf8), using: SymmetricKey(data: Data(key.publicText.utf8)))
    #expect(await desk.refusal(signed + "." + base64URL(code)) == refused)
    // A token with an empty signature is malformed.
    let none = try TestIssuer.part(["alg": "none"]) + "." + good[1] + "."
    #expect(await desk.refusal(none) == .invalid("the token is malformed"))
    #expect(desk.provider.requests.isEmpty)
  }

  @Test("a key verifies only algorithms of its kind, and only its own where it names one")
  func keyKinds() async throws {
    let rsa = try TestKey("RS256", id: "rsa")
    let curve = try TestKey("ES256", id: "curve")
    let desk = Desk([rsa, curve])
    let stranger = TokenError.invalid("the token's key is not the issuer's")
    #expect(
      await desk.refusal(try desk.token(header: ["alg": "ES256"], key: rsa)) == stranger)
    #expect(
      await desk.refusal(try desk.token(header: ["alg": "RS256"], key: curve)) == stranger)
    #expect(await desk.refusal(try desk.token(header: ["alg": "PS256"], key: rsa)) == nil)
    desk.provider.keySet = try TestIssuer.keySet([try rsa.published(["alg": "RS256"])])
    desk.uptime.advance(by: .seconds(3600))
    #expect(await desk.refusal(try desk.token(key: rsa)) == nil)
    #expect(
      await desk.refusal(try desk.token(header: ["alg": "PS256"], key: rsa)) == stranger)
  }

  @Test("keys inside tokens are not used")
  func embeddedKeys() async throws {
    let desk = try Desk()
    let other = try TestKey("ES256", id: "one")
    let header: [String: Any] = [
      "jwk": try other.published(), "jku": "https://evil.test/keys", "x5u": "https://evil.test/c",
    ]
    #expect(
      await desk.refusal(try desk.token(header: header, key: other))
        == .invalid("the token's signature is not valid"))
    #expect(desk.provider.requests.allSatisfy { $0.url.hasPrefix(TestIssuer.address) })
  }

  @Test("a token without a key id is checked with the only key that fits, or refused")
  func unnamedKey() async throws {
    let keys = [try TestKey("ES256", id: "one"), try TestKey("RS256", id: "two")]
    let desk = Desk(keys)
    for key in keys {
      let token = try desk.token(header: ["kid": NSNull()], key: key)
      #expect(await desk.refusal(token) == nil)
    }
    let stranger = try TestKey("ES256", id: "one")
    #expect(
      await desk.refusal(try desk.token(header: ["kid": NSNull()], key: stranger))
        == .invalid("the token's signature is not valid"))
    let several = Desk([keys[0], try TestKey("ES256", id: "three")])
    #expect(
      await several.refusal(try several.token(header: ["kid": NSNull()], key: keys[0]))
        == .invalid("the token has no key id (kid), and its issuer has several keys"))
    #expect(await several.refusal(try several.token(key: keys[0])) == nil)
  }

  @Test("issuer, audience, client and type must match byte for byte")
  func belonging() async throws {
    let desk = try Desk { $0.clients = ["bellhop-client"] }
    func refusal(_ claims: [String: Any], header: [String: Any] = [:]) async throws -> TokenError? {
      await desk.refusal(try desk.token(claims, header: header))
    }
    let issuer = TokenError.invalid("the token is from another issuer")
    #expect(try await refusal(["iss": TestIssuer.address + "/"]) == issuer)
    #expect(try await refusal(["iss": "https://ID.test/realm"]) == issuer)
    #expect(try await refusal(["iss": [TestIssuer.address]]) == issuer)
    #expect(try await refusal(["iss": NSNull()]) == issuer)
    let audience = TokenError.invalid("the token is for another audience")
    #expect(try await refusal(["aud": "other"]) == audience)
    #expect(try await refusal(["aud": "bellhop other"]) == audience)
    #expect(try await refusal(["aud": ["a", "b"]]) == audience)
    #expect(try await refusal(["aud": NSNull()]) == audience)
    #expect(try await refusal(["aud": ["a", "bellhop"]]) == nil)
    let client = TokenError.invalid("the token is for another client")
    #expect(try await refusal(["azp": "other"]) == client)
    #expect(try await refusal(["azp": NSNull()]) == client)
    #expect(try await refusal(["azp": NSNull(), "client_id": "bellhop-client"]) == nil)
    let type = TokenError.invalid("the token has another type")
    #expect(try await refusal([:], header: ["typ": "logout+jwt"]) == type)
    #expect(try await refusal([:], header: ["typ": "at+JWT"]) == nil)
    #expect(try await refusal([:], header: ["typ": NSNull()]) == nil)
    #expect(
      try await refusal([:], header: ["crit": ["b64"], "b64": false])
        == .invalid("the token has extensions that are not supported"))
  }

  @Test("times are checked by the store's clock, to the second of the leeway")
  func times() async throws {
    let desk = try Desk { $0.leeway = .seconds(30) }
    let now = Int(desk.time.now.milliseconds / 1000)
    func refusal(_ claims: [String: Any]) async throws -> TokenError? {
      await desk.refusal(try desk.token(claims))
    }
    let expired = TokenError.invalid("the token has expired")
    #expect(try await refusal(["exp": now - 29]) == nil)
    #expect(try await refusal(["exp": now - 30]) == expired)
    #expect(try await refusal(["exp": Double(now) + 0.5]) == nil)
    let early = TokenError.invalid("the token is not valid yet")
    #expect(try await refusal(["nbf": now + 30]) == nil)
    #expect(try await refusal(["nbf": now + 31]) == early)
    #expect(try await refusal(["iat": now + 31]) == early)
    #expect(try await refusal(["exp": NSNull()]) == .invalid("the token has no expiry time"))
    let malformed = TokenError.invalid("a time in the token is malformed")
    for wrong in ["tomorrow", -1, 1e300, true, ["a"]] as [Any] {
      #expect(try await refusal(["exp": wrong]) == malformed)
    }
    let token = try desk.token()
    #expect(await desk.refusal(token) == nil)
    desk.time.advance(by: .seconds(630))
    #expect(await desk.refusal(token) == expired)
  }

  @Test("a malformed, too long or too deep token is refused before any request")
  func malformed() async throws {
    let desk = try Desk()
    let good = try desk.token().split(separator: ".").map(String.init)
    let malformed = TokenError.invalid("the token is malformed")
    let deep = base64URL(Array((String(repeating: "[", count: 2000)).utf8))
    for text in [
      "", ".", "..", "a.b", "a.b.c.d", "a b.c.d", "é.b.c", good[0] + "." + good[1],
      good[0] + "=." + good[1] + "." + good[2], "AAA." + good[1] + "." + good[2],
      good[0] + "." + deep + "." + good[2], deep + "." + good[1] + "." + good[2],
      good[0] + "." + base64URL(Array("[]".utf8)) + "." + good[2],
      try TestIssuer.part(["alg": 1]) + "." + good[1] + "." + good[2],
    ] {
      #expect(await desk.refusal(text) == malformed, "\(text.prefix(40))")
    }
    let long = try desk.token(["filler": String(repeating: "x", count: 9000)])
    #expect(await desk.refusal(long) == .invalid("the token is too long"))
    #expect(desk.provider.requests.isEmpty)
  }

  @Test("scopes give a token's purpose, and a publisher's app")
  func scopes() async throws {
    let desk = try Desk()
    func right(_ claims: [String: Any]) async throws -> ExternalSignIn.Right {
      try await desk.check(try desk.token(claims)).right
    }
    #expect(try await right(["scope": "bellhop.device bellhop.publish"]) == .device)
    #expect(try await right(["scope": NSNull(), "scp": ["bellhop.device"]]) == .device)
    #expect(try await right(["scope": "bellhop.publish:nas"]) == .publish(.app("nas")))
    #expect(try await right(["scope": "bellhop.publish:ci.*"]) == .publish(.prefix("ci")))
    #expect(
      try await right(["scope": "bellhop.publish", "bellhop_app": "nas"]) == .publish(.app("nas")))
    #expect(try await right(["scope": "bellhop.publish:*"]) == .publish(.any))
    func refusal(_ claims: [String: Any]) async throws -> TokenError? {
      await desk.refusal(try desk.token(claims))
    }
    let none = TokenError.insufficient("the token has no scope for this store")
    #expect(try await refusal(["scope": "openid profile"]) == none)
    #expect(try await refusal(["scope": "bellhop.devices"]) == none)
    #expect(try await refusal(["scope": NSNull()]) == none)
    let app = TokenError.insufficient(
      "the token must name exactly one app, or pattern, to publish for")
    #expect(try await refusal(["scope": "bellhop.publish"]) == app)
    #expect(try await refusal(["scope": "bellhop.publish:a bellhop.publish:b"]) == app)
    #expect(try await refusal(["scope": "bellhop.publish", "bellhop_app": "no/app"]) == app)
  }

  @Test("the user comes from the claim that the store's configuration names")
  func userClaim() async throws {
    let desk = try Desk {
      $0.userClaim = "preferred_username"
      $0.addsUsers = true
    }
    let signIn = try await desk.check(try desk.token(["sub": "4711", "preferred_username": "ada"]))
    #expect(signIn.subject == "4711")
    #expect(signIn.userName == "ada")
    #expect(signIn.addsUser)
    let nameless = TokenError.invalid("the token does not name a user")
    #expect(await desk.refusal(try desk.token()) == nameless)
    #expect(await desk.refusal(try desk.token(["preferred_username": "a\nb"])) == nameless)
    #expect(await desk.refusal(try desk.token(["preferred_username": ["a", "b"]])) == nameless)
    #expect(
      await desk.refusal(try desk.token(["sub": NSNull(), "preferred_username": "ada"]))
        == .invalid("the token has no subject"))
  }
}
