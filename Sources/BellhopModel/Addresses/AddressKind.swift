/// The purpose of an IP address, used to restrict connections that a stranger requests
/// (SECURITY-6).
///
/// Follows IANA's registries of special-purpose addresses (RFC 6890). An address that is not known
/// to be globally reachable counts as special.
package enum AddressKind: String, Hashable, Sendable, CaseIterable {
  /// A globally reachable address.
  case global
  case loopback
  case linkLocal = "link-local"
  /// A private address of RFC 1918, or a unique local or site-local address of IPv6.
  case privateNetwork = "private"
  /// An address between a provider and its customers (RFC 6598).
  case shared
  case multicast
  case documentation
  case benchmarking
  /// The metadata service of a cloud, which gives a machine its secrets.
  ///
  /// Allowing a network that contains it does not allow the address itself.
  case metadata
  case reserved

  package init(_ address: IPAddress) {
    if Self.metadataAddresses.contains(address) {
      self = .metadata
    } else if let known = Self.table.first(where: { $0.network.contains(address) }) {
      self = known.kind
    } else if let inner = Self.tunnelled(address) {
      self = AddressKind(inner)
    } else if address.isVersion6 {
      // IANA has not allocated anything outside this prefix for global use.
      self = address.bytes[0] >> 5 == 0b001 ? .global : .reserved
    } else {
      self = .global
    }
  }

  /// The metadata addresses of the known clouds.
  ///
  /// Amazon, Google, Azure, DigitalOcean and others; Amazon's containers and IPv6; Alibaba; Oracle;
  /// Azure's wire server, which has a public address.
  private static let metadataAddresses: Set<IPAddress> = Set(
    [
      "169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::254", "fd00:ec2::23",
      "fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16",
    ].compactMap { IPAddress($0) })

  private static let table: [(network: IPNetwork, kind: AddressKind)] = [
    ("0.0.0.0/8", .reserved), ("10.0.0.0/8", .privateNetwork), ("100.64.0.0/10", .shared),
    ("127.0.0.0/8", .loopback), ("169.254.0.0/16", .linkLocal),
    ("172.16.0.0/12", .privateNetwork), ("192.0.0.0/24", .reserved),
    ("192.0.2.0/24", .documentation), ("192.88.99.0/24", .reserved),
    ("192.168.0.0/16", .privateNetwork), ("198.18.0.0/15", .benchmarking),
    ("198.51.100.0/24", .documentation), ("203.0.113.0/24", .documentation),
    ("224.0.0.0/4", .multicast), ("240.0.0.0/4", .reserved),
    ("::1/128", .loopback), ("fe80::/10", .linkLocal), ("fec0::/10", .privateNetwork),
    ("fc00::/7", .privateNetwork), ("ff00::/8", .multicast), ("2001:db8::/32", .documentation),
    ("3fff::/20", .documentation), ("2001:2::/48", .benchmarking),
    // Teredo, ORCHID and other protocols.
    ("2001::/23", .reserved),
  ].compactMap { text, kind in IPNetwork(text).map { ($0, kind) } }

  /// Returns the IPv4 address at the end of a tunnel: NAT64 (RFC 6052) or 6to4 (RFC 3056).
  private static func tunnelled(_ address: IPAddress) -> IPAddress? {
    guard address.isVersion6 else { return nil }
    let bytes = address.bytes
    if bytes[..<12] == [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0] {
      return IPAddress(bytes: Array(bytes[12...]))
    }
    if bytes[..<2] == [0x20, 0x02] { return IPAddress(bytes: Array(bytes[2..<6])) }
    return nil
  }
}

extension AddressKind {
  /// Returns whether a program may connect to `address`.
  ///
  /// It may if the address is global, or if the configuration names a network that contains it. A
  /// metadata address must be named itself.
  package static func permits(_ address: IPAddress, allowing networks: [IPNetwork]) -> Bool {
    let kind = AddressKind(address)
    return kind == .global
      || networks.contains { $0.contains(address) && (kind != .metadata || $0.isSingle) }
  }

  /// The networks around a machine, including the machine itself: none is a stranger's.
  package static let nearbyNetworks: [IPNetwork] =
    table.filter { [.loopback, .linkLocal, .privateNetwork, .shared].contains($0.kind) }
    .map(\.network)
}
