/// The code that a device shows and a user types on another device (RFC 8628 §6.1).
///
/// Its eight consonants spell no words, and no two of them look alike. It has 34 bits, which are
/// enough for ten minutes because guesses are limited (§5.1).
package struct UserCode: Hashable, Sendable, CustomStringConvertible {
  static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  package static let length = 8

  /// The letters of the code, without the dash.
  let letters: [UInt8]

  /// Creates a code from random bytes, and skips bytes that would make some letters likelier.
  package init(random: () -> [UInt8]) {
    var letters: [UInt8] = []
    let fair = 256 - 256 % Self.alphabet.count
    while letters.count < Self.length {
      for byte in random() where Int(byte) < fair && letters.count < Self.length {
        letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
      }
    }
    self.letters = letters
  }

  /// Parses a typed code, in any case and with dashes and spaces anywhere. Nil if it is not valid.
  package init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let letters = text.uppercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != 0x20 }
    guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else {
      return nil
    }
    self.letters = Array(letters)
  }

  /// The code with its dash: `BCDF-GHJK`.
  package var description: String {
    String(decoding: letters[..<4] + [UInt8(ascii: "-")] + letters[4...], as: UTF8.self)
  }
}
