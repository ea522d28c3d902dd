internal import BellhopCache
internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

/// Sentences about changes by a command.
enum ChangeText {
  /// The largest width of a title, in cells.
  private static let titleCells = 60
  private static let appCells = 32

  /// Returns a label such as `#12 "build 434 passed" (ci)`.
  ///
  /// - Parameter appName: The user's name for the app; nil for its host.
  static func label(_ item: UserNotification, appName: String?) -> SafeText {
    let title = SafeText(item.content.visual?.title ?? "data").truncated(to: titleCells)
    let app = SafeText(appName ?? item.effectiveApp).truncated(to: appCells)
    return SafeText("\(item.numberOrID) \"") + title + "\" (" + app + ")"
  }

  /// Returns a phrase such as `dismissed #12 "build 434 passed" (ci)`, without a period.
  ///
  /// - Parameter now: The store's time, which decides how the end of a snooze is written.
  static func phrase(_ command: ItemCommand, _ object: SafeText, now: Timestamp) -> SafeText {
    switch command {
    case .read: "marked " + object + " read"
    case .unread: "marked " + object + " unread"
    case .activate: "opened " + object
    case .dismiss: "dismissed " + object
    case .restore: "put " + object + " back in the tray"
    case .snooze(let until):
      "snoozed " + object + " until " + SafeText(MomentText.moment(until, now: now))
    case .pin: "pinned " + object
    case .unpin: "unpinned " + object
    case .cancel: "cancelled " + object
    case .resume: "resumed the deliveries of " + object
    case .delete: "deleted " + object
    }
  }

  /// Returns the state of an item that needs no change by the command; nil for commands that
  /// always act.
  static func presentState(_ command: ItemCommand) -> SafeText? {
    switch command {
    case .read: "read"
    case .unread: "unread"
    case .activate: "opened"
    case .dismiss: "dismissed"
    case .restore: "in the tray"
    case .pin: "pinned"
    case .unpin: "not pinned"
    case .cancel: "cancelled"
    case .resume: "not cancelled"
    case .snooze, .delete: nil
    }
  }

  /// Returns the phrase as a sentence: `Dismissed #12 "build 434 passed" (ci).`
  static func sentence(_ phrase: SafeText) -> SafeText {
    SafeText(phrase.string.prefix(1).uppercased()) + phrase.suffix(cells: phrase.width - 1) + "."
  }
}

extension ItemCommand {
  /// Whether the item already has the resulting state.
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
