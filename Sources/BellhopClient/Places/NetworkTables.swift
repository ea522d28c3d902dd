internal import CBellhopSystem
internal import Glibc

/// The rows of the kernel's network tables that show the default gateways.
struct NetworkTables: Hashable, Sendable {
  /// A device's address for a neighbour, such as a gateway.
  struct Address: Hashable, Sendable {
    /// `AF_INET` or `AF_INET6`.
    var family: Int32
    /// The index of the network device.
    var device: Int32
    var bytes: [UInt8]
  }

  /// A route that packets can take, of the main table.
  struct Route: Hashable, Sendable {
    var family: Int32
    var device: Int32
    /// The number of bits that a destination must share; 0 for a default route.
    var prefixBits: Int32
    /// The kernel prefers lower ones.
    var metric: UInt32
    /// The address of the gateway; nil if the route has none, as that of many tunnels.
    var gateway: [UInt8]?

    /// Whether the route leads to a single destination.
    var leadsToHost: Bool { prefixBits == (family == AF_INET ? 32 : 128) }
  }

  /// A default gateway.
  struct Gateway: Hashable, Sendable {
    var address: Address
    /// Six bytes; nil if the device does not know it yet.
    var hardwareAddress: [UInt8]?
  }

  /// The devices with hardware addresses of six bytes: Ethernet and Wi-Fi, but not tunnels.
  var ethernetDevices: Set<Int32> = []
  /// The default routes, and those with a gateway to a single destination.
  var routes: Set<Route> = []
  /// The known hardware addresses of gateways.
  var neighbors: [Address: [UInt8]] = [:]

  /// The most routes to keep, for a machine that is a router itself.
  private static let routesMax = 1024

  /// Whether the device is on a network.
  var hasDefaultRoute: Bool { routes.contains { $0.prefixBits == 0 } }

  /// The gateways of the networks that the device is on.
  ///
  /// These are the gateways of each family's default routes with the lowest metric. A route through
  /// a tunnel does not count, because a VPN does not move a device. If all default routes of a
  /// family lead through tunnels, the gateways to single destinations count: the packets of a
  /// tunnel take such a route.
  var gateways: Set<Gateway> {
    var found: Set<Gateway> = []
    for family in [AF_INET, AF_INET6] {
      let routes = routes.filter { $0.family == family }
      let defaults = routes.filter { $0.prefixBits == 0 }
      guard !defaults.isEmpty else { continue }
      let direct = defaults.filter(isDirect)
      let lowest = direct.map(\.metric).min()
      let counted =
        direct.isEmpty
        ? routes.filter { $0.leadsToHost && isDirect($0) } : direct.filter { $0.metric == lowest }
      found.formUnion(counted.compactMap(gateway))
    }
    return found
  }

  /// Whether the route leads to a gateway that can have a hardware address.
  private func isDirect(_ route: Route) -> Bool {
    route.gateway != nil && ethernetDevices.contains(route.device)
  }

  private func gateway(of route: Route) -> Gateway? {
    guard let bytes = route.gateway else { return nil }
    let address = Address(family: route.family, device: route.device, bytes: bytes)
    return Gateway(address: address, hardwareAddress: neighbors[address])
  }
}

// MARK: - Rows of the kernel

extension NetworkTables {
  /// Adds a row of a table. Neighbours count only if they are gateways of routes added before.
  mutating func add(_ record: bellhop_network_record) {
    switch record.kind {
    case BELLHOP_NETWORK_DEVICE:
      if record.is_ethernet != 0 { ethernetDevices.insert(record.device) }
    case BELLHOP_NETWORK_ROUTE:
      if record.is_usable != 0, let route = Route(record), routes.count < Self.routesMax {
        routes.insert(route)
      }
    case BELLHOP_NETWORK_NEIGHBOR:
      if record.has_hardware_address != 0, let address = Address(record), isGateway(address) {
        neighbors[address] = record.hardwareAddress
      }
    default: break  // open: bellhop_network_kind
    }
  }

  /// Whether a change of a table may change the gateways.
  func isAffected(by record: bellhop_network_record) -> Bool {
    switch record.kind {
    case BELLHOP_NETWORK_ROUTE: return Route(record) != nil
    case BELLHOP_NETWORK_NEIGHBOR:
      // The kernel confirms each neighbour that it uses about once a minute.
      guard let address = Address(record), isGateway(address) else { return false }
      let isKnown = record.is_removed == 0 && record.has_hardware_address != 0
      return neighbors[address] != (isKnown ? record.hardwareAddress : nil)
    default: return true  // open: bellhop_network_kind
    }
  }

  private func isGateway(_ address: Address) -> Bool {
    routes.contains {
      $0.gateway == address.bytes && $0.device == address.device && $0.family == address.family
    }
  }
}

extension NetworkTables.Route {
  /// The route of a row; nil for one that leads neither everywhere nor to a single destination.
  fileprivate init?(_ record: bellhop_network_record) {
    self.init(
      family: record.family, device: record.device, prefixBits: record.prefix_bits,
      metric: record.metric, gateway: record.addressBytes)
    guard prefixBits == 0 || leadsToHost && gateway != nil else { return nil }
  }
}

extension NetworkTables.Address {
  fileprivate init?(_ record: bellhop_network_record) {
    guard let bytes = record.addressBytes else { return nil }
    self.init(family: record.family, device: record.device, bytes: bytes)
  }
}

extension bellhop_network_record {
  fileprivate var addressBytes: [UInt8]? {
    guard has_address != 0 else { return nil }
    return withUnsafeBytes(of: address) { Array($0.prefix(family == AF_INET ? 4 : 16)) }
  }

  fileprivate var hardwareAddress: [UInt8] {
    withUnsafeBytes(of: hardware_address) { Array($0) }
  }
}
