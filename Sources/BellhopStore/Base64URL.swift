/// RFC 4648 §5 without padding: tokens that need no escaping in links and headers.
package enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 4 / 3 + 3)
    var bits = 0
    var pending = 0
    for byte in bytes {
      pending = pending << 8 | Int(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[pending >> bits & 63])
      }
    }
    if bits > 0 { text.append(alphabet[pending << (6 - bits) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of `text`; nil when it is anything else than this encoding writes.
  package static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 3 / 4)
    var bits = 0
    var pending = 0
    for character in text.utf8 {
      guard let value = value(character) else { return nil }
      pending = (pending << 6 | value) & 0xffff
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
      }
    }
    let rest = pending & (1 << bits - 1)
    return bits < 6 && rest == 0 ? bytes : nil
  }

  /// Whether the encoding writes this character.
  package static func contains(_ character: UInt8) -> Bool { value(character) != nil }

  private static func value(_ character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character) + 4
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil  // open: UInt8
    }
  }
}
