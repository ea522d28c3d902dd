internal import BellhopWire

/// The part of a provider's metadata that the store uses (OpenID Connect Discovery 1.0 §3).
struct ProviderDocument: Hashable, Sendable {
  var keySetURL: String

  /// - Throws: ``ProviderError/badAnswer(_:)``, also when the document belongs to another issuer
  ///   (§4.3: the two must be identical, byte for byte).
  init(json: [UInt8], issuer: String) throws(ProviderError) {
    let document: Document
    do throws(WireError) {
      document = try WireJSON.decode(Document.self, from: json)
    } catch {
      throw .badAnswer("its configuration does not conform to OpenID Connect Discovery")
    }
    guard document.issuer == issuer else {
      throw .badAnswer("its configuration is for another issuer")
    }
    guard ProviderAddress.isAllowed(document.keySetURL, by: issuer) else {
      throw .badAnswer("its jwks_uri is not a valid https address")
    }
    keySetURL = document.keySetURL
  }

  private struct Document: Decodable {
    var issuer: String
    var keySetURL: String

    private enum CodingKeys: String, CodingKey {
      case issuer
      case keySetURL = "jwks_uri"
    }
  }
}
