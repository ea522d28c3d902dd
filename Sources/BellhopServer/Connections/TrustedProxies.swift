internal import BellhopModel

/// The reverse proxies and load balancers whose reports about clients the store believes.
///
/// Many users share their connections. `X-Forwarded-For` and `X-Forwarded-Proto` from any other address
/// are ignored.
struct TrustedProxies: Sendable {
  private let networks: [IPNetwork]

  /// - Parameter texts: Addresses and networks. Invalid ones are ignored.
  init(_ texts: some Sequence<String>) {
    networks = texts.compactMap { IPNetwork($0) }
  }

  /// Whether a trusted proxy has this address.
  func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// The other end of a connection, which may report the address and the scheme of a client.
  enum Peer: Hashable, Sendable {
    /// A program on this machine that uses a Unix socket, as only the socket's owner can.
    case socket
    case address(IPAddress)
    /// A text that is not an address, which is never trusted.
    case unknown

    /// - Parameter text: Nil for a Unix socket.
    init(_ text: String?) {
      guard let text else {
        self = .socket
        return
      }
      self = IPAddress(text).map { .address($0) } ?? .unknown
    }
  }

  private func isTrusted(_ peer: Peer) -> Bool {
    switch peer {
    case .socket: true
    case .address(let address): contains(address)
    case .unknown: false
    }
  }

  /// Returns the address of the client; nil for a program on this machine without an address.
  ///
  /// Each proxy appends the address that it saw. So the fields are read from their end, as far as
  /// their authors are trusted: the result is the last address that is not a trusted proxy. What a
  /// client wrote itself comes before that address and is never read. Text that is not an address
  /// ends the search.
  ///
  /// - Parameter forwarded: The fields `X-Forwarded-For` in their order.
  func client(behind peer: Peer, forwarded: [String]) -> IPAddress? {
    var client: IPAddress? = if case .address(let address) = peer { address } else { nil }
    guard isTrusted(peer) else { return client }
    for text in forwarded.joined(separator: ",").split(separator: ",").reversed() {
      guard let earlier = Self.address(text.trimmed) else { break }
      client = earlier
      guard contains(earlier) else { break }
    }
    return client
  }

  /// Whether a trusted proxy reports that the client uses TLS.
  ///
  /// - Parameter forwarded: The fields `X-Forwarded-Proto` in their order. The last word is from the
  ///   proxy at the other end of the connection.
  func reportsTLS(behind peer: Peer, forwarded: [String]) -> Bool {
    guard isTrusted(peer) else { return false }
    let words = forwarded.joined(separator: ",").split(separator: ",")
    return words.last?.trimmed.lowercased() == "https"
  }

  /// Parses an address as proxies write it: alone, or with a port as in `192.0.2.1:443` and
  /// `[2001:db8::1]:443`.
  private static func address(_ text: String) -> IPAddress? {
    if let address = IPAddress(text) { return address }
    var rest = text[...]
    let host: Substring
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = rest[rest.index(after: rest.startIndex)..<end]
      guard host.contains(":") else { return nil }
      rest = rest[rest.index(after: end)...]
    } else {
      guard let colon = rest.firstIndex(of: ":") else { return nil }
      host = rest[..<colon]
      rest = rest[colon...]
    }
    let isPort =
      rest.first == ":" && (2...6).contains(rest.utf8.count)
      && rest.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    return rest.isEmpty || isPort ? IPAddress(String(host)) : nil
  }
}
