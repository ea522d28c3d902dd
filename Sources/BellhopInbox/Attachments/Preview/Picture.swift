package import BellhopScreen
import BellhopText

/// A picture made of coloured characters, strictly parsed from another program's output.
package struct Picture: Hashable, Sendable {
  /// Neighbouring cells with the same colours.
  struct Run: Hashable, Sendable {
    var text: SafeText
    var paint: Paint
  }

  /// The runs of each row.
  private(set) var rows: [[Run]] = []
  private(set) var size = Size(width: 0, height: 0)

  /// The maximum size requested, regardless of the screen: all output has to be parsed before
  /// drawing.
  package static let sizeMax = Size(width: 240, height: 80)
}

/// The reason why the output of a program is not a valid picture.
package enum PictureError: Error, Hashable, Sendable {
  /// A byte or a sequence that is not allowed in a picture.
  case foreign(offset: Int)
  /// More rows or columns than requested.
  case tooLarge
  case empty
}

extension Picture {
  /// Parses lines of printable ASCII and block elements, with SGR colours (ECMA-48, 8.3.117).
  ///
  /// Rejects anything else: the bytes are as untrusted as the file that they were made from.
  ///
  /// - Throws: ``PictureError``.
  package init(drawn bytes: [UInt8], within limit: Size) throws(PictureError) {
    var reader = PictureReader(limit: limit)
    var index = 0
    while index < bytes.count {
      index += try reader.take(bytes[index...])
    }
    self = try reader.finish()
  }

  fileprivate init(rows: [[Run]], width: Int) {
    self.rows = rows
    size = Size(width: width, height: rows.count)
  }
}

/// Parses the output of a program that draws pictures, piece by piece.
private struct PictureReader {
  let limit: Size
  private var rows: [[Picture.Run]] = []
  private var row: [Picture.Run] = []
  private var text = ""
  private var paint = Paint()
  private var column = 0
  private var width = 0
  private var offset = 0

  /// The maximum length of SGR parameters; two colours of the palette need 17 bytes.
  private static let parametersBytesMax = 32

  init(limit: Size) { self.limit = limit }

  /// Parses the next piece.
  ///
  /// - Returns: The number of bytes parsed; at least one.
  mutating func take(_ rest: ArraySlice<UInt8>) throws(PictureError) -> Int {
    offset = rest.startIndex
    switch rest.first {
    case UInt8(ascii: "\n")?:
      try endRow()
      return 1
    case 0x1B?: return try rendition(rest)
    case let byte? where byte >= 0x20 && byte < 0x7F:
      try put(Unicode.Scalar(byte))
      return 1
    case 0xE2?:
      // U+2580…259F, block elements.
      let bytes = Array(rest.prefix(3))
      guard bytes.count == 3, bytes[1] == 0x96, (0x80...0x9F).contains(bytes[2]),
        let scalar = Unicode.Scalar(0x2580 + UInt32(bytes[2] - 0x80))
      else { throw .foreign(offset: offset) }
      try put(scalar)
      return 3
    default: throw .foreign(offset: offset)  // open: UInt8
    }
  }

  mutating func finish() throws(PictureError) -> Picture {
    if column > 0 { try endRow() }
    guard width > 0 else { throw .empty }
    return Picture(rows: rows, width: width)
  }

  private mutating func put(_ scalar: Unicode.Scalar) throws(PictureError) {
    guard column < limit.width, rows.count < limit.height else { throw .tooLarge }
    text.unicodeScalars.append(scalar)
    column += 1
  }

  private mutating func endRow() throws(PictureError) {
    guard rows.count < limit.height else { throw .tooLarge }
    endRun()
    rows.append(row)
    width = max(width, column)
    (row, column) = ([], 0)
  }

  private mutating func endRun() {
    guard !text.isEmpty else { return }
    row.append(Picture.Run(text: SafeText(text), paint: paint))
    text = ""
  }

  // MARK: - Colours

  /// Parses `ESC [ numbers m`; rejects any other sequence.
  private mutating func rendition(_ rest: ArraySlice<UInt8>) throws(PictureError) -> Int {
    let parameters = rest.dropFirst(2).prefix(Self.parametersBytesMax).prefix {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ";")
    }
    guard rest.dropFirst().first == UInt8(ascii: "["), parameters.endIndex < rest.endIndex,
      rest[parameters.endIndex] == UInt8(ascii: "m")
    else { throw .foreign(offset: offset) }
    var numbers: [Int] = []
    for part in parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      guard part.count <= 3 else { throw .foreign(offset: offset) }
      numbers.append(part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
    }
    var next = paint
    try apply(numbers, to: &next)
    if next != paint {
      endRun()
      paint = next
    }
    return parameters.endIndex + 1 - rest.startIndex
  }

  private func apply(_ numbers: [Int], to paint: inout Paint) throws(PictureError) {
    var rest = numbers[...]
    while let number = rest.popFirst() {
      switch number {
      case 0: paint = Paint()
      case 1: paint.isBold = true
      case 22: paint.isBold = false
      case 7: paint.isReversed = true
      case 27: paint.isReversed = false
      case 30...37: paint.foreground = UInt8(number - 30)
      case 90...97: paint.foreground = UInt8(number - 82)
      case 39: paint.foreground = nil
      case 40...47: paint.background = UInt8(number - 40)
      case 100...107: paint.background = UInt8(number - 92)
      case 49: paint.background = nil
      case 38: paint.foreground = try indexed(&rest)
      case 48: paint.background = try indexed(&rest)
      default: throw .foreign(offset: offset)  // open: Int
      }
    }
  }

  /// Parses `5;n`, a palette index. RGB colours are not requested.
  private func indexed(_ rest: inout ArraySlice<Int>) throws(PictureError) -> UInt8 {
    guard rest.popFirst() == 5, let number = rest.popFirst(), let index = UInt8(exactly: number)
    else { throw .foreign(offset: offset) }
    return index
  }
}
