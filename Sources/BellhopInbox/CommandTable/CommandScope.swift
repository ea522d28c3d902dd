/// The places in which a command is available.
package struct CommandScope: OptionSet, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// A list of items: tray, history, later.
  package static let list: CommandScope = [.present, .later]
  /// A list other than that of the tab *Later*.
  package static let present = CommandScope(rawValue: 1)
  /// The list of the tab *Later*.
  package static let later = CommandScope(rawValue: 32)
  /// The results of a search, while no words are being typed.
  package static let results = CommandScope(rawValue: 2)
  /// Inside an item.
  package static let detail = CommandScope(rawValue: 4)
  /// The screen of an empty store.
  package static let firstRun = CommandScope(rawValue: 8)
  /// The list of apps.
  package static let apps = CommandScope(rawValue: 16)

  /// All places in which an item can be acted on.
  package static let items: CommandScope = [.list, .results, .detail]
  /// All places with something to move through.
  package static let browsing: CommandScope = [.list, .results, .detail, .apps]
  package static let everywhere: CommandScope = [.list, .results, .detail, .firstRun, .apps]
}

extension CommandScope {
  /// The places in words, for a user who is in none of them.
  var words: String {
    var names: [(CommandScope, String)] = [
      (.present, "a list"), (.results, "results"), (.detail, "an item"), (.apps, "the apps"),
      (.firstRun, "an empty store"),
    ]
    if !contains(.list) { names.append((.later, "the tab Later")) }
    let words = names.filter { contains($0.0) }.map(\.1)
    guard let last = words.last, words.count > 1 else { return words.first ?? "nowhere" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }
}
