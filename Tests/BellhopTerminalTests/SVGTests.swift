import BellhopScreen
import BellhopText
import Testing

@Suite("Pictures of frames")
struct SVGTests {
  private static let styles: StyleSheet = {
    var styles = StyleSheet([
      .text: Style(foreground: .rgb(0xD0D0D0), background: .rgb(0x101010)),
      .error: Style(foreground: .rgb(0xFF8787), isBold: true),
      .link: Style(foreground: .rgb(0x5FD7D7), isUnderlined: true),
      .badge: Style(foreground: .rgb(0x5FAFFF), isReversed: true),
      .rule: Style(foreground: .rgb(0x4E4E4E)),
    ])
    styles.terminalBackground = .rgb(0x101010)
    return styles
  }()

  private func lines(width: Int, height: Int = 1, _ draw: (inout Canvas) -> Void) -> [Substring] {
    var canvas = Canvas(size: Size(width: width, height: height))
    draw(&canvas)
    return canvas.frame.svg(styles: Self.styles).split(separator: "\n")
  }

  private func texts(width: Int, _ draw: (inout Canvas) -> Void) -> [Substring] {
    lines(width: width, draw).filter { $0.hasPrefix("<text") }
  }

  @Test("characters of one style are one text with its own position and width")
  func runs() {
    let texts = texts(width: 20) {
      let next = $0.put("two words", at: Point(x: 1, y: 0))
      $0.put("bad", at: Point(x: 1 + next, y: 0), role: .error)
    }
    #expect(
      texts == [
        "<text x=\"21\" y=\"26\" textLength=\"81\" lengthAdjust=\"spacingAndGlyphs\" "
          + "fill=\"#d0d0d0\">two words</text>",
        "<text x=\"102\" y=\"26\" textLength=\"27\" lengthAdjust=\"spacingAndGlyphs\" "
          + "fill=\"#ff8787\" font-weight=\"bold\">bad</text>",
      ])
  }

  @Test("a wide character takes two cells, and every other character keeps its column")
  func wide() {
    let texts = texts(width: 20) { $0.put("a北é.", at: Point(x: 0, y: 0)) }
    let places = texts.map { $0.split(separator: " lengthAdjust")[0] }
    #expect(
      places == [
        "<text x=\"12\" y=\"26\" textLength=\"9\"", "<text x=\"21\" y=\"26\" textLength=\"18\"",
        "<text x=\"39\" y=\"26\" textLength=\"9\"", "<text x=\"48\" y=\"26\" textLength=\"9\"",
      ])
  }

  @Test("text is escaped")
  func escaping() {
    let texts = texts(width: 20) { $0.put("<a> & \"b\"", at: Point(x: 0, y: 0)) }
    #expect(texts.first?.hasSuffix(">&lt;a&gt; &amp; \"b\"</text>") == true)
    #expect(texts.count == 1)
  }

  @Test("a background that differs from the screen's is one rectangle, also a reversed one")
  func backgrounds() {
    let lines = lines(width: 20) { $0.put(" 5 ", at: Point(x: 2, y: 0), role: .badge) }
    #expect(
      lines.filter { $0.hasPrefix("<rect x=") } == [
        "<rect x=\"30\" y=\"12\" width=\"27\" height=\"19\" fill=\"#5fafff\"/>"
      ])
    #expect(lines.contains { $0.contains("x=\"39\"") && $0.contains("fill=\"#101010\">5</text>") })
  }

  @Test("rules are lines from edge to edge, and join")
  func rules() {
    let lines = lines(width: 3, height: 2) {
      $0.horizontalRule(Rect(x: 0, y: 0, width: 3, height: 1))
      $0.verticalRule(Rect(x: 1, y: 0, width: 1, height: 2))
    }
    #expect(
      lines.filter { $0.hasPrefix("<path") } == [
        "<path d=\"M25.5 21.5V31M12 21.5H39\" fill=\"none\" stroke=\"#4e4e4e\"/>",
        "<path d=\"M25.5 31V50\" fill=\"none\" stroke=\"#4e4e4e\"/>",
      ])
    #expect(!lines.contains { $0.contains("<text") })
  }

  @Test("blank cells draw nothing")
  func blanks() {
    #expect(lines(width: 20, height: 5) { _ in }.count == 3)
  }
}
