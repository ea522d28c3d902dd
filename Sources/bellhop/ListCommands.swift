internal import ArgumentParser
internal import BellhopClient

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List items from the cache; no network needed.",
    discussion: """
      \(FilterHelp.text)

      Examples:
        bellhop list --filter 'app:ci prio:>=high after:yesterday'
        bellhop list --json | jq -r 'select(.priority == "urgent").title'
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var output: OutputOptions
  @Flag var selection: SelectionFlag = .tray
  @Option(help: FilterHelp.option("Only what passes the filter.")) var filter: String?
  @Option(help: "At most this many, newest first; what comes later, soonest first.")
  var limit = 100

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit is to be 1 or more.") }
  }

  func run() throws {
    try Commands.list(
      try global.context(), selection: selection.value, filter: filter ?? "", limit: limit,
      ofAllAccounts: several.allAccounts, asJSON: output.json)
  }
}

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one item whole.", discussion: "Example: bellhop show 12")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var output: OutputOptions
  @Argument(help: "Number, id, or the beginning of an id.") var id: String

  func run() throws {
    try Commands.show(try global.context(), name: id, asJSON: output.json)
  }
}

struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Search everything that is kept, newest first.",
    discussion: """
      All words must be there; the last one may be the beginning of a word.

      Example: bellhop search disk sec
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var output: OutputOptions
  @Argument(help: "Words to look for.") var words: [String]
  @Option(help: "At most this many.") var limit = 100

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit is to be 1 or more.") }
  }

  func run() throws {
    try Commands.search(
      try global.context(), words: words.joined(separator: " "), limit: limit,
      ofAllAccounts: several.allAccounts, asJSON: output.json)
  }
}

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Counts and connection.", discussion: "Example: bellhop status --json")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var output: OutputOptions

  func run() throws {
    try Commands.status(
      try global.context(), ofAllAccounts: several.allAccounts, asJSON: output.json)
  }
}
