internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

/// Sentences about changes that a command made.
enum ChangeText {
  /// The most cells of a title.
  private static let titleCells = 60
  private static let appCells = 32

  /// `#12 "build 434 passed" (ci)`.
  ///
  /// - Parameter appName: What the person calls the app; nil for its host.
  static func label(_ item: UserNotification, appName: String?) -> SafeText {
    let title = SafeText(item.content.visual?.title ?? "data").truncated(to: titleCells)
    let app = SafeText(appName ?? item.content.app).truncated(to: appCells)
    return SafeText("#\(item.shortNumber) \"") + title + "\" (" + app + ")"
  }

  /// `dismissed #12 "build 434 passed" (ci)`, without a period.
  ///
  /// - Parameter now: The store's time, which decides how a snooze's end is written.
  static func phrase(_ verb: Verb, _ object: SafeText, now: Timestamp) -> SafeText {
    switch verb {
    case .read: "marked " + object + " read"
    case .unread: "marked " + object + " unread"
    case .activate: "opened " + object
    case .dismiss: "dismissed " + object
    case .restore: "put " + object + " back in the tray"
    case .snooze(let until):
      "snoozed " + object + " until " + SafeText(MomentText.moment(until, now: now))
    case .keep: "pinned " + object
    case .unkeep: "unpinned " + object
    case .delete: "deleted " + object
    }
  }

  /// The state of an item on which the verb has nothing to do; nil for verbs that always act.
  static func presentState(_ verb: Verb) -> SafeText? {
    switch verb {
    case .read: "read"
    case .unread: "unread"
    case .activate: "opened"
    case .dismiss: "dismissed"
    case .restore: "in the tray"
    case .keep: "pinned"
    case .unkeep: "not pinned"
    case .snooze, .delete: nil
    }
  }

  /// The phrase as a sentence: `Dismissed #12 "build 434 passed" (ci).`
  static func sentence(_ phrase: SafeText) -> SafeText {
    SafeText(phrase.string.prefix(1).uppercased()) + phrase.suffix(cells: phrase.width - 1) + "."
  }
}

extension Verb {
  /// Whether the item is so already.
  func isDone(on item: CachedItem) -> Bool {
    guard case .set(let change) = mutation, ChangeText.presentState(self) != nil else {
      return false
    }
    let registers = item.notification.state.registers
    return ItemRegister.all.allSatisfy { register in
      register.wanted(change).map { $0 == register.value(registers) } ?? true
    } && (self != .restore || item.placement == .tray)
  }
}
