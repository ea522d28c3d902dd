internal import BellhopModel

/// The network that a client's requests and connections are counted by: an IPv4 address, or an IPv6
/// network of 64 bits, of which one household has all addresses.
struct ClientNetwork: Hashable, Sendable {
  /// The bytes that its addresses have in common; none for programs on this machine.
  private let prefix: [UInt8]

  /// - Parameter address: nil for a program on this machine.
  init(_ address: IPAddress?) {
    guard let address, AddressKind(address) != .loopback else {
      prefix = []
      return
    }
    prefix = address.isVersion6 ? Array(address.bytes.prefix(8)) : address.bytes
  }

  private init(prefix: [UInt8]) { self.prefix = prefix }

  /// The IPv6 network of 48 bits around it, the most that one customer is commonly given; the
  /// network itself for IPv4.
  var site: ClientNetwork {
    prefix.count == 8 ? ClientNetwork(prefix: Array(prefix.prefix(6))) : self
  }
}

/// The reverse proxies before a store. Their connections are many people's, and what they say of
/// the other end is believed.
struct ReverseProxies: Sendable {
  private let networks: [IPNetwork]

  /// - Parameter texts: addresses and networks; others are passed over.
  init(_ texts: some Sequence<String>) {
    networks = texts.compactMap { IPNetwork($0) }
  }

  /// Whether a configured proxy has this address.
  func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// Whether `X-Forwarded-For` of a request from this address is believed: it is a configured
  /// proxy's, or this machine's.
  ///
  /// - Parameter address: nil for a Unix socket.
  func isBelieved(_ address: IPAddress?) -> Bool {
    guard let address else { return true }
    return contains(address) || AddressKind(address) == .loopback
  }
}
