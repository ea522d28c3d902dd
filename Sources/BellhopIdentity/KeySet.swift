internal import BellhopWire

/// The keys a provider publishes (RFC 7517 §5), those that can be used.
struct KeySet: Sendable {
  /// More keys than any provider has at a time.
  static let keysMax = 64

  let keys: [VerificationKey]

  init(_ keys: [VerificationKey]) { self.keys = keys }

  /// Reads a key set. A key that can't be read or used is passed over, as the RFC asks; it does not
  /// spoil the others.
  ///
  /// - Throws: ``ProviderFailure``.
  init(json: [UInt8]) throws(ProviderFailure) {
    let document: Document
    do throws(WireError) {
      document = try WireJSON.decode(Document.self, from: json)
    } catch {
      throw .badAnswer("its key set is not what RFC 7517 describes")
    }
    guard document.keys.count <= Self.keysMax else {
      throw .badAnswer("its key set has more than \(Self.keysMax) keys")
    }
    keys = document.keys.compactMap { $0.key.flatMap(VerificationKey.init) }
    guard !keys.isEmpty else { throw .badAnswer("its key set has no key that can be used here") }
  }

  /// The keys that may have signed a token: the ones it names, or all that fit when it names none.
  func candidates(keyID: String?, _ algorithm: SigningAlgorithm) -> [VerificationKey] {
    keys.filter { key in
      (keyID == nil || key.id == keyID) && key.fits(algorithm)
    }
  }

  /// Whether there is a key with this name.
  func knows(_ keyID: String) -> Bool { keys.contains { $0.id == keyID } }

  private struct Document: Decodable {
    var keys: [Lenient]
  }

  private struct Lenient: Decodable {
    var key: JSONWebKey?

    init(from decoder: any Decoder) throws { key = try? JSONWebKey(from: decoder) }
  }
}
