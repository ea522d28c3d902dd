import BellhopInbox
import BellhopScreen
import BellhopTestSupport
import Glibc
import TerminalReader
import Testing

/// The real screen on the real driver, in a window whose size keeps changing.
@Suite("A window that changes its size", .enabled(if: !TerminalChild.isChild), .realPrograms)
struct ResizeTests {
  private static let isWhole = getenv("BELLHOP_FUZZ").map { String(cString: $0) } == "whole"

  private static func seed() -> UInt64 {
    let given = getenv("BELLHOP_FUZZ_SEED").flatMap { UInt64(String(cString: $0)) }
    let seed = given ?? UInt64.random(in: 0 ... .max)
    print("ResizeTests seed \(seed)")
    return seed
  }

  @Test(
    "from 1×1 to 500×200, every cell is as expected, and keys have the same effect",
    .timeLimit(.minutes(60)))
  func random() throws {
    let seed = Self.seed()
    var random = SeededRandom(seed: seed)
    var desk = TerminalChild.desk()
    let program = try PseudoTerminal.terminalChild(
      columns: desk.state.size.width, rows: desk.state.size.height,
      [TerminalChild.variable: "screen"])
    var screen = ScreenStream(size: desk.state.size)
    try expect(desk.frame, program, &screen, "at first")
    for round in 0..<(Self.isWhole ? 1000 : 80) {
      if Int.random(in: 0..<3, using: &random) == 0 {
        let key = ["j", "k", "d", "u", "2", "1", "z", "Tab", "l", "h", ">", "+"].randomElement(
          using: &random)
        guard let key else { continue }
        program.send(key == "Tab" ? "\t" : key)
        desk.press(key)
      } else {
        // Small sizes as often as large ones.
        let isSmall = Bool.random(using: &random)
        let size = Size(
          width: Int.random(in: 1...(isSmall ? 60 : 500), using: &random),
          height: Int.random(in: 1...(isSmall ? 30 : 200), using: &random))
        guard size != desk.state.size else { continue }
        screen.resize(size)
        program.resize(columns: size.width, rows: size.height)
        desk.send(.resize(size))
      }
      try expect(
        desk.frame, program, &screen,
        "round \(round) at \(desk.state.size.width)×\(desk.state.size.height), seed \(seed)")
    }
  }

  private struct Wrong: Error {}

  private func expect(
    _ frame: Frame, _ program: PseudoTerminal, _ screen: inout ScreenStream, _ what: String
  ) throws {
    var isDone = false
    while !isDone {
      let bytes = program.takeOutput(within: .seconds(60))
      guard !bytes.isEmpty else {
        Issue.record("nothing is written: \(what)")
        throw Wrong()
      }
      let isRight = screen.read(bytes) { reader in
        isDone = true
        return isShown(frame, by: reader, what)
      }
      guard isRight else { throw Wrong() }
    }
  }
}
