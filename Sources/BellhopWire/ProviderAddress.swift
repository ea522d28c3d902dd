/// The rules for addresses of identity providers.
///
/// Store and client share them: the store gets keys from these addresses, and the client sends
/// secrets to them.
package enum ProviderAddress {
  /// Whether `text` is a valid issuer: https, or http on this machine.
  ///
  /// An issuer has no query, no fragment and no user (OpenID Connect Discovery 1.0 §2).
  package static func isIssuer(_ text: String) -> Bool {
    guard (9...1024).contains(text.utf8.count), !text.contains("?"), !text.contains("#"),
      !text.contains("@")
    else { return false }
    return isAllowed(text, by: text)
  }

  /// Whether an issuer's metadata may refer to `url`.
  ///
  /// Permits https, and plain http on this machine when the issuer itself is such an address.
  package static func isAllowed(_ url: String, by issuer: String) -> Bool {
    guard url.utf8.count <= 2048, url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return false
    }
    if url.hasPrefix("https://") { return url.utf8.count > 8 }
    return isLoopback(issuer) && isLoopback(url)
  }

  /// Returns the address of an issuer's configuration (OpenID Connect Discovery 1.0 §4.1).
  package static func configuration(of issuer: String) -> String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer)
      + "/.well-known/openid-configuration"
  }

  /// Whether `url` is plain http to this machine.
  private static func isLoopback(_ url: String) -> Bool {
    guard url.hasPrefix("http://") else { return false }
    let authority = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.contains("@") else { return false }
    if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } == "[::1" }
    let host = authority.prefix { $0 != ":" }
    if host == "localhost" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
