internal import FoundationEssentials

/// A command of a program with its subcommands, as the argument parser describes it.
///
/// The parser prints this description with `--experimental-dump-help`.
package struct CommandTree: Decodable, Sendable {
  let name: String
  let aliases: [String]
  let abstract: String
  let discussion: String
  let isShown: Bool
  let arguments: [Argument]
  let subcommands: [CommandTree]

  /// A positional argument, an option or a flag.
  struct Argument: Decodable, Sendable {
    enum Kind: String, Decodable {
      case positional, option, flag
    }

    struct Name: Decodable, Sendable {
      let kind: String
      let name: String

      var spelling: String { (kind == "long" ? "--" : "-") + name }
    }

    let kind: Kind
    let shouldDisplay: Bool
    let isOptional: Bool
    let isRepeating: Bool
    let names: [Name]?
    let valueName: String?
    let defaultValue: String?
    let abstract: String?
  }

  private struct Document: Decodable {
    let command: CommandTree
  }

  private enum CodingKeys: String, CodingKey {
    case commandName, aliases, abstract, discussion, shouldDisplay, arguments, subcommands
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .commandName)
    aliases = try container.decodeIfPresent([String].self, forKey: .aliases) ?? []
    abstract = try container.decodeIfPresent(String.self, forKey: .abstract) ?? ""
    discussion = try container.decodeIfPresent(String.self, forKey: .discussion) ?? ""
    isShown = try container.decodeIfPresent(Bool.self, forKey: .shouldDisplay) ?? true
    arguments = try container.decodeIfPresent([Argument].self, forKey: .arguments) ?? []
    subcommands = try container.decodeIfPresent([CommandTree].self, forKey: .subcommands) ?? []
  }

  /// Creates the tree from the parser's JSON.
  ///
  /// - Throws: `DecodingError` if the parser has changed its format.
  package init(json: String) throws {
    self = try JSONDecoder().decode(Document.self, from: Data(json.utf8)).command
  }

  /// The arguments that help shows, without those that every command has.
  var shownArguments: [Argument] {
    arguments.filter { argument in
      argument.shouldDisplay
        && !(argument.names ?? []).contains { ["help", "version"].contains($0.name) }
    }
  }

  /// The subcommands that help shows, without the parser's own.
  var shownSubcommands: [CommandTree] { subcommands.filter { $0.isShown && $0.name != "help" } }
}
