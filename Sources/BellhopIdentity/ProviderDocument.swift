internal import BellhopWire

/// What a provider says of itself (OpenID Connect Discovery 1.0 §3), as far as the store asks.
struct ProviderDocument: Hashable, Sendable {
  var keySetURL: String

  /// The address of the document (§4.1).
  static func url(of issuer: String) -> String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer)
      + "/.well-known/openid-configuration"
  }

  /// - Throws: ``ProviderFailure/badAnswer(_:)``, also when the document is another issuer's
  ///   (§4.3: the two must be the same, byte for byte).
  init(json: [UInt8], issuer: String) throws(ProviderFailure) {
    let document: Document
    do throws(WireError) {
      document = try WireJSON.decode(Document.self, from: json)
    } catch {
      throw .badAnswer("its configuration is not what OpenID Connect Discovery describes")
    }
    guard document.issuer == issuer else {
      throw .badAnswer("its configuration is that of another issuer")
    }
    guard Self.isAllowed(document.keySetURL, by: issuer) else {
      throw .badAnswer("its jwks_uri is no https address")
    }
    keySetURL = document.keySetURL
  }

  /// Whether documents may come from there: https, or plain http on this machine when the issuer
  /// itself is such a one.
  static func isAllowed(_ url: String, by issuer: String) -> Bool {
    guard url.utf8.count <= 2048, url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return false
    }
    if url.hasPrefix("https://") { return url.utf8.count > 8 }
    return isLoopback(issuer) && isLoopback(url)
  }

  /// Whether it is plain http to this machine.
  static func isLoopback(_ url: String) -> Bool {
    guard url.hasPrefix("http://") else { return false }
    let authority = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.contains("@") else { return false }
    if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } == "[::1" }
    let host = authority.prefix { $0 != ":" }
    if host == "localhost" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
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
