internal import ArgumentParser
internal import BellhopCommands
internal import BellhopHelp

extension CompletionKind {
  /// The names of this device's accounts.
  static var accounts: CompletionKind { .values { _, _ in Commands.accountNames() } }
  /// The names of the themes, including the user's own.
  static var themes: CompletionKind { .values { _, _ in Commands.themeNames() } }
  /// The numbers of items with their titles.
  static var items: CompletionKind {
    .values { Commands.itemNumbers(CompletedLine(words: $0, index: $1)) }
  }
  /// The hosts and topics of apps.
  static var apps: CompletionKind {
    .values { Commands.appHosts(CompletedLine(words: $0, index: $1)) }
  }
  /// The names of the user's places.
  static var places: CompletionKind {
    .values { Commands.placeNames(CompletedLine(words: $0, index: $1)) }
  }
  /// The names of the user's rules.
  static var rules: CompletionKind {
    .values { Commands.ruleNames(CompletedLine(words: $0, index: $1)) }
  }
  static var ruleActions: CompletionKind { .list(Commands.ruleActionNames) }
  static var repeatKeys: CompletionKind { .list(Commands.repeatKeyNames) }
  static var priorities: CompletionKind { .list(Commands.priorityNames) }
  static var environments: CompletionKind { .list(Commands.environmentNames) }
}
