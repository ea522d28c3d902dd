/// The address of a server: a port of a host, or a local socket file.
package enum NetworkPeer: Hashable, Sendable {
  case port(Int, host: String, isEncrypted: Bool)
  case socket(path: String)

  /// Parses `https://host[:port]/…`, `http://…`, `unix:/path` or `http+unix://%2Fpath/…`.
  ///
  /// Returns nil for anything else.
  package init?(url: String) {
    for scheme in ["unix:", "http+unix://"] {
      guard let rest = Self.rest(of: url, after: scheme) else { continue }
      let path = scheme == "unix:" ? String(rest) : Self.unescaped(rest.prefix { $0 != "/" })
      guard path.hasPrefix("/") else { return nil }
      self = .socket(path: path)
      return
    }
    for (scheme, isEncrypted) in [("https://", true), ("http://", false)] {
      guard let rest = Self.rest(of: url, after: scheme) else { continue }
      let authority = rest.prefix { !["/", "?", "#"].contains($0) }
      // The user information before the host is not part of the address.
      let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
      let isNumber = place.hasPrefix("[")
      let host = isNumber ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" }
      let port = place.dropFirst(host.count + (isNumber ? 2 : 0))
      let number = port.count > 1 ? Int(port.dropFirst()) : isEncrypted ? 443 : 80
      guard !host.isEmpty, let number, (0...65_535).contains(number) else { return nil }
      self = .port(number, host: String(host), isEncrypted: isEncrypted)
      return
    }
    return nil
  }

  private static func rest(of text: String, after prefix: String) -> Substring? {
    text.prefix(prefix.count).lowercased() == prefix ? text.dropFirst(prefix.count) : nil
  }

  /// Decodes percent-encoding (RFC 3986 §2.1).
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let digits = String(rest.prefix(2)),
        let value = UInt8(digits, radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The host name or socket path, truncated to 253 or 256 characters.
  package var host: String {
    switch self {
    case .port(_, let host, _): String(host.prefix(253))
    case .socket(let path): String(path.prefix(256))
    }
  }

  /// A description of the address: `port 443 of store.example.com`, `the socket /run/store.sock`.
  var words: String {
    switch self {
    case .port(let port, _, _): "port \(port) of \(host)"
    case .socket: "the socket \(host)"
    }
  }

  /// The same address with http and https exchanged; nil for a socket.
  var otherURL: String? {
    guard case .port(let port, _, let isEncrypted) = self else { return nil }
    let authority = host.contains(":") ? "[\(host)]" : host
    return (isEncrypted ? "http://" : "https://") + authority + ":\(port)"
  }
}
