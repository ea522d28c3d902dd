internal import BellhopModel
internal import BellhopStore
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials

/// A public key that verifies signatures.
struct VerificationKey: Sendable {
  private enum Material: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
  }

  let id: String?
  /// The one algorithm that the key is restricted to, if the provider specifies it.
  private let algorithm: SigningAlgorithm?
  private let material: Material

  /// The accepted sizes of an RSA modulus in bits. Larger keys are rejected: verification is slow
  /// and no provider uses them.
  static let rsaBits = 2048...8192

  /// Creates a verification key, or nil if the key is not for signatures or has an unsupported
  /// type.
  init?(_ key: JSONWebKey) {
    guard key.use == nil || key.use == "sig",
      key.operations.map({ $0.contains("verify") }) ?? true
    else { return nil }
    id = key.id
    if let name = key.algorithm {
      guard let algorithm = SigningAlgorithm(named: name) else { return nil }
      self.algorithm = algorithm
    } else {
      algorithm = nil
    }
    guard let material = Self.material(key) else { return nil }
    self.material = material
  }

  private static func material(_ key: JSONWebKey) -> Material? {
    switch (key.type, key.curve) {
    case ("RSA", _):
      guard let modulus = key.bytes(\.modulus), let exponent = key.bytes(\.exponent),
        exponent.count <= 8, modulus.count <= rsaBits.upperBound / 8,
        let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent),
        rsaBits.contains(key.keySizeInBits)
      else { return nil }
      return .rsa(key)
    case ("EC", "P-256"):
      guard let point = key.point(coordinateBytes: 32) else { return nil }
      return (try? P256.Signing.PublicKey(x963Representation: point)).map { .p256($0) }
    case ("EC", "P-384"):
      guard let point = key.point(coordinateBytes: 48) else { return nil }
      return (try? P384.Signing.PublicKey(x963Representation: point)).map { .p384($0) }
    case ("OKP", "Ed25519"):
      guard let x = key.x.flatMap(Base64URL.decode) else { return nil }
      return (try? Curve25519.Signing.PublicKey(rawRepresentation: x)).map { .ed25519($0) }
    default: return nil  // open: (String, String?)
    }
  }

  /// Whether the key can be used with this algorithm.
  ///
  /// Each key type works only with its own algorithms, so that no key is used for a purpose it was
  /// not made for.
  func fits(_ algorithm: SigningAlgorithm) -> Bool {
    if let own = self.algorithm, own != algorithm { return false }
    switch material {
    case .rsa: return algorithm == .rs256 || algorithm == .ps256
    case .p256: return algorithm == .es256
    case .p384: return algorithm == .es384
    case .ed25519: return algorithm == .edDSA
    }
  }

  /// Whether the signature over `bytes` was made with this key.
  func accepts(
    _ signature: [UInt8], over bytes: [UInt8], by algorithm: SigningAlgorithm
  ) -> Bool {
    guard fits(algorithm) else { return false }
    switch material {
    case .rsa(let key):
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
        padding: algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5)
    case .p256(let key):
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
      return signature.map { key.isValidSignature($0, for: bytes) } ?? false
    case .p384(let key):
      let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
      return signature.map { key.isValidSignature($0, for: bytes) } ?? false
    case .ed25519(let key):
      return key.isValidSignature(signature, for: bytes)
    }
  }
}

/// A public key in the form that a provider publishes (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2).
struct JSONWebKey: Sendable, Decodable {
  var type: String
  var id: String?
  var use: String?
  var operations: [String]?
  var algorithm: String?
  var curve: String?
  var x: String?
  var y: String?
  var modulus: String?
  var exponent: String?

  private enum CodingKeys: String, CodingKey {
    case type = "kty"
    case id = "kid"
    case use
    case operations = "key_ops"
    case algorithm = "alg"
    case curve = "crv"
    case x, y
    case modulus = "n"
    case exponent = "e"
  }

  /// Returns a number of the key without leading zeros, which some providers write.
  func bytes(_ path: KeyPath<JSONWebKey, String?>) -> [UInt8]? {
    guard let bytes = self[keyPath: path].flatMap(Base64URL.decode) else { return nil }
    let number = Array(bytes.drop { $0 == 0 })
    return number.isEmpty ? nil : number
  }

  /// Returns an uncompressed curve point (SEC 1 §2.3.3).
  func point(coordinateBytes count: Int) -> [UInt8]? {
    guard let x = bytes(\.x), let y = bytes(\.y), x.count <= count, y.count <= count else {
      return nil
    }
    func padded(_ number: [UInt8]) -> [UInt8] {
      Array(repeating: 0, count: count - number.count) + number
    }
    return [4] + padded(x) + padded(y)
  }
}
