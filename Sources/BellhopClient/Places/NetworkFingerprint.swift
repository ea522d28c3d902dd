/// A property by which a device recognises a network.
///
/// It never leaves the device, and is stored only as a salted hash.
package struct NetworkFingerprint: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The hardware address of the default gateway.
    case gateway
    /// The name of a Wi-Fi network (SSID).
    case wifi
  }

  package let kind: Kind
  /// The property itself, as bytes: a Wi-Fi name may contain any.
  let value: [UInt8]

  package var description: String { "\(kind.rawValue) <redacted>" }

  /// The fingerprint of a gateway; nil if its hardware address is not known.
  init?(_ gateway: NetworkTables.Gateway) {
    guard let hardwareAddress = gateway.hardwareAddress else { return nil }
    kind = .gateway
    value =
      Self.isOfVirtualRouter(hardwareAddress)
      ? hardwareAddress + gateway.address.bytes : hardwareAddress
  }

  /// The fingerprint of a Wi-Fi network with this name.
  init(wifiName: [UInt8]) {
    kind = .wifi
    value = wifiName
  }

  /// Whether routers of many networks share the hardware address, so that it needs the gateway's
  /// own address beside it.
  ///
  /// These are VRRP (RFC 9568, section 7.3), HSRP (RFC 2281, section 5.3, and its version 2) and
  /// GLBP.
  static func isOfVirtualRouter(_ address: [UInt8]) -> Bool {
    let prefixes: [[UInt8]] = [
      [0x00, 0x00, 0x5e, 0x00, 0x01], [0x00, 0x00, 0x5e, 0x00, 0x02],
      [0x00, 0x00, 0x0c, 0x07, 0xac], [0x00, 0x00, 0x0c, 0x9f], [0x00, 0x05, 0x73, 0xa0],
      [0x00, 0x07, 0xb4, 0x00],
    ]
    return prefixes.contains { address.starts(with: $0) }
  }
}
