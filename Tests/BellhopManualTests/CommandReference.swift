import ArgumentParser

@testable import BellhopManual

/// The reference of a program's commands in Markdown, from the parser of its arguments.
struct CommandReference {
  private let root: any ParsableCommand.Type
  private let tree: CommandTree

  /// The maximum length of a line outside code, in characters.
  private static let columnsMax = 100

  init(_ root: any ParsableCommand.Type) throws {
    self.root = root
    tree = try CommandTree(json: root._dumpHelp())
  }

  /// Every command with its usage, arguments and options, in the groups of the help.
  var markdown: String {
    let groups = root.configuration.groupedSubcommands.map { group in
      (name: group.name, commands: group.subcommands.compactMap { $0.configuration.commandName })
    }
    let grouped = Set(groups.flatMap(\.commands))
    let others = tree.shownSubcommands.map(\.name).filter { !grouped.contains($0) }
    var blocks = blocks(of: others)
    for group in groups { blocks += ["### \(group.name)"] + self.blocks(of: group.commands) }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private func blocks(of names: [String]) -> [String] {
    names.flatMap { name in
      tree.shownSubcommands.filter { $0.name == name }.flatMap { blocks(of: $0, below: tree.name) }
    }
  }

  private func blocks(of command: CommandTree, below path: String) -> [String] {
    let path = path + " " + command.name
    var blocks = ["#### `\(path)`"]
    if !command.abstract.isEmpty { blocks.append(Self.wrapped(command.abstract, indent: "")) }
    if let name = command.defaultSubcommand {
      blocks.append("`\(path)` alone is `\(path) \(name)`.")
    }
    let arguments = command.shownArguments
    if !arguments.isEmpty {
      blocks.append(arguments.map(Self.item).joined(separator: "\n"))
    }
    return blocks + command.shownSubcommands.flatMap { self.blocks(of: $0, below: path) }
  }

  private static func item(_ argument: CommandTree.Argument) -> String {
    let value = argument.valueName.map { "<\($0)>" } ?? ""
    let suffix = argument.kind == .option ? " " + value : ""
    let names = argument.names?.map { "`\($0.spelling)\(suffix)`" } ?? ["`\(value)`"]
    var text = names.joined(separator: ", ")
    if argument.isRepeating { text += " (several)" }
    if !argument.text.isEmpty { text += ": " + argument.text }
    return "- " + wrapped(text, indent: "  ", columns: columnsMax - 2)
  }

  private static func wrapped(
    _ text: String, indent: String, columns: Int = columnsMax
  ) -> String {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      // A dash at the beginning of a line would begin a list item.
      if !last.isEmpty, word != "-", last.count + 1 + word.count > columns {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] = last.isEmpty ? String(word) : last + " " + word
      }
    }
    return lines.joined(separator: "\n" + indent)
  }
}
