internal import ArgumentParser
internal import BellhopClient
internal import BellhopCommands
internal import Glibc

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "What is wrong here, and how to fix it.",
    discussion: """
      Looks at configuration, files, cache, disk, terminal and outbox, then at the way to the store, \
      its certificate, version and clock, and at this device's token. Works without a network. Ends \
      with 0 when nothing is broken, else with the code of the first thing that is.

      Example: bellhop doctor --json | jq -r 'select(.status != "ok").text'
      """)

  @Option(
    help: ArgumentHelp("Look at this account instead of the default one.", valueName: "name"),
    completion: .accounts)
  var account: String?
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var output: OutputOptions

  func run() throws {
    let code = try Commands.doctor(
      account: account, ofAllAccounts: several.allAccounts, asJSON: output.json)
    if code != .success { Glibc.exit(code.rawValue) }
  }
}
