import CNcurses
import Testing

@testable import BellhopScreen
@testable import BellhopTerminal

@Suite("Blanks between words")
struct BlankStyleTests {
  /// 0 plain, 1 bold, 2 blue, 3 on blue, 4 bold on blue, 5 underlined, 6 reversed.
  private static let styles: [ResolvedStyle] = [
    style(), style(isBold: true), style(foreground: .palette(4)), style(background: .palette(4)),
    style(background: .palette(4), isBold: true), style(isUnderlined: true),
    style(isReversed: true),
  ]

  private static func style(
    foreground: Color? = nil, background: Color? = nil, isBold: Bool = false,
    isUnderlined: Bool = false, isReversed: Bool = false
  ) -> ResolvedStyle {
    ResolvedStyle(
      foreground: foreground, background: background, isBold: isBold, isItalic: false,
      isUnderlined: isUnderlined, isReversed: isReversed)
  }

  private static var blanks: BlankStyles {
    var blanks = BlankStyles()
    for style in styles { blanks.add(style) }
    return blanks
  }

  /// The styles of the cells behind `join`; 9 stands for colours of a cell's own.
  private func joined(_ text: String, _ styles: String) -> String {
    var row = zip(text.utf8, styles).map { character, style in
      var cluster = cn_cluster()
      (cluster.count, cluster.width, cluster.scalars.0) = (1, 1, Int32(character))
      cluster.style = style == "9" ? UInt8(cn_painted) : UInt8(String(style)) ?? 0
      return cluster
    }
    Self.blanks.join(&row)
    return row.map { $0.style == UInt8(cn_painted) ? "9" : String($0.style) }.joined()
  }

  @Test("a gap goes on in the style before it, or in the next, when its ground is the same")
  func joins() {
    #expect(joined("ab cd", "11022") == "11122")
    #expect(joined("ab    cd", "11000022") == "11111122")
    // Underlined before it: nothing of that may be drawn on.
    #expect(joined("ab cd", "55022") == "55222")
    #expect(joined("ab cd", "44322") == "44422")
  }

  @Test(
    "a gap stays as it is where it would look otherwise, be no shorter to write, or is a long one",
    arguments: [
      ("ab cd", "55066"), ("ab cd", "33044"), ("ab cd", "00011"), ("ab cd", "11000"),
      ("ab     cd", "110000022"), (" ab", "011"), ("ab ", "110"), ("ab  cd", "110322"),
      ("ab cd", "11922"), ("ab cd", "99055"),
    ])
  func stays(text: String, styles: String) {
    #expect(joined(text, styles) == styles)
  }
}
