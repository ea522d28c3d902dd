import BellhopScreen
import Testing

@Suite("Keys and their spellings")
struct KeyTests {
  @Test(
    "a key reads as it is written",
    arguments: [
      ("d", .character("d")), ("D", .character("D")), ("?", .character("?")),
      ("é", .character("é")),
      ("Space", .character(" ")), ("Ctrl-d", .control("d")), ("Ctrl-\\", .control("\\")),
      ("Alt-x", .alt("x")), ("Alt-Space", .alt(" ")), ("Enter", .enter), ("Esc", .escape),
      ("Tab", .tab), ("Shift-Tab", .backTab), ("Backspace", .backspace), ("Del", .delete),
      ("Ins", .insert), ("Up", .up), ("Down", .down), ("Left", .left), ("Right", .right),
      ("PgUp", .pageUp), ("PgDn", .pageDown), ("Home", .home), ("End", .end), ("F1", .function(1)),
      ("F24", .function(24)), ("-", .character("-")),
    ] as [(String, Key)])
  func bothWays(spelling: String, key: Key) {
    #expect(Key(spelling) == key)
    #expect(key.description == spelling)
  }

  @Test(
    "alternative spellings are accepted",
    arguments: [
      ("ctrl-D", .control("d")), ("C-d", .control("d")), ("M-x", .alt("x")),
      ("space", .character(" ")),
      ("return", .enter), ("ESCAPE", .escape), ("pageup", .pageUp), ("f5", .function(5)),
      // Terminals send the same for these.
      ("Ctrl-m", .enter), ("Ctrl-i", .tab), ("Ctrl-[", .escape), ("Ctrl-Space", .control("@")),
    ] as [(String, Key)])
  func lenient(spelling: String, key: Key) {
    #expect(Key(spelling) == key)
  }

  @Test(
    "an invalid key is refused",
    arguments: [
      "", " ", "dd", "Ctrl-", "Ctrl-dd", "Ctrl-1", "F0", "F25", "Fx", "\u{1B}", "Hyper-x",
    ])
  func refused(spelling: String) {
    #expect(Key(spelling) == nil)
  }
}
