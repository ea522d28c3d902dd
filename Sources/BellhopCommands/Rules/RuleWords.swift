internal import BellhopModel
internal import BellhopSettings
internal import BellhopTime

// The words for parts of rules that files, options and JSON share.

extension RuleDefinition {
  static let nameForm = "a text of 1 to \(nameBytesMax) bytes in one line"

  /// Returns whether a text can be the name of a rule.
  static func isName(_ text: String) -> Bool {
    text.contains { !$0.isWhitespace } && text.utf8.count <= nameBytesMax
      && !text.unicodeScalars.contains { $0.value < 0x20 }
  }

  /// Returns whether the rule has this name, ignoring case.
  func isCalled(_ name: String) -> Bool { self.name.lowercased() == name.lowercased() }
}

extension RuleSnooze {
  /// The form of ``words``, to complete the sentence "must be …".
  static let form =
    "a time of at most 365 days such as \"2h\", or that of its end such as \"18:00\""

  /// The span, such as `2h`, or the time of the end, such as `18:00`.
  var words: String {
    switch self {
    case .for(let duration): TimeSpan.text(duration)
    case .until(let time): time.description
    }
  }

  /// Parses a span such as `2h` or `1h30m`, or a time of day.
  init?(words: String) {
    if let time = LocalTime(words) {
      self = .until(time)
    } else if let span = Self.span(words) {
      self = .for(span)
    } else {
      return nil
    }
  }

  /// Parses a span of a snooze; nil for one that is too long.
  static func span(_ text: String) -> Duration? {
    SpanPhrase.duration(text).flatMap { $0 <= .seconds(secondsMax) ? $0 : nil }
  }
}

extension RepeatKey {
  var word: String {
    switch self {
    case .exact: "exact"
    case .ignoringNumbers: "ignoring-numbers"
    }
  }

  static let words = allCases.map(\.word)
}

/// The name of an action of a rule, which is its key in a file and its option.
enum RuleActionName: String, CaseIterable {
  case level, silent, read, dismiss, snooze, pin, tags, group
  case moveTo = "move-to"
  case collapse, stop

  /// Takes the action out of a rule.
  func remove(from actions: inout RuleActions) {
    switch self {
    case .level: actions.level = nil
    case .silent: actions.isSilent = false
    case .read: actions.marksRead = false
    case .dismiss: actions.dismisses = false
    case .snooze: actions.snooze = nil
    case .pin: actions.pins = false
    case .tags: actions.tags = []
    case .group: actions.group = nil
    case .moveTo: actions.app = nil
    case .collapse: actions.collapse = nil
    case .stop: actions.stops = false
    }
  }
}
