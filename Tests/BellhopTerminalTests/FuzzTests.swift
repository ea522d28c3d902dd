import BellhopScreen
import BellhopTerminal
import BellhopTestSupport
import BellhopText
import Glibc
import TerminalReader
import Testing

/// Untrusted text from end to end: cleaned, laid out, drawn by the real driver, and read strictly.
///
/// The driver runs in a real pseudo-terminal. With `BELLHOP_FUZZ=whole` the tests use every scalar
/// and a million strings, otherwise a share that fits into a test run. The seed is printed, and
/// taken from `BELLHOP_FUZZ_SEED` if that is set.
@Suite(
  "Untrusted text on a terminal", .enabled(if: !TerminalChild.isChild), .timeLimit(.minutes(60)),
  .realPrograms)
struct FuzzTests {
  private static let isWhole = getenv("BELLHOP_FUZZ").map { String(cString: $0) } == "whole"

  private static func seed(_ name: String) -> UInt64 {
    let given = getenv("BELLHOP_FUZZ_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = given ?? UInt64.random(in: 0 ... .max)
    print("FuzzTests.\(name) seed \(seed)")
    return seed
  }

  /// Plays a plan, and compares every frame on the terminal with the expected one.
  private func play(_ plan: FuzzPlan) throws {
    let program = try PseudoTerminal.terminalChild(
      columns: plan.size.width, rows: plan.size.height,
      [TerminalChild.variable: plan.description])
    var screen = ScreenStream(size: plan.size)
    var number = 0
    while number < plan.count {
      let bytes = program.takeOutput(within: .seconds(60))
      guard !bytes.isEmpty else {
        Issue.record("\(plan) stopped after frame \(number)")
        return
      }
      let isRight = screen.read(bytes) { reader in
        let frame = plan.frame(number)
        number += 1
        return isShown(frame, by: reader, "frame \(number - 1) of \(plan)")
      }
      guard isRight else { return }
    }
  }

  @Test("every scalar stays in its cells, and moves nothing beside it")
  func scalars() throws {
    let last = Self.isWhole ? 0x10FFFF : 0x1FFFF
    let count = last / FuzzPlan.scalarsPerFrame + 1
    try play(FuzzPlan(.scalars, seed: 0, count: count))
    guard !Self.isWhole else { return }
    // Tags and selectors; the planes between and after are alike, and a faster test covers them.
    try play(FuzzPlan(.scalars, seed: 0, first: 0xE0000 / FuzzPlan.scalarsPerFrame, count: 2))
  }

  @Test("generated strings stay in their columns, and only known sequences are written")
  func strings() throws {
    let count = Self.isWhole ? 1_000_000 / FuzzPlan.stringsPerFrame : 10
    try play(FuzzPlan(.strings, seed: Self.seed("strings"), count: count))
  }

  @Test("in titles, bodies, apps, groups, tags and actions it moves nothing on the real screen")
  func panes() throws {
    let count = Self.isWhole ? 1_000_000 / FuzzPlan.stringsPerPanes : 28
    try play(FuzzPlan(.panes, seed: Self.seed("panes"), count: count))
  }
}

/// The screen of a program in a pseudo-terminal, from taking over the terminal, with a bell per
/// frame.
struct ScreenStream {
  private(set) var reader: VTReader
  private var isTakenOver = false
  private var before: [UInt8] = []
  private static let takeOver = Array("\u{1B}[?1049h".utf8)

  init(size: Size) { reader = VTReader(columns: size.width, rows: size.height) }

  /// Changes the terminal's size from here on.
  mutating func resize(_ size: Size) { reader.resize(columns: size.width, rows: size.height) }

  /// Reads the output; calls `check` after each whole frame, and stops if that returns false.
  mutating func read(_ bytes: [UInt8], _ check: (VTReader) -> Bool) -> Bool {
    var rest = bytes[...]
    if !isTakenOver {
      before += bytes
      let length = Self.takeOver.count
      let start = (0..<max(0, before.count - length)).first {
        before[$0..<($0 + length)].elementsEqual(Self.takeOver)
      }
      guard let start else { return true }
      isTakenOver = true
      rest = before[start...]
    }
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x07).map { $0 + 1 } ?? rest.endIndex
      let bells = reader.bells
      reader.read(rest[rest.startIndex..<end])
      rest = rest[end...]
      if reader.bells > bells, !check(reader) { return false }
    }
    return true
  }
}

/// Whether the reader shows exactly the frame; records any difference.
func isShown(_ frame: Frame, by reader: VTReader, _ what: String) -> Bool {
  guard reader.violations.isEmpty else {
    Issue.record("\(what): \(reader.violations)")
    return false
  }
  let (seen, meant) = (reader.lines, frame.lines)
  for (y, pair) in zip(seen, meant).enumerated() where pair.0 != pair.1 {
    Issue.record(
      "\(what), line \(y): \(pair.0.debugDescription) instead of \(pair.1.debugDescription)")
    return false
  }
  guard seen.count == meant.count, reader.title == frame.title.string else {
    Issue.record("\(what): \(seen.count) lines, title \(reader.title.debugDescription)")
    return false
  }
  if let cursor = frame.cursor, reader.cursor != (cursor.x, cursor.y) {
    Issue.record("\(what): the cursor is at \(reader.cursor) instead of \(cursor)")
    return false
  }
  return true
}

extension Frame {
  /// The lines of the first plane, without trailing blanks.
  var lines: [String] {
    (0..<size.height).map { y in
      var line = row(y).map(\.text).joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
