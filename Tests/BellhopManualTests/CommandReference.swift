import ArgumentParser
import Foundation

/// The reference of a program's commands in Markdown, from the parser of its arguments.
struct CommandReference {
  private let root: any ParsableCommand.Type
  private let tree: Command

  /// A command as the parser describes it in JSON (`--experimental-dump-help`).
  private struct Command: Decodable {
    var commandName: String
    var shouldDisplay: Bool?
    var abstract: String?
    var defaultSubcommand: String?
    var subcommands: [Command]?
    var arguments: [Argument]?
  }

  private struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String

      var text: String { (kind == "long" ? "--" : "-") + name }
    }

    var kind: String
    var shouldDisplay: Bool
    var isOptional: Bool
    var isRepeating: Bool
    var names: [Name]?
    var valueName: String?
    var defaultValue: String?
    var allValues: [String]?
    var abstract: String?
  }

  private struct Dump: Decodable {
    var command: Command
  }

  /// The maximum length of a line outside code, in characters.
  private static let columnsMax = 100

  init(_ root: any ParsableCommand.Type) throws {
    self.root = root
    tree = try JSONDecoder().decode(Dump.self, from: Data(root._dumpHelp().utf8)).command
  }

  /// Every command with its usage, arguments and options, in the groups of the help.
  var markdown: String {
    let groups = root.configuration.groupedSubcommands.map { group in
      (name: group.name, commands: group.subcommands.compactMap { $0.configuration.commandName })
    }
    let grouped = Set(groups.flatMap(\.commands))
    let others = (tree.subcommands ?? []).map(\.commandName).filter { !grouped.contains($0) }
    var blocks = blocks(of: others)
    for group in groups { blocks += ["### \(group.name)"] + self.blocks(of: group.commands) }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private func blocks(of names: [String]) -> [String] {
    names.flatMap { name in
      (tree.subcommands ?? []).filter { $0.commandName == name }
        .flatMap { blocks(of: $0, below: tree.commandName) }
    }
  }

  private func blocks(of command: Command, below path: String) -> [String] {
    guard command.commandName != "help", command.shouldDisplay ?? true else { return [] }
    let path = path + " " + command.commandName
    var blocks = ["#### `\(path)`"]
    if let abstract = command.abstract { blocks.append(Self.wrapped(abstract, indent: "")) }
    if let name = command.defaultSubcommand {
      blocks.append("`\(path)` alone is `\(path) \(name)`.")
    }
    let arguments = Self.merged((command.arguments ?? []).filter(Self.isListed))
    if !arguments.isEmpty {
      blocks.append(arguments.map(Self.item).joined(separator: "\n"))
    }
    return blocks + (command.subcommands ?? []).flatMap { self.blocks(of: $0, below: path) }
  }

  /// Whether an argument is not one that every command has.
  private static func isListed(_ argument: Argument) -> Bool {
    let names = Set(argument.names?.map(\.text) ?? [])
    return argument.shouldDisplay && names.isDisjoint(with: ["--help", "--version"])
  }

  /// Returns the arguments with a flag and its inversion, which have the same text, as one.
  private static func merged(_ arguments: [Argument]) -> [Argument] {
    arguments.reduce(into: []) { merged, argument in
      if argument.kind == "flag", merged.last?.kind == "flag",
        merged.last?.abstract == argument.abstract
      {
        merged[merged.count - 1].names? += argument.names ?? []
      } else {
        merged.append(argument)
      }
    }
  }

  private static func item(_ argument: Argument) -> String {
    let value = argument.valueName.map { "<\($0)>" } ?? ""
    let suffix = argument.kind == "option" ? " " + value : ""
    let names = argument.names?.map { "`\($0.text)\(suffix)`" } ?? ["`\(value)`"]
    var text = names.joined(separator: ", ")
    if argument.isRepeating { text += " (several)" }
    if let abstract = argument.abstract, !abstract.isEmpty { text += ": " + abstract }
    if let values = argument.allValues, !values.isEmpty {
      text += " Values: \(values.joined(separator: ", "))."
    }
    if argument.kind != "flag", let value = argument.defaultValue { text += " Default: \(value)." }
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
