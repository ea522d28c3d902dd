internal import ArgumentParser
internal import BellhopClient

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List items from the cache; no network needed.",
    discussion: """
      Example: bellhop list --json | jq -r 'select(.priority == "urgent").title'
      """)

  enum Selection: EnumerableFlag {
    case tray, history, snoozed, scheduled, all

    static func help(for value: Selection) -> ArgumentHelp? {
      switch value {
      case .tray: "What nobody has handled (the default)."
      case .history: "What was handled, or is past its time in the tray."
      case .snoozed: "What comes back later."
      case .scheduled: "What is published, but not yet delivered."
      case .all: "Everything that is kept."
      }
    }
  }

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var output: OutputOptions
  @Flag var selection: Selection = .tray
  @Option(help: "At most this many, newest first; what comes later, soonest first.")
  var limit = 100

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit is to be 1 or more.") }
  }

  func run() throws {
    let selection: ListSelection =
      switch selection {
      case .tray: .tray
      case .history: .history
      case .snoozed: .snoozed
      case .scheduled: .scheduled
      case .all: .all
      }
    try Commands.list(
      try global.context(), selection: selection, limit: limit,
      ofAllAccounts: several.allAccounts, asJSON: output.json)
  }
}

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
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
    abstract: "Counts and connection.", discussion: "Example: bellhop status --json")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var output: OutputOptions

  func run() throws {
    try Commands.status(
      try global.context(), ofAllAccounts: several.allAccounts, asJSON: output.json)
  }
}
