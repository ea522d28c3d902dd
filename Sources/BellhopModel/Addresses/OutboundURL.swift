/// A URL to call that a stranger supplied, such as a web hook or an item's action.
///
/// Only a strict, safe form is accepted (RFC 3986): no user info, no fragment, and no characters
/// that parsers interpret differently. Host names are in punycode, so that look-alike names are
/// visible.
public struct OutboundURL: Hashable, Sendable {
  public let isSecure: Bool
  /// The host in lower case, without the brackets of an IPv6 address.
  public let host: String
  public let port: Int
  /// The path and query as given; at least `/`.
  public let target: String

  /// The URLs to accept in addition to those with `https`.
  public struct Rules: Hashable, Sendable {
    /// Whether plain HTTP is allowed, which everyone on the network path can read.
    public var allowsPlain: Bool
    /// The allowed ports; empty allows all.
    public var ports: [Int]

    public init(allowsPlain: Bool = false, ports: [Int] = []) {
      self.allowsPlain = allowsPlain
      self.ports = ports
    }
  }

  /// The reason why a text is not a valid URL to call.
  public struct FormatError: Error, Hashable {
    public var expectation: String
  }

  public init(_ text: String, _ rules: Rules = Rules()) throws(FormatError) {
    guard text.utf8.allSatisfy(Self.isURLByte) else {
      throw FormatError(expectation: "a URL of plain ASCII without spaces; other hosts in punycode")
    }
    let scheme = text.prefix { $0 != ":" }
    switch scheme.lowercased() {
    case "https": isSecure = true
    case "http" where rules.allowsPlain: isSecure = false
    case "http": throw FormatError(expectation: "https; plain HTTP is not allowed")
    default: throw FormatError(expectation: "a URL that begins with https://")  // open: String
    }
    let rest = text.dropFirst(scheme.count)
    guard rest.hasPrefix("://") else {
      throw FormatError(expectation: "a URL that begins with https://")
    }
    let authority = rest.dropFirst(3).prefix { !"/?#".contains($0) }
    guard !authority.contains("@") else {
      throw FormatError(expectation: "a URL without user name and password")
    }
    let tail = rest.dropFirst(3 + authority.count)
    guard !tail.contains("#") else { throw FormatError(expectation: "a URL without #") }
    target = tail.hasPrefix("/") ? String(tail) : "/" + tail
    let (host, port) = try Self.split(authority)
    self.host = host
    self.port = port ?? (isSecure ? 443 : 80)
    guard rules.ports.isEmpty || rules.ports.contains(self.port) else {
      throw FormatError(
        expectation: "one of the ports "
          + rules.ports.map { String($0) }.joined(separator: ", "))
    }
  }

  private static func split(
    _ authority: Substring
  ) throws(FormatError) -> (host: String, port: Int?) {
    var host = authority
    var port: Int?
    let bracket = authority.lastIndex(of: "]")
    if let colon = authority.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
      let digits = authority[authority.index(after: colon)...]
      guard digits.count <= 5, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
        let number = Int(digits), (1...65_535).contains(number)
      else { throw FormatError(expectation: "a port from 1 to 65535") }
      port = number
      host = authority[..<colon]
    }
    if host.hasPrefix("[") {
      guard host.hasSuffix("]"), let address = IPAddress(String(host.dropFirst().dropLast())),
        host.contains(":")
      else { throw FormatError(expectation: "a host name or an address") }
      return (address.description, port)
    }
    guard (1...253).contains(host.utf8.count), host.isASCIIAlphanumeric(or: "-._") else {
      throw FormatError(expectation: "a host name or an address")
    }
    return (host.lowercased(), port)
  }

  /// Whether RFC 3986 allows the character. A backslash, which some parsers treat as a slash, is
  /// rejected.
  private static func isURLByte(_ byte: UInt8) -> Bool {
    (0x21...0x7e).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
  }

  /// The value of the `Host` header.
  public var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// The host name that TLS requests and verifies; nil for an address.
  public var serverName: String? { IPAddress(host) == nil ? host : nil }

  /// Returns the path and query with one more parameter.
  public func target(adding name: String, _ escapedValue: String) -> String {
    target + (target.contains("?") ? "&" : "?") + name + "=" + escapedValue
  }
}
