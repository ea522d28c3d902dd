import BellhopScreen
import BellhopTerminal
import BellhopTestSupport
import BellhopText
import Glibc
import TerminalReader
import Testing

/// The part of ``TerminalChild`` that shows a picture.
///
/// `g` queries the terminal's capabilities, `p` shows or removes the picture, `m` moves it, and `F`
/// forgets what is there.
struct PictureChild {
  static let place = Rect(x: 4, y: 3, width: 8, height: 4)
  private static let cell = PixelSize(width: 10, height: 20)

  func play(on terminal: NcursesTerminal) throws {
    var said = "ready"
    var graphics: GraphicsProtocol?
    var isShown = false
    var place = Self.place
    while true {
      var canvas = Canvas(size: terminal.size)
      canvas.put(SafeText(said), at: Point(x: 0, y: 0))
      for y in 1..<max(1, terminal.size.height) {
        canvas.put("|", at: Point(x: 20, y: y))
      }
      if isShown, let image = graphics.flatMap(image) { canvas.show(image, in: place) }
      try terminal.present(canvas.frame)
      for event in terminal.wait(timeout: nil) {
        said = TerminalChild.name(of: event)
        switch event {
        case .graphics(.pixels(let known, _, _)): graphics = known
        case .key(.character("g")): terminal.askGraphics()
        case .key(.character("p")): isShown.toggle()
        case .key(.character("m")): place.x = place.x == 4 ? 30 : 4
        case .key(.character("F")): terminal.forget()
        case .key(.character("q")), .terminate, .inputClosed: return terminal.close()
        default: break
        }
      }
    }
  }

  private func image(_ graphics: GraphicsProtocol) -> TerminalImage? {
    let size = PixelSize(
      width: Self.place.width * Self.cell.width, height: Self.place.height * Self.cell.height)
    let bytes = (0..<size.count).flatMap { (pixel: Int) -> [UInt8] in
      [UInt8(pixel % size.width), UInt8(pixel % 7), 0, 255]
    }
    return PixelImage(size: size, bytes: bytes)
      .flatMap { TerminalImage($0, for: graphics, colors: 16) }
  }
}

/// A terminal played by a test, which reads a program's output strictly as it comes.
struct PlayedTerminal {
  let program: PseudoTerminal
  private(set) var reader: VTReader

  init(columns: Int = 60, rows: Int = 20, _ changes: [String: String?] = [:]) throws {
    var changes = changes
    changes[TerminalChild.variable] = "pictures"
    program = try .terminalChild(columns: columns, rows: rows, changes)
    reader = VTReader(columns: columns, rows: rows)
    // Skips what the test runner prints before.
    try program.wait(for: "\u{1B}[?1049h")
    let bytes = program.takeOutput()
    let mark = Array("\u{1B}[?1049h".utf8)
    let start = bytes.indices.first { bytes[$0...].starts(with: mark) }
    reader.read(bytes[(start ?? 0)...])
  }

  /// Reads on until the screen meets the condition.
  mutating func wait(
    for what: String, _ sourceLocation: SourceLocation = #_sourceLocation,
    until condition: (VTReader) -> Bool
  ) {
    for _ in 0..<10_000 where !condition(reader) {
      let bytes = program.takeOutput()
      guard !bytes.isEmpty else { break }
      reader.read(bytes)
    }
    #expect(condition(reader), "\(what): \(reader.lines)", sourceLocation: sourceLocation)
    #expect(reader.violations == [], sourceLocation: sourceLocation)
  }

  mutating func resize(columns: Int, rows: Int) {
    reader.resize(columns: columns, rows: rows)
    program.resize(columns: columns, rows: rows)
  }
}

@Suite(
  "Pictures in a pseudo-terminal", .enabled(if: !TerminalChild.isChild), .realPrograms)
struct PictureChildTests {
  /// Each terminal's answer to the query.
  private static let answers: [GraphicsReader.Shown.Kind: String] = [
    .kitty: "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;22c",
    .sixel: "\u{1B}[6;20;10t\u{1B}[?1;0;16S\u{1B}[?62;4;22c",
  ]

  private func isAligned(_ reader: VTReader) -> Bool {
    (1..<reader.rows).allSatisfy { reader.cell(x: 20, y: $0) == "|" }
  }

  @Test(
    "a terminal with pictures shows them at their place, and none stays behind",
    arguments: [GraphicsReader.Shown.Kind.kitty, .sixel])
  func shown(kind: GraphicsReader.Shown.Kind) throws {
    var terminal = try PlayedTerminal()
    terminal.wait(for: "the first screen") { $0.lines[0] == "ready" }
    // No query is sent before its answer is needed.
    #expect(terminal.reader.graphics.questions == 0)
    terminal.program.send("g")
    terminal.wait(for: "the question") { $0.graphics.questions == 1 }
    terminal.program.send(try #require(Self.answers[kind]))
    terminal.wait(for: "the answer") { $0.lines[0].hasPrefix("graphics pixels") }
    #expect(terminal.reader.graphics.drawn == 0)

    let place = PictureChild.place
    func isThere(_ reader: VTReader, x: Int = place.x) -> Bool {
      guard let shown = reader.graphics.shown.first, reader.graphics.shown.count == 1 else {
        return false
      }
      return shown.kind == kind && shown.x == x && shown.y == place.y
        && shown.columns == place.width && shown.rows == place.height
        && (kind == .kitty || reader.graphics.coveredCells == place.width * place.height)
    }
    terminal.program.send("p")
    terminal.wait(for: "the picture") { isThere($0) }
    terminal.program.send("k")
    terminal.wait(for: "a line beside it") { $0.lines[0] == "key k" }
    #expect(terminal.reader.graphics.drawn == 1)
    terminal.program.send("m")
    terminal.wait(for: "the picture elsewhere") { isThere($0, x: 30) }
    terminal.program.send("F")
    terminal.wait(for: "the picture again") { $0.graphics.drawn == 3 && isThere($0, x: 30) }
    terminal.program.signal(SIGSTOP)
    terminal.program.signal(SIGCONT)
    terminal.wait(for: "the picture after a stop") {
      $0.graphics.drawn >= 4 && isThere($0, x: 30) && $0.lines[0] == "resumed"
    }
    terminal.resize(columns: 50, rows: 12)
    terminal.wait(for: "the picture in another size") {
      $0.lines[0] == "resize 50×12" && isThere($0, x: 30) && isAligned($0)
    }
    // No part of it is shown where the whole does not fit.
    terminal.resize(columns: 34, rows: 12)
    terminal.wait(for: "a screen without it") {
      $0.lines[0] == "resize 34×12" && $0.graphics.shown == [] && isAligned($0)
    }
    terminal.program.send("m")
    terminal.wait(for: "the picture where there is room") { isThere($0) }
    terminal.program.send("p")
    terminal.wait(for: "a screen without it") {
      $0.graphics.shown == [] && $0.graphics.coveredCells == 0 && $0.lines[0] == "key p"
    }
    terminal.program.send("p")
    terminal.wait(for: "the picture once more") { isThere($0) }
    terminal.program.send("q")
    terminal.wait(for: "the terminal given back") { !$0.modes.contains(1049) }
    if kind == .kitty { #expect(terminal.reader.graphics.shown == []) }
    try terminal.program.waitForEnd(as: .exited(0))
  }

  @Test("a silent terminal gets characters, and its keys are keys meanwhile")
  func silent() throws {
    var terminal = try PlayedTerminal()
    terminal.wait(for: "the first screen") { $0.lines[0] == "ready" }
    terminal.program.send("g")
    terminal.wait(for: "the question") { $0.graphics.questions == 1 }
    terminal.program.send("k")
    terminal.wait(for: "a key") { $0.lines[0] == "key k" }
    terminal.wait(for: "the end of patience") { $0.lines[0] == "graphics cells" }
    terminal.program.send("p")
    terminal.wait(for: "no picture") { $0.lines[0] == "key p" }
    #expect(terminal.reader.graphics.drawn == 0)
  }

  @Test("tmux is not queried")
  func multiplexed() throws {
    var terminal = try PlayedTerminal(["TMUX": "/tmp/none"])
    terminal.wait(for: "the first screen") { $0.lines[0] == "ready" }
    terminal.program.send("g")
    terminal.wait(for: "what is known") { $0.lines[0] == "graphics cells" }
    #expect(terminal.reader.graphics.questions == 0)
  }
}
