internal import ArgumentParser
internal import BellhopClient
internal import BellhopModel

/// What every command that changes items takes.
struct ChangeOptions: ParsableArguments {
  @Argument(help: "Numbers (12 or #12), ids, or beginnings of ids.") var ids: [String] = []

  @Option(help: FilterHelp.option("Instead of names: what list shows with the same filter."))
  var filter: String?

  @Flag var selection: SelectionFlag?

  @Flag(help: "With a filter: do not ask first.") var yes = false

  @Flag(help: "Return when the store has it; 75 when it does not answer.")
  var wait = false

  func validate() throws {
    guard filter != nil || !ids.isEmpty else {
      throw ValidationError("Say which item: its number, such as 12. Or many: --filter.")
    }
    guard filter == nil || ids.isEmpty else {
      throw ValidationError("Name items or say --filter, not both.")
    }
    guard filter != nil || (selection == nil && !yes) else {
      let option = selection.map { "--\($0)" } ?? "--yes"
      throw ValidationError("\(option) belongs to --filter.")
    }
    guard filter?.allSatisfy(\.isWhitespace) != true else {
      throw ValidationError("An empty --filter would mean everything: is:tray says so.")
    }
  }

  /// - Parameter selection: What a filter means where none is said.
  func choice(of selection: ListSelection = .tray) -> ItemChoice {
    guard let filter else { return .named(ids) }
    return .passing(filter, of: self.selection?.value ?? selection, isConfirmed: yes)
  }
}

struct Read: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Mark items read; they stay in the tray.",
    discussion: """
      \(FilterHelp.text)

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
    abstract: "Mark items unread.", discussion: "Example: bellhop unread 12")

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
      With --filter: those in the history, where nothing else is said.

      Example: bellhop restore 12
      """)

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(
      try global.context(), .restore, change.choice(of: .history), waits: change.wait)
  }
}

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete items everywhere, history too. There is no way back.",
    discussion: """
      With --filter it asks first; where nobody can be asked, --yes is needed.

      Examples:
        bellhop delete 12 --wait
        bellhop delete --history --filter 'app:ci before:2026-01-01' --yes
      """)

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
    discussion: "Example: bellhop snooze 12 --for 2h")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions
  @Option(name: .customLong("for"), help: "A span such as 15m, 2h or 3d.") var span: String?
  @Option(help: "A time such as 2026-12-24T18:00:00Z.") var until: String?

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
