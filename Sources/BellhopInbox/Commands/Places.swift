/// The places in which a command is available.
public struct Places: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A list of items: tray, history, later.
  public static let list = Places(rawValue: 1)
  /// The results of a search, while no words are being typed.
  public static let results = Places(rawValue: 2)
  /// Inside an item.
  public static let detail = Places(rawValue: 4)
  /// The screen of a store that has nothing yet.
  public static let firstRun = Places(rawValue: 8)
  /// The list of the apps.
  public static let apps = Places(rawValue: 16)

  /// Everywhere an item can be acted on.
  public static let items: Places = [.list, .results, .detail]
  /// Everywhere there is something to move through.
  public static let browsing: Places = [.list, .results, .detail, .apps]
  public static let everywhere: Places = [.list, .results, .detail, .firstRun, .apps]
}

extension Places {
  /// The places, for a person who is in none of them.
  var words: String {
    let names: [(Places, String)] = [
      (.list, "a list"), (.results, "results"), (.detail, "an item"), (.apps, "the apps"),
      (.firstRun, "an empty store"),
    ]
    let words = names.filter { contains($0.0) }.map(\.1)
    guard let last = words.last, words.count > 1 else { return words.first ?? "nowhere" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }
}
