import BellhopModel
import BellhopScreen
import BellhopText

extension InboxState {
  // MARK: - Folding

  /// Opens the group under the cursor, or folds it.
  mutating func toggleFold() {
    guard let row = activeRow, let group = row.groupKey, row.fold != nil else {
      notice = Notice(
        .information,
        tray.isFolding || activeList != .tray
          ? "No group here. Items of one app that name the same group fold in the tray."
          : "A narrowed list shows single items. Esc shows all, with groups.")
      return
    }
    if row.isFolded { open(group) } else { close(group) }
  }

  private mutating func open(_ group: GroupKey) {
    folding.open(group)
    tray.readAgain()
  }

  private mutating func close(_ group: GroupKey) {
    endSpan()
    folding.close(group)
    if tray.held?.group == group { tray.held = nil }
    tray.moveToHead(of: group)
    tray.readAgain()
  }

  /// Opens a group, or goes on to the first item of one that is open.
  mutating func enterGroup() {
    guard let row = subjectRow(), let group = row.groupKey else { return }
    if row.isFolded { open(group) } else { tray.move(by: 1) }
  }

  /// Folds the open group that the cursor is in.
  ///
  /// - Returns: false when it is in none.
  mutating func leaveGroup() -> Bool {
    guard focus == .list, activeList == .tray, let row = activeRow, let group = row.groupKey,
      row.fold != nil, !row.isFolded
    else { return false }
    close(group)
    return true
  }

  // MARK: - All of a group

  /// What people call a group: `ci · main`.
  func label(of row: RowSummary) -> SafeText {
    guard let group = row.group, group != row.app else { return row.app }
    return row.app + " · " + group
  }

  /// Does what a key means to all that the group under the cursor has in the tray, once that is
  /// answered.
  mutating func handleGroup(_ command: Command, _ effects: inout [Effect]) {
    guard let row = subjectRow(), let extent = row.extent else { return }
    switch command {
    case .dismiss: ask(.dismiss, aboutGroupOf: row, &effects)
    case .delete: ask(.delete, aboutGroupOf: row, &effects)
    case .toggleRead: ask(extent.unread > 0 ? .read : .unread, aboutGroupOf: row, &effects)
    case .keep: ask(row.isKept ? .unkeep : .keep, aboutGroupOf: row, &effects)
    default: notice = Notice(.information, "They are in the tray already.")
    }
  }

  /// Snoozes the group that the menu was opened for, if the cursor is still on it.
  mutating func snoozeGroup(
    _ group: GroupKey, until: Timestamp, _ effects: inout [Effect]
  ) {
    overlay = .none
    guard until > now else {
      notice = Notice(.information, "That time has passed. Nothing was done.")
      return
    }
    guard let row = subjectRow(), row.rowID == .group(group) else { return }
    ask(.snooze(until: until), aboutGroupOf: row, &effects)
  }

  private mutating func ask(
    _ verb: Verb, aboutGroupOf row: RowSummary, _ effects: inout [Effect]
  ) {
    guard let group = row.groupKey else { return }
    serial += 1
    let selection = Selection(.group(group), account: group.account)
    overlay = .confirm(
      ConfirmState(
        verb: verb, target: .whole(selection), serial: serial,
        place: " of " + label(of: row).truncated(to: 24)))
    effects.append(.measure(selection, serial: serial))
  }
}
