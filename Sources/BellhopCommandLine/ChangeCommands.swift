internal import ArgumentParser
internal import BellhopCommands
internal import BellhopModel

/// The option of every command whose change goes to the store.
struct WaitOption: ParsableArguments {
  @Flag(help: "Wait until the store has the change; exit code 75 if it does not answer.")
  var wait = false
}

/// The options of every command that changes items.
struct ChangeOptions: ParsableArguments {
  @Argument(
    help: "Item numbers, ids, or beginnings of ids; - reads them from standard input.",
    completion: .items)
  var ids: [String] = []

  @Option(help: FilterHelp.option("Instead of item numbers: all items that match, as in list."))
  var filter: String?

  @Flag var selection: SelectionFlag?

  @Flag(help: "With --filter: do not ask for confirmation.") var yes = false

  @OptionGroup var sending: WaitOption

  @OptionGroup var source: OfflineOption

  func validate() throws {
    guard filter != nil || !ids.isEmpty else {
      throw ValidationError(
        "Name an item by its number, such as 12, or use --filter for many.")
    }
    guard filter == nil || ids.isEmpty else {
      throw ValidationError("Name items or use --filter, not both.")
    }
    guard ids.count == 1 || !ids.contains("-") else {
      throw ValidationError("- reads all items from standard input: it must be the only argument.")
    }
    guard filter != nil || (selection == nil && !yes) else {
      let option = selection.map { "--\($0)" } ?? "--yes"
      throw ValidationError("\(option) works only with --filter.")
    }
    guard filter?.allSatisfy(\.isWhitespace) != true else {
      throw ValidationError("An empty --filter would match everything. Use is:tray for that.")
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
    try Commands.change(try global.context(), .read, change.choice(), waits: change.sending.wait)
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
    try Commands.change(try global.context(), .unread, change.choice(), waits: change.sending.wait)
  }
}

struct Dismiss: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dismiss",
    abstract: "Remove items from the tray of every device; they stay in the history.",
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
    try Commands.change(try global.context(), .dismiss, change.choice(), waits: change.sending.wait)
  }
}

struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put items back into the tray.",
    discussion: """
      --filter searches the handled items unless another selection is given. \(FilterHelp.asking)

      Example: bellhop restore 12
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(
      try global.context(), .restore, change.choice(of: .handled), waits: change.sending.wait)
  }
}

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete items on every device, from the history too.",
    discussion: """
      On a terminal, bellhop undo can undo a delete within 5 seconds; elsewhere, and with --wait, \
      it is final at once. With --filter the command asks for confirmation; without a terminal it \
      needs --yes.

      Examples:
        bellhop delete 12
        bellhop delete --handled --filter 'app:ci before:2026-01-01' --yes
      """, aliases: ["rm"])

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(try global.context(), .delete, change.choice(), waits: change.sending.wait)
  }
}

struct Snooze: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Remove items from the tray of every device until a time.",
    discussion: """
      \(FilterHelp.asking)

      Example: bellhop snooze 12 --for 2h
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions
  @Option(name: .customLong("for"), help: "A span, such as 15m, 2h or 3d.") var span: String?
  @Option(help: "A time: tomorrow, \"fri 9:00\" or 2026-12-24T18:00Z.") var until: String?

  func validate() throws {
    guard (span == nil) != (until == nil) else {
      throw ValidationError("Use --for SPAN or --until TIME.")
    }
  }

  func run() throws {
    try Commands.snooze(
      try global.context(), until: span ?? until ?? "", option: span == nil ? "--until" : "--for",
      change.choice(), waits: change.sending.wait)
  }
}

struct Undo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo what the last command changed.",
    discussion: """
      Run it again to undo the change before that, up to 20. It also undoes bellhop apps set, \
      bellhop rules and bellhop dnd. A delete can be undone for 5 seconds. Items that were changed \
      elsewhere in the meantime do not change. Changes made on the screen are undone there, with u. \
      It does not undo bellhop publish: to cancel an item that is published for later, dismiss it.

      Example: bellhop dismiss 12; bellhop undo
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var sending: WaitOption

  func run() throws { try Commands.undo(try global.context(), waits: sending.wait) }
}

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Send unsent changes and fetch new items, once.", discussion: "Example: bellhop sync")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption

  func run() throws {
    try Commands.sync(try global.context(), ofAllAccounts: several.allAccounts)
  }
}
