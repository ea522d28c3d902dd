import BellhopScreen
import BellhopTerminal
import BellhopTestSupport
import BellhopText
import Glibc
import TerminalReader
import Testing

/// The real terminal driver in a real pseudo-terminal, read by a strict reader.
@Suite("The ncurses terminal", .enabled(if: !TerminalChild.isChild), .realPrograms)
struct NcursesTerminalTests {
  private func start(
    columns: Int = 60, rows: Int = 20, _ changes: [String: String?] = [:]
  ) throws -> PseudoTerminal {
    try .terminalChild(columns: columns, rows: rows, changes)
  }

  /// Reads the output from the point where the program took over the terminal.
  private func screen(
    _ program: PseudoTerminal, columns: Int = 60, rows: Int = 20
  ) throws -> VTReader {
    var reader = VTReader(columns: columns, rows: rows)
    let bytes = program.output
    let begin = Array("\u{1B}[?1049h".utf8)
    let start = (0..<max(0, bytes.count - begin.count)).first {
      bytes[$0..<($0 + begin.count)].elementsEqual(begin)
    }
    reader.read(bytes[try #require(start)...])
    return reader
  }

  private func expectAligned(_ reader: VTReader, sourceLocation: SourceLocation = #_sourceLocation)
  {
    #expect(reader.violations == [], sourceLocation: sourceLocation)
    for y in 0..<reader.rows where reader.columns > 20 {
      #expect(reader.cell(x: 20, y: y) == "|", "line \(y)", sourceLocation: sourceLocation)
    }
  }

  @Test("untrusted text stays in its cells, and only known sequences are written")
  func drawing() throws {
    let program = try start()
    try program.wait(for: "60×20 indexed256")
    program.settle()
    let first = try screen(program)
    expectAligned(first)
    #expect(first.lines[0].hasPrefix("plain ascii"))
    #expect(first.lines[1].hasPrefix("␛[2J␛[31mred␇"))
    #expect(first.lines[3].hasPrefix("漢字かな交じり文テス|"))
    #expect(first.lines[5].hasPrefix("👩 👍 [DE] ❤ 1 🏳"))
    #expect(first.title.hasPrefix("child ␛]0;evil␇"))
    #expect(first.cursor == (2, 1))
    #expect(first.modes.isSuperset(of: [25, 1049, 1000, 1006, 1004, 2004]))
    for _ in 0..<20 { program.send("r") }
    try program.wait(for: "another log", until: { $0.text.contains("child") })
    program.settle(quiet: .milliseconds(300))
    expectAligned(try screen(program))
  }

  @Test("unchanged cells are not written again")
  func onlyChanges() throws {
    let program = try start()
    try program.wait(for: "60×20")
    program.settle()
    let before = program.output.count
    program.send("n")
    program.settle(quiet: .milliseconds(300))
    #expect(program.output.count == before)
    program.send("j")
    try program.wait(for: "key j")
    program.settle()
    // One line of the log, the title, and the cursor's moves.
    #expect(program.output.count - before < 150)
  }

  @Test("a full repaint of an unknown screen writes everything")
  func drawnAnew() throws {
    let program = try start()
    try program.wait(for: "60×20")
    program.settle()
    _ = program.takeOutput()
    program.send("F")
    try program.wait(for: "key F")
    program.settle(quiet: .milliseconds(300))
    var reader = VTReader(columns: 60, rows: 20)
    reader.read(program.output)
    expectAligned(reader)
    #expect(reader.lines[0].hasPrefix("plain ascii"))
  }

  @Test("keys, mouse, paste, focus, wakes and new sizes arrive")
  func events() throws {
    let program = try start()
    try program.wait(for: "60×20")
    program.send("\u{1B}[A")
    try program.wait(for: "key Up")
    program.send("\u{1B}[<0;5;6M")
    try program.wait(for: "mouse press 4,5")
    program.send("\u{1B}[<0;61;6M")
    program.send("\u{1B}[200~qqq\u{1B}[201~")
    try program.wait(for: "paste 3")
    program.send("\u{1B}[O")
    try program.wait(for: "focus false")
    program.send("w")
    try program.wait(for: "wake")
    program.send("\u{1B}")
    try program.wait(for: "key Esc")
    program.resize(columns: 50, rows: 12)
    try program.wait(for: "resize 50×12")
    program.send("by")
    try program.wait(for: "\u{1B}]52;c;Y29waWVk\u{7}")
    #expect(!program.text.contains("mouse press 60"))
    program.send("q")
    try program.waitForEnd(as: .exited(0))
  }

  @Test(
    "no size of a terminal is too small or too large",
    arguments: [(1, 1), (2, 1), (1, 5), (10, 5), (500, 200)])
  func sizes(columns: Int, rows: Int) throws {
    let program = try start(columns: columns, rows: rows)
    try program.wait(for: "\u{1B}[?1049h")
    program.settle(quiet: .milliseconds(300))
    let violations = try screen(program, columns: columns, rows: rows).violations
    #expect(violations == [])
    let other = (rows, max(1, columns / 2))
    program.resize(columns: other.0, rows: other.1)
    program.settle()
    program.send("jq")
    try program.waitForEnd(as: .exited(0))
    #expect(program.text.contains("child: given back"))
  }

  @Test(
    "however the program ends, the terminal is restored",
    arguments: ["q", "X", "C", "A", "S", "TERM", "HUP", "INT"])
  func restoring(way: String) throws {
    let program = try start()
    try program.wait(for: "60×20")
    program.settle()
    #expect(!program.isCooked)
    switch way {
    case "TERM": program.signal(SIGTERM)
    case "HUP": program.signal(SIGHUP)
    case "INT": program.signal(SIGINT)
    default: program.send(way)
    }
    let ending = try program.waitForEnd()
    #expect(program.isCooked)
    var reader = VTReader(columns: 60, rows: 20)
    reader.read(program.output)
    #expect(reader.modes == VTReader.freshModes)
    switch way {
    case "C": #expect([.signaled(SIGILL), .signaled(SIGTRAP)].contains(ending))
    case "A": #expect(ending == .signaled(SIGABRT))
    case "S": #expect(ending == .signaled(SIGSEGV))
    case "X": #expect(ending == .exited(3))
    default: #expect(ending == .exited(0))
    }
    if ["C", "A", "S"].contains(way) {
      #expect(program.text.contains("What it had stored is safe."))
    }
    // The previous title is requested back.
    #expect(program.text.contains("\u{1B}[22;2t") && program.text.contains("\u{1B}[23;2t"))
  }

  @Test("an external stop and continuation repaint the screen and are reported")
  func continuing() throws {
    let program = try start()
    try program.wait(for: "60×20")
    program.settle()
    program.signal(SIGSTOP)
    program.signal(SIGCONT)
    try program.wait(for: "resumed")
    program.settle()
    expectAligned(try screen(program))
    #expect(!program.isCooked)
  }

  @Test("a terminal without a description is treated as an xterm")
  func unknownTerminal() throws {
    let program = try start(["TERM": "nonsense"])
    try program.wait(for: "60×20 indexed256")
  }

  @Test("a terminal without cursor movement is refused with an error")
  func dumbTerminal() throws {
    let program = try start(["TERM": "dumb"])
    try program.wait(for: "child: TERM is 'dumb'")
    try program.waitForEnd(as: .exited(0))
  }

  @Test("without UTF-8 all marks are ASCII, and the columns are the same")
  func noUTF8() throws {
    let program = try start(["LANG": nil, "LC_ALL": "POSIX", "NO_COLOR": "1"])
    try program.wait(for: "monochrome")
    program.settle()
    let reader = try screen(program)
    expectAligned(reader)
    #expect(reader.lines[11].hasPrefix("*ov>!"))
    let isASCII = reader.lines.joined().allSatisfy(\.isASCII)
    #expect(isASCII)
    #expect(reader.lines[3].hasPrefix("????????????????????|"))
  }

  @Test(
    "without a locale, or with a missing one, C.UTF-8 is used",
    arguments: [nil, "xx_XX.UTF-8"] as [String?])
  func noLocale(name: String?) throws {
    let program = try start(["LANG": name])
    try program.wait(for: "60×20")
    program.settle()
    #expect(try screen(program).lines[3].hasPrefix("漢字"))
  }

  @Test(
    "terminals with few colours, and with none, are supported",
    arguments: [("xterm", "ansi8"), ("vt100", "monochrome"), ("linux", "ansi8")])
  func depths(term: String, depth: String) throws {
    let program = try start(["TERM": term])
    try program.wait(for: depth)
    program.send("q")
    try program.waitForEnd(as: .exited(0))
  }

  @Test(
    "when the terminal disappears the program ends, and a second SIGHUP does not cut that short")
  func hangUp() throws {
    let program = try start()
    try program.wait(for: "60×20")
    program.hangUp()
    let ending = try program.waitForEnd()
    #expect(ending == .exited(0))
  }
}
