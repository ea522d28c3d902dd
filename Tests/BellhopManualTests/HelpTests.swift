import ArgumentParser
import BellhopManual
import BellhopModel
import BellhopText
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
    #expect(Self.text("filters").hasPrefix("\(topic.title.uppercased())\n\n    \(topic.summary)"))
    #expect(Self.text("quick-start", of: Bellhopd.help).contains(Manual.store[0].summary))
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
    let title = try #require(text.range(of: "\n\n\(topic.title.uppercased())\n"))
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

  @Test("commands with their summaries and topics with their titles complete the line")
  func completions() throws {
    for (help, topics) in [(Bellhop.help, Manual.user), (Bellhopd.help, Manual.store)] {
      let offered = help.completions(of: ["program", "help", ""], at: 2)
      #expect(Set(offered.map(\.value)).count == offered.count)
      #expect(!offered.contains { $0.value == "manpage" })
      for topic in topics { #expect(offered.contains { $0.value == topic.name }) }
    }
    let offered = Bellhop.help.completions(of: ["bellhop", "help", "fil"], at: 2)
    #expect(offered.contains(Completion("filters", "Filters and times")))
    #expect(offered.contains { $0.value == "themes" && $0.description.string.hasPrefix("Preview") })
    #expect(offered.contains { $0.value == "help" })
  }

  @Test("after a command its subcommands complete the line, after a topic nothing")
  func pathCompletions() {
    let devices = Bellhop.help.completions(of: ["bellhop", "help", "devices", ""], at: 3)
    #expect(devices.map(\.value) == ["list", "approve", "deny", "rename", "revoke"])
    #expect(Bellhop.help.completions(of: ["bellhop", "help", "filters", ""], at: 3) == [])
    let token = Bellhopd.help.completions(of: ["bellhopd", "help", "token", ""], at: 3)
    #expect(token.contains { $0.value == "create" })
  }

  @Test(
    "the script of each shell asks the program for topics, and has one help command",
    arguments: CompletionShell.allCases)
  func scripts(_ shell: CompletionShell) {
    for (root, name) in [
      (Bellhop.self as any ParsableCommand.Type, "bellhop"), (Bellhopd.self, "bellhopd"),
    ] {
      let script = CompletionScript(of: root, for: shell).text
      #expect(script.contains("---completion help -- positional@0"))
      #expect(!script.contains("Show subcommand help information."))
      let functions = script.split(separator: "\n").filter { $0 == "_\(name)_help() {" }
      #expect(functions.count == (shell == .fish ? 0 : 1))
      #expect(!script.contains("help|help") && !script.contains("help help"))
    }
  }

  @Test(
    "the script is printed for both spellings of its option",
    arguments: [
      (["--generate-completion-script", "bash"], true),
      (["--generate-completion-script=fish"], true),
      (["--generate-completion-script", "tcsh"], false), (["list"], false), ([], false),
    ] as [([String], Bool)])
  func scriptOption(_ arguments: [String], _ isScript: Bool) {
    let script = CompletionScript(of: Bellhop.self, requestedBy: arguments)
    #expect((script != nil) == isScript)
  }

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
