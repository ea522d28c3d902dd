import BellhopModel
import BellhopText

/// An app that notifies for the first time, of which the person is told what it may do.
struct AppQuestion: Hashable, Sendable {
  /// A key that is pressed sooner was meant for something else.
  static let shownAtLeast = Duration.seconds(4)
  /// Nobody has to press a key to have the keys of the place back.
  static let shownAtMost = Duration.seconds(12)

  var key: AppKey
  /// How many more came with it.
  var others: Int
  var since: Timestamp
}

extension InboxState {
  /// Notes apps of which this is the first that was ever heard.
  mutating func noteNewApps(
    _ news: [Announcement], of account: AccountName, _ effects: inout [Effect]
  ) {
    for announcement in news where announcement.isNewApp && announcement.isInTray {
      apps.note(unasked: AppKey(account: account, app: announcement.app))
    }
    askAboutNewApps(&effects)
  }

  /// Tells what new apps may do, once: that it was told is written down with the settings, so that no
  /// device does it again. Nothing is stopped by it, and no answer leaves it as it is.
  ///
  /// It waits for the person to be there, and until it is known that nobody has decided yet.
  mutating func askAboutNewApps(_ effects: inout [Effect]) {
    guard attention.reportedFocus != false else { return }
    let undecided = apps.takeUndecided()
    guard let first = undecided.first else { return }
    var change = AppSettingsChange()
    (change.alert, change.sound, change.badge) = (true, true, true)
    for key in undecided { _ = perform(change, of: key, &effects) }
    apps.question = AppQuestion(key: first, others: undecided.count - 1, since: now)
  }

  /// When what was told goes by itself: not while nobody looks, and only while it is drawn.
  var questionEnd: Timestamp? {
    guard attention.reportedFocus != false, questionText != nil else { return nil }
    return apps.question?.since.advanced(by: AppQuestion.shownAtMost)
  }

  mutating func endQuestion() {
    if let end = questionEnd, now >= end { apps.question = nil }
  }

  /// The person is back: what was told meanwhile is shown for as long as if it were told now.
  mutating func showQuestionAnew() { apps.question?.since = now }

  /// A key was pressed, by which what was told is taken as read.
  mutating func passQuestion() {
    guard let since = apps.question?.since,
      now.duration(since: since) >= AppQuestion.shownAtLeast
    else { return }
    apps.question = nil
  }

  /// What is told of the new apps; nil where there is nothing to tell.
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
