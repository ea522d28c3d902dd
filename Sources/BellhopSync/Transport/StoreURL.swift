import BellhopModel
import BellhopNetwork

/// A store's address, parsed for requests.
struct StoreURL: Hashable, Sendable {
  /// The beginning of every request's URL, without a final slash.
  let base: String
  /// The peer that the address names.
  let peer: NetworkPeer

  /// Parses `https://host[:port]`, `http://host[:port]`, `unix:/path` or `http+unix://%2Fpath`.
  ///
  /// - Throws: ``TransportError/insecure(host:)`` for plain HTTP to another machine, unless that is
  ///   allowed; ``TransportError/badAddress(_:)`` for anything else.
  init(_ text: String, allowsInsecureHTTP: Bool) throws(TransportError) {
    guard let peer = NetworkPeer(url: text) else { throw .badAddress(String(text.prefix(64))) }
    self.peer = peer
    switch peer {
    case .socket(let path): base = "http+unix://" + Self.escaped(path)
    case .port(_, _, isEncrypted: true): base = Self.trimmed(text)
    case .port(_, let host, isEncrypted: false):
      guard allowsInsecureHTTP || Self.isLoopback(host) else { throw .insecure(host: host) }
      base = Self.trimmed(text)
    }
  }

  /// Returns the URL of a path that begins with a slash.
  func url(_ path: String) -> String { base + path }

  private static func trimmed(_ text: String) -> String {
    var text = text
    while text.last == "/" { text.removeLast() }
    return text
  }

  /// Returns whether a host is this machine: only names and numbers that can't lead anywhere else.
  private static func isLoopback(_ host: String) -> Bool {
    if host.lowercased() == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func escaped(_ path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      if byte.isASCIIAlphanumeric || "-._".utf8.contains(byte) {
        result.append(Character(Unicode.Scalar(byte)))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return result
  }
}
