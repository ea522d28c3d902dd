internal import ArgumentParser
internal import BellhopClient
internal import BellhopModel

/// What every command that changes items takes.
struct ChangeOptions: ParsableArguments {
  @Argument(help: "Numbers (12 or #12), ids, or beginnings of ids.") var ids: [String]

  @Flag(help: "Return when the store has it; 75 when it does not answer.")
  var wait = false

  func validate() throws {
    guard !ids.isEmpty else { throw ValidationError("Say which item: its number, such as 12.") }
  }
}

struct Read: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Mark items read; they stay in the tray.", discussion: "Example: bellhop read 12 13")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(try global.context(), .read, names: change.ids, waits: change.wait)
  }
}

struct Unread: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Mark items unread.", discussion: "Example: bellhop unread 12")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(try global.context(), .unread, names: change.ids, waits: change.wait)
  }
}

struct Dismiss: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take items out of every tray; history keeps them.",
    discussion: "Example: bellhop dismiss 12")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(try global.context(), .dismiss, names: change.ids, waits: change.wait)
  }
}

struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Put items back into the tray.", discussion: "Example: bellhop restore 12")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(try global.context(), .restore, names: change.ids, waits: change.wait)
  }
}

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Delete items everywhere, history too. There is no way back.",
    discussion: "Example: bellhop delete 12 --wait")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var change: ChangeOptions

  func run() throws {
    try Commands.change(try global.context(), .delete, names: change.ids, waits: change.wait)
  }
}

struct Snooze: ParsableCommand {
  static let configuration = CommandConfiguration(
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
      names: change.ids, waits: change.wait)
  }
}

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send what waits and fetch what is new, once.", discussion: "Example: bellhop sync")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var several: AllAccountsOption

  func run() throws {
    try Commands.sync(try global.context(), ofAllAccounts: several.allAccounts)
  }
}
