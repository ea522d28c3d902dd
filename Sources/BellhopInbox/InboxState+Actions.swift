import BellhopModel
import BellhopText

extension InboxState {
  /// How long a delete can be taken back (SYNC rule 9).
  static let deleteGrace = Duration.seconds(5)

  /// The item that a key acts on. Nil, with a line that says why, when it must not act: on
  /// a ghost, or while the cursor is still on its way.
  mutating func subject() -> RowSummary? {
    let list = self[activeList]
    guard list.pendingMove == nil, let row = list.cursorRow else {
      notice = Notice(
        .information, list.isAwaited ? "One moment: the list is on its way." : "No item here.")
      return nil
    }
    if let ghost = activeGhost {
      notice = Notice(.information, ghostText(ghost))
      return nil
    }
    return row
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
    return what + " " + timeText.moment(handled.at) + " on " + handled.by + ". Nothing was done."
  }

  /// Does what the person means to the item under the cursor: on the screen at once, and for good
  /// by the effect.
  mutating func act(_ verb: Verb, _ effects: inout [Effect]) {
    guard let row = subject() else { return }
    if let text = uselessText(verb, row) {
      notice = Notice(.information, text)
      return
    }
    act(verb, on: row, &effects)
  }

  mutating func act(_ verb: Verb, on row: RowSummary, _ effects: inout [Effect]) {
    let operation = Operation(
      id: ids.next(at: now), target: .item(row.key.id), mutation: verb.mutation,
      seen: row.contentSequence)
    effects.append(
      .perform(
        account: row.key.account, operations: [operation],
        sealAfter: verb == .delete ? Self.deleteGrace : nil))
    let active = activeList
    switch operation.mutation {
    case .set(let change):
      note(operation, change, on: row)
      undoStack.append(undoEntry(operation, change, row, verb))
      for index in undoStack.indices.dropLast() {
        undoStack[index].expect(
          operation.id, after: change.without(valuesOf: row), on: row.key)
      }
    case .delete:
      pendingChanges.append(
        PendingChange(
          operation: operation.id, key: row.key, seen: nil, kind: .removed,
          counts: InboxCounts() - InboxCounts(row, startOfDay: timeText.startOfDay)))
      forEachList { $0.remove(row.key) }
      undoStack.append(
        UndoEntry(
          operation: operation.id, key: row.key,
          kind: .delete(until: now.advanced(by: Self.deleteGrace)), before: row, verb: verb))
    case .restorePrevious, .configure: break
    }
    afterwards(verb, on: row, in: active)
  }

  /// Shows a change of registers in every list that holds the item.
  private mutating func note(_ operation: Operation, _ change: StateChange, on row: RowSummary) {
    let after = row.setting(change)
    let startOfDay = timeText.startOfDay
    pendingChanges.append(
      PendingChange(
        operation: operation.id, key: row.key, seen: operation.seen,
        kind: .set(change, after: after),
        counts: InboxCounts(after, startOfDay: startOfDay)
          - InboxCounts(row, startOfDay: startOfDay)))
    forEachList { $0.apply(after) }
  }

  private func undoEntry(
    _ operation: Operation, _ change: StateChange, _ row: RowSummary, _ verb: Verb
  ) -> UndoEntry {
    var back = StateChange()
    let changed = change.without(valuesOf: row)
    if changed.readState != nil { back.readState = row.readState }
    if changed.userActionState != nil { back.userActionState = row.action }
    if changed.kept != nil { back.kept = row.isKept }
    return UndoEntry(
      operation: operation.id, key: row.key,
      kind: .set(
        back: back,
        expect: UndoEntry.Expectations(
          readState: operation.id, action: operation.id, kept: operation.id)),
      before: row, verb: verb)
  }

  private mutating func forEachList(_ body: (inout ListState) -> Void) {
    for id in ListID.allCases where id != .search || search != nil { body(&self[id]) }
  }

  /// Where the cursor goes, and what the person is told.
  private mutating func afterwards(_ verb: Verb, on row: RowSummary, in id: ListID) {
    switch verb {
    case .dismiss, .delete, .snooze:
      // In a list that keeps the item the cursor goes on as well, so that `d d d` works alike.
      if self[id].cursor?.key == row.key { self[id].move(by: 1) }
      if focus == .detail { leaveDetail() }
    case .read, .unread, .activate, .restore, .keep, .unkeep: break
    }
    // The detail never turns into another item under the person's hands.
    if focus == .detail, self[id].cursor?.key != row.key { leaveDetail() }
    switch verb {
    case .delete:
      notice = Notice(
        .success, "Deleted, here and on every device. " + keyHint(.undo) + " within 5 s undoes it")
    case .snooze(let until):
      notice = Notice(.success, "Back on " + timeText.full(until) + ", on every device.")
    case .restore: notice = Notice(.success, "Back in the tray.")
    case .keep: notice = Notice(.success, "Kept: it never expires.")
    case .unkeep: notice = Notice(.success, "No longer kept: it expires in its time.")
    case .dismiss, .activate, .read, .unread: break
    }
  }

  /// Why the verb would change nothing; nil when it would.
  private func uselessText(_ verb: Verb, _ row: RowSummary) -> SafeText? {
    switch verb {
    case .dismiss where row.action == .dismissed: "It is dismissed already."
    case .restore where row.placement == .tray: "It is in the tray already."
    case .restore where row.isRawOnly: "It has data only: such items never enter the tray."
    case .restore where row.action == .noInteraction:
      "Nobody handled it: its time in the tray is over, or still to come."
    default: nil
    }
  }

  /// The key to press for a command, as help writes it.
  func keyHint(_ command: Command) -> SafeText {
    SafeText(keymap.sequences(of: command).first?.description ?? command.spec.id)
  }
}

// MARK: - Undo

extension InboxState {
  /// Takes the last step back.
  mutating func undo(_ effects: inout [Effect]) {
    guard let entry = undoStack.popLast() else {
      notice = Notice(.information, "Nothing to undo.")
      return
    }
    switch entry.kind {
    case .delete(let until): undoDelete(entry, until: until, &effects)
    case .set(let back, let expect): undoSet(entry, back, expect, &effects)
    }
  }

  private mutating func undoDelete(
    _ entry: UndoEntry, until: Timestamp, _ effects: inout [Effect]
  ) {
    guard now < until else {
      undoStack.removeAll { $0.key == entry.key }
      notice = Notice(.information, "Too late: it was deleted for good after 5 s.")
      return
    }
    effects.append(.cancelDelete(account: entry.key.account, operation: entry.operation))
    // The counts on the screen either still have the delete taken off them, or were read without
    // the item.
    let isTakenOff = pendingChanges.contains {
      $0.operation == entry.operation && $0.matters(toAnswerOf: countsSerial)
    }
    pendingChanges.removeAll { $0.operation == entry.operation }
    pendingChanges.append(
      PendingChange(
        operation: entry.operation, key: entry.key, seen: nil, kind: .present(entry.before),
        counts: isTakenOff
          ? InboxCounts() : InboxCounts(entry.before, startOfDay: timeText.startOfDay)))
    bringBack(entry.before)
    notice = Notice(.success, "Undone: it is not deleted.")
  }

  private mutating func undoSet(
    _ entry: UndoEntry, _ back: StateChange, _ expect: UndoEntry.Expectations,
    _ effects: inout [Effect]
  ) {
    guard !back.isEmpty else { return }
    var current = currentRow(entry.key) ?? entry.before.setting(entry.verb.change)
    var operations: [Operation] = []
    for part in UndoEntry.parts(back, expect) {
      let operation = Operation(
        id: ids.next(at: now), target: .item(entry.key.id), mutation: .set(part.change),
        expect: part.expect)
      operations.append(operation)
      var after = current.setting(part.change)
      if part.change.userActionState != nil {
        after.placement = entry.before.placement
        after.handled = entry.before.handled
      }
      let startOfDay = timeText.startOfDay
      pendingChanges.append(
        PendingChange(
          operation: operation.id, key: entry.key, seen: current.contentSequence,
          kind: .set(part.change, after: after),
          counts: InboxCounts(after, startOfDay: startOfDay)
            - InboxCounts(current, startOfDay: startOfDay)))
      current = after
      for index in undoStack.indices {
        undoStack[index].expect(operation.id, after: part.change, on: entry.key)
      }
    }
    effects.append(
      .perform(account: entry.key.account, operations: operations, sealAfter: nil))
    bringBack(current)
    notice = Notice(.success, "Undone: " + entry.verb.pastTense + ".")
  }

  /// The line of an item as some list has it now.
  private func currentRow(_ key: ItemKey) -> RowSummary? {
    for id in ListID.allCases {
      let list = self[id]
      if let index = list.index(of: key), list.ghost?.key != key { return list.rows[index] }
    }
    return nil
  }

  /// Shows an item as it is again, with the cursor on it where the list has it.
  private mutating func bringBack(_ row: RowSummary) {
    let active = activeList
    forEachList { $0.apply(row) }
    guard self[active].contains(row) else { return }
    if let index = self[active].index(of: row.key) {
      self[active].setCursor(index)
    } else if active != .search {
      self[active].seek(row.position)
    }
  }
}

extension StateChange {
  /// What of it differs from the line.
  fileprivate func without(valuesOf row: RowSummary) -> StateChange {
    StateChange(
      readState: readState == row.readState ? nil : readState,
      userActionState: userActionState == row.action ? nil : userActionState,
      kept: kept == row.isKept ? nil : kept)
  }
}

extension Verb {
  fileprivate var change: StateChange {
    if case .set(let change) = mutation { change } else { StateChange() }
  }

  /// What was done, after "Undone:".
  fileprivate var pastTense: SafeText {
    switch self {
    case .read: "marked read"
    case .unread: "marked unread"
    case .activate: "opened"
    case .dismiss: "dismissed"
    case .restore: "put back in the tray"
    case .snooze: "snoozed"
    case .keep: "kept"
    case .unkeep: "no longer kept"
    case .delete: "deleted"
    }
  }
}
