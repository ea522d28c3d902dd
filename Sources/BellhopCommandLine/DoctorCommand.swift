internal import ArgumentParser
internal import BellhopClient
internal import BellhopCommands
internal import Glibc

struct Doctor: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find problems on this machine, and show how to fix them.",
    discussion: """
      Checks configuration, files, cache, disk, terminal and outbox, then the connection to the \
      store, its certificate, version and clock, and this device's token. Works without a network. \
      The exit code is 0 if nothing is broken, otherwise that of the first problem.

      Example: bellhop doctor --json | jq -r 'select(.status != "ok").text'
      """)

  @Option(
    help: ArgumentHelp("Check this account instead of the default one.", valueName: "name"),
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
