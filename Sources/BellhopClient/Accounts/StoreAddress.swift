package import BellhopModel

/// A validated store address as the user writes it.
package struct StoreAddress: Hashable, Sendable {
  /// The address `https://host[:port]`, `http://…` or `unix:/path`, without a trailing slash.
  package let url: String
  /// The host's name; nil for a socket.
  package let host: String?

  /// - Throws: ``ClientError`` if the text is not a valid address, or if it contains a user, a path
  ///   or a query: a token in an address would end up in logs.
  package init(_ text: String) throws {
    if text.hasPrefix("unix:/") {
      url = text
      host = nil
      return
    }
    guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) })
    else {
      throw ClientError(
        .usage, "\"\(text.prefix(64))\" is not a valid store address.",
        next: "Use an address such as https://store.example.com")
    }
    var rest = text.dropFirst(scheme.count)
    while rest.last == "/" { rest.removeLast() }
    guard !rest.isEmpty, rest.isASCIIAlphanumeric(or: ".-:[]") else {
      throw ClientError(
        .usage, "A store address has only a scheme, a host and a port.",
        next: "For example https://store.example.com or https://store.example.com:8443")
    }
    url = scheme + rest
    let withoutPort =
      rest.hasPrefix("[")
      ? rest.dropFirst().prefix { $0 != "]" } : rest.prefix { $0 != ":" }
    host = String(withoutPort)
  }

  /// Whether the address uses https.
  package var isEncrypted: Bool { url.lowercased().hasPrefix("https://") }

  /// The port, or the scheme's default; meaningless for a socket.
  package var port: Int {
    var rest = url.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }
    // The colons of an IPv6 address do not precede a port.
    if rest.first == "[" { rest = rest.drop { $0 != "]" } }
    let digits = rest.split(separator: ":", omittingEmptySubsequences: false).dropFirst().last
    return digits.flatMap { Int($0) } ?? (isEncrypted ? 443 : 80)
  }

  /// Whether the address is on this machine: a socket or the loopback interface.
  package static func isLocal(_ url: String) -> Bool {
    guard let address = try? StoreAddress(url) else { return false }
    guard let host = address.host else { return true }
    return host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  /// The account's name if the user gives none.
  package var accountName: AccountName { AccountName(host ?? "local") }
}
