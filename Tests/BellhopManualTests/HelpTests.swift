import BellhopManual
import BellhopModel
import Foundation
import Testing

@testable import BellhopCommandLine
@testable import BellhopHelp
@testable import BellhopStoreCommandLine

/// The answers of `bellhop help` and `bellhopd help`.
@Suite("The help command")
struct HelpTests {
  static func text(_ words: String..., of help: ProgramHelp = Bellhop.help) -> String {
    switch help.answer(words, width: 80) {
    case .page(let page): page.text(width: 80, .plain)
    case .unknown(let text): "unknown: " + text
    case .option: "option"
    }
  }

  @Test("without words it lists the commands, then the topics")
  func overview() throws {
    for (help, topics) in [(Bellhop.help, Manual.user), (Bellhopd.help, Manual.store)] {
      let text = Self.text(of: help)
      let list = try #require(text.range(of: "TOPICS:\n"))
      #expect(text[..<list.lowerBound].contains("USAGE:"))
      let listed = "\n" + text[list.upperBound...]
      for topic in topics { #expect(listed.contains("\n  \(topic.name)  ")) }
      #expect(text.hasSuffix("to read a topic.\n"))
      for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }
  }

  @Test("a topic is shown whole")
  func topic() throws {
    let topic = try #require(Manual.user.first { $0.name == "filters" })
    #expect(Self.text("filters") == topic.document.printed(width: 80, .plain))
    #expect(Self.text("quick-start", of: Bellhopd.help).hasPrefix(Manual.store[0].title))
  }

  @Test("a command is explained by the parser of arguments, below other commands, too")
  func command() {
    #expect(Self.text("list").contains("USAGE: bellhop list"))
    #expect(Self.text("devices", "revoke").contains("USAGE: bellhop devices revoke"))
    #expect(Self.text("themes", "xyzzy") == "unknown: \"xyzzy\" is not a command.")
    #expect(Self.text("token", "create", of: Bellhopd.help).contains("bellhopd token create"))
  }

  @Test("a name of both a command and a topic shows both, the command first")
  func both() throws {
    let topic = try #require(Manual.user.first { $0.name == "themes" })
    let text = Self.text("themes")
    let title = try #require(text.range(of: "\n\n\(topic.title)\n"))
    #expect(text[..<title.lowerBound].contains("USAGE: bellhop themes"))
  }

  @Test(
    "an unknown word is reported with the nearest command or topic",
    arguments: [
      (["filter"], "\"filter\" is not a command or a topic. Did you mean filters?"),
      (["lisst"], "\"lisst\" is not a command or a topic. Did you mean list?"),
      (["store", "stat"], "\"stat\" is not a command. Did you mean start?"),
      (["filters", "list"], "\"filters\" is a topic, which has no commands."),
      (["xyzzy"], "\"xyzzy\" is not a command or a topic."),
    ])
  func unknown(_ words: [String], _ text: String) {
    #expect(Bellhop.help.answer(words, width: 80) == .unknown(text))
  }

  @Test("a program of a release names its commit after the version")
  func version() {
    #expect(ProgramVersion.described(commit: nil) == ProgramVersion.number)
    #expect(ProgramVersion.described(commit: "1a2b3c") == "\(ProgramVersion.number) (1a2b3c)")
  }

  @Test("options are left to the parser")
  func options() { #expect(Bellhop.help.answer(["list", "--help"], width: 80) == .option) }

  @Test("the pager is that of PAGER, otherwise less; none if PAGER is empty or cat")
  func pager() {
    #expect(Pager(pager: "more", hasLess: true)?.command == "more")
    #expect(Pager(pager: nil, hasLess: true)?.command == "less")
    #expect(Pager(pager: nil, hasLess: false) == nil)
    #expect(Pager(pager: "", hasLess: true) == nil)
    #expect(Pager(pager: "cat", hasLess: true) == nil)
  }

  @Test("a pager that cannot be started is reported to the caller")
  func missingPager() {
    let pager = Pager(pager: "/nonexistent/pager 2>/dev/null", hasLess: true)
    #expect(pager?.show("text\n") == false)
    #expect(Pager(pager: "cat >/dev/null", hasLess: true)?.show("text\n") == true)
  }
}
