import BellhopTestSupport
import BellhopText
import TerminalReader
import Testing

@testable import BellhopScreen
@testable import BellhopTerminal

@Suite("Pictures on a terminal")
struct GraphicsTests {
  // MARK: - Capabilities

  private static let cell = PixelSize(width: 10, height: 20)

  /// The means known after some answers.
  private func means(
    _ environment: [String: String] = ["TERM": "xterm-256color"],
    _ choice: GraphicsChoice = .automatic, cell: PixelSize? = GraphicsTests.cell,
    _ answers: TerminalAnswer...
  ) -> PictureRendering? {
    var options = TerminalOptions(environment: environment)
    options.graphics = choice
    var inquiry = GraphicsInquiry(options: options)
    _ = inquiry.begin(cell: cell, at: .zero)
    for answer in answers { inquiry.take(answer, cell: cell) }
    return inquiry.means
  }

  private static let xterm = ["TERM": "xterm-256color"]

  @Test("the best reported capability is used, and characters without a report")
  func chosen() {
    let sixel = PictureRendering.pixels(.sixel, cell: Self.cell, colors: 256)
    let kitty = PictureRendering.pixels(.kitty, cell: Self.cell, colors: 256)
    let plain = TerminalAnswer.attributes([64, 1, 2])
    let able = TerminalAnswer.attributes([62, 4, 22])
    #expect(means(Self.xterm, .automatic, plain) == .cells)
    #expect(means(Self.xterm, .automatic, able) == sixel)
    #expect(means(Self.xterm, .automatic, .kittyGraphics(true), able) == kitty)
    #expect(means(Self.xterm, .automatic, .kittyGraphics(false), able) == sixel)
    #expect(
      means(Self.xterm, .automatic, .colorRegisters(16), able)
        == .pixels(.sixel, cell: Self.cell, colors: 16))
    // A device class of 4 does not mean sixels.
    #expect(means(Self.xterm, .automatic, .attributes([4, 6])) == .cells)
    // Without the size of a cell nothing can be placed.
    #expect(means(Self.xterm, .automatic, cell: nil, able) == .cells)
    let odd = PixelSize(width: 0, height: 9999)
    #expect(means(Self.xterm, .automatic, cell: nil, .cell(odd), able) == .cells)
    #expect(means(Self.xterm, .automatic, cell: nil, .cell(Self.cell), able) == sixel)
    // Nothing is known before the last answer.
    #expect(means(Self.xterm, .automatic, .kittyGraphics(true)) == nil)
  }

  @Test("the user's choice is used without a query")
  func forced() {
    let tmux = ["TERM": "tmux-256color", "TMUX": "/tmp/x"]
    let kitty = PictureRendering.pixels(.kitty, cell: Self.cell, colors: 256)
    #expect(means(tmux, .always(.kitty)) == kitty)
    #expect(means(tmux, .never) == .cells)
    #expect(
      means(tmux, .always(.sixel), .attributes([1]))
        == .pixels(.sixel, cell: Self.cell, colors: 256))
  }

  @Test(
    "terminals that would print the query, and multiplexers, are not queried",
    arguments: [
      ["TERM": "linux"], ["TERM": "tmux-256color"], ["TERM": "screen"],
      ["TERM": "xterm", "TMUX": "x"],
      ["TERM": "xterm", "STY": "1"], ["TERM": "xterm", "TERM_PROGRAM": "Apple_Terminal"],
      ["TERM": "xterm-256color", "NO_COLOR": "1"],
    ])
  func unasked(environment: [String: String]) {
    var inquiry = GraphicsInquiry(options: TerminalOptions(environment: environment))
    #expect(inquiry.begin(cell: Self.cell, at: .zero) == nil)
    #expect(inquiry.means == .cells && !inquiry.isAwaiting(at: .zero))
  }

  @Test("a silent terminal causes no further wait, and a late answer is still not a key")
  func silent() {
    var inquiry = GraphicsInquiry(options: TerminalOptions(environment: Self.xterm))
    #expect(inquiry.begin(cell: nil, at: .zero) != nil)
    #expect(inquiry.begin(cell: nil, at: .zero) == nil)
    #expect(inquiry.deadline == GraphicsInquiry.patience)
    var early = inquiry.expire(at: GraphicsInquiry.patience - .milliseconds(1))
    #expect(!early && inquiry.means == nil)
    early = inquiry.expire(at: GraphicsInquiry.patience)
    #expect(early && inquiry.means == .cells)
    #expect(inquiry.isAwaiting(at: .seconds(9)) && !inquiry.isAwaiting(at: .seconds(11)))
    inquiry.take(.attributes([62, 4]), cell: Self.cell)
    #expect(inquiry.means == .cells && !inquiry.isAwaiting(at: .seconds(9)))
  }

  @Test("a new size of the cells is used")
  func zoomed() {
    var inquiry = GraphicsInquiry(options: TerminalOptions(environment: Self.xterm))
    _ = inquiry.begin(cell: Self.cell, at: .zero)
    inquiry.take(.attributes([62, 4]), cell: Self.cell)
    let large = PixelSize(width: 20, height: 40)
    inquiry.cellChanged(large)
    #expect(inquiry.means == .pixels(.sixel, cell: large, colors: 256))
    inquiry.cellChanged(nil)
    #expect(inquiry.means == .pixels(.sixel, cell: large, colors: 256))
  }

  // MARK: - Answers

  @Test(
    "answers are parsed, and are never keys, however slowly they come",
    arguments: [
      ("\u{1B}_Gi=31;OK\u{1B}\\", TerminalAnswer.kittyGraphics(true)),
      ("\u{1B}_Gi=31;ENOTSUPPORTED:no\u{1B}\\", .kittyGraphics(false)),
      ("\u{1B}[?62;4;22c", .attributes([62, 4, 22])),
      ("\u{1B}[6;20;10t", .cell(PixelSize(width: 10, height: 20))),
      ("\u{1B}[?1;0;256S", .colorRegisters(256)),
    ])
  func answers(bytes: String, answer: TerminalAnswer) {
    for pause in [0, 100, 290] {
      var decoder = InputDecoder(escapeDelay: .milliseconds(25))
      decoder.awaitsAnswer = true
      var events: [TerminalEvent] = []
      var now = Duration.zero
      for byte in bytes.utf8 {
        if let deadline = decoder.deadline, deadline <= now { events += decoder.expire(at: now) }
        events += decoder.feed([byte], at: now)
        now += .milliseconds(pause)
      }
      #expect(decoder.answers == [answer] && events == [], "\(pause) ms apart")
    }
    // Without a query they mean nothing.
    var decoder = InputDecoder(escapeDelay: .milliseconds(25))
    #expect(decoder.feed(Array(bytes.utf8), at: .zero) == [] && decoder.answers == [])
  }

  @Test("Esc is a key while an answer is awaited, after a short delay")
  func escape() {
    var decoder = InputDecoder(escapeDelay: .milliseconds(25))
    decoder.awaitsAnswer = true
    #expect(decoder.feed([0x1B], at: .zero) == [])
    #expect(decoder.deadline == InputDecoder.continuationDelay)
    #expect(decoder.expire(at: InputDecoder.continuationDelay) == [.key(.escape)])
  }

  // MARK: - Placing

  private func picture(
    _ graphics: GraphicsProtocol, at place: Rect = Rect(x: 3, y: 2, width: 2, height: 2),
    _ level: UInt8 = 9
  ) throws -> FramePicture {
    let size = PixelSize(width: place.width * 10, height: place.height * 20)
    let bytes = (0..<size.count).flatMap { (pixel: Int) -> [UInt8] in
      [level, UInt8(pixel % 251), 0, 255]
    }
    let pixels = try #require(PixelImage(size: size, bytes: bytes))
    let image = try #require(TerminalImage(pixels, for: graphics, colors: 16))
    return FramePicture(image: image, place: place)
  }

  private static let screen = Size(width: 60, height: 20)

  @Test(
    "a picture is written once at its place, with the cursor restored, in allowed sequences",
    arguments: [GraphicsProtocol.kitty, .sixel])
  func placed(graphics: GraphicsProtocol) throws {
    var writer = PictureWriter()
    let large = try picture(graphics, at: Rect(x: 3, y: 2, width: 20, height: 10))
    var reader = VTReader(columns: 60, rows: 20)
    reader.read("\u{1B}[7;9H".utf8)
    reader.read(writer.place(large, on: Self.screen))
    #expect(reader.violations == [] && reader.cursor == (8, 6))
    let shown = try #require(reader.graphics.shown.first)
    #expect((shown.x, shown.y, shown.columns, shown.rows) == (3, 2, 20, 10))
    #expect((shown.width, shown.height) == (200, 200))
    #expect(writer.place(large, on: Self.screen).isEmpty && !writer.lacks(large))
    // Nothing is drawn on a screen that has become too small.
    var other = PictureWriter()
    #expect(other.place(large, on: Size(width: 60, height: 11)).isEmpty)
    #expect(other.lacks(large))
  }

  @Test("a picture that left the frame is removed, by number or with its cells")
  func removed() throws {
    for graphics in [GraphicsProtocol.kitty, .sixel] {
      var writer = PictureWriter()
      let first = try picture(graphics)
      var reader = VTReader(columns: 60, rows: 20)
      reader.read(writer.place(first, on: Self.screen))
      #expect(writer.remove(before: first, isWhole: false) == PictureWriter.Removal())
      let removal = writer.remove(before: nil, isWhole: false)
      #expect(removal.rows == (graphics == .sixel ? 2..<4 : nil))
      #expect(removal.bytes.isEmpty == (graphics == .sixel))
      reader.read(removal.bytes.utf8)
      if graphics == .kitty { #expect(reader.graphics.shown == []) }
      #expect(reader.violations == [] && writer.placed == nil)
      #expect(writer.remove(before: nil, isWhole: true) == PictureWriter.Removal())
      // Another picture, or a full repaint.
      _ = writer.place(first, on: Self.screen)
      #expect(writer.remove(before: try picture(graphics, 7 as UInt8), isWhole: false) != .init())
      _ = writer.place(first, on: Self.screen)
      #expect(writer.remove(before: first, isWhole: true) != .init())
      #expect(writer.lacks(first))
    }
  }

  @Test("sixels with overwritten cells are drawn again; kitty's picture is above the cells")
  func overwritten() throws {
    for graphics in [GraphicsProtocol.kitty, .sixel] {
      var writer = PictureWriter()
      let first = try picture(graphics)
      _ = writer.place(first, on: Self.screen)
      for row in [0, 1, 4, 19] { writer.overwrote(row: row) }
      #expect(!writer.lacks(first))
      writer.overwrote(row: 3)
      #expect(writer.lacks(first) == (graphics == .sixel))
    }
  }

  @Test("a picture that is not wholly on the canvas is not in the frame")
  func canvas() throws {
    let one = try picture(.kitty).image
    var canvas = Canvas(size: Size(width: 10, height: 4))
    canvas.put("xxxxxxxxxx", at: Point(x: 0, y: 2))
    for place in [(9, 1), (-1, 1), (3, 3)] {
      canvas.show(one, in: Rect(x: place.0, y: place.1, width: 2, height: 2))
    }
    #expect(canvas.frame.picture == nil && canvas.frame.glyphs.contains("xxxxxxxxxx"))
    canvas.show(one, in: Rect(x: 3, y: 1, width: 2, height: 2))
    #expect(canvas.frame.picture?.place == Rect(x: 3, y: 1, width: 2, height: 2))
    #expect(canvas.frame.glyphs.contains("xxx  xxxxx"))
    let lines = canvas.frame.roles.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[1] == "   ##" && lines[2].dropFirst(3).hasPrefix("##"))
  }

  // MARK: - Strict reading

  @Test(
    "the strict reader refuses every other form",
    arguments: [
      "\u{1B}_x\u{1B}\\", "\u{1B}_Ga=T,f=100,s=1,v=1,i=1,c=1,r=1,C=1,q=2,m=0;AAAA\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1,i=1,c=1,r=1,C=1,q=2,m=0;AAAAAAAA\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1,i=1,c=1,r=1,C=0,q=2,m=0;AAAA\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1,i=1,c=1,r=1,C=1,m=0;AAAA\u{1B}\\",
      "\u{1B}_Ga=T,f=24,s=1,v=1,i=1,c=99,r=1,C=1,q=2,m=0;AAAA\u{1B}\\",
      "\u{1B}_Ga=T,t=f,f=24,s=1,v=1,i=1,c=1,r=1,C=1,q=2,m=0;AAAA\u{1B}\\",
      "\u{1B}_Ga=d,d=A,q=2\u{1B}\\", "\u{1B}_Gq=2,m=0;AAAA\u{1B}\\", "\u{1B}Pq#0~\u{1B}\\",
      "\u{1B}P0;1;0q#0~\u{1B}\\", "\u{1B}P0;1;0q\"1;1;1;6~\u{1B}\\",
      "\u{1B}P0;1;0q\"1;1;1;6#0;2;0;0;0#0~~\u{1B}\\",
      "\u{1B}P0;1;0q\"1;1;1;5#0;2;0;0;0#0~\u{1B}\\",
      "\u{1B}P0;1;0q\"1;1;1;6#0;2;0;0;0#0 ~\u{1B}\\",
      "\u{1B}P0;1;0q\"1;1;999;6#0;2;0;0;0#0~\u{1B}\\",
    ])
  func promise(bytes: String) {
    var reader = VTReader(columns: 60, rows: 20)
    reader.read(bytes.utf8)
    #expect(!reader.violations.isEmpty && reader.graphics.shown == [])
  }
}
