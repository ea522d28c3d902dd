/// A payload that comes by the thousand, and so has a codec of its own beside `Codable`.
///
/// Both codecs speak the same JSON. The quick reader gives up on anything that is not plain and
/// expected, and then the other one reads the same bytes and explains what is wrong.
typealias QuickCodable = QuickDecodable & QuickEncodable

protocol QuickDecodable {
  /// Nil when the bytes are for the other codec.
  init?(quickly bytes: some Collection<UInt8>)
}

protocol QuickEncodable {
  /// Whether this value is for the quick codec; rare members are left to the other one.
  var isQuick: Bool { get }
  func quickBytes() throws(WireError) -> [UInt8]
}

extension QuickEncodable {
  var isQuick: Bool { true }
}
