internal import ArgumentParser
internal import BellhopCommands
internal import BellhopModel

/// The options of every command that changes items.
struct ChangeOptions: ParsableArguments {
  @Argument(help: "Numbers (12 or #12), ids, or beginnings of ids; - reads them from a pipe.")
  var ids: [String] = []

  @Option(help: FilterHelp.option("Instead of names: the items that list shows with it."))
  var filter: String?

  @Flag var selection: SelectionFlag?

  @Flag(help: "With a filter: do not ask first.") var yes = false

  @Flag(help: "Return when the store has it; 75 when it does not answer.")
  var wait = false

  @OptionGroup var source: OfflineOption

  func validate() throws {
    guard filter != nil || !ids.isEmpty else {
      throw ValidationError(
        "No item is named. Give its number, such as 12, or --filter for many.")
    }
    guard filter == nil || ids.isEmpty else {
      throw ValidationError("Name items or give --filter, not both.")
    }
    guard ids.count == 1 || !ids.contains("-") else {
      throw ValidationError("- reads all names from standard input: give it alone.")
    }
    guard filter != nil || (selection == nil && !yes) else {
      let option = selection.map { "--\($0)" } ?? "--yes"
      throw ValidationError("\(option) goes with --filter only.")
    }
    guard filter?.allSatisfy(\.isWhitespace) != true else {
      throw ValidationError("An empty --filter would match everything. Write is:tray for that.")
    }
  }

  /// - Parameter selection: The selection to filter if the user gives none.
  func choice(of selection: ListSelection = .tray) -> ItemChoice {
    guard let filter else { return .named(ids) }
    return .passing(
      FilteredItems(
        filter: filter, selection: self.selection?.value ?? selection, isConfirmed: yes,
        isOffline: source.offline))
  }
}

struct Read: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Mark items read; they stay in the tray.",
    discussion: """
      \(FilterHelp.text)

      \(FilterHelp.asking)

      Examples:
        bellhop read 12 13
        bellhop read --filter app:ci
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(try global.context(), .read, change.choice(), waits: change.wait)
  }
}

struct Unread: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unread",
    abstract: "Mark items unread.",
    discussion: """
      \(FilterHelp.asking)

      Example: bellhop unread 12
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(try global.context(), .unread, change.choice(), waits: change.wait)
  }
}

struct Dismiss: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss",
    abstract: "Take items out of every tray; history keeps them.",
    discussion: """
      \(FilterHelp.text)

      \(FilterHelp.asking)

      Examples:
        bellhop dismiss 12
        bellhop dismiss --filter 'app:ci before:yesterday'
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(try global.context(), .dismiss, change.choice(), waits: change.wait)
  }
}

struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put items back into the tray.",
    discussion: """
      --filter looks at handled items, unless another selection is given. \(FilterHelp.asking)

      Example: bellhop restore 12
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(
      try global.context(), .restore, change.choice(of: .handled), waits: change.wait)
  }
}

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete items everywhere, in the history too.",
    discussion: """
      On a terminal, bellhop undo takes a delete back within 5 seconds; elsewhere, and with --wait, it \
      is final at once. With --filter it asks first; where there is no terminal to ask on, --yes is \
      needed.

      Examples:
        bellhop delete 12
        bellhop delete --handled --filter 'app:ci before:2026-01-01' --yes
      """, aliases: ["rm"])

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(try global.context(), .delete, change.choice(), waits: change.wait)
  }
}

struct Snooze: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Take items out of every tray until a time.",
    discussion: """
      \(FilterHelp.asking)

      Example: bellhop snooze 12 --for 2h
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions
  @Option(name: .customLong("for"), help: "A span such as 15m, 2h or 3d.") var span: String?
  @Option(help: "A time: tomorrow, \"fri 9:00\" or 2026-12-24T18:00Z.") var until: String?

  func validate() throws {
    guard (span == nil) != (until == nil) else {
      throw ValidationError("Say --for SPAN or --until TIME.")
    }
  }

  func run() throws {
    try Commands.snooze(
      try global.context(), until: span ?? until ?? "", option: span == nil ? "--until" : "--for",
      change.choice(), waits: change.wait)
  }
}

struct Undo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back what the last command changed.",
    discussion: """
      Run it again for the change before that, up to 20. It also takes back what bellhop apps set and \
      bellhop dnd changed. A delete can be taken back for 5 seconds. What was changed elsewhere since \
      stays as it is. Changes of the screen are undone there, with u.

      Example: bellhop dismiss 12; bellhop undo
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Return when the store has it; 75 when it does not answer.")
  var wait = false

  func run() throws { try Commands.undo(try global.context(), waits: wait) }
}

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Send what waits and fetch what is new, once.", discussion: "Example: bellhop sync")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption

  func run() throws {
    try Commands.sync(try global.context(), ofAllAccounts: several.allAccounts)
  }
}
