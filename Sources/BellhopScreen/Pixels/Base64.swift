/// The standard alphabet of base 64 (RFC 4648, section 4), as terminals take it.
public enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The text that stands for bytes.
  public static func encode(_ bytes: [UInt8]) -> String {
    String(decoding: Self.bytes(bytes), as: UTF8.self)
  }

  /// The same as bytes of ASCII.
  static func bytes(_ bytes: [UInt8]) -> [UInt8] {
    let count = (bytes.count + 2) / 3 * 4
    return [UInt8](unsafeUninitializedCapacity: count) { output, written in
      alphabet.withUnsafeBufferPointer { alphabet in
        bytes.withUnsafeBufferPointer { bytes in
          var place = 0
          var start = 0
          while start < bytes.count {
            let length = min(3, bytes.count - start)
            var bits = 0
            for offset in 0..<3 {
              bits = bits << 8 | (offset < length ? Int(bytes[start + offset]) : 0)
            }
            for part in 0..<4 {
              output[place + part] =
                part > length ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * part) & 63]
            }
            place += 4
            start += 3
          }
        }
      }
      written = count
    }
  }

  /// The bytes that text stands for, in whole groups of four; nil for anything else.
  public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    let count = text.count / 4 * 3 - padding
    var isValid = true
    let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { output, written in
      var bits = 0
      var held = 0
      for byte in text.dropLast(padding) {
        guard let value = value(of: byte) else {
          isValid = false
          break
        }
        bits = (bits << 6 | value) & 0xFFFF
        held += 6
        if held >= 8 {
          held -= 8
          output[written] = UInt8(truncatingIfNeeded: bits >> held)
          written += 1
        }
      }
    }
    return isValid ? bytes : nil
  }

  private static func value(of byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil  // open: UInt8
    }
  }
}
