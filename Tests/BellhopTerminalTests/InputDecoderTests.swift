import BellhopScreen
import BellhopTestSupport
import Testing

@testable import BellhopTerminal

@Suite("Events from a terminal's bytes")
struct InputDecoderTests {
  /// Feeds pieces that arrive at the given milliseconds, and lets time pass between and after them.
  private func events(
    _ pieces: [(at: Int, bytes: String)], escapeDelay: Int = 25
  ) -> [TerminalEvent] {
    var decoder = InputDecoder(escapeDelay: .milliseconds(escapeDelay))
    var events: [TerminalEvent] = []
    func elapse(to end: Duration) {
      while let deadline = decoder.deadline, deadline <= end {
        events += decoder.expire(at: deadline)
      }
    }
    for piece in pieces {
      let now = Duration.milliseconds(piece.at)
      elapse(to: now)
      events += decoder.feed(Array(piece.bytes.utf8), at: now)
    }
    elapse(to: .seconds(1000))
    return events
  }

  private func events(_ bytes: String) -> [TerminalEvent] { events([(0, bytes)]) }

  private func keys(_ events: [TerminalEvent]) -> [Key] {
    events.compactMap { event in
      if case .key(let key) = event { key } else { nil }
    }
  }

  @Test(
    "keys are decoded in every terminal's spelling",
    arguments: [
      ("a", .character("a")), (" ", .character(" ")), ("é", .character("é")),
      ("漢", .character("漢")),
      ("😀", .character("😀")), ("\r", .enter), ("\n", .enter), ("\t", .tab), ("\u{7F}", .backspace),
      ("\u{8}", .backspace), ("\u{4}", .control("d")), ("\u{1A}", .control("z")),
      ("\u{0}", .control("@")), ("\u{1C}", .control("\\")), ("\u{1B}", .escape),
      ("\u{1B}x", .alt("x")), ("\u{1B}é", .alt("é")),
      ("\u{1B}[A", .up), ("\u{1B}OA", .up), ("\u{1B}[1;5A", .up), ("\u{1B}[B", .down),
      ("\u{1B}[C", .right), ("\u{1B}[D", .left), ("\u{1B}[H", .home), ("\u{1B}OF", .end),
      ("\u{1B}[1~", .home), ("\u{1B}[4~", .end), ("\u{1B}[7~", .home), ("\u{1B}[8~", .end),
      ("\u{1B}[2~", .insert), ("\u{1B}[3~", .delete), ("\u{1B}[5~", .pageUp),
      ("\u{1B}[6~", .pageDown), ("\u{1B}[3;2~", .delete), ("\u{1B}[Z", .backTab),
      ("\u{1B}OP", .function(1)), ("\u{1B}[[A", .function(1)), ("\u{1B}[11~", .function(1)),
      ("\u{1B}[15~", .function(5)), ("\u{1B}[24~", .function(12)), ("\u{1B}OM", .enter),
      ("\u{1B}[100;5u", .control("d")), ("\u{1B}[27u", .escape), ("\u{1B}[9;2u", .backTab),
      ("\u{1B}Od", .left),
    ] as [(String, Key)])
  func spellings(bytes: String, key: Key) {
    #expect(events(bytes) == [.key(key)])
    // Byte by byte at one instant is the same.
    let pieces = bytes.utf8.map { (at: 0, bytes: [$0]) }
    var decoder = InputDecoder(escapeDelay: .milliseconds(25))
    var apart = pieces.flatMap { decoder.feed($0.bytes, at: .zero) }
    apart += decoder.expire(at: .seconds(1))
    #expect(apart == [.key(key)])
  }

  @Test("keys in one burst come in order")
  func burst() {
    #expect(
      keys(events("j\u{1B}[Bk\u{1B}\u{1B}[A\u{1B}"))
        == [.character("j"), .down, .character("k"), .escape, .up, .escape])
    #expect(keys(events("\u{1B}\r")) == [.escape, .enter])
  }

  @Test("an escape byte is the key if nothing follows in time")
  func loneEscape() {
    #expect(keys(events([(0, "\u{1B}"), (24, "x")])) == [.alt("x")])
    #expect(keys(events([(0, "\u{1B}"), (26, "x")])) == [.escape, .character("x")])
    #expect(
      keys(events([(0, "\u{1B}"), (90, "x")], escapeDelay: 100)) == [.alt("x")])
  }

  @Test(
    "a key whose bytes are 200 ms apart never becomes letters",
    arguments: [
      ("\u{1B}[A", [.escape, .up]), ("\u{1B}OB", [.escape, .down]),
      ("\u{1B}[3~", [.escape, .delete]), ("\u{1B}Od", [.escape, .left]),
      ("\u{1B}[1;5D", [.escape, .left]), ("\u{1B}[<0;3;4m", [.escape]),
    ] as [(String, [Key])])
  func splitKeys(bytes: String, expected: [Key]) {
    let pieces = bytes.enumerated().map { (at: $0 * 200, bytes: String($1)) }
    #expect(keys(events(pieces)) == expected)
  }

  @Test("a bracket that the user types after Escape stays a bracket")
  func typedBracket() {
    #expect(keys(events([(0, "\u{1B}"), (200, "[")])) == [.escape, .character("[")])
    #expect(
      keys(events([(0, "\u{1B}"), (400, "["), (450, "A")])) == [
        .escape, .character("["), .character("A"),
      ])
  }

  @Test("an incomplete sequence that never ends is not a key")
  func broken() {
    #expect(keys(events([(0, "\u{1B}[1;"), (400, "d")])) == [.character("d")])
    #expect(keys(events([(0, "\u{1B}["), (400, "d")])) == [.alt("["), .character("d")])
    #expect(keys(events("\u{1B}[1;\u{1B}[A")).last == .up)
    #expect(keys(events("\u{1B}[?1;2c")) == [])
    #expect(keys(events("\u{1B}]11;rgb:0/0/0\u{7}d")) == [.character("d")])
    #expect(keys(events("\u{1B}P1+r\u{1B}\\d")) == [.character("d")])
  }

  @Test("bytes that are not UTF-8 are dropped, keys after them are not")
  func notUTF8() {
    var decoder = InputDecoder(escapeDelay: .milliseconds(25))
    let bytes: [UInt8] = [0xFF, 0xC3, 0x28, 0xE2, 0x82, 0x6A, 0xC2, 0x9B, 0x80, 0x6B]
    let keys = keys(decoder.feed(bytes, at: .zero))
    #expect(keys == [.character("("), .character("j"), .character("k")])
  }

  @Test("a paste is text, never keys")
  func paste() {
    #expect(
      events("a\u{1B}[200~x\u{1B}[Aq\r\nz\r\u{1B}[201~b") == [
        .key(.character("a")), .paste("x\u{1B}[Aq\nz\n"), .key(.character("b")),
      ])
    #expect(events("\u{1B}[200~\u{1B}[201~") == [.paste("")])
    // The end marker got lost.
    #expect(
      events([(0, "\u{1B}[200~abc"), (3000, "q")]) == [.paste("abc"), .key(.character("q"))])
  }

  @Test("an endless paste is cut, and its end is still found", .timeLimit(.minutes(10)))
  func largePaste() {
    let large = String(repeating: "x", count: 200_000)
    let all = events("\u{1B}[200~\(large)\u{1B}[201~q")
    #expect(all.count == 2)
    #expect(all.first == .paste(String(large.prefix(TerminalLimits.pasteBytesMax))))
    #expect(all.last == .key(.character("q")))
  }

  @Test("mouse events have their action and their place")
  func mouse() {
    func mouse(_ bytes: String) -> [MouseEvent] {
      events(bytes).compactMap { if case .mouse(let event) = $0 { event } else { nil } }
    }
    let here = Point(x: 299, y: 4)
    #expect(
      mouse("\u{1B}[<0;300;5M\u{1B}[<32;300;5M\u{1B}[<0;300;5m") == [
        MouseEvent(.press, at: here), MouseEvent(.drag, at: here), MouseEvent(.release, at: here),
      ])
    #expect(mouse("\u{1B}[<64;1;1M\u{1B}[<69;1;1M").map(\.action) == [.wheelUp, .wheelDown])
    #expect(mouse("\u{1B}[<2;1;1M\u{1B}[<35;1;1M\u{1B}[<0;0;0M") == [])
    #expect(mouse("\u{1B}[M !!\u{1B}[M#!!").map(\.action) == [.press, .release])
  }

  @Test("two presses at one place within 400 ms are a double press")
  func doublePress() {
    func actions(_ pieces: [(at: Int, bytes: String)]) -> [MouseEvent.Action] {
      events(pieces).compactMap { if case .mouse(let event) = $0 { event.action } else { nil } }
    }
    let press = "\u{1B}[<0;3;4M"
    #expect(actions([(0, press), (300, press), (500, press)]) == [.press, .doublePress, .press])
    #expect(actions([(0, press), (500, press)]) == [.press, .press])
    #expect(actions([(0, press), (100, "\u{1B}[<0;9;4M")]) == [.press, .press])
  }

  @Test("focus reports become events")
  func focus() {
    #expect(events("\u{1B}[I\u{1B}[O") == [.focus(true), .focus(false)])
  }

  @Test("no input crashes it, or keeps it waiting for ever")
  func randomBytes() {
    let seed = UInt64.random(in: 0 ... .max)
    print("InputDecoderTests.randomBytes seed \(seed)")
    var random = SeededRandom(seed: seed)
    let likely = Array("\u{1B}\u{1B}\u{1B}[[O<;0123456789~MmAud]P\\\u{7}\r\n".utf8)
    var decoder = InputDecoder(escapeDelay: .milliseconds(25))
    for step in 0..<200_000 {
      let any = UInt8.random(in: 0...255, using: &random)
      let isLikely = Int.random(in: 0..<3, using: &random) > 0
      let byte = isLikely ? likely.randomElement(using: &random) ?? any : any
      _ = decoder.feed([byte], at: .milliseconds(step))
    }
    _ = decoder.expire(at: .seconds(100_000))
    #expect(decoder.deadline == nil, "seed \(seed)")
    #expect(decoder.feed([0x6A], at: .seconds(200_000)) == [.key(.character("j"))])
  }
}
