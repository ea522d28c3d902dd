internal import Glibc
internal import HTTPTypes
internal import Hummingbird

/// Where a request comes from, as far as the store can tell.
struct Origin: Hashable, Sendable {
  /// An IP address, or `this machine`; for people.
  let text: String
  /// What stands for it where requests are counted: an IPv6 network of 64 bits is one household.
  let network: String

  /// - Parameters:
  ///   - peer: the connection's other end; nil for a Unix socket.
  ///   - forwarded: `X-Forwarded-For`. It is believed only from a proxy on this machine, and there
  ///     only its last address, which that proxy saw itself.
  init(peer: String?, forwarded: String?) {
    let direct = peer.flatMap { Self.bytes($0) }
    let isProxied = direct.map(Self.isLoopback) ?? true
    if isProxied, let last = forwarded?.split(separator: ",").last?.trimmed,
      let bytes = Self.bytes(last)
    {
      self.init(last, bytes)
    } else if let peer, let direct, !isProxied {
      self.init(peer, direct)
    } else {
      self.init(text: "this machine", network: "this machine")
    }
  }

  private init(_ text: String, _ bytes: [UInt8]) {
    let address = Self.mapped(bytes) ?? bytes
    let isIPv4 = address.count == 4
    self.init(
      text: isIPv4 ? address.map { String($0) }.joined(separator: ".") : text,
      network: address.prefix(isIPv4 ? 4 : 8).map { String($0) }.joined(separator: "."))
  }

  private init(text: String, network: String) {
    self.text = text
    self.network = network
  }

  /// The address's bytes in network order; nil for what is no address.
  private static func bytes(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 45 else { return nil }
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }

  /// The IPv4 address in an IPv6 one (RFC 4291 §2.5.5.2).
  private static func mapped(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff,
      bytes[11] == 0xff
    else { return nil }
    return Array(bytes[12...])
  }

  private static func isLoopback(_ bytes: [UInt8]) -> Bool {
    let address = mapped(bytes) ?? bytes
    return address.count == 4
      ? address[0] == 127 : address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
  }
}

extension Exchange {
  /// Where the request comes from.
  var origin: Origin {
    Origin(
      peer: peer, forwarded: request.headers[values: Self.forwardedFor].last)
  }

  static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
