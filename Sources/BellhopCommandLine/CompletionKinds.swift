internal import ArgumentParser
internal import BellhopCommands
internal import BellhopManual
internal import BellhopText

extension CompletionKind {
  /// The names of this device's accounts.
  static var accounts: CompletionKind { .values { _ in Commands.accountNames() } }
  /// The names of the themes, including the user's own.
  static var themes: CompletionKind { .values { _ in Commands.themeNames() } }
  /// The numbers of items with their titles.
  static var items: CompletionKind { .values(Commands.itemNumbers) }
  /// The hosts and topics of apps.
  static var apps: CompletionKind { .values(Commands.appHosts) }
  static var priorities: CompletionKind { .list(Commands.priorityNames) }
  /// The topics of the manual.
  static var topics: CompletionKind {
    .values { _ in Manual.user.map { Completion($0.name, SafeText($0.summary)) } }
  }

  /// Values that the program provides when the user completes a word.
  private static func values(
    _ values: @escaping @Sendable (CompletedLine) -> [Completion]
  ) -> CompletionKind {
    .custom { words, index, _ in
      let shell = CompletionShell.requesting.flatMap { Completion.Shell(rawValue: $0.rawValue) }
      guard let shell else { return [] }
      return values(CompletedLine(words: words, index: index)).compactMap { $0.line(for: shell) }
    }
  }
}
