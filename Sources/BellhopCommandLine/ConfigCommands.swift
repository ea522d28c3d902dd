internal import ArgumentParser
internal import BellhopClient
internal import BellhopCommands

struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract:
      "Explain, print, find or check the configuration.",
    discussion: "Example: bellhop config default > ~/.config/bellhop/config.toml",
    subcommands: [Default.self, Show.self, Path.self, Check.self], defaultSubcommand: Show.self)

  struct Default: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "default",
      abstract: "Print a file that explains every key; nothing is changed.")
    func run() throws { Commands.configDefault() }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Print the settings in effect.")
    func run() throws { try Commands.configShow() }
  }

  struct Path: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "path", abstract: "Print the path of the file.")
    func run() throws { try Commands.configPath() }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "List all problems in the file, with lines; exit code 78 if there are any.")
    func run() throws { try Commands.configCheck() }
  }
}
