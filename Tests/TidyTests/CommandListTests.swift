import BellhopInbox
import BellhopTestSupport
import Foundation
import Testing

@Suite("Lists of commands")
struct CommandListTests {
  /// The declared commands, and the commands in the lists of features, of `extension Command`
  /// blocks.
  struct Declarations {
    var commands: Set<String> = []
    var listed: [String] = []

    init() throws {
      for file in try SourceTree.swiftFiles(below: "Sources/BellhopInbox") {
        for block in Self.blocks(of: file) {
          for declaration in block.split(separator: "  static let ") {
            // The comment before the first declaration begins with a slash.
            let name = String(declaration.prefix { $0.isLetter || $0.isNumber })
            if name.isEmpty {
              continue
            } else if name.hasSuffix("Commands") {
              listed += Self.elements(of: declaration)
            } else if name != "all" {
              commands.insert(name)
            }
          }
        }
      }
    }

    /// The text of each `extension Command` of a file.
    private static func blocks(of file: SourceTree.File) -> [String] {
      "\n\(file.text)".components(separatedBy: "\nextension Command {\n").dropFirst().map { text in
        text.components(separatedBy: "\n}\n")[0]
      }
    }

    /// The names in `groupCommands: [Command] = [fold]`.
    private static func elements(of declaration: Substring) -> [String] {
      let value = declaration.split(separator: "=", maxSplits: 1).last ?? ""
      return value.prefix { $0 != "]" }.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
  }

  @Test("every declared command is in the list of its feature, once")
  func everyCommandIsListed() throws {
    let declarations = try Declarations()
    // The five commands of saved views are one declaration.
    let commands = declarations.commands.subtracting(["views"])
    let listed = declarations.listed.filter { $0 != "views" }
    #expect(commands.subtracting(listed) == [], "declared, but in no list")
    #expect(Set(listed).subtracting(commands) == [])
    #expect(listed.count == commands.count, "listed twice")
    #expect(Command.all.count == commands.count + SavedView.countMax)
  }
}
