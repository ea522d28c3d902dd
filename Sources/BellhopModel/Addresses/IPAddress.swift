import Glibc

/// An IP address, version 4 or 6.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
  /// The 4 or 16 bytes, the most significant first.
  public let bytes: [UInt8]

  /// Creates an address from its bytes; nil unless there are 4 or 16.
  ///
  /// An IPv4-mapped IPv6 address (`::ffff:0:0/96`) becomes the IPv4 address.
  public init?(bytes: [UInt8]) {
    switch bytes.count {
    case 4: self.bytes = bytes
    case 16:
      let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
      self.bytes = isMapped ? Array(bytes[12...]) : bytes
    default: return nil  // open: Int
    }
  }

  /// Parses the standard forms, such as `192.0.2.1` and `2001:db8::1`; nil for anything else.
  public init?(_ description: String) {
    var four = [UInt8](repeating: 0, count: 4)
    if inet_pton(AF_INET, description, &four) == 1 {
      self.init(bytes: four)
      return
    }
    var six = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, description, &six) == 1 else { return nil }
    self.init(bytes: six)
  }

  public var isVersion6: Bool { bytes.count == 16 }

  public var description: String {
    if !isVersion6 { return bytes.map { String($0) }.joined(separator: ".") }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let isWritten = inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count)) != nil
    guard isWritten else { return "::" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// A range of IP addresses with a common prefix, such as `10.0.0.0/8` or `fd00::/8`.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
  public let address: IPAddress
  /// The length of the prefix in bits: up to 32 for IPv4 and 128 for IPv6.
  public let prefixBits: Int

  init(_ address: IPAddress, prefixBits: Int) {
    self.address = address
    self.prefixBits = prefixBits
  }

  /// Parses an address, or an address and a prefix length; nil for anything else.
  ///
  /// A network of IPv4-mapped IPv6 addresses, such as `::ffff:10.0.0.0/104`, becomes the IPv4
  /// network.
  public init?(_ description: String) {
    let parts = description.split(separator: "/", omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
    let bits = address.bytes.count * 8
    let mappedBits = !address.isVersion6 && parts[0].contains(":") ? 96 : 0
    switch parts.count {
    case 1: self.init(address, prefixBits: bits)
    case 2:
      guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(parts[1]),
        (0...bits).contains(length - mappedBits)
      else { return nil }
      self.init(address, prefixBits: length - mappedBits)
    default: return nil  // open: Int
    }
  }

  public var description: String { "\(address)/\(prefixBits)" }

  public func contains(_ other: IPAddress) -> Bool {
    guard other.bytes.count == address.bytes.count else { return false }
    let (whole, rest) = (prefixBits / 8, prefixBits % 8)
    guard other.bytes[..<whole] == address.bytes[..<whole] else { return false }
    guard rest > 0 else { return true }
    return (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
  }

  /// Whether the network contains one address only.
  var isSingle: Bool { prefixBits == address.bytes.count * 8 }
}
