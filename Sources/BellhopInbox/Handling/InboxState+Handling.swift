import BellhopModel
import BellhopText

extension InboxState {
  /// The time during which a delete can be undone (SYNC-9).
  static let deleteGrace = Duration.seconds(5)

  /// Returns the item that a key acts on; nil if it must not act.
  ///
  /// In that case shows the reason: the cursor is on a ghost, on a group, or still moving.
  mutating func subject() -> RowSummary? {
    if let reason = reasonAgainstItem {
      say(reason.text)
      return nil
    }
    return activeRow
  }

  /// Returns the row that a key acts on, item or group; nil if it must not act.
  mutating func subjectRow() -> RowSummary? {
    if let reason = reasonAgainstRow {
      say(reason.text)
      return nil
    }
    return activeRow
  }

  /// The reason why there is no single item to act on; nil if there is one.
  var reasonAgainstItem: DisabledReason? {
    if let reason = reasonAgainstRow { return reason }
    guard let row = activeRow, row.isGroup else { return nil }
    return DisabledReason(
      "This works on a single item, not on a group. " + keyHint(.enter)
        + (row.isFolded ? " opens it." : " goes to its items."))
  }

  /// The reason why there is no row to act on, item or group; nil if there is one.
  var reasonAgainstRow: DisabledReason? {
    if isInApps { return "No item here." }
    let list = self[activeList]
    guard list.cursorRow != nil, list.pendingMove == nil else {
      return DisabledReason(
        list.isAwaited ? "The list is still loading." : "No item here.",
        list.cursorRow == nil ? .here : .moment)
    }
    return activeGhost.map { DisabledReason(ghostText($0)) }
  }

  /// Returns the text about a ghost: how it was handled, when and where.
  func ghostText(_ ghost: DepartedItem) -> SafeText {
    guard let row = ghost.now else {
      return ghost.isResolved
        ? "The item was deleted or has expired. Nothing was done."
        : "The item has just changed elsewhere. Nothing was done."
    }
    let what: SafeText
    switch row.action {
    case .noInteraction:
      return row.placement == .tray
        ? "The item is back in the tray. Nothing was done."
        : "The item's time in the tray is over. Nothing was done."
    case .activated: what = "Opened"
    case .dismissed: what = row.isResolved ? "Resolved" : "Dismissed"
    case .snoozed(let until): what = "Snoozed until " + timeText.moment(until)
    }
    guard let handled = row.handled else { return what + " elsewhere. Nothing was done." }
    if let choice = handled.choice {
      return choice.title + " was chosen " + timeText.moment(handled.at) + " on " + handled.by
        + ". Nothing was done."
    }
    return what + " " + timeText.moment(handled.at) + handled.place + ". Nothing was done."
  }

  /// Changes the item under the cursor: immediately on the screen, permanently by the effect.
  mutating func act(_ change: ItemChange, _ effects: inout [Effect]) {
    guard let row = subject() else { return }
    if let text = change.noEffectReason(row, now) { return say(text) }
    act(change, on: row, &effects)
  }

  /// Changes an item.
  ///
  /// - Parameter choice: The action of the item that the user chose, if any.
  mutating func act(
    _ change: ItemChange, on row: RowSummary, choosing choice: ActionChoice? = nil,
    _ effects: inout [Effect]
  ) {
    let operation = Operation(
      id: ids.next(at: now), onShown: row.key.id, row.version,
      mutation: change.mutation.choosing(choice))
    effects.append(
      .change(
        .perform(
          account: row.key.account, operations: [operation],
          sealAfter: change.isDelete ? Self.deleteGrace : nil)))
    let active = activeList
    // After a new change, undone steps can no longer be redone.
    steps.forgetUndone()
    switch operation.mutation {
    case .set(let registers):
      note(operation.id, registers, on: row, seen: row.version)
      let changed = registers.without(valuesOf: row)
      expectSince(operation.id, after: changed, on: row.key)
      if !changed.isEmpty {
        var entry = undoEntry(operation, registers, row, change)
        entry.choice = choice
        steps.push(entry)
      }
    case .delete:
      noteRemoval(operation.id, of: row)
      steps.push(
        UndoEntry(
          operations: [UndoEntry.Done(account: row.key.account, operation: operation.id)],
          lines: [UndoEntry.Line(before: row, after: row)], count: 1,
          kind: .deleteMany(until: now.advanced(by: Self.deleteGrace)),
          change: change))
    case .restorePrevious, .configure, .reschedule, .publish, .changeRule, .applyRule: break
    }
    // The answer to an action's request may arrive when the user is elsewhere.
    if choice != nil, self[active].cursor?.rowID != .item(row.key) { return }
    finish(change, on: row, in: active)
  }

  /// Shows a change of registers in every list that contains the item.
  mutating func note(
    _ operation: OperationID, _ change: StateChange, on row: RowSummary, seen: ShownVersion?
  ) {
    note(operation, change, from: row, to: row.setting(change, at: now), seen: seen)
  }

  /// Shows a change of registers whose resulting row contains more than the registers.
  mutating func note(
    _ operation: OperationID, _ change: StateChange, from row: RowSummary, to after: RowSummary,
    seen: ShownVersion?
  ) {
    let startOfDay = timeText.startOfDay
    pending.changes.append(
      PendingChange(
        operation: operation, key: row.key, seen: seen, kind: .set(change, after: after),
        counts: InboxCounts(after, startOfDay: startOfDay)
          - InboxCounts(row, startOfDay: startOfDay)))
    forEachList { $0.apply(after) }
  }

  /// Removes an item from every list.
  mutating func noteRemoval(_ operation: OperationID, of row: RowSummary) {
    pending.changes.append(
      PendingChange(
        operation: operation, key: row.key, seen: nil, kind: .removed,
        counts: InboxCounts() - InboxCounts(row, startOfDay: timeText.startOfDay)))
    forEachList { $0.remove(.item(row.key)) }
  }

  private func undoEntry(
    _ operation: Operation, _ registers: StateChange, _ row: RowSummary, _ change: ItemChange
  ) -> UndoEntry {
    let changed = registers.without(valuesOf: row)
    return UndoEntry(
      operations: [UndoEntry.Done(account: row.key.account, operation: operation.id)],
      lines: [UndoEntry.Line(before: row, after: row.setting(registers, at: now))], count: 1,
      kind: .set(
        back: changed.values(of: row), made: changed,
        expect: UndoEntry.Expectations(operation.id)),
      change: change)
  }

  mutating func forEachList(_ body: (inout ListState) -> Void) {
    for id in ListID.allCases where id != .search || search != nil { body(&self[id]) }
  }

  /// Moves the cursor after a change, and shows a notice about it.
  private mutating func finish(_ change: ItemChange, on row: RowSummary, in id: ListID) {
    if change.movesOn {
      if self[id].cursor?.rowID == .item(row.key) { self[id].move(by: 1) }
      if focus == .detail { leaveDetail() }
    }
    // The detail pane must not switch to another item while the user is in it.
    if focus == .detail, self[id].cursor?.rowID != .item(row.key) { leaveDetail() }
    notice = change.doneNotice(row, in: self)
  }

  /// Returns the notice that replaces an offer to undo a delete, once that is too late.
  func endOfUndoOffer(_ text: SafeText) -> Notice.Later {
    Notice.Later(start: now.advanced(by: Self.deleteGrace), text: text)
  }

  /// Replaces a notice whose offer has expired.
  mutating func endOffer() {
    guard let line = notice, let later = line.later, now >= later.start else { return }
    notice = Notice(line.kind, later.text)
  }

  /// Returns the key of a command, as written in help.
  func keyHint(_ command: Command) -> SafeText {
    keymap.hint(for: command)
  }
}
