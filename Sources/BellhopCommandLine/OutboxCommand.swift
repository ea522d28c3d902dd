internal import ArgumentParser
internal import BellhopCommands

struct Outbox: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outbox",
    abstract: "List your changes that the store does not have yet: since when, and why.",
    discussion: """
      Reads the cache: it needs no network, and a screen may be open. --refused lists the last \
      changes that did not apply, because the item was changed elsewhere before, or replaced.

      Example: bellhop outbox --refused
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var output: OutputOptions
  @Flag(help: "List changes that did not apply, newest first, instead of unsent ones.")
  var refused = false

  func run() throws {
    try Commands.outbox(
      try global.context(), areRefused: refused, ofAllAccounts: several.allAccounts,
      asJSON: output.json)
  }
}

/// The option of commands that support all accounts of this device.
struct AllAccountsOption: ParsableArguments {
  @Flag(help: "Include every account on this device.") var allAccounts = false
}
