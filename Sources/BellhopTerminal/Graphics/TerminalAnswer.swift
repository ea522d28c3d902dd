import BellhopScreen

/// The terminal's answer to a query, or a report that it sends unasked.
enum TerminalAnswer: Hashable, Sendable {
  /// The answer to a query of kitty's graphics protocol: whether the terminal supports it.
  case kittyGraphics(Bool)
  /// Primary device attributes (DA1); 4 stands for sixel graphics.
  case attributes([Int])
  /// The size of a cell (xterm's window operation 16).
  case cell(PixelSize)
  /// The number of colours that sixels may use (xterm's XTSMGRAPHICS 1).
  case colorRegisters(Int)
  /// The background colour, in answer to OSC 11.
  case background(Color)
  /// The report of mode 2031: whether the terminal is now light.
  case colorScheme(isLight: Bool)

  /// Whether the answer is accepted at any time, late or without a query.
  var isAcceptedLate: Bool {
    switch self {
    case .background, .colorScheme: true
    case .kittyGraphics, .attributes, .cell, .colorRegisters: false
    }
  }

  /// The number that identifies the answer in kitty's protocol.
  static let queryNumber = 31

  /// Parses a control sequence; nil if it is not one of these answers.
  init?(final: UInt8, parameters: ArraySlice<UInt8>) {
    let isPrivate = parameters.first == UInt8(ascii: "?")
    let numbers = EscapeSequence.numbers(in: isPrivate ? parameters.dropFirst() : parameters)
    switch (final, isPrivate) {
    case (UInt8(ascii: "c"), true): self = .attributes(numbers)
    case (UInt8(ascii: "t"), false) where numbers.count == 3 && numbers[0] == 6:
      self = .cell(PixelSize(width: numbers[2], height: numbers[1]))
    case (UInt8(ascii: "S"), true) where numbers.count == 3 && numbers[..<2] == [1, 0]:
      self = .colorRegisters(numbers[2])
    case (UInt8(ascii: "n"), true) where numbers == [997, 1]: self = .colorScheme(isLight: false)
    case (UInt8(ascii: "n"), true) where numbers == [997, 2]: self = .colorScheme(isLight: true)
    default: return nil  // open: (UInt8, Bool)
    }
  }

  /// Parses a complete string sequence, from its escape byte to its end.
  init?(string bytes: [UInt8]) {
    if bytes.starts(with: Self.backgroundHead) {
      let body = bytes.dropFirst(Self.backgroundHead.count - "rgb".count)
        .dropLast(bytes.last == Byte.bell ? 1 : 2)
      guard let color = Color(xcolor: String(decoding: body, as: UTF8.self)) else { return nil }
      self = .background(color)
      return
    }
    guard bytes.last != Byte.bell else { return nil }
    let head = Array("\u{1B}_G".utf8)
    guard bytes.starts(with: head) else { return nil }
    let parts = bytes.dropFirst(head.count).dropLast(2)
      .split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
    let keys = parts[0].split(separator: UInt8(ascii: ","))
    guard parts.count == 2, keys.contains(where: { $0.elementsEqual("i=\(Self.queryNumber)".utf8) })
    else { return nil }
    self = .kittyGraphics(parts[1].elementsEqual("OK".utf8))
  }

  private static let backgroundHead = Array("\u{1B}]11;rgb".utf8)
  /// The most bytes after the head: four components of four digits, the separators and the end.
  private static let backgroundBytesMax = 24

  /// Whether bytes can be the start of an answer to the background query.
  static func mayBecomeBackground(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > backgroundHead.count else { return backgroundHead.starts(with: bytes) }
    let rest = bytes.dropFirst(backgroundHead.count)
    return bytes.starts(with: backgroundHead) && rest.count <= backgroundBytesMax
      && rest.allSatisfy { byte in
        Character(Unicode.Scalar(byte)).isHexDigit || ":/\u{07}\u{1B}\\".utf8.contains(byte)
      }
  }
}

extension Color {
  /// Parses `rgb:R/G/B` or `rgba:R/G/B/A`, with one to four hexadecimal digits per component.
  ///
  /// See X11, XParseColor, "RGB Device String Specification".
  init?(xcolor text: String) {
    let halves = text.split(separator: ":", omittingEmptySubsequences: false)
    guard halves.count == 2, halves[0] == "rgb" || halves[0] == "rgba" else { return nil }
    let digits = halves[1].split(separator: "/", omittingEmptySubsequences: false)
    guard digits.count == (halves[0] == "rgb" ? 3 : 4) else { return nil }
    let parts = digits.compactMap { part -> UInt8? in
      guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
        let value = Int(part, radix: 16)
      else { return nil }
      let most = 1 << (4 * part.utf8.count) - 1
      return UInt8((value * 255 + most / 2) / most)
    }
    guard parts.count == digits.count else { return nil }
    self = .rgb(red: parts[0], green: parts[1], blue: parts[2])
  }
}
