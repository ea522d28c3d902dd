import BellhopModel
import BellhopText

extension RepeatKey {
  /// Returns the key that follows when the user goes through them; nil to keep each repeat.
  static func next(after key: RepeatKey?) -> RepeatKey? {
    switch key {
    case nil: .exact
    case .exact: .ignoringNumbers
    case .ignoringNumbers: nil
    }
  }
}

extension AppSettings {
  /// The items that repeats become, in a few words.
  var repeatWords: SafeText {
    switch repeatKey {
    case nil: "items of their own"
    case .exact: "one item"
    case .ignoringNumbers: "one, any numbers"
    }
  }
}

extension ResolutionPolicy {
  /// The policy that follows when the user goes through them.
  var next: ResolutionPolicy {
    switch self {
    case .mark: .publish
    case .publish: .mark
    }
  }

  /// The effect of a resolution, in a few words.
  var words: SafeText {
    switch self {
    case .mark: "mark the alert"
    case .publish: "are items too"
    }
  }

  /// The notice about a changed policy, after the name of the app.
  var sentence: SafeText {
    switch self {
    case .mark: "a resolution marks its alert, and is no item."
    case .publish: "a resolution marks its alert, and is an item of its own."
    }
  }
}
