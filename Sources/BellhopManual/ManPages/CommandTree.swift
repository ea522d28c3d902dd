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
  /// The subcommand that the command runs if none is named.
  let defaultSubcommand: String?
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
    var names: [Name]?
    let valueName: String?
    let defaultValue: String?
    /// The values of an argument that has only these.
    let allValues: [String]?
    let abstract: String?

    /// The description, with the values and the default.
    var text: String {
      var sentences = [abstract ?? ""].filter { !$0.isEmpty }
      if let allValues, !allValues.isEmpty {
        sentences.append("Values: \(allValues.joined(separator: ", ")).")
      }
      if let defaultValue, kind != .flag { sentences.append("Default: \(defaultValue).") }
      return sentences.joined(separator: " ")
    }
  }

  private struct Document: Decodable {
    let command: CommandTree
  }

  private enum CodingKeys: String, CodingKey {
    case commandName, aliases, abstract, discussion, shouldDisplay, defaultSubcommand, arguments
    case subcommands
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decode(String.self, forKey: .commandName)
    aliases = try container.decodeIfPresent([String].self, forKey: .aliases) ?? []
    abstract = try container.decodeIfPresent(String.self, forKey: .abstract) ?? ""
    discussion = try container.decodeIfPresent(String.self, forKey: .discussion) ?? ""
    isShown = try container.decodeIfPresent(Bool.self, forKey: .shouldDisplay) ?? true
    defaultSubcommand = try container.decodeIfPresent(String.self, forKey: .defaultSubcommand)
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
  ///
  /// A flag and its inversion, which have the same text, are one.
  var shownArguments: [Argument] {
    arguments.filter { argument in
      argument.shouldDisplay
        && !(argument.names ?? []).contains { ["help", "version"].contains($0.name) }
    }.reduce(into: []) { merged, argument in
      if argument.kind == .flag, let last = merged.last, last.kind == .flag,
        last.abstract == argument.abstract
      {
        merged[merged.count - 1].names? += argument.names ?? []
      } else {
        merged.append(argument)
      }
    }
  }

  /// The subcommands that help shows, without the parser's own `help`, which follows the program's.
  var shownSubcommands: [CommandTree] {
    var names: Set<String> = []
    return subcommands.filter { $0.isShown && names.insert($0.name).inserted }
  }
}
