import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@Suite("Drawing on a canvas")
struct CanvasTests {
  private func canvas(_ width: Int, _ height: Int) -> Canvas {
    Canvas(size: Size(width: width, height: height))
  }

  @Test("text is drawn from a point and returns the cells it took")
  func text() {
    var canvas = canvas(12, 2)
    var x = canvas.put("漢字", at: Point(x: 1, y: 0), role: .unread)
    #expect(x == 4)
    x += canvas.put(" ok", at: Point(x: 1 + x, y: 0), role: .ok, selected: true)
    #expect(x == 7)
    #expect(canvas.frame.glyphs == " 漢字 ok\n")
    #expect(canvas.frame.roles == " uuuuKKK\n")
  }

  @Test("nothing is drawn outside the clip, and halves of wide characters are blanks")
  func clipping() {
    let clip = Rect(x: 2, y: 0, width: 4, height: 1)
    for (start, expected) in [(1, "## 字 ##"), (2, "##漢字##"), (3, "## 漢 ##"), (9, "##    ##")] {
      var canvas = canvas(8, 1)
      canvas.put("########", at: Point(x: 0, y: 0))
      canvas.fill(clip)
      canvas.put("漢字", at: Point(x: start, y: 0), in: clip)
      #expect(canvas.frame.glyphs == expected, "from column \(start)")
    }
    var canvas = canvas(4, 2)
    canvas.put("left", at: Point(x: -2, y: 0))
    canvas.put("above", at: Point(x: 0, y: -1))
    canvas.put("below", at: Point(x: 0, y: 2))
    #expect(canvas.frame.glyphs == "ft\n")
  }

  @Test("a picture's cells have their own colours until something else is drawn there")
  func painted() {
    var canvas = canvas(6, 1)
    canvas.put("▀▀▀▀", at: Point(x: 0, y: 0))
    canvas.paint(Rect(x: 1, y: -1, width: 9, height: 2), Paint(foreground: 9, background: 4))
    canvas.put("x", at: Point(x: 2, y: 0))
    #expect(canvas.frame.glyphs == "▀▀x▀")
    #expect(canvas.frame.roles == "tptppp")
    #expect(canvas.frame[1, 0].paint == Paint(foreground: 9, background: 4))
    #expect(canvas.frame[2, 0].paint == nil)
  }

  @Test(
    "a paint is drawn in the available colours",
    arguments: [
      (ColorDepth.monochrome, nil, nil), (.ansi8, .palette(1), .palette(4)),
      (.ansi16, .palette(9), .palette(4)), (.indexed256, .palette(196), .palette(4)),
      (.direct, .palette(196), .palette(4)),
    ] as [(ColorDepth, Color?, Color?)])
  func paints(depth: ColorDepth, foreground: Color?, background: Color?) {
    let paint = Paint(foreground: 196, background: 4, isBold: true)
    let style = paint.resolved(depth: depth)
    #expect(style.foreground == foreground && style.background == background && style.isBold)
    #expect(Paint(isReversed: true).resolved(depth: depth).foreground == nil)
  }

  @Test("a wide character that is half overwritten disappears whole")
  func overwriting() {
    for (column, expected) in [(0, "x 字"), (1, " x字"), (2, "漢x"), (3, "漢 x")] {
      var canvas = canvas(4, 1)
      canvas.put("漢字", at: Point(x: 0, y: 0))
      canvas.put("x", at: Point(x: column, y: 0))
      #expect(canvas.frame.glyphs == expected)
    }
    var canvas = canvas(4, 1)
    canvas.put("漢字", at: Point(x: 0, y: 0))
    canvas.put("か", at: Point(x: 1, y: 0))
    #expect(canvas.frame.glyphs == " か")
  }

  @Test("lines join where they meet")
  func rules() {
    var canvas = canvas(9, 5)
    canvas.horizontalRule(Rect(x: 0, y: 0, width: 9, height: 1))
    canvas.verticalRule(Rect(x: 4, y: 0, width: 1, height: 5))
    canvas.horizontalRule(Rect(x: 0, y: 2, width: 5, height: 1))
    canvas.horizontalRule(Rect(x: 4, y: 3, width: 5, height: 1))
    canvas.horizontalRule(Rect(x: 0, y: 4, width: 9, height: 1))
    #expect(canvas.frame.glyphs == "────┬────\n    │\n────┤\n    ├────\n────┴────")
    canvas.put("x", at: Point(x: 4, y: 1))
    canvas.horizontalRule(Rect(x: 3, y: 1, width: 3, height: 1))
    #expect(canvas.frame.glyphs.split(separator: "\n")[1] == "   ───")
  }

  @Test("selecting keeps the drawn content")
  func selecting() {
    var canvas = canvas(4, 1)
    canvas.put("ab", at: Point(x: 0, y: 0), role: .dim)
    canvas.select(Rect(x: 1, y: 0, width: 9, height: 9))
    #expect(canvas.frame.roles == "dDTT")
    #expect(canvas.frame.glyphs == "ab")
  }

  @Test("a cursor outside the screen is hidden")
  func cursor() {
    var canvas = canvas(2, 2)
    canvas.cursor = Point(x: 1, y: 1)
    #expect(canvas.frame.cursor == Point(x: 1, y: 1))
    canvas.cursor = Point(x: 2, y: 1)
    #expect(canvas.frame.cursor == nil)
  }

  @Test("any drawing stays inside the frame, with wide characters whole")
  func random() {
    let seed = UInt64.random(in: 0 ... .max)
    print("CanvasTests.random seed \(seed)")
    var random = SeededRandom(seed: seed)
    for _ in 0..<3_000 {
      let size = Size(
        width: Int.random(in: 0...12, using: &random), height: Int.random(in: 0...4, using: &random)
      )
      var canvas = Canvas(size: size)
      for _ in 0..<8 { scribble(&canvas, &random) }
      let clip = randomRect(&random)
      let before = canvas.frame
      canvas.put(SafeText(randomText(&random)), at: randomPoint(&random), in: clip, role: .error)
      let frame = canvas.frame
      if let problem = problem(in: frame) ?? leak(from: before, to: frame, clip: clip) {
        Issue.record("\(problem), seed \(seed)\n\(before.glyphs)\nthen\n\(frame.glyphs)")
        return
      }
    }
  }

  private func scribble(_ canvas: inout Canvas, _ random: inout SeededRandom) {
    let rect = randomRect(&random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: canvas.fill(rect, role: .badge)
    case 1: canvas.horizontalRule(rect)
    case 2: canvas.verticalRule(rect)
    case 3: canvas.select(rect)
    default: canvas.put(SafeText(randomText(&random)), at: randomPoint(&random), in: rect)
    }
  }

  private func problem(in frame: Frame) -> String? {
    for y in 0..<frame.size.height {
      let row = Array(frame.row(y))
      if row.count != frame.size.width { return "row \(y) has \(row.count) cells" }
      for (x, cell) in row.enumerated() {
        let width = SafeText(cell.text).width
        let next = x + 1 < row.count ? row[x + 1] : nil
        if width > 2 { return "cell \(x),\(y) is too wide" }
        if (width == 2) != (next?.isContinuation == true) { return "cell \(x),\(y) is halved" }
        if x == 0, cell.isContinuation { return "row \(y) begins with half a character" }
      }
    }
    return nil
  }

  /// The leaks outside the clip, where only the other halves of wide characters may change, to
  /// blanks.
  private func leak(from before: Frame, to after: Frame, clip: Rect) -> String? {
    for y in 0..<after.size.height {
      for x in 0..<after.size.width where !clip.contains(Point(x: x, y: y)) {
        let old = before[x, y]
        let new = after[x, y]
        if old != new, new.text != " " || new.role != old.role { return "cell \(x),\(y) leaked" }
      }
    }
    return nil
  }

  private func randomText(_ random: inout SeededRandom) -> String {
    let pieces = ["a", "bc", "漢", "か", "e\u{301}", "👩‍👩‍👧", "🇩🇪", "\u{1B}[2J", "한", " ", "ש"]
    return (0..<Int.random(in: 0...6, using: &random)).map { _ in
      pieces.randomElement(using: &random) ?? ""
    }.joined()
  }

  private func randomPoint(_ random: inout SeededRandom) -> Point {
    Point(x: Int.random(in: -4...14, using: &random), y: Int.random(in: -1...4, using: &random))
  }

  private func randomRect(_ random: inout SeededRandom) -> Rect {
    Rect(
      x: Int.random(in: -3...12, using: &random), y: Int.random(in: -2...4, using: &random),
      width: Int.random(in: 0...14, using: &random), height: Int.random(in: 0...5, using: &random))
  }
}

@Suite("Rectangles")
struct RectTests {
  @Test("splits share all cells and never exceed the available space")
  func splits() {
    let rect = Rect(x: 2, y: 3, width: 10, height: 4)
    #expect(rect.splitTop(1).top == Rect(x: 2, y: 3, width: 10, height: 1))
    #expect(rect.splitTop(1).rest == Rect(x: 2, y: 4, width: 10, height: 3))
    #expect(rect.splitBottom(9).rest.isEmpty)
    #expect(rect.splitLeft(4).rest == Rect(x: 6, y: 3, width: 6, height: 4))
    #expect(rect.splitLeft(-1).left.isEmpty)
    #expect(rect.inset(left: 6, right: 6).isEmpty)
    #expect(rect.centered(Size(width: 4, height: 9)) == Rect(x: 5, y: 3, width: 4, height: 4))
    #expect(rect.row(3) == Rect(x: 2, y: 6, width: 10, height: 1))
    #expect(rect.row(4).isEmpty)
  }

  @Test("disjoint rectangles have an empty intersection")
  func intersections() {
    let rect = Rect(x: 0, y: 0, width: 4, height: 4)
    #expect(rect.intersection(Rect(x: 2, y: 2, width: 9, height: 1)).size.width == 2)
    #expect(rect.intersection(Rect(x: 9, y: 9, width: 2, height: 2)).isEmpty)
  }
}
