package import BellhopIdentity
package import BellhopModel
import Crypto
import CryptoExtras
import Foundation
import Synchronization

/// A provider's key pair in a test.
package struct TestKey: Sendable {
  private enum Pair: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
  }

  package var id: String
  /// The algorithm of its signatures by default.
  package let algorithm: String
  private let pair: Pair

  /// Creates a pair for RS256, PS256, ES256, ES384 or EdDSA.
  package init(_ algorithm: String, id: String) throws {
    self.id = id
    self.algorithm = algorithm
    switch algorithm {
    case "ES256": pair = .p256(P256.Signing.PrivateKey())
    case "ES384": pair = .p384(P384.Signing.PrivateKey())
    case "EdDSA": pair = .ed25519(Curve25519.Signing.PrivateKey())
    default: pair = .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
    }
  }

  /// The public half as in a key set.
  package func published(_ more: [String: String] = [:]) throws -> [String: String] {
    var key: [String: String]
    switch pair {
    case .rsa(let pair):
      let numbers = try pair.publicKey.getKeyPrimitives()
      key = [
        "kty": "RSA", "n": base64URL(numbers.modulus), "e": base64URL(numbers.publicExponent),
      ]
    case .p256(let pair): key = Self.curve("P-256", pair.publicKey.rawRepresentation)
    case .p384(let pair): key = Self.curve("P-384", pair.publicKey.rawRepresentation)
    case .ed25519(let pair):
      key = ["kty": "OKP", "crv": "Ed25519", "x": base64URL(pair.publicKey.rawRepresentation)]
    }
    key["kid"] = id
    return key.merging(more) { $1 }
  }

  /// The public key as text, which an attacker may try as a shared secret.
  package var publicText: String {
    switch pair {
    case .rsa(let pair): pair.publicKey.pemRepresentation
    case .p256(let pair): pair.publicKey.pemRepresentation
    case .p384(let pair): pair.publicKey.pemRepresentation
    case .ed25519(let pair): base64URL(pair.publicKey.rawRepresentation)
    }
  }

  func sign(_ text: String, as algorithm: String) throws -> Data {
    let bytes = Data(text.utf8)
    return switch pair {
    case .rsa(let pair):
      try pair.signature(
        for: SHA256.hash(data: bytes), padding: algorithm == "PS256" ? .PSS : .insecurePKCS1v1_5
      ).rawRepresentation
    case .p256(let pair): try pair.signature(for: bytes).rawRepresentation
    case .p384(let pair): try pair.signature(for: bytes).rawRepresentation
    case .ed25519(let pair): try pair.signature(for: bytes)
    }
  }

  private static func curve(_ name: String, _ point: Data) -> [String: String] {
    let half = point.count / 2
    return [
      "kty": "EC", "crv": name, "x": base64URL(point.prefix(half)),
      "y": base64URL(point.suffix(half)),
    ]
  }
}

/// Encodes as base64url without padding.
package func base64URL(_ bytes: some Sequence<UInt8>) -> String {
  Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    .replacing("=", with: "")
}

/// An identity provider without a network: its keys, its documents, and the tokens it signs.
package final class TestIssuer: ProviderFetching {
  /// The way in which it answers.
  package enum Behaviour: Sendable {
    case answers
    case isDown
    /// Waits until it is released.
    case isSlow
  }

  private struct State {
    var keys: [TestKey] = []
    var keySet: [UInt8]?
    var document: [UInt8]?
    var headers: [String: String] = [:]
    var behaviour = Behaviour.answers
    var requests: [(url: String, entityTag: String?)] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
    var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  package static let address = "https://id.test/realm"
  private let state: Mutex<State>

  package init(_ keys: [TestKey]) { state = Mutex(State(keys: keys)) }

  // MARK: - Keys and documents

  /// The keys of the provider; it signs with the first one by default.
  package var keys: [TestKey] {
    get { state.withLock { $0.keys } }
    set { state.withLock { $0.keys = newValue } }
  }

  /// A key set that replaces the keys' own.
  package var keySet: [UInt8]? {
    get { state.withLock { $0.keySet } }
    set { state.withLock { $0.keySet = newValue } }
  }

  /// A configuration that replaces its own.
  package var document: [UInt8]? {
    get { state.withLock { $0.document } }
    set { state.withLock { $0.document = newValue } }
  }

  /// Headers of the key set's answers, names in lower case.
  package var headers: [String: String] {
    get { state.withLock { $0.headers } }
    set { state.withLock { $0.headers = newValue } }
  }

  /// The current behaviour; any change releases the waiting requests.
  package var behaviour: Behaviour {
    get { state.withLock { $0.behaviour } }
    set {
      let waiting = state.withLock { state in
        state.behaviour = newValue
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// The requests so far, in order.
  package var requests: [(url: String, entityTag: String?)] { state.withLock { $0.requests } }

  /// The number of requests for the key set.
  package var keySetRequests: Int { requests.count { $0.url.hasSuffix("/keys") } }

  /// Returns after this many requests in all.
  package func waitForRequests(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.requests.count >= count { return true }
        state.arrivals.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  package func get(
    _ url: String, entityTag: String?, bytesMax: Int, within limit: Duration
  ) async throws(ProviderError) -> ProviderAnswer {
    let arrived = state.withLock { state in
      state.requests.append((url, entityTag))
      let count = state.requests.count
      let arrived = state.arrivals.filter { $0.count <= count }
      state.arrivals.removeAll { $0.count <= count }
      return arrived
    }
    for arrival in arrived { arrival.continuation.resume() }
    if case .isSlow = behaviour {
      await withCheckedContinuation { continuation in
        let isReleased = state.withLock { state in
          guard case .isSlow = state.behaviour else { return true }
          state.waiting.append(continuation)
          return false
        }
        if isReleased { continuation.resume() }
      }
    }
    if case .isDown = behaviour { throw .unreachable("a test") }
    let answer: ProviderAnswer
    do {
      answer = try self.answer(to: url, entityTag: entityTag)
    } catch {
      throw .badAnswer("\(error)")
    }
    guard answer.body.count <= bytesMax else {
      throw .badAnswer("it is longer than \(bytesMax) bytes")
    }
    return answer
  }

  private func answer(to url: String, entityTag: String?) throws -> ProviderAnswer {
    if url.hasSuffix("/.well-known/openid-configuration") {
      let body =
        try document ?? Self.json(["issuer": Self.address, "jwks_uri": Self.address + "/keys"])
      return ProviderAnswer(status: 200, headers: [:], body: body)
    }
    if let tag = headers["etag"], tag == entityTag {
      return ProviderAnswer(status: 304, headers: headers, body: [])
    }
    let body = try keySet ?? Self.keySet(keys.map { try $0.published() })
    return ProviderAnswer(status: 200, headers: headers, body: body)
  }

  /// A key set with these keys.
  package static func keySet(_ keys: [[String: String]]) throws -> [UInt8] {
    Array(try JSONSerialization.data(withJSONObject: ["keys": keys], options: .sortedKeys))
  }

  private static func json(_ value: [String: String]) throws -> [UInt8] {
    Array(try JSONSerialization.data(withJSONObject: value))
  }

  // MARK: - Tokens

  /// Creates a token.
  ///
  /// - Parameters:
  /// - claims: Claims in addition to, or instead of, those of a valid device token; `NSNull`
  ///   removes one.
  /// - header: The same for `alg`, `kid` and `typ`.
  package func token(
    at now: Timestamp, _ claims: [String: Any] = [:], header: [String: Any] = [:],
    key: TestKey? = nil
  ) throws -> String {
    guard let key = key ?? keys.first else { throw CocoaError(.coderValueNotFound) }
    let seconds = Int(now.milliseconds / 1000)
    let all: [String: Any] = [
      "iss": Self.address, "aud": "bellhop", "sub": "me", "iat": seconds, "exp": seconds + 600,
      "scope": "openid bellhop.device", "azp": "bellhop-client",
    ]
    let head: [String: Any] = ["alg": key.algorithm, "kid": key.id, "typ": "JWT"]
    let signed = try Self.part(head, header) + "." + Self.part(all, claims)
    let algorithm = header["alg"] as? String ?? key.algorithm
    return try signed + "." + base64URL(key.sign(signed, as: algorithm))
  }

  /// One part of a token: JSON in base64url.
  package static func part(
    _ values: [String: Any], _ changes: [String: Any] = [:]
  ) throws -> String {
    let merged = values.merging(changes) { $1 }.filter { !($0.value is NSNull) }
    return base64URL(try JSONSerialization.data(withJSONObject: merged, options: .sortedKeys))
  }
}
