internal import ArgumentParser
internal import BellhopHelp
internal import BellhopManual
internal import BellhopModel
internal import BellhopServer

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

      All commands except restore, migrate and new-epoch work while it is serving. Exit codes: 0, \
      64 usage, 65 bad data, 66 no such user, token, store or file, 69 address taken, 73 and 74 \
      files, 75 try later, 77 not allowed, 78 configuration.
      """,
    version: ProgramVersion.described,
    subcommands: [
      Serve.self, UserCommand.self, TokenCommand.self, DeviceCommand.self, StatsCommand.self,
      BackupCommand.self, RestoreCommand.self, CheckCommand.self, StoreDoctorCommand.self,
      ExpireCommand.self, ReloadCommand.self, MigrateSchemaCommand.self, MigrateCommand.self,
      NewEpochCommand.self, ConfigCommand.self, SystemdUnitCommand.self, HelpCommand.self,
      ManPageCommand.self,
    ])

  static var help: ProgramHelp { ProgramHelp(Bellhopd.self, topics: Manual.store) }

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let script = CompletionScript(of: Bellhopd.self, requestedBy: arguments) {
      return script.print()
    }
    await main(arguments)
  }
}

struct HelpCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "help",
    abstract: "Explain a command or show a topic of the manual.",
    discussion: """
      Without a name, lists the commands and topics.

      Example: bellhopd help token create
      Example: bellhopd help backup
      """)

  @Argument(
    help: ArgumentHelp(
      "A command, with its subcommand if it has some, or a topic.", valueName: "name"),
    completion: .values { Bellhopd.help.completions(of: $0, at: $1) })
  var words: [String] = []

  func perform() async throws {
    let output = HelpOutput.standard
    switch Bellhopd.help.answer(words, width: output.width) {
    case .page(let page): output.show(page)
    case .unknown(let text):
      throw ProgramError.usage("\(text)\nbellhopd help lists the commands and topics.")
    }
  }
}
