internal import BellhopWire

/// The usable keys among those that a provider publishes (RFC 7517 §5).
struct KeySet: Sendable {
  /// The maximum number of keys in a key set, more than any provider has at a time.
  static let keysMax = 64

  let keys: [VerificationKey]

  init(_ keys: [VerificationKey]) { self.keys = keys }

  /// Parses a key set. Keys that cannot be parsed or used are skipped, as the RFC requires; the
  /// others remain usable.
  ///
  /// - Throws: ``ProviderError``.
  init(json: [UInt8]) throws(ProviderError) {
    let document: Document
    do throws(WireError) {
      document = try WireJSON.decode(Document.self, from: json)
    } catch {
      throw .badAnswer("its key set does not conform to RFC 7517")
    }
    guard document.keys.count <= Self.keysMax else {
      throw .badAnswer("its key set has more than \(Self.keysMax) keys")
    }
    keys = document.keys.compactMap { $0.key.flatMap(VerificationKey.init) }
    guard !keys.isEmpty else { throw .badAnswer("its key set has no supported key") }
  }

  /// Returns the keys that may have signed a token.
  ///
  /// They are those with its key id, or all suitable ones when it has none.
  func candidates(keyID: String?, _ algorithm: SigningAlgorithm) -> [VerificationKey] {
    keys.filter { key in
      (keyID == nil || key.id == keyID) && key.fits(algorithm)
    }
  }

  /// Whether the set contains a key with this id.
  func knows(_ keyID: String) -> Bool { keys.contains { $0.id == keyID } }

  private struct Document: Decodable {
    var keys: [Lenient]
  }

  private struct Lenient: Decodable {
    var key: JSONWebKey?

    init(from decoder: any Decoder) throws { key = try? JSONWebKey(from: decoder) }
  }
}
