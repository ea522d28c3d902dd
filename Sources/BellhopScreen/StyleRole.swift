/// The meaning of a cell, which themes turn into colours.
///
/// No layer above the terminal knows colours. The raw value is the name in theme files.
package enum StyleRole: String, CaseIterable, Hashable, Sendable {
  case text
  case dim
  case accent
  case rule
  case ruleFocus = "rule.focus"
  case selection
  case unread
  case read
  case dismissed
  /// The mark of an alert that its publisher has resolved.
  case resolved
  case snoozed
  case new
  case ghost
  case priorityUrgent = "priority.urgent"
  case priorityHigh = "priority.high"
  case priorityNormal = "priority.normal"
  case priorityLow = "priority.low"
  case priorityMin = "priority.min"
  case link
  case code
  case error
  case ok
  case badge
  /// A word that matches a search.
  case match

  /// The letter for the role in the second plane of a printed frame.
  ///
  /// Unique to each role; the upper-case letter means the same role, selected.
  package var letter: Character {
    switch self {
    case .text: "t"
    case .dim: "d"
    case .accent: "a"
    case .rule: "i"
    case .ruleFocus: "j"
    case .selection: "s"
    case .unread: "u"
    case .read: "r"
    case .dismissed: "x"
    case .resolved: "v"
    case .snoozed: "z"
    case .new: "n"
    case .ghost: "g"
    case .priorityUrgent: "q"
    case .priorityHigh: "h"
    case .priorityNormal: "m"
    case .priorityLow: "o"
    case .priorityMin: "w"
    case .link: "l"
    case .code: "c"
    case .error: "e"
    case .ok: "k"
    case .badge: "b"
    case .match: "f"
    }
  }
}
