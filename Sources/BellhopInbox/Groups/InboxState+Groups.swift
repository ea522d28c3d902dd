import BellhopModel
import BellhopScreen
import BellhopText

extension Command {
  static let groupCommands: [Command] = [fold]

  static let fold = Command(
    id: "fold", title: "fold", help: "fold a group into one row, or unfold it",
    keys: ["z"], places: .list, chapter: .moving,
    footer: Footer(
      0, word: { $0.activeRow?.isFolded == true ? "unfold" : "fold" },
      isUseful: { $0.focus != .detail && $0.activeRow?.isGroup == true }),
    disabledReason: { state in
      if state.canFold { return nil }
      return state.tray.isFolding || state.activeList != .tray
        ? "No group here. Items of an app with the same group fold in the tray."
        : state.tray.order == .newest
          ? "A filtered list has no groups. Esc shows all items, with groups."
          : DisabledReason(
            "A sorted tray has no groups. " + state.keyHint(.sort)
              + " returns to newest first, with groups.")
    },
    perform: { state, _ in state.toggleFold() })
}

extension InboxState {
  // MARK: - Folding

  /// Opens the group under the cursor, or folds it.
  fileprivate mutating func toggleFold() {
    guard let row = activeRow, let group = row.groupKey else { return }
    if row.isFolded { open(group) } else { close(group) }
  }

  /// Whether the row under the cursor belongs to a group that can be folded.
  fileprivate var canFold: Bool {
    activeRow.map { $0.groupKey != nil && $0.fold != nil } ?? false
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

  /// Opens a group, or moves to the first item of an open one.
  mutating func enterGroup() {
    guard let row = subjectRow(), let group = row.groupKey else { return }
    if row.isFolded { open(group) } else { tray.move(by: 1) }
  }

  /// Folds the open group that contains the cursor.
  ///
  /// - Returns: false if there is none.
  mutating func leaveGroup() -> Bool {
    guard focus == .list, activeList == .tray, let row = activeRow, let group = row.groupKey,
      row.fold != nil, !row.isFolded
    else { return false }
    close(group)
    return true
  }

  // MARK: - Whole groups

  /// Returns the group's name for the user: `ci · main`.
  func label(of row: RowSummary) -> SafeText {
    guard let group = row.group, group != row.app else { return row.app }
    return row.app + " · " + group
  }

  /// Snoozes the group for which the menu was opened, if the cursor is still on it.
  mutating func snoozeGroup(
    _ group: GroupKey, until: Timestamp, _ effects: inout [Effect]
  ) {
    closeOverlay()
    guard until > now else { return say("That time has passed. Nothing was done.") }
    guard let row = subjectRow(), row.rowID == .group(group) else { return }
    ask(.snooze(until: until), aboutGroupOf: row, &effects)
  }

  /// Asks for confirmation before all items of a group in the tray are changed.
  mutating func ask(
    _ change: ItemChange, aboutGroupOf row: RowSummary, _ effects: inout [Effect]
  ) {
    guard let group = row.groupKey else { return }
    serial += 1
    let selection = Selection(.group(group), account: group.account)
    overlay = .confirm(
      ConfirmState(
        change: change, target: .whole(selection), serial: serial,
        place: " of " + label(of: row).truncated(to: 24)))
    effects.append(.slow(.measure(selection, serial: serial)))
  }
}
