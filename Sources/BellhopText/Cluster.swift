/// The contents of one terminal cell, or of two neighbouring cells.
///
/// One spacing character and at most four combining ones. Cells of ncurses and tmux hold the same,
/// so they never cut or measure a cluster differently.
package struct Cluster: Hashable, Sendable {
  package let glyph: Glyph
  /// The width in cells: 1 or 2.
  package let width: Int

  /// One spacing scalar and its combining scalars; never a control character.
  package var text: String { glyph.text }

  /// A blank cell.
  package static let space = Cluster(glyph: .space, width: 1)
}

/// The scalars of one cluster, packed into two words.
///
/// Makes a screen of cells plain memory, which is copied, compared and released without visiting
/// each cell.
package struct Glyph: Hashable, Sendable {
  /// The first three scalars, 21 bits each, with the first one in the lowest bits.
  private var low: UInt64
  private var high: UInt64

  private static let bits: UInt64 = 21
  private static let mask: UInt64 = (1 << bits) - 1

  /// No glyph: the second half of a wide character.
  package static let none = Glyph(low: 0)
  package static let space = Glyph(ascii: 0x20)

  private init(low: UInt64) {
    self.low = low
    high = 0
  }

  /// Creates a glyph from an ASCII character, which must be printable.
  package init(ascii: UInt8) { self.init(low: UInt64(ascii)) }

  /// Creates a glyph from the first scalar of a cluster, which must be a spacing one.
  package init(_ scalar: Unicode.Scalar) { self.init(low: UInt64(scalar.value)) }

  /// Adds a combining scalar, unless there are four already.
  mutating func append(_ mark: Unicode.Scalar) {
    let value = UInt64(mark.value)
    switch count {
    case 0, 1, 2: low |= value << (Self.bits * UInt64(count))
    case 3: high = value
    case 4: high |= value << Self.bits
    default: break  // open: Int
    }
  }

  package var isNone: Bool { low == 0 }

  /// The ASCII byte, if the glyph is a single ASCII character.
  package var ascii: UInt8? { low < 0x80 && low > 0 ? UInt8(truncatingIfNeeded: low) : nil }

  /// The number of scalars, at most 5.
  package var count: Int {
    if high != 0 { return high >> Self.bits != 0 ? 5 : 4 }
    return (UInt64.bitWidth - low.leadingZeroBitCount + Int(Self.bits) - 1) / Int(Self.bits)
  }

  /// The scalar at a position in 0..<`count`.
  package subscript(place: Int) -> Unicode.Scalar {
    let word = place < 3 ? low : high
    let value = word >> (Self.bits * UInt64(place % 3)) & Self.mask
    return Unicode.Scalar(UInt32(truncatingIfNeeded: value)) ?? "\u{FFFD}"
  }

  package var text: String {
    var text = ""
    for place in 0..<count { text.unicodeScalars.append(self[place]) }
    return text
  }
}
