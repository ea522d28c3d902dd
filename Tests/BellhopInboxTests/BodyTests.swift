import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

/// Bodies as lines, each piece with its role's letter: `a⟨Title⟩ t⟨words⟩`.
@Suite("Bodies in Markdown and JSON")
struct BodyTests {
  private static func text(_ source: String) -> SafeText {
    SafeText(source, lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax)
  }

  private static func drawn(_ lines: [StyledLine]) -> [String] {
    lines.map { line in
      line.pieces.map { "\($0.role.letter)⟨\($0.text.string)⟩" }.joined(separator: " ")
    }
  }

  private static func markdown(_ source: String, width: Int = 40) -> [String] {
    drawn(MarkdownBody.lines(of: text(source), width: width))
  }

  private static func json(_ source: String, width: Int = 40, fold: Int? = nil) -> [String]? {
    JSONBody.lines(of: text(source), width: width, foldDepth: fold).map(drawn)
  }

  @Test(
    "Markdown marks inside a paragraph become roles",
    arguments: [
      ("plain words", "t⟨plain words⟩"), ("a **bold** word", "t⟨a ⟩ u⟨bold⟩ t⟨ word⟩"),
      ("__bold__ and *soft*", "u⟨bold⟩ t⟨ and soft⟩"),
      ("run `a *b*` now", "t⟨run ⟩ c⟨a *b*⟩ t⟨ now⟩"),
      ("``a`b``", "c⟨a`b⟩"), ("~~old~~ new", "d⟨old⟩ t⟨ new⟩"),
      ("2 * 3 * 4 = 24", "t⟨2 * 3 * 4 = 24⟩"), ("snake_case_name", "t⟨snake_case_name⟩"),
      ("**not closed", "t⟨**not closed⟩"), ("\\*literal\\*", "t⟨*literal*⟩"),
      ("see [log](https://x.io/1)", "t⟨see ⟩ l⟨log⟩ d⟨ <https://x.io/1>⟩"),
      ("[https://a.io](https://b.io)", "l⟨https://a.io⟩ d⟨ <https://b.io>⟩"),
      ("[same](same)", "l⟨same⟩"), ("![chart](c.png \"title\")", "d⟨chart <c.png>⟩"),
      ("<https://x.io> end", "l⟨https://x.io⟩ t⟨ end⟩"),
      ("at https://x.io/a_b.", "t⟨at ⟩ l⟨https://x.io/a_b⟩ t⟨.⟩"), ("[x] (y)", "t⟨[x] (y)⟩"),
      ("<b>html</b>", "t⟨<b>html</b>⟩"), ("| a | b |", "t⟨| a | b |⟩"),
    ])
  func inline(source: String, expected: String) {
    #expect(Self.markdown(source) == [expected])
  }

  @Test("blocks: headings, lists, quotes, code, rules, paragraphs")
  func blocks() {
    let source = """
      # Result #
      One line
      and its second.

      - first item that is longer than one line of it
        1. nested
      - [x] done
      > quoted *words*
      > go on

      ```sh
      ls  -l   # **not bold**
      ```
      ---
      end\\
      broken
      """
    #expect(
      Self.markdown(source, width: 24) == [
        "a⟨Result⟩", "t⟨One line and its second.⟩", "t⟨⟩", "d⟨• ⟩ t⟨first item that is⟩",
        "d⟨  ⟩ t⟨longer than one line⟩", "d⟨  ⟩ t⟨of it⟩", "d⟨  1. ⟩ t⟨nested⟩",
        "d⟨• ⟩ t⟨[x] done⟩", "i⟨│ ⟩ d⟨quoted words go on⟩", "t⟨⟩", "c⟨  ls  -l   # **not bold*⟩",
        "c⟨  *⟩", "i⟨────────────────────────⟩", "t⟨end⟩", "t⟨broken⟩",
      ])
  }

  @Test("JSON is shown one value per line, in its own order, whatever the width")
  func json() {
    let source = #"{"b":[1,-2.5e3,true],"a":{"x":"y \"z\"","empty":{}},"n":null}"#
    #expect(
      Self.json(source) == [
        "d⟨{⟩", #"d⟨  ⟩ a⟨"b"⟩ d⟨: [⟩"#, "d⟨    ⟩ t⟨1⟩ d⟨,⟩", "d⟨    ⟩ t⟨-2.5e3⟩ d⟨,⟩",
        "d⟨    ⟩ t⟨true⟩", "d⟨  ],⟩", #"d⟨  ⟩ a⟨"a"⟩ d⟨: {⟩"#,
        #"d⟨    ⟩ a⟨"x"⟩ d⟨: ⟩ c⟨"y \"z\""⟩ d⟨,⟩"#, #"d⟨    ⟩ a⟨"empty"⟩ d⟨: {}⟩"#, "d⟨  },⟩",
        #"d⟨  ⟩ a⟨"n"⟩ d⟨: ⟩ t⟨null⟩"#, "d⟨}⟩",
      ])
    #expect(
      Self.json(source, fold: 0) == [
        "d⟨{⟩", #"d⟨  ⟩ a⟨"b"⟩ d⟨: [… 3 values],⟩"#, #"d⟨  ⟩ a⟨"a"⟩ d⟨: {… 2 values},⟩"#,
        #"d⟨  ⟩ a⟨"n"⟩ d⟨: ⟩ t⟨null⟩"#, "d⟨}⟩",
      ])
  }

  @Test(
    "text that is not a JSON object or array is left unchanged",
    arguments: [
      "", "words", "17", "\"text\"", "{", "{\"a\"}", "{\"a\":}", "[1,]", "[1 2]", "{} {}", "[nul]",
      "[\"open]", "[--1]", String(repeating: "[", count: 100) + String(repeating: "]", count: 100),
    ])
  func noJSON(source: String) {
    #expect(Self.json(source) == nil)
  }

  @Test("no body, however odd, makes a line wider than its pane, nor loses a word")
  func anything() {
    var random = SeededRandom(seed: 412)
    let parts = [
      "*", "**", "_", "`", "```", "~~", "[", "](", ")", "# ", "> ", "- ", "1. ", "\n", " ", "\\",
      "<",
      "https://x.io", "word", "备份", "e\u{301}", "👩‍👩‍👧", "{", "}", "\"a\"", ":", ",", "---", "  ",
    ]
    for _ in 0..<3000 {
      let source = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        parts.randomElement(using: &random) ?? ""
      }.joined()
      let width = Int.random(in: 1...30, using: &random)
      let lines = MarkdownBody.lines(of: Self.text(source), width: width)
      for line in lines {
        #expect(line.pieces.reduce(0) { $0 + $1.text.width } <= max(width, 6), "\(source)")
      }
      // Link titles and the language of a code block are not shown.
      if width > 8, !source.contains("]("), !source.contains("```") {
        let all = lines.flatMap(\.pieces).map(\.text.string).joined()
        let words = source.components(of: "word")
        #expect(all.components(of: "word") == words, "\(source)")
      }
      for line in JSONBody.lines(of: Self.text(source), width: width, foldDepth: 2) ?? [] {
        #expect(line.pieces.reduce(0) { $0 + $1.text.width } <= max(width, 12), "\(source)")
      }
    }
  }

  @Test("unclosed marks are read in one pass")
  func hostile() {
    for mark in ["*a ", "**a ", "[", "[](", "<", "`", "> ", "- ", "_a "] {
      let source = String(repeating: mark, count: MarkdownBody.charactersMax / mark.count)
      #expect(!MarkdownBody.lines(of: Self.text(source), width: 80).isEmpty)
    }
  }
}

extension String {
  /// The number of times the word occurs, also when broken over pieces.
  fileprivate func components(of word: String) -> Int {
    // Margins separate the parts of a broken word.
    filter { !$0.isWhitespace && $0 != "│" && $0 != "•" }.indices(of: word)
  }

  private func indices(of word: String) -> Int {
    var count = 0
    var rest = Substring(self)
    while let range = rest.firstRange(of: word) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
