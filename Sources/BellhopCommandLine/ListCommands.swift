internal import ArgumentParser
internal import BellhopCommands

/// The source of a command's items.
struct OfflineOption: ParsableArguments {
  @Flag(help: "Read the local data only, without asking the store first.")
  var offline = false
}

/// The form in which items are printed.
struct ListingOptions: ParsableArguments {
  @Flag(help: "Print one JSON object per line, with documented keys.") var json = false
  @Flag(help: "Print only the ids, one per line.") var ids = false
  @Flag(help: "Print columns with words, as in a pipe, instead of the screen's rows.") var long =
    false
  @Option(
    help: ArgumentHelp(
      "Print text with keys of --json in braces, such as '{number} {app}: {title}'.",
      valueName: "template"))
  var format: String?
  @Flag(name: .customLong("print0"), help: "End each item with a NUL byte, for xargs -0.")
  var endsWithNUL = false
  @Option(
    help: """
      Print at most this many items; 0 for all (default: 100, and all with --ids and --print0).
      """)
  var limit: Int?

  func validate() throws {
    guard limit ?? 0 >= 0 else { throw ValidationError("--limit must be 0 (all) or more.") }
    guard [json, ids, long, format != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("Use one of --json, --ids, --long and --format.")
    }
  }

  var form: ListingForm {
    let kind: ListingForm.Kind =
      if let format {
        .template(format)
      } else if json {
        .json
      } else if ids {
        .ids
      } else {
        long ? .columns : .automatic
      }
    return ListingForm(kind, endsWithNUL: endsWithNUL)
  }
}

/// The selection of items that a command reads.
struct SelectionOptions: ParsableArguments {
  @Flag var selection: SelectionFlag = .tray
  @Argument(help: "A filter, such as app:ci is:unread.") var terms: [String] = []
  @Option(help: FilterHelp.option("The same filter as one argument.")) var filter: String?

  func validate() throws {
    guard filter == nil || terms.isEmpty else {
      throw ValidationError("Write the filter as arguments or with --filter, not both.")
    }
  }

  func request(isOfAllAccounts: Bool, isOffline: Bool) -> ListRequest {
    ListRequest(
      selection: selection.value, filter: filter ?? terms.joined(separator: " "),
      isOfAllAccounts: isOfAllAccounts, isOffline: isOffline)
  }
}

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List items: newest first; snoozed and scheduled ones soonest first.",
    discussion: """
      \(FilterHelp.text)

      On a terminal, each item is a row as on the screen; elsewhere it is a line with columns.

      Examples:
        bellhop list app:ci prio:'>=high' after:yesterday
        bellhop list --json | jq -r 'select(.priority == "urgent").title'
        bellhop list --ids app:ci | bellhop dismiss -
      """, aliases: ["ls"])

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var items: SelectionOptions
  @OptionGroup var listing: ListingOptions
  @OptionGroup var source: OfflineOption

  func run() throws {
    try Commands.list(
      try global.context(),
      items.request(isOfAllAccounts: several.allAccounts, isOffline: source.offline),
      limit: listing.limit, listing.form)
  }
}

struct Count: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Print the number of items.",
    discussion: """
      \(FilterHelp.text)

      Example: bellhop count is:unread prio:urgent
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var items: SelectionOptions
  @OptionGroup var source: OfflineOption

  func run() throws {
    try Commands.count(
      try global.context(),
      items.request(isOfAllAccounts: several.allAccounts, isOffline: source.offline))
  }
}

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one item in full.", discussion: "Example: bellhop show 12")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var source: OfflineOption
  @Argument(help: "A number, an id, or the beginning of an id.", completion: .items)
  var id: String

  func run() throws {
    try Commands.show(
      try global.context(), name: id, isOffline: source.offline, asJSON: output.json)
  }
}

struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Search all items, the history too; newest first.",
    discussion: """
      All words must match; the last one may be the beginning of a word.

      Example: bellhop search disk sec
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var listing: ListingOptions
  @OptionGroup var source: OfflineOption
  @Argument(help: "The words to search for.") var words: [String]

  func run() throws {
    try Commands.search(
      try global.context(), words: words.joined(separator: " "),
      ListRequest(isOfAllAccounts: several.allAccounts, isOffline: source.offline),
      limit: listing.limit, listing.form)
  }
}

struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print counts and the state of the connection to the store.",
    discussion: """
      The exit code is 77 if the store no longer accepts this device.

      Example: bellhop status --json
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var source: OfflineOption

  func run() throws {
    try Commands.status(
      try global.context(), isOfAllAccounts: several.allAccounts, isOffline: source.offline,
      asJSON: output.json)
  }
}
