import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopManual

/// Markdown with tables, laid out and printed.
@Suite("Layout of topics")
struct DocumentTests {
  static func document(_ markdown: String) -> MarkdownDocument {
    Topic(name: "one", markdown: markdown, program: "bellhop").document
  }

  /// Returns the lines without styles, as the screen lays them out.
  static func laidOut(_ markdown: String, width: Int, indentation: Int = 0) -> [String] {
    document(markdown).lines(width: width, indentation: indentation)
      .map { $0.pieces.map(\.text.string).joined() }
  }

  static func printed(_ markdown: String, width: Int, _ style: TextStyle) -> [String] {
    let text = document(markdown).printed(width: width, style)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test("paragraphs and list items are wrapped, items with an indentation")
  func wrapping() {
    let markdown = """
      # Title

      One two three
      four five.

      - first item here
      - second
      """
    #expect(
      Self.laidOut(markdown, width: 14) == [
        "Title", "", "One two three", "four five.", "", "• first item", "  here", "• second",
      ])
  }

  @Test("code keeps its blanks and lines, and is cut only at the width")
  func code() {
    let markdown = "```sh\ncurl  -d \"*x*\" \\\n\n    host/nas\n0123456789abcdef\n```"
    #expect(
      Self.laidOut(markdown, width: 18) == [
        #"  curl  -d "*x*" \"#, "  ", "      host/nas", "  0123456789abcdef",
      ])
    #expect(Self.laidOut("```\n0123456789\n```", width: 10) == ["  01234567", "  89"])
  }

  @Test("a table has columns as wide as their texts, and a rule below its header")
  func table() {
    let markdown = """
      | key | does |
      | --- | --- |
      | **Moving** | |
      | `j` `Down` | one down |
      | `\\|` | pipes 备份 |
      """
    #expect(
      Self.laidOut(markdown, width: 40) == [
        "key     does", "─" + String(repeating: "─", count: 17), "Moving", "j Down  one down",
        "|       pipes 备份",
      ])
  }

  @Test("a table that is too wide wraps its cells, and keeps words whole if they fit")
  func narrowTable() {
    let markdown = """
      | setting | meaning |
      | --- | --- |
      | `ring-repeat` | how often an item rings |
      """
    #expect(
      Self.laidOut(markdown, width: 25) == [
        "setting      meaning", String(repeating: "─", count: 25), "ring-repeat  how often an",
        "             item rings",
      ])
  }

  @Test("comment lines are dropped")
  func comments() {
    let table = "| a | b |\n| --- | --- |\n| c | d |"
    let markdown = "<!-- generated: keys -->\n\(table)\n<!-- end: keys -->"
    #expect(Self.laidOut(markdown, width: 20) == ["a  b", "────", "c  d"])
  }

  @Test("styles mark headings, code and links; without colours, code stays plain")
  func styles() {
    let markdown = "# Title\n\nUse `x`, **now**: [a](b.md)"
    #expect(
      Self.printed(markdown, width: 60, .coloured) == [
        "\u{1b}[1mTitle\u{1b}[0m", "",
        "Use \u{1b}[36mx\u{1b}[0m, \u{1b}[1mnow\u{1b}[0m: \u{1b}[4ma\u{1b}[0m"
          + "\u{1b}[2m (bellhop help b)\u{1b}[0m",
      ])
    #expect(
      Self.printed("Use `x`, **now**", width: 60, .monochrome) == ["Use x, \u{1b}[1mnow\u{1b}[0m"])
  }

  @Test("in a pipe, headings are in capitals, the rest is indented, and code keeps its lines")
  func pipe() {
    let markdown = """
      # The tray

      One two three **four** five.

      ## All of `bellhop list`

      - an item of a list
      - another

      ```
      bellhop list app:ci is:unread
      ```
      """
    #expect(
      Self.printed(markdown, width: 20, .plain) == [
        "THE TRAY", "", "    One two three", "    four five.", "", "ALL OF bellhop list", "",
        "    • an item of a", "      list", "    • another", "",
        "      bellhop list app:ci is:unread",
      ])
    #expect(Self.printed("# A\n\nOne two", width: 7, .plain) == ["A", "", "One two"])
  }

  @Test("no text, however odd, makes a line wider than the width")
  func anything() {
    var random = SeededRandom(seed: 2026)
    let parts = [
      "|", "| --- |", "\\|", "`", "```\n", "**", "[", "](", ")", "## ", "- ", "\n", "\n\n", " ",
      "word", "备份", "a-long-word-without-blanks", "<!-- x -->\n", "> ",
    ]
    for _ in 0..<2000 {
      let source = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        parts.randomElement(using: &random) ?? ""
      }.joined()
      let width = Int.random(in: 3...40, using: &random)
      for indentation in [0, 4] {
        for line in Self.laidOut(source, width: width, indentation: indentation) {
          #expect(SafeText(line).width <= width, "width \(width): \(source)")
        }
      }
    }
  }
}
