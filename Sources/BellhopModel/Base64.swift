/// Base64 in the standard alphabet with padding (RFC 4648 §4).
package enum Base64 {
  /// Encodes bytes as text.
  package static func encode(_ bytes: [UInt8]) -> String {
    String(decoding: ascii(bytes), as: UTF8.self)
  }

  /// Encodes bytes as ASCII.
  package static func ascii(_ bytes: [UInt8]) -> [UInt8] {
    Base64Code.standard.encode(bytes, isPadded: true)
  }

  /// Decodes text in whole groups of four; nil for anything else.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    return Base64Code.standard.decode(text.dropLast(padding))?.bytes
  }

  /// Decodes text of other programs, in either alphabet, with or without padding.
  package static func decodeLeniently(_ text: String) -> [UInt8]? {
    Base64Code.either.decode(text.utf8.filter { $0 != UInt8(ascii: "=") }[...])?.bytes
  }
}

/// Base64 in the URL-safe alphabet without padding (RFC 4648 §5).
///
/// Tokens in this form need no escaping in links and headers.
package enum Base64URL {
  /// Encodes bytes as text.
  package static func encode(_ bytes: [UInt8]) -> String {
    String(decoding: Base64Code.url.encode(bytes, isPadded: false), as: UTF8.self)
  }

  /// Decodes text; nil for anything that ``encode(_:)`` cannot have produced.
  package static func decode(_ text: String) -> [UInt8]? {
    guard let decoded = Base64Code.url.decode(Array(text.utf8)[...]), decoded.isExact else {
      return nil
    }
    return decoded.bytes
  }

  /// Returns whether the character is part of the alphabet.
  package static func contains(_ character: UInt8) -> Bool {
    Base64Code.url.value(of: character) != nil
  }
}

/// The alphabets of base64, with encoding and decoding.
private enum Base64Code {
  case standard
  case url
  case either

  private var alphabet: [UInt8] {
    let last = self == .url ? "-_" : "+/"
    return Array(
      ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
  }

  func value(of character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character) + 4
    case UInt8(ascii: "+") where self != .url: 62
    case UInt8(ascii: "/") where self != .url: 63
    case UInt8(ascii: "-") where self != .standard: 62
    case UInt8(ascii: "_") where self != .standard: 63
    default: nil  // open: UInt8
    }
  }

  func encode(_ bytes: [UInt8], isPadded: Bool) -> [UInt8] {
    let count = isPadded ? (bytes.count + 2) / 3 * 4 : (bytes.count * 4 + 2) / 3
    let alphabet = alphabet
    return [UInt8](unsafeUninitializedCapacity: count) { output, written in
      for start in stride(from: 0, to: bytes.count, by: 3) {
        var bits = 0
        for place in start..<(start + 3) {
          bits = bits << 8 | (place < bytes.count ? Int(bytes[place]) : 0)
        }
        for part in 0..<4 where written < count {
          output[written] =
            part > bytes.count - start ? UInt8(ascii: "=") : alphabet[bits >> (18 - 6 * part) & 63]
          written += 1
        }
      }
    }
  }

  /// Decodes text without padding.
  ///
  /// - Returns: The bytes, and whether the text is their only encoding; nil if a character is not
  ///   in the alphabet.
  func decode(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], isExact: Bool)? {
    var bits = 0
    var count = 0
    var isValid = true
    let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { output, written in
      for character in text {
        guard let value = value(of: character) else {
          isValid = false
          return
        }
        bits = (bits << 6 | value) & 0xFFFF
        count += 6
        if count >= 8 {
          count -= 8
          output[written] = UInt8(truncatingIfNeeded: bits >> count)
          written += 1
        }
      }
    }
    return isValid ? (bytes, count < 6 && bits & (1 << count - 1) == 0) : nil
  }
}
