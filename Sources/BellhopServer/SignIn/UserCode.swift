/// The code that a device shows and a person types on another: eight consonants, so that it spells
/// nothing and no two letters look alike (RFC 8628 §6.1). It has 34 bits, which the limit on
/// guesses makes enough for ten minutes (§5.1).
struct UserCode: Hashable, Sendable, CustomStringConvertible {
  static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  static let length = 8

  /// Letters of the alphabet, without the dash.
  private let letters: [UInt8]

  /// A code out of random bytes. Those that would make some letters likelier than others are
  /// passed over.
  init(random: () -> [UInt8]) {
    var letters: [UInt8] = []
    let fair = 256 - 256 % Self.alphabet.count
    while letters.count < Self.length {
      for byte in random() where Int(byte) < fair && letters.count < Self.length {
        letters.append(Self.alphabet[Int(byte) % Self.alphabet.count])
      }
    }
    self.letters = letters
  }

  /// The code as somebody typed it, in any case, with dashes and spaces anywhere or nowhere; nil
  /// for what no code can be.
  init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let letters = text.uppercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != 0x20 }
    guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else {
      return nil
    }
    self.letters = Array(letters)
  }

  /// `BCDF-GHJK`
  var description: String {
    String(decoding: letters[..<4] + [UInt8(ascii: "-")] + letters[4...], as: UTF8.self)
  }
}
