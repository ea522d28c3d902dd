import BellhopModel
import BellhopText

extension Command {
  static let handlingCommands: [Command] = [
    dismiss, toggleRead, snooze, delete, backToTray, pin, cancelDeliveries,
  ]

  static let dismiss = handling(
    .always(.dismiss), id: "dismiss", title: "dismiss",
    help: "dismiss it on every device; the history keeps it",
    synonyms: ["archive", "done", "hide"],
    keys: ["d"], footer: Footer(1))

  static let toggleRead = handling(
    .toggleRead, id: "read", title: "read",
    help: "mark it read, or unread again; it stays in the tray",
    synonyms: ["seen"], keys: ["r"],
    footer: Footer(
      2,
      word: { state in
        let change =
          state.actsOnMarks ? state.markedReadChange : state.activeRow.map(readChange(of:))
        return change?.registers.readState == .unread ? "unread" : "read"
      }))

  static let delete = handling(
    .always(.delete), id: "delete", title: "delete",
    help: "delete it everywhere, the history included; u within 5 s undoes it",
    synonyms: ["remove", "trash", "erase"], keys: ["x", "Del"],
    footer: Footer(5))

  static let backToTray = handling(
    .backToTray, id: "back-to-tray", title: "back to tray", help: "put it back in the tray",
    synonyms: ["restore", "unarchive"], keys: ["b"],
    footer: Footer(4))

  static let pin = handling(
    .togglePinned, id: "keep", title: "pin",
    help: "pin it, so that it never expires; again to unpin it", synonyms: ["star", "flag"],
    keys: ["*"])

  static let cancelDeliveries = handling(
    .toggleCancelled, id: "cancel-deliveries", title: "cancel deliveries",
    help: "end the deliveries of an item that repeats; again to resume them",
    synonyms: ["stop repeating", "requests"], keys: ["S"])

  /// Creates a command that changes an item, a group, or all marked items.
  private static func handling(
    _ choice: ItemChangeChoice, id: String, title: String, help: String,
    synonyms: [String] = [], keys: [String], footer: Footer? = nil
  ) -> Command {
    Command(
      id: id, title: title, help: help, synonyms: synonyms, keys: keys, places: .items,
      chapter: .handling,
      changesItems: true, footer: footer,
      disabledReason: { state in state.reasonAgainst(choice) },
      perform: { state, effects in state.handle(choice, &effects) })
  }
}

/// The change that a command makes to an item, to a group, and to marked items.
struct ItemChangeChoice: Sendable {
  var forItem: @Sendable (RowSummary) -> ItemChange
  /// The change for a group; nil if the command would change none of its items.
  var forGroup: @Sendable (RowSummary) -> ItemChange?
  var forMarks: @Sendable (InboxState) -> ItemChange
  /// The reason against a group, if the command would change none of its items.
  var reasonAgainstGroup: DisabledReason = "Already in the tray."
  /// Whether a visible item that was handled elsewhere may be changed.
  var reachesGhosts = false

  static func always(_ change: ItemChange) -> ItemChangeChoice {
    ItemChangeChoice(forItem: { _ in change }, forGroup: { _ in change }, forMarks: { _ in change })
  }

  static let toggleRead = ItemChangeChoice(
    forItem: readChange(of:), forGroup: readChange(of:), forMarks: { $0.markedReadChange })

  static let togglePinned = ItemChangeChoice(
    forItem: { $0.isPinned ? .unpin : .pin },
    forGroup: { $0.isPinned ? .unpin : .pin },
    forMarks: { $0.markedPinChange })

  /// An item that was never delivered is deleted instead, as nothing of it would be left to see.
  static let toggleCancelled = ItemChangeChoice(
    forItem: { row in
      if row.isCancelled { return .resume }
      return row.placement == .scheduled ? .delete : .cancel
    },
    forGroup: { _ in nil }, forMarks: { _ in .cancel },
    reasonAgainstGroup: "Open the group, and choose one of its items.")

  static let backToTray = ItemChangeChoice(
    forItem: { _ in .restore }, forGroup: { _ in nil }, forMarks: { _ in .restore },
    reachesGhosts: true)
}

/// Marks an item, or a group's items in the tray, read; unread if none of them is unread.
@Sendable private func readChange(of row: RowSummary) -> ItemChange {
  let hasUnread = row.extent.map { $0.unread > 0 } ?? (row.readState == .unread)
  return hasUnread ? .read : .unread
}

extension InboxState {
  /// Returns the reason why a change would do nothing to the marked items, or to the row under the
  /// cursor.
  fileprivate func reasonAgainst(_ choice: ItemChangeChoice) -> DisabledReason? {
    if actsOnMarks { return nil }
    if choice.reachesGhosts, canBringBack { return nil }
    if let reason = reasonAgainstRow { return reason }
    guard let row = activeRow else { return nil }
    if row.isGroup {
      return choice.forGroup(row) == nil ? choice.reasonAgainstGroup : nil
    }
    return choice.forItem(row).noEffectReason(row, now).map { DisabledReason($0) }
  }

  /// Changes the marked items, or the row under the cursor; asks first for a group.
  fileprivate mutating func handle(_ choice: ItemChangeChoice, _ effects: inout [Effect]) {
    if actsOnMarks { return actOnMarked(choice.forMarks(self), &effects) }
    // An item that was handled elsewhere while it was visible may be brought back from here.
    if choice.reachesGhosts, canBringBack, let handled = activeGhost?.now {
      return act(choice.forItem(handled), on: handled, &effects)
    }
    guard let row = subjectRow() else { return }
    if row.isGroup {
      if let change = choice.forGroup(row) { ask(change, aboutGroupOf: row, &effects) }
    } else {
      act(choice.forItem(row), on: row, &effects)
    }
  }
}
