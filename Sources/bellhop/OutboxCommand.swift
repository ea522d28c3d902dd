internal import ArgumentParser
internal import BellhopCommands

struct Outbox: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outbox",
    abstract: "What you did and the store does not have yet: since when, and why.",
    discussion: """
      From the cache; no network needed, and a screen may be open. --refused lists the last changes \
      that did not apply, because somebody else was first or the item was replaced.

      Example: bellhop outbox --refused
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var output: OutputOptions
  @Flag(help: "What did not apply, newest first, instead of what waits.") var refused = false

  func run() throws {
    try Commands.outbox(
      try global.context(), areRefused: refused, ofAllAccounts: several.allAccounts,
      asJSON: output.json)
  }
}

/// The option of commands that support all accounts of this device.
struct AllAccountsOption: ParsableArguments {
  @Flag(help: "Of every account on this device.") var allAccounts = false
}
