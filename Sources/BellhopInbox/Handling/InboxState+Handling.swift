import BellhopModel
import BellhopText

extension InboxState {
  /// How long a delete can be taken back (SYNC-9).
  static let deleteGrace = Duration.seconds(5)

  /// The item that a key acts on. Nil, with a line that says why, when it must not act: on
  /// a ghost, on a group, or while the cursor is still on its way.
  mutating func subject() -> RowSummary? {
    if let reason = reasonAgainstItem {
      notice = Notice(.information, reason.text)
      return nil
    }
    return activeRow
  }

  /// The same, be it an item or a group.
  mutating func subjectRow() -> RowSummary? {
    if let reason = reasonAgainstRow {
      notice = Notice(.information, reason.text)
      return nil
    }
    return activeRow
  }

  /// The reason why a key has no single item to act on; nil where it has one.
  var reasonAgainstItem: DisabledReason? {
    if let reason = reasonAgainstRow { return reason }
    guard let row = activeRow, row.isGroup else { return nil }
    return DisabledReason(
      "That is for one item, and this is a group. " + keyHint(.enter)
        + (row.isFolded ? " opens it." : " goes to its items."))
  }

  /// The reason why a key has no row to act on, item or group; nil where it has one.
  var reasonAgainstRow: DisabledReason? {
    if isInApps { return "No item here." }
    let list = self[activeList]
    guard list.cursorRow != nil, list.pendingMove == nil else {
      return DisabledReason(
        list.isAwaited ? "One moment: the list is on its way." : "No item here.",
        list.cursorRow == nil ? .here : .moment)
    }
    return activeGhost.map { DisabledReason(ghostText($0)) }
  }

  /// Who handled a ghost, when and where.
  func ghostText(_ ghost: Ghost) -> SafeText {
    guard let row = ghost.now else {
      return ghost.isResolved
        ? "Deleted or expired meanwhile. Nothing was done."
        : "It has just changed elsewhere. Nothing was done."
    }
    let what: SafeText
    switch row.action {
    case .noInteraction:
      return row.placement == .tray
        ? "It is back in the tray. Nothing was done."
        : "Its time in the tray is over. Nothing was done."
    case .activated: what = "Opened"
    case .dismissed: what = "Dismissed"
    case .snoozed(let until): what = "Snoozed until " + timeText.moment(until)
    }
    guard let handled = row.handled else { return what + " elsewhere. Nothing was done." }
    if let choice = handled.choice {
      return choice.title + " was chosen " + timeText.moment(handled.at) + " on " + handled.by
        + ". Nothing was done."
    }
    return what + " " + timeText.moment(handled.at) + " on " + handled.by + ". Nothing was done."
  }

  /// Changes the item under the cursor: on the screen at once, and for good by the effect.
  mutating func act(_ change: ItemChange, _ effects: inout [Effect]) {
    guard let row = subject() else { return }
    if let text = change.uselessText(row, now) {
      notice = Notice(.information, text)
      return
    }
    act(change, on: row, &effects)
  }

  /// - Parameter choice: the item's action that was chosen by it.
  mutating func act(
    _ change: ItemChange, on row: RowSummary, choosing choice: ActionChoice? = nil,
    _ effects: inout [Effect]
  ) {
    let operation = Operation(
      id: ids.next(at: now), target: .item(row.key.id),
      mutation: change.mutation(choosing: choice), seen: row.contentSequence)
    effects.append(
      .change(
        .perform(
          account: row.key.account, operations: [operation],
          sealAfter: change.isDelete ? Self.deleteGrace : nil)))
    let active = activeList
    // A new change ends the chance to do again what was undone before it.
    steps.forgetUndone()
    switch operation.mutation {
    case .set(let registers):
      note(operation.id, registers, on: row, seen: operation.seen)
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
    case .restorePrevious, .configure: break
    }
    // The answer to an action's request may come when the person is elsewhere.
    if choice != nil, self[active].cursor?.rowID != .item(row.key) { return }
    finish(change, on: row, in: active)
  }

  /// Shows a change of registers in every list that holds the item.
  mutating func note(
    _ operation: OperationID, _ change: StateChange, on row: RowSummary, seen: SequenceNumber?
  ) {
    note(operation, change, from: row, to: row.setting(change, at: now), seen: seen)
  }

  /// The same where the line afterwards says more than the registers do.
  mutating func note(
    _ operation: OperationID, _ change: StateChange, from row: RowSummary, to after: RowSummary,
    seen: SequenceNumber?
  ) {
    let startOfDay = timeText.startOfDay
    pending.changes.append(
      PendingChange(
        operation: operation, key: row.key, seen: seen, kind: .set(change, after: after),
        counts: InboxCounts(after, startOfDay: startOfDay)
          - InboxCounts(row, startOfDay: startOfDay)))
    forEachList { $0.apply(after) }
  }

  /// Takes an item out of every list.
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

  /// Moves the cursor after a change, and shows the line that says what was done.
  private mutating func finish(_ change: ItemChange, on row: RowSummary, in id: ListID) {
    if change.movesOn {
      if self[id].cursor?.rowID == .item(row.key) { self[id].move(by: 1) }
      if focus == .detail { leaveDetail() }
    }
    // The detail never turns into another item under the person's hands.
    if focus == .detail, self[id].cursor?.rowID != .item(row.key) { leaveDetail() }
    notice = change.doneNotice(row, in: self)
  }

  /// The line that takes the place of an offer to undo a delete, once that is too late.
  func endOfUndoOffer(_ text: SafeText) -> Notice.Later {
    Notice.Later(start: now.advanced(by: Self.deleteGrace), text: text)
  }

  /// Shows the line that takes the place of the one whose offer has ended.
  mutating func endOffer() {
    guard let line = notice, let later = line.later, now >= later.start else { return }
    notice = Notice(line.kind, later.text)
  }

  /// The key to press for a command, as help writes it.
  func keyHint(_ command: Command) -> SafeText {
    keymap.hint(for: command)
  }
}

extension ItemChange {
  /// The mutation that also says which action was chosen, which marks the item read.
  func mutation(choosing choice: ActionChoice?) -> BellhopModel.Operation.Mutation {
    guard let choice, case .set(var registers) = mutation else { return mutation }
    registers.readState = .read
    registers.choice = choice
    return .set(registers)
  }
}
