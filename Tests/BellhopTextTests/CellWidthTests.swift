import BellhopTestSupport
import BellhopText
import Testing

@Suite("Cells of a character")
struct CellWidthTests {
  @Test(
    "every scalar is as wide as in the C library",
    .enabled(if: SystemLibrary.version == "2.36", "the table is that of glibc 2.36"))
  func everyScalarAsInTheLibrary() {
    var different: [String] = []
    for (value, theirs) in SystemLibrary.cellWidths().enumerated() {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      let ours = CellWidth.of(scalar) ?? -1
      if ours != theirs { different.append("U+\(String(value, radix: 16)) \(ours) \(theirs)") }
    }
    #expect(different == [])
  }

  @Test(
    "known characters have known widths",
    arguments: [
      ("a", 1), ("~", 1), ("é", 1), ("\u{301}", 0), ("漢", 2), ("か", 2), ("한", 2), ("ｱ", 1),
      ("Ａ", 2), ("😀", 2), ("●", 1), ("‼", 1), ("▌", 1), ("│", 1), ("…", 1), ("☃", 1),
    ] as [(Unicode.Scalar, Int)])
  func knownWidths(scalar: Unicode.Scalar, width: Int) {
    #expect(CellWidth.of(scalar) == width)
  }

  @Test(
    "controls and unassigned code points have no width",
    arguments: ["\u{1B}", "\u{7F}", "\u{9B}", "\u{2028}", "\u{FFFF}"] as [Unicode.Scalar])
  func noWidth(scalar: Unicode.Scalar) {
    #expect(CellWidth.of(scalar) == nil)
  }
}
