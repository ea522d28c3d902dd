/// A scanner that splits text into the tokens that searches compare.
///
/// Words are runs of letters, digits and marks, with case and diacritics folded. Scripts written
/// without spaces (Han, Kana, Thai, Lao, Khmer, Burmese) yield one token per character, so that a
/// query matches inside a longer run as a phrase. Symbols such as emoji do too.
package struct TokenScanner {
  /// The number of bytes at which longer words are cut, in both index and query.
  ///
  /// Users do not type more than that of an encoded blob.
  package static let tokenBytesMax = 64

  private var token: [UInt8] = []
  private var start = 0
  private var end = 0

  package init() { token.reserveCapacity(Self.tokenBytesMax + 16) }

  /// Calls `emit` for each token until it returns false.
  ///
  /// `emit` receives the token's folded UTF-8 bytes, its range in `text`, and whether it is a
  /// single character.
  ///
  /// - Returns: Whether the scan reached the end of the text.
  package mutating func scan(
    _ text: UnsafeBufferPointer<UInt8>,
    _ emit: (_ token: [UInt8], _ range: Range<Int>, _ isSingle: Bool) -> Bool
  ) -> Bool {
    token.removeAll(keepingCapacity: true)
    var position = 0
    while position < text.count {
      let byte = text[position]
      if byte < 0x80 {
        if let folded = Self.foldedASCII(byte) {
          if token.isEmpty { start = position }
          if token.count < Self.tokenBytesMax { token.append(folded) }
          end = position + 1
        } else if !flush(emit) {
          return false
        }
        position += 1
        continue
      }
      let (scalar, length) = Self.decode(text, at: position)
      guard take(scalar, at: position, length: length, emit) else { return false }
      position += length
    }
    return flush(emit)
  }

  /// Returns the tokens of `text` as strings, and whether each is a single character.
  package static func tokens(of text: String) -> [(text: String, isSingle: Bool)] {
    var tokens: [(String, Bool)] = []
    var scanner = TokenScanner()
    var text = text
    text.withUTF8 { bytes in
      _ = scanner.scan(bytes) { token, _, isSingle in
        tokens.append((String(decoding: token, as: UTF8.self), isSingle))
        return true
      }
    }
    return tokens
  }

  private mutating func take(
    _ scalar: Unicode.Scalar, at position: Int, length: Int,
    _ emit: ([UInt8], Range<Int>, Bool) -> Bool
  ) -> Bool {
    switch ScalarClass(scalar) {
    case .word:
      if token.isEmpty { start = position }
      if token.count < Self.tokenBytesMax { CharacterFolding.append(scalar, to: &token) }
      end = position + length
      return true
    case .ignored:
      if !token.isEmpty { end = position + length }
      return true
    case .single:
      guard flush(emit) else { return false }
      CharacterFolding.append(scalar, to: &token)
      start = position
      end = position + length
      return flush(emit, isSingle: true)
    case .separator:
      return flush(emit)
    }
  }

  private mutating func flush(
    _ emit: ([UInt8], Range<Int>, Bool) -> Bool, isSingle: Bool = false
  ) -> Bool {
    guard !token.isEmpty else { return true }
    defer { token.removeAll(keepingCapacity: true) }
    return emit(token, start..<end, isSingle)
  }

  private static func foldedASCII(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x61...0x7A, 0x30...0x39: byte
    case 0x41...0x5A: byte | 0x20
    default: nil  // open: UInt8
    }
  }

  /// Decodes the scalar at `position`; U+FFFD of length 1 where the bytes are not UTF-8.
  private static func decode(
    _ text: UnsafeBufferPointer<UInt8>, at position: Int
  ) -> (Unicode.Scalar, Int) {
    let first = text[position]
    let length: Int
    var value: UInt32
    switch first {
    case 0xC2...0xDF: (length, value) = (2, UInt32(first & 0x1F))
    case 0xE0...0xEF: (length, value) = (3, UInt32(first & 0x0F))
    case 0xF0...0xF4: (length, value) = (4, UInt32(first & 0x07))
    default: return ("\u{FFFD}", 1)  // open: UInt8
    }
    guard position + length <= text.count else { return ("\u{FFFD}", 1) }
    for index in position + 1..<position + length {
      guard text[index] & 0xC0 == 0x80 else { return ("\u{FFFD}", 1) }
      value = value << 6 | UInt32(text[index] & 0x3F)
    }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
  }
}

/// The role of a scalar in a search.
///
/// The scanner handles ASCII itself, in a faster way.
enum ScalarClass {
  case word
  /// A scalar that is a token by itself.
  case single
  /// A scalar that neither belongs to a word nor ends one: combining diacritics, joiners,
  /// selectors.
  case ignored
  case separator

  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0xAD, 0x300...0x36F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x200B...0x200F, 0x20D0...0x20FF,
      0xFE00...0xFE0F, 0xFEFF, 0x1F3FB...0x1F3FF, 0xE0000...0xE01EF:
      self = .ignored
    case 0x0E01...0x0E3A, 0x0E40...0x0E4E, 0x0E81...0x0ECE, 0x1000...0x103F, 0x1050...0x108F,
      0x1780...0x17D3, 0x3005...0x3007, 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA,
      0x30FC...0x30FF, 0x3105...0x312F, 0x31A0...0x31BF, 0x31F0...0x31FF, 0x3400...0x4DBF,
      0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x1B000...0x1B16F, 0x20000...0x3FFFD:
      self = .single
    default:  // open: UInt32
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark,
        .enclosingMark:
        self = .word
      case .otherSymbol: self = scalar == "\u{FFFD}" ? .separator : .single
      default: self = .separator  // open: Unicode.GeneralCategory
      }
    }
  }
}
