internal import ArgumentParser
internal import BellhopCommands

/// The part of the cache that a command reads.
enum SelectionFlag: EnumerableFlag {
  case tray, handled, history, snoozed, scheduled, all

  static func help(for value: SelectionFlag) -> ArgumentHelp? {
    switch value {
    case .tray: "What nobody has handled (the default)."
    case .handled: "What was dismissed or opened, or is past its time in the tray."
    // The former name. The tab History shows all kept items, as --all does.
    case .history: ArgumentHelp("The same as --handled.", visibility: .hidden)
    case .snoozed: "What comes back later."
    case .scheduled: "What is published, but not yet delivered."
    case .all: "Everything that is kept, as in the tab History."
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
    A filter is what f takes on the screen: terms such as app:ci group:main tag:disk is:unread \
    prio:>=high after:yesterday before:2h on:fri, all of which must hold; app:ci,nas is either of \
    them, app:ci* a beginning, -app:ci all others; other words are looked for in the text.
    """

  /// The help on confirmations, for changes that can be undone.
  static let asking = """
    With --filter it asks first on a terminal. Elsewhere it does not ask and needs no --yes: \
    bellhop undo takes it back.
    """

  static func option(_ abstract: String) -> ArgumentHelp {
    ArgumentHelp("\(abstract)", valueName: "expression")
  }
}
