internal import ArgumentParser
internal import BellhopHelp
internal import BellhopManual
internal import BellhopModel
internal import BellhopServer
internal import Glibc

/// The store program.
package enum BellhopdProgram {
  /// Does what the process's arguments say.
  package static func main() async { await Bellhopd.main() }
}

/// The root command.
struct Bellhopd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bellhopd",
    abstract: "The store of Bellhop: stores notifications and synchronises devices.",
    discussion: """
      Examples:
        bellhopd serve
        bellhopd user add alice
        bellhopd token create --user alice --scope device > alice-laptop.token
        bellhopd token create --user alice --scope publish --app nas
        curl -d "Backup finished" -H "Authorization: Bearer TOKEN" 127.0.0.1:8642/nas

      All commands except restore work while it is serving. Exit codes: 0, 64 usage, 65 bad data, \
      66 no such user or token, 69 address taken, 73 and 74 files, 75 try later, 77 not allowed, \
      78 configuration.
      """,
    version: ProgramVersion.described,
    subcommands: [
      Serve.self, UserCommand.self, TokenCommand.self, DeviceCommand.self, StatsCommand.self,
      BackupCommand.self, RestoreCommand.self, CheckCommand.self, ExpireCommand.self,
      ReloadCommand.self, ConfigCommand.self, SystemdUnitCommand.self,
      ManPageCommand.self,
    ])

  static var help: ProgramHelp { ProgramHelp(Bellhopd.self, topics: Manual.store) }

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "help", showHelp(Array(arguments.dropFirst())) { return }
    await main(arguments)
  }

  /// Shows help on the words after `help`, or ends with an error about an unknown word.
  ///
  /// - Returns: false for options, which are left to the parser.
  private static func showHelp(_ words: [String]) -> Bool {
    let output = HelpOutput.standard
    switch help.answer(words, width: output.width) {
    case .page(let page): output.show(page)
    case .unknown(let text):
      let error = ProgramError.usage("\(text)\nbellhopd help lists the commands and topics.")
      for line in error.message.split(separator: "\n") { Output.error("bellhopd: " + line) }
      Glibc.exit(error.exitCode)
    case .option: return false
    }
    return true
  }
}
