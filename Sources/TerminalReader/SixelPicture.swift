/// A strict reader of sixels: the picture a terminal would draw, or the first violation.
package struct SixelPicture: Sendable {
  package private(set) var width = 0
  package private(set) var height = 0
  /// The colour number of each pixel, row by row; -1 where nothing is drawn.
  package private(set) var pixels: [Int] = []
  /// Red, green and blue in percent, by colour number.
  package private(set) var colors: [Int: [Int]] = [:]
  private var selected: Int?
  private var position = (x: 0, y: 0)

  /// The first part of the sixels that is not allowed.
  ///
  /// Allowed are raster attributes once at the start; colours 0 to 255 in percent, each defined
  /// before its use; repetitions; characters from `?` to `~`; `$` and `-`.
  package struct FormatError: Error, CustomStringConvertible {
    package var description: String
  }

  package static let pixelsMax = 4_000_000

  /// - Parameter body: The bytes between `q` and the end of the sequence.
  package init(_ body: [UInt8]) throws {
    var rest = body[...]
    try readRaster(&rest)
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "#"): try readColor(&rest)
      case UInt8(ascii: "!"):
        let count = try Self.number(&rest)
        guard let mark = rest.popFirst(), (0x3F...0x7E).contains(mark), count > 0 else {
          throw FormatError(description: "a repetition of nothing")
        }
        try draw(mark, count: count)
      case 0x3F...0x7E: try draw(byte, count: 1)
      case UInt8(ascii: "$"): position.x = 0
      case UInt8(ascii: "-"): position = (0, position.y + 6)
      default: throw FormatError(description: "byte \(byte) in sixels")  // open: UInt8
      }
    }
  }

  private static func number(_ rest: inout ArraySlice<UInt8>) throws -> Int {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty, digits.count <= 5 else { throw FormatError(description: "no number") }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
  }

  private static func numbers(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws -> [Int] {
    var numbers = [try number(&rest)]
    while numbers.count < count {
      guard rest.popFirst() == UInt8(ascii: ";") else {
        throw FormatError(description: "too few numbers")
      }
      numbers.append(try number(&rest))
    }
    return numbers
  }

  private mutating func readRaster(_ rest: inout ArraySlice<UInt8>) throws {
    guard rest.popFirst() == UInt8(ascii: "\"") else { throw FormatError(description: "no raster") }
    let raster = try Self.numbers(4, &rest)
    guard raster[..<2] == [1, 1], raster[2] > 0, raster[3] > 0,
      raster[2] * raster[3] <= Self.pixelsMax
    else { throw FormatError(description: "the raster \(raster)") }
    (width, height) = (raster[2], raster[3])
    pixels = Array(repeating: -1, count: width * height)
  }

  private mutating func readColor(_ rest: inout ArraySlice<UInt8>) throws {
    let index = try Self.number(&rest)
    guard index < 256 else { throw FormatError(description: "colour \(index)") }
    if rest.first == UInt8(ascii: ";") {
      rest = rest.dropFirst()
      let parts = try Self.numbers(4, &rest)
      guard parts[0] == 2, parts.dropFirst().allSatisfy({ $0 <= 100 }) else {
        throw FormatError(description: "the colour \(parts)")
      }
      colors[index] = Array(parts.dropFirst())
    } else {
      guard colors[index] != nil else {
        throw FormatError(description: "the unknown colour \(index)")
      }
      selected = index
    }
  }

  private mutating func draw(_ mark: UInt8, count: Int) throws {
    guard let selected else { throw FormatError(description: "a mark without a colour") }
    guard position.x + count <= width else {
      throw FormatError(description: "marks beyond the width")
    }
    for row in 0..<6 where (mark - 0x3F) >> UInt8(row) & 1 == 1 {
      guard position.y + row < height else {
        throw FormatError(description: "marks below the height")
      }
      for x in position.x..<(position.x + count) {
        pixels[(position.y + row) * width + x] = selected
      }
    }
    position.x += count
  }
}
