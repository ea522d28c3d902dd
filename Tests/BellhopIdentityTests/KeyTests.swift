import BellhopIdentity
import BellhopModel
import BellhopTestSupport
import Foundation
import Testing

@Suite("Keys of an identity provider")
struct KeyTests {
  @Test("keys are fetched once and shared by all waiting requests")
  func singleFlight() async throws {
    let desk = try Desk()
    desk.provider.behaviour = .isSlow
    let token = try desk.token()
    let checks = (0..<50).map { _ in Task { await desk.refusal(token) } }
    await desk.provider.waitForRequests(1)
    desk.provider.behaviour = .answers
    for check in checks { #expect(await check.value == nil) }
    #expect(desk.provider.requests.count == 2)
  }

  @Test("a new key takes one request to the provider, and an unknown one no more")
  func rotation() async throws {
    let keys = try (1...3).map { try TestKey("ES256", id: "key-\($0)") }
    let desk = Desk([keys[0]])
    #expect(await desk.refusal(try desk.token()) == nil)
    #expect(desk.provider.keySetRequests == 1)
    desk.provider.keys = [keys[1], keys[0]]
    desk.uptime.advance(by: .seconds(31))
    #expect(await desk.refusal(try desk.token(key: keys[1])) == nil)
    #expect(await desk.refusal(try desk.token(key: keys[0])) == nil)
    #expect(desk.provider.keySetRequests == 2)
    // Tokens with invented keys do not cause repeated requests.
    let stranger = TokenError.invalid("the token's key is not the issuer's")
    for _ in 1...20 { #expect(await desk.refusal(try desk.token(key: keys[2])) == stranger) }
    #expect(desk.provider.keySetRequests == 2)
    desk.uptime.advance(by: .seconds(30))
    for _ in 1...20 { #expect(await desk.refusal(try desk.token(key: keys[2])) == stranger) }
    #expect(desk.provider.keySetRequests == 3)
    // A withdrawn key is accepted only as long as its key set is fresh.
    desk.provider.keys = [keys[1]]
    desk.uptime.advance(by: .seconds(1300))
    #expect(await desk.refusal(try desk.token(key: keys[0])) == stranger)
  }

  @Test("a key newer than the last fetch makes a token unverified, not invalid")
  func rotationTooSoon() async throws {
    let keys = try (1...2).map { try TestKey("ES256", id: "key-\($0)") }
    let desk = Desk([keys[0]])
    #expect(await desk.refusal(try desk.token()) == nil)
    desk.provider.keys = [keys[1]]
    desk.uptime.advance(by: .seconds(10))
    #expect(
      await desk.refusal(try desk.token(key: keys[1]))
        == .providerUnavailable(
          "the identity provider cannot be reached (it was contacted too recently to try again)"))
    #expect(desk.provider.keySetRequests == 1)
    desk.uptime.advance(by: .seconds(20))
    #expect(await desk.refusal(try desk.token(key: keys[1])) == nil)
  }

  @Test("Cache-Control, Age and the entity tag are honoured, within bounds")
  func caching() async throws {
    let desk = try Desk()
    desk.provider.headers = [
      "cache-control": "public, max-age=7200", "age": "200", "etag": "\"1\"",
    ]
    let token = try desk.token(["exp": 4_000_000_000])
    func check() async { #expect(await desk.refusal(token) == nil) }
    await check()
    desk.uptime.advance(by: .seconds(6999))
    await check()
    #expect(desk.provider.keySetRequests == 1)
    // Just past its lifetime the set is still used while a new one is fetched.
    desk.uptime.advance(by: .seconds(2))
    await check()
    await desk.provider.waitForRequests(4)
    #expect(desk.provider.requests.last?.entityTag == "\"1\"")
    // It was confirmed (304), and its lifetime starts again.
    desk.uptime.advance(by: .seconds(6900))
    await check()
    #expect(desk.provider.keySetRequests == 2)
    // A set marked `no-store` is still kept for a minute.
    desk.provider.headers = ["cache-control": "no-store"]
    desk.uptime.advance(by: .seconds(2000))
    await check()
    #expect(desk.provider.keySetRequests == 3)
    desk.uptime.advance(by: .seconds(59))
    await check()
    #expect(desk.provider.keySetRequests == 3)
  }

  @Test("while the provider is down its keys are used for a day, and no longer")
  func providerDown() async throws {
    let desk = try Desk()
    let token = try desk.token(["exp": 4_000_000_000])
    #expect(await desk.refusal(token) == nil)
    desk.provider.behaviour = .isDown
    let unknown = try desk.token(key: try TestKey("ES256", id: "two"))
    for _ in 1...23 {
      desk.uptime.advance(by: .seconds(3600))
      #expect(await desk.refusal(token) == nil)
      // Waits for the request in progress.
      _ = await desk.refusal(unknown)
    }
    desk.uptime.advance(by: .seconds(3600))
    guard case .providerUnavailable? = await desk.refusal(token) else {
      Issue.record("keys of yesterday are still used")
      return
    }
    // No immediate retry; once the provider is back, tokens are accepted.
    let asked = desk.provider.requests.count
    _ = await desk.refusal(token)
    #expect(desk.provider.requests.count == asked)
    desk.provider.behaviour = .answers
    desk.uptime.advance(by: .seconds(31))
    #expect(await desk.refusal(token) == nil)
  }

  @Test("while a provider is down from the start, tokens are unverified, not invalid")
  func neverSeen() async throws {
    let desk = try Desk()
    desk.provider.behaviour = .isDown
    let token = try desk.token()
    #expect(
      await desk.refusal(token)
        == .providerUnavailable("the identity provider cannot be reached (a test)"))
    #expect(desk.provider.requests.count == 1)
    // An unknown key may be a new one while the provider cannot be reached.
    desk.provider.behaviour = .answers
    desk.uptime.advance(by: .seconds(31))
    #expect(await desk.refusal(token) == nil)
    desk.provider.behaviour = .isDown
    desk.uptime.advance(by: .seconds(31))
    let other = try TestKey("ES256", id: "two")
    #expect(
      await desk.refusal(try desk.token(key: other))
        == .providerUnavailable("the identity provider cannot be reached (a test)"))
    #expect(await desk.refusal(token) == nil)
  }

  @Test("a slow provider does not delay tokens whose key is known")
  func slowProvider() async throws {
    let desk = try Desk()
    let token = try desk.token(["exp": 4_000_000_000])
    #expect(await desk.refusal(token) == nil)
    desk.provider.behaviour = .isSlow
    desk.uptime.advance(by: .seconds(700))
    // Returns although the first half of this test never gets an answer to its request.
    for _ in 1...10 { #expect(await desk.refusal(token) == nil) }
    await desk.provider.waitForRequests(3)
    #expect(desk.provider.requests.count == 3)
    desk.provider.behaviour = .answers
  }

  @Test("the configuration must be the issuer's own, and point to https")
  func discovery() async throws {
    func refusal(_ document: String) async throws -> TokenError? {
      let desk = try Desk()
      desk.provider.document = Array(document.utf8)
      return await desk.refusal(try desk.token())
    }
    let prefix = "the identity provider's answer cannot be used: "
    #expect(
      try await refusal(#"{"issuer":"https://id.test/","jwks_uri":"https://id.test/keys"}"#)
        == .providerUnavailable(prefix + "its configuration is for another issuer"))
    #expect(
      try await refusal(#"{"issuer":"https://id.test/realm","jwks_uri":"http://id.test/keys"}"#)
        == .providerUnavailable(prefix + "its jwks_uri is not a valid https address"))
    #expect(
      try await refusal(#"{"issuer":"https://id.test/realm","jwks_uri":"file:///etc/passwd"}"#)
        == .providerUnavailable(prefix + "its jwks_uri is not a valid https address"))
    #expect(
      try await refusal("[]")
        == .providerUnavailable(
          prefix + "its configuration does not conform to OpenID Connect Discovery"))
  }

  @Test("key sets are limited, and a key that can't be used does not affect the others")
  func keySets() async throws {
    let key = try TestKey("ES256", id: "one")
    func refusal(_ keySet: [UInt8]) async throws -> TokenError? {
      let desk = Desk([key])
      desk.provider.keySet = keySet
      return await desk.refusal(try desk.token())
    }
    let prefix = "the identity provider's answer cannot be used: "
    let good = try key.published()
    let many = Array(repeating: good, count: 65)
    #expect(
      try await refusal(try TestIssuer.keySet(many))
        == .providerUnavailable(prefix + "its key set has more than 64 keys"))
    let large = try TestIssuer.keySet([good, ["kty": String(repeating: "x", count: 300_000)]])
    #expect(
      try await refusal(large) == .providerUnavailable(prefix + "it is longer than 262144 bytes"))
    #expect(
      try await refusal(Array(#"{"keys":[]}"#.utf8))
        == .providerUnavailable(prefix + "its key set has no supported key"))
    let weak = [
      "kty": "RSA", "kid": "weak", "n": base64URL([UInt8](repeating: 0xff, count: 128)),
      "e": "AQAB",
    ]
    let mixed: [[String: String]] = [
      weak, ["kty": "oct", "kid": "one", "k": "c2VjcmV0"], ["kid": "no kind"],
      ["kty": "EC", "crv": "P-256", "kid": "off", "x": "AQ", "y": "AQ"],
      ["kty": "EC", "crv": "P-521", "kid": "other", "x": "AQ", "y": "AQ"], good,
    ]
    #expect(try await refusal(try TestIssuer.keySet(mixed)) == nil)
    let stranger = TokenError.invalid("the token's key is not the issuer's")
    let encryption = try TestKey("ES256", id: "two").published()
    for use in [["use": "enc"], ["alg": "ECDH-ES"]] {
      let set = try TestIssuer.keySet([good.merging(use) { $1 }, encryption])
      #expect(try await refusal(set) == stranger, "\(use)")
    }
  }
}
