import BellhopModel
import BellhopText

/// A notice about an app that notifies for the first time, which offers its settings.
struct NewAppNotice: Hashable, Sendable {
  /// The minimum time on screen: a key pressed sooner was meant for something else.
  static let shownAtLeast = Duration.seconds(4)
  /// The maximum time on screen: it disappears without a key press.
  static let shownAtMost = Duration.seconds(12)

  var key: AppKey
  /// The number of other new apps in the same notice.
  var others: Int
  var since: Timestamp
}

extension InboxState {
  /// Records apps that have never notified before.
  mutating func noteNewApps(
    _ news: [Announcement], of account: AccountName, _ effects: inout [Effect]
  ) {
    for announcement in news where announcement.isNewApp && announcement.isInTray {
      apps.note(unasked: AppKey(account: account, app: announcement.app))
    }
    askAboutNewApps(&effects)
  }

  /// Shows a notice about new apps and their permissions, once.
  ///
  /// Writes the default settings, so that no other device shows the notice again. The notice blocks
  /// nothing, and ignoring it keeps the defaults.
  ///
  /// Waits until the user is present, and until the settings are known to be undecided.
  mutating func askAboutNewApps(_ effects: inout [Effect]) {
    guard attention.reportedFocus != false else { return }
    let undecided = apps.takeUndecided()
    guard let first = undecided.first else { return }
    var change = AppSettingsChange()
    (change.alert, change.sound, change.badge) = (true, true, true)
    for key in undecided { _ = perform(change, of: key, &effects) }
    apps.question = NewAppNotice(key: first, others: undecided.count - 1, since: now)
  }

  /// The time when the notice disappears; nil while it is not drawn or the user is away.
  var questionEnd: Timestamp? {
    guard attention.reportedFocus != false, questionText != nil else { return nil }
    return apps.question?.since.advanced(by: NewAppNotice.shownAtMost)
  }

  mutating func endQuestion() {
    if let end = questionEnd, now >= end { apps.question = nil }
  }

  /// Restarts the time on screen, because the user has returned.
  mutating func restartQuestion() { apps.question?.since = now }

  /// Closes the notice after a key press, which counts as having read it.
  mutating func passQuestion() {
    guard let since = apps.question?.since,
      now.duration(since: since) >= NewAppNotice.shownAtLeast
    else { return }
    apps.question = nil
  }

  /// The text of the notice; nil if there is none to show.
  var questionText: (full: SafeText, brief: SafeText)? {
    guard let question = apps.question, overlay.isNone, !isTyping else { return nil }
    let name = name(of: question.key)
    guard question.others > 0 else {
      return (
        "First notification from " + name + ". Press " + keyHint(.appSettings)
          + " for its settings.",
        "New: " + name + ". " + keyHint(.appSettings) + " for its settings"
      )
    }
    let others = SafeText(question.others.grouped)
    return (
      "New apps: " + name + " and " + others + " more. Press " + keyHint(.showApps)
        + " to set what they may do.",
      "New: " + name + " and " + others + " more. " + keyHint(.showApps) + " for settings"
    )
  }
}
