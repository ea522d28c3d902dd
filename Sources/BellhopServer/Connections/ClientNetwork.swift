internal import BellhopModel

/// The network by which a client's requests and connections are counted.
///
/// This is an IPv4 address, or an IPv6 /64 network, all of whose addresses belong to one household.
struct ClientNetwork: Hashable, Sendable {
  /// The common bytes of its addresses; empty for programs on this machine.
  private let prefix: [UInt8]

  /// - Parameter address: Nil for a program on this machine.
  init(_ address: IPAddress?) {
    guard let address, AddressKind(address) != .loopback else {
      prefix = []
      return
    }
    prefix = address.isVersion6 ? Array(address.bytes.prefix(8)) : address.bytes
  }

  private init(prefix: [UInt8]) { self.prefix = prefix }

  /// The key of the network in the storage: its bytes as hexadecimal digits, or `local`.
  var key: String {
    guard !prefix.isEmpty else { return "local" }
    return prefix.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The surrounding IPv6 /48 network, the largest that one customer usually gets.
  ///
  /// For IPv4, the network itself.
  var site: ClientNetwork {
    prefix.count == 8 ? ClientNetwork(prefix: Array(prefix.prefix(6))) : self
  }
}
