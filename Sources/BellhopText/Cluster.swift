/// What one cell, or two neighbouring cells, of a terminal show.
///
/// One spacing character and at most four combining ones: that is what a cell of ncurses and of
/// tmux holds, so nothing is cut or counted differently below.
package struct Cluster: Hashable, Sendable {
  package let glyph: Glyph
  /// Cells: 1 or 2.
  package let width: Int

  init(glyph: Glyph, width: Int) {
    self.glyph = glyph
    self.width = width
  }

  /// One spacing scalar and the combining scalars that belong to it; never a control character.
  package var text: String { glyph.text }

  /// A blank cell.
  package static let space = Cluster(glyph: .space, width: 1)
}

/// The scalars of one cluster in two words, so that a screen full of them is plain memory: copied,
/// compared and given up without a look at each.
package struct Glyph: Hashable, Sendable {
  /// A scalar takes 21 bits; the first three are in `low`, the lowest bits first.
  private var low: UInt64
  private var high: UInt64

  private static let bits: UInt64 = 21
  private static let mask: UInt64 = (1 << bits) - 1

  /// Nothing: the second half of a wide character.
  package static let none = Glyph(low: 0)
  package static let space = Glyph(ascii: 0x20)

  private init(low: UInt64) {
    self.low = low
    high = 0
  }

  /// A character of ASCII, which the caller knows to be printable.
  package init(ascii: UInt8) { self.init(low: UInt64(ascii)) }

  /// The first of a cluster, which the caller knows to be a spacing one.
  package init(_ scalar: Unicode.Scalar) { self.init(low: UInt64(scalar.value)) }

  /// Adds a combining scalar; what is beyond the fourth is left out.
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

  /// The byte, where it is one of ASCII alone.
  package var ascii: UInt8? { low < 0x80 && low > 0 ? UInt8(truncatingIfNeeded: low) : nil }

  /// How many scalars: at most 5.
  package var count: Int {
    if high != 0 { return high >> Self.bits != 0 ? 5 : 4 }
    return (UInt64.bitWidth - low.leadingZeroBitCount + Int(Self.bits) - 1) / Int(Self.bits)
  }

  /// The scalar at a place in 0..<`count`.
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
