import Testing

@testable import BellhopManual

@Suite("Manual pages in roff")
struct RoffWriterTests {
  private func body(_ write: (inout RoffWriter) -> Void) -> [String] {
    var roff = RoffWriter(name: "bellhop", section: 1, source: "bellhop 0.1.0")
    let head = roff.text.split(separator: "\n").count
    write(&roff)
    return roff.text.split(separator: "\n").dropFirst(head).map(String.init)
  }

  @Test("the page begins with its title line")
  func title() {
    let roff = RoffWriter(name: "bellhop.toml", section: 5, source: "bellhop 0.1.0")
    #expect(
      roff.text.hasPrefix(".TH \"BELLHOP.TOML\" \"5\" \"\" \"bellhop 0.1.0\" \"Bellhop Manual\"\n"))
  }

  @Test(
    "characters with a meaning in roff are escaped",
    arguments: [
      ("--all", "\\-\\-all"), (".hidden", "\\&.hidden"), ("'a'", "\\(aqa\\(aq"),
      ("a\\n", "a\\en"), ("~/.config", "\\(ti/.config"), ("`x` ^", "\\(gax\\(ga \\(ha"),
      ("\"é北\"", "\\(dq\\[u00E9]\\[u5317]\\(dq"), ("🌱", "\\[u1F331]"),
    ])
  func literal(_ text: String, _ roff: String) {
    #expect(RoffWriter.escaped(text, as: .literal) == roff)
  }

  @Test("a line of prose that begins like a request is text", arguments: [".SH", "'br"])
  func requests(_ text: String) {
    #expect(RoffWriter.escaped(text, as: .prose) == "\\&" + text)
    #expect(body { $0.markdown(text) } == [".PP", "\\&" + text])
  }

  @Test(
    "code and strong words are bold, links keep their text",
    arguments: [
      ("Use `--json`.", "Use \\fB\\-\\-json\\fR."),
      ("**Never** do", "\\fBNever\\fR do"),
      ("**Never `rm` it**", "\\fBNever \\fR\\fBrm\\fR\\fB it\\fR"),
      ("see [Keys](keys.md).", "see Keys."),
      ("[site](https://a.example/x-y)", "site <https://a.example/x\\-y>"),
      ("a [b] c", "a [b] c"), ("one ` two", "one \\(ga two"),
    ])
  func inline(_ markdown: String, _ roff: String) {
    #expect(body { $0.markdown(markdown) } == [".PP", roff])
  }

  @Test("blocks of Markdown become paragraphs, lists, entries and code")
  func markdown() {
    let text = """
      One line
      and another.

      ## Words

      - first
        more
      - second

      1. numbered

      | Key | Meaning |
      | --- | --- |
      | `a\\|b` | Either. |

      ```sh
      .x --y
      ```
      """
    #expect(
      body { $0.markdown(text) } == [
        ".PP", "One line and another.", ".SS Words", ".IP \\(bu 2", "first more",
        ".IP \\(bu 2", "second", ".IP 1. 4", "numbered", ".TP", "\\fBa|b\\fR", "Either.", ".sp",
        ".RS 2", ".EX",
        "\\&.x \\-\\-y", ".EE", ".RE",
      ])
  }

  @Test("generated parts of a topic are left out")
  func generated() {
    let text = "A.\n\n<!-- generated: keys -->\nB.\n<!-- end: keys -->\n\nC."
    #expect(body { $0.markdown(text) } == [".PP", "A.", ".PP", "C."])
  }

  @Test("a default file is split into settings and tables")
  func defaultFile() {
    let file = DefaultFile(
      """
      # The file.

      # The colours.
      # theme = "nord"

      # Encryption.
      [tls]

      # The key.
      # No default; for example:
      # key = "k.pem"

      # The keys.
      # [keys]
      # down = ["j"]
      # up = ["k"]
      """)
    #expect(file.introduction == "The file.")
    #expect(
      file.blocks == [
        .init(name: "theme", help: "The colours.", code: ["theme = \"nord\""], isTable: false),
        .init(name: "[tls]", help: "Encryption.", code: [], isTable: true),
        .init(
          name: "key", help: "The key. No default; for example:", code: ["key = \"k.pem\""],
          isTable: false),
        .init(
          name: "[keys]", help: "The keys.", code: ["down = [\"j\"]", "up = [\"k\"]"],
          isTable: true),
      ])
  }

  @Test("a command is written with its arguments, options, examples and subcommands")
  func program() throws {
    let json = """
      {"command": {"commandName": "tool", "abstract": "A tool.", "discussion": "Long.",
        "arguments": [], "subcommands": [
          {"commandName": "list", "abstract": "List.", "aliases": ["ls"],
           "defaultSubcommand": "all", "discussion": "All.\\n\\nExample: tool list -a",
           "arguments": [
             {"kind": "positional", "shouldDisplay": true, "isOptional": true,
              "isRepeating": true, "valueName": "ids", "abstract": "Names."},
             {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
              "names": [{"kind": "short", "name": "n"}, {"kind": "long", "name": "limit"}],
              "valueName": "limit", "defaultValue": "100", "abstract": "At most."},
             {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
              "names": [{"kind": "long", "name": "sort"}], "valueName": "sort",
              "allValues": ["newest", "level"], "abstract": "The order."},
             {"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
              "names": [{"kind": "long", "name": "sound"}], "abstract": "Ring."},
             {"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
              "names": [{"kind": "long", "name": "no-sound"}], "abstract": "Ring."},
             {"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
              "names": [{"kind": "long", "name": "help"}]}]},
          {"commandName": "secret", "abstract": "Hidden.", "shouldDisplay": false},
          {"commandName": "help", "abstract": "Explain."},
          {"commandName": "help", "abstract": "The parser's own."}]}}
      """
    let page = ManPage.program(
      try CommandTree(json: json), section: 1, topics: [],
      facts: ManPage.Facts(
        version: "1", files: [.init("~/x", "A file.")], exitStatus: [.init("0", "Done.")],
        seeAlso: ["tool.toml(5)"]))
    #expect(page.fileName == "tool.1")
    let lines = page.text.split(separator: "\n").map(String.init)
    #expect(
      lines.filter { $0.hasPrefix(".SH") || $0.hasPrefix(".SS") } == [
        ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS", ".SH COMMANDS",
        ".SS tool list", ".SS tool help", ".SH FILES", ".SH EXIT STATUS", ".SH SEE ALSO",
      ])
    #expect(lines.contains("tool \\- A tool"))
    #expect(lines.contains("\\fBtool list\\fR [\\fIoptions\\fR] [\\fIids\\fR ...]"))
    #expect(lines.contains("\\fB\\-n\\fR, \\fB\\-\\-limit\\fR \\fIlimit\\fR"))
    #expect(lines.contains("At most. Default: 100."))
    #expect(lines.contains("The order. Values: newest, level."))
    #expect(lines.contains("\\fB\\-\\-sound\\fR, \\fB\\-\\-no\\-sound\\fR"))
    #expect(lines.contains("Short form: \\fBtool ls\\fR."))
    #expect(lines.contains("\\fBtool list\\fR alone is \\fBtool list all\\fR."))
    #expect(lines.contains("tool list \\-a"))
    #expect(!page.text.contains("Hidden") && !page.text.contains("own"))
    #expect(lines.last == "\\fBtool.toml\\fR(5)")
  }
}
