import BellhopModel
import BellhopText

extension Command {
  static let newAppCommands: [Command] = [allowApp, quietApp, refuseApp]

  static let allowApp = decision(
    .authorized, id: "allow-app", title: "allow", help: "let the new app notify you", key: "p a")
  static let quietApp = decision(
    .provisional, id: "quiet-app", title: "quiet",
    help: "accept the new app's items, which arrive silently", key: "p q")
  static let refuseApp = decision(
    .denied, id: "refuse-app", title: "never", help: "refuse what the new app publishes", key: "p n"
  )

  private static func decision(
    _ authorization: AppAuthorization, id: String, title: String, help: String, key: String
  ) -> Command {
    Command(
      id: id, title: title, help: help + ", on every device", keys: [key], places: .browsing,
      chapter: .apps, changesItems: true,
      disabledReason: { $0.questionedApp == nil ? "No app is asking." : nil },
      perform: { state, effects in state.decide(authorization, &effects) })
  }
}

extension InboxState {
  /// The new app that the screen asks about; nil if there is none, or while the user postpones it.
  var questionedApp: AppKey? { apps.undecided.first }

  /// Stores the user's decision about the new app that the screen asks about.
  fileprivate mutating func decide(_ authorization: AppAuthorization, _ effects: inout [Effect]) {
    guard let key = questionedApp else { return }
    var change = AppSettingsChange()
    change.authorization = authorization
    configure(key, change, name(of: key) + " " + authorization.words + ".", &effects)
  }

  /// Puts the question about new apps off until the next start.
  ///
  /// - Returns: false if none is shown.
  mutating func postponeQuestion() -> Bool {
    guard questionedApp != nil, notice == nil else { return false }
    apps.postponeUndecided()
    return true
  }

  /// The question about a new app; nil if there is none to show.
  var newAppQuestion: FooterLine.Content? {
    guard let key = questionedApp, overlay.isNone, !isTyping else { return nil }
    let hints = KeyHints(keymap: keymap, isASCII: isASCII)
    let answers =
      [Command.allowApp, .quietApp, .refuseApp]
      .map { hints.hint($0, SafeText($0.title)) } + [hints.hint(MenuHint("Esc", "later"))]
    let others = apps.undecided.count - 1
    let name = name(of: key).truncated(to: 24)
    return .offer(
      [
        name + " wants to notify you"
          + (others == 0 ? "." : SafeText(" (and \(others.grouped) more).")),
        name + " wants to notify you.", name + " is new.",
      ],
      answers: Array(answers.filter { !$0.isEmpty }.joined(separator: [Span("  ")])))
  }
}

extension AppAuthorization {
  /// The state of an app with this authorization, as in `grafana may notify you`.
  var words: SafeText {
    switch self {
    case .notDetermined: "arrives silently until you decide"
    case .denied: "may not publish"
    case .provisional: "arrives silently"
    case .authorized: "may notify you"
    }
  }

  /// The value in the app's settings.
  var value: SafeText {
    switch self {
    case .notDetermined: "not decided"
    case .denied: "never"
    case .provisional: "quiet"
    case .authorized: "allow"
    }
  }

  /// The value that follows when the user goes through them.
  var next: AppAuthorization {
    switch self {
    case .authorized: .provisional
    case .provisional: .denied
    case .denied, .notDetermined: .authorized
    }
  }
}

extension FocusedPresentation {
  /// The value in the app's settings.
  var value: SafeText {
    switch self {
    case .list: "only its row"
    case .line: "row and line"
    case .ring: "row, and ring"
    }
  }

  /// The value that follows when the user goes through them.
  var next: FocusedPresentation {
    switch self {
    case .list: .line
    case .line: .ring
    case .ring: .list
    }
  }
}
