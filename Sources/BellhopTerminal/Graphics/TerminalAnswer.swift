import BellhopScreen

/// What a terminal says to a question of ours.
enum TerminalAnswer: Hashable, Sendable {
  /// To the query of kitty's graphics protocol: whether it is there.
  case kittyGraphics(Bool)
  /// Primary device attributes (DA1): 4 is sixel graphics.
  case attributes([Int])
  /// xterm's window operation 16: the size of a cell.
  case cell(PixelSize)
  /// xterm's XTSMGRAPHICS 1: how many colours sixels may have.
  case colorRegisters(Int)

  /// The number by which the answer of kitty's protocol is known.
  static let queryNumber = 31

  /// A control sequence; nil for what is none of these.
  init?(final: UInt8, parameters: ArraySlice<UInt8>) {
    let isPrivate = parameters.first == UInt8(ascii: "?")
    let numbers = EscapeSequence.numbers(in: isPrivate ? parameters.dropFirst() : parameters)
    switch (final, isPrivate) {
    case (UInt8(ascii: "c"), true): self = .attributes(numbers)
    case (UInt8(ascii: "t"), false) where numbers.count == 3 && numbers[0] == 6:
      self = .cell(PixelSize(width: numbers[2], height: numbers[1]))
    case (UInt8(ascii: "S"), true) where numbers.count == 3 && numbers[..<2] == [1, 0]:
      self = .colorRegisters(numbers[2])
    default: return nil  // open: (UInt8, Bool)
    }
  }

  /// A whole string sequence, from its escape byte to its end.
  init?(string bytes: [UInt8]) {
    let head = Array("\u{1B}_G".utf8)
    guard bytes.starts(with: head) else { return nil }
    let parts = bytes.dropFirst(head.count).dropLast(2)
      .split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
    let keys = parts[0].split(separator: UInt8(ascii: ","))
    guard parts.count == 2, keys.contains(where: { $0.elementsEqual("i=\(Self.queryNumber)".utf8) })
    else { return nil }
    self = .kittyGraphics(parts[1].elementsEqual("OK".utf8))
  }
}
