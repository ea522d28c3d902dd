import BellhopTestSupport
import Testing

@testable import BellhopSettings

@Suite("TOML")
struct TOMLSourceTests {
  @Test("values do not expose the parser's types")
  func values() throws {
    let settings = try TOMLSource.settings(
      "a = \"x\"\nb = true\nc = 3\nd = [\"y\", 4]\ne = 1.5\n[f]\ng = 'z'\n")
    #expect(
      settings == [
        "a": .text("x"), "b": .flag(true), "c": .number(3), "d": .list([.text("y"), .number(4)]),
        "e": .other, "f": .table(["g": .text("z")]),
      ])
  }

  @Test(
    "a header without a name is an error in its line, not a crash",
    arguments: ["[!]", "[ =x]", "[[ #]]", "  [", "[ [", "[é]", "[\u{0}a]", "[.a]"])
  func headers(_ header: String) {
    let failure = #expect(throws: TOMLSource.SyntaxError.self) {
      try TOMLSource.settings("a = 1\n" + header)
    }
    #expect(failure?.line == 2)
  }

  private static let notTOML = "this is not valid TOML; a setting is written name = \"value\""

  @Test(
    "an error in a statement has a text and a line",
    arguments: [
      ("a = \"x\nb = 1", [1: "the string has no closing quote"]),
      ("a = 'x", [1: "the string has no closing quote"]),
      ("a = [\"x]", [1: "the string has no closing quote"]),
      ("a = \"\"\"x\nb = 1\n", [1: "the text has no closing \"\"\""]),
      ("\na = [1, 2\nb = 3\n", [2: "the list has no closing ]"]),
      ("a = [1, 2\n[t]\nb = 3", [1: "the list has no closing ]"]),
      ("a = [", [1: "the list has no closing ]"]),
      ("a = [1 2]\n# b\n\nb = 3", [1: "there is no comma between two values of the list"]),
      ("a = [,]", [1: "there is no value before a comma"]),
      ("a = { b = 1", [1: "the table has no closing } in its line"]),
      ("a", [1: "there is no = behind a"]), ("a \"x\"", [1: "there is no = behind a"]),
      ("a =", [1: "a has no value behind ="]), ("a = # x", [1: "a has no value behind ="]),
      ("= 1", [1: "there is no setting before ="]),
      ("a b = 1", [1: "a b is not the name of a setting"]),
      ("a = nord", [1: "nord is not in quotes; write \"nord\""]),
      ("a = True", [1: "True is not a value; write true"]),
      ("a = off", [1: "off is not a value; write false"]),
      ("a = 007", [1: "007 begins with a zero; write 7"]),
      ("a = 1 2", [1: "there is more behind the value: 2"]), ("a = 1e", [1: Self.notTOML]),
      ("a = \"x\" \"y\"", [1: "there is more behind the value: \"y\""]),
      (
        #"a = "c:\dir""#,
        [1: #"\d means nothing in double quotes; write \\d, or use single quotes"#]
      ),
      ("[a\nb = 1", [1: "[a has no closing ]"]), ("[[a]\nb = 1", [1: "[[a has no closing ]]"]),
      ("[]\nb = 1", [1: "there is no name between [ and ]"]),
      ("[a] b\nc = 1", [1: "there is more behind [a]: b"]),
      ("a = 1\n\na = 2", [3: "a is set twice; the first time in line 1"]),
      ("[t]\na = 1\n[t]\nb = 2", [3: "[t] is there twice; the first time in line 1"]),
      (
        "a = \"x\nb = nord\nc = 1\n[d\ne = \n[f]\ng = [\n  \"x,\n]\nh =",
        [
          1: "the string has no closing quote", 2: "nord is not in quotes; write \"nord\"",
          4: "[d has no closing ]", 8: "the string has no closing quote",
          10: "h has no value behind =",
        ]
      ),
    ] as [(String, [Int: String])])
  func failures(text: String, problems: [Int: String]) {
    let (_, failures) = TOMLSource.read(text)
    let found = failures.map { "\($0.line ?? 0): \($0.problem)" }
    #expect(found == problems.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })
  }

  @Test("valid parts beside invalid ones are read")
  func rest() {
    let (settings, failures) = TOMLSource.read(
      "a = 1\nb = \"x\nc = 3\n[d]\ne = 4\n[f\ng = 5\n[h]\ni = [1,\n2]\n")
    #expect(failures.map(\.line) == [2, 6])
    #expect(
      settings == [
        "a": .number(1), "c": .number(3), "d": .table(["e": .number(4)]),
        "h": .table(["i": .list([.number(1), .number(2)])]),
      ])
  }

  @Test("a valid text has no errors, whatever it contains")
  func valid() {
    let text = #"""
      # [a
      a = "x # ] \\\" y"   # c
      'b c'."d=e" . f-1 = [ # c
        'x', "y",
        [1, 2], { g = 1, h = "}" }, true,
      ]
      j = """
      k = "l
      "quoted" \\
      """
      m = '''
      n = ["
      '''
      o = [ 1979-05-27T07:32:00Z, 1979-05-27 07:32:00, 07:32:00, -inf, +1_000, 0x1F, 1e-3, 0.5 ]
      [ p . "q]" ] # c
      r = { s = { t = [ "u" ] } }
      [[v]]
      w = 1
      [[v]]
      w = 2
      """#
    #expect(TOMLStatement.all(in: text).compactMap(\.fault) == [])
    let (settings, failures) = TOMLSource.read(text)
    #expect(failures == [] && settings["o"] != nil && settings["v"] != nil)
  }

  @Test(
    "a text is a literal string where it can be one, and is read back",
    arguments: [
      (#"a\d "b""#, #"'a\d "b"'"#), ("", "''"), ("a\tb", "'a\tb'"), ("it's", #""it's""#),
      ("a\nb", #""a\nb""#), ("\u{7f}", #""\u007f""#), ("\u{301}", "'\u{301}'"),
    ])
  func literals(text: String, written: String) throws {
    #expect(TOMLText.literal(text) == written)
    #expect(try TOMLSource.settings("a = " + written) == ["a": .text(text)])
  }

  @Test("no text crashes the reader, and each error has a line")
  func anyText() {
    var random = SeededRandom(seed: 7)
    let pieces = [
      "a", "b.c", " ", "=", "\"", "'", "[", "]", "{", "}", ",", "#", "\n", "1", "true", "\"\"\"",
      "\\", "é", "\r\n", "[t]", "x = 1\n",
    ]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 1...24, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      for failure in TOMLSource.read(text).failures {
        #expect(failure.line != nil && !failure.problem.isEmpty, "\(text.debugDescription)")
      }
    }
  }
}
