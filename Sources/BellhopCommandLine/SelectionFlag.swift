internal import ArgumentParser
internal import BellhopCommands

/// The part of the cache that a command reads.
enum SelectionFlag: EnumerableFlag {
  case tray, handled, history, snoozed, scheduled, all

  static func help(for value: SelectionFlag) -> ArgumentHelp? {
    switch value {
    case .tray: "Items that are not handled (the default)."
    case .handled: "Items that were dismissed or opened, or whose time in the tray is over."
    // The former name. The tab History shows all delivered items, as --all does.
    case .history: ArgumentHelp("The same as --handled.", visibility: .hidden)
    case .snoozed: "Items that come back later."
    case .scheduled: "Items that are published but not delivered yet."
    case .all: "All items, as in the tab History."
    }
  }

  var value: ListSelection {
    switch self {
    case .tray: .tray
    case .handled, .history: .handled
    case .snoozed: .snoozed
    case .scheduled: .scheduled
    case .all: .all
    }
  }
}

/// The help on filters, for every option that accepts one.
enum FilterHelp {
  static let text = """
    A filter is what you type after f on the screen: terms such as app:ci group:main tag:disk \
    is:unread prio:>=high after:yesterday before:2h on:fri. All terms must match. app:ci,nas \
    matches either app, app:ci* a prefix, -app:ci all other apps. Other words are searched in the \
    text.
    """

  /// The help on confirmations, for changes that can be undone.
  static let asking = """
    On a terminal, --filter asks for confirmation. Elsewhere it does not ask and needs no --yes: \
    bellhop undo undoes the change.
    """

  static func option(_ abstract: String) -> ArgumentHelp {
    ArgumentHelp("\(abstract)", valueName: "expression")
  }
}
