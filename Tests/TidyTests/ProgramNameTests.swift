import BellhopInbox
import BellhopTestSupport
import Testing

@Suite("Commands in hints")
struct HintTests {
  @Test("hints know every command of the program, and no other")
  func commands() throws {
    let mark = "    commandName: \""
    let names = try SourceTree.swiftFiles(below: "Sources/BellhopCommandLine").flatMap(\.lines)
      .filter { $0.hasPrefix(mark) }
      .map { $0.dropFirst(mark.count).prefix { $0 != "\"" } }
    // The names of their subcommands are indented further. Packages use the hidden command.
    #expect(
      Set(names.map(String.init)).subtracting(["bellhop", "manpage"]) == ProgramName.commands)
  }
}
