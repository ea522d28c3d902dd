import BellhopModel
import BellhopText

extension InboxState {
  /// How long a delete can be taken back (SYNC-9).
  static let deleteGrace = Duration.seconds(5)

  /// The item that a key acts on. Nil, with a line that says why, when it must not act: on
  /// a ghost, on a group, or while the cursor is still on its way.
  mutating func subject() -> RowSummary? {
    guard let row = subjectRow() else { return nil }
    guard row.isGroup else { return row }
    let way =
      row.isFolded ? keyHint(.enter) + " opens it." : keyHint(.enter) + " goes to its items."
    notice = Notice(.information, "That is for one item, and this is a group. " + way)
    return nil
  }

  /// The same, be it an item or a group.
  mutating func subjectRow() -> RowSummary? {
    let list = self[activeList]
    guard !isInApps else {
      notice = Notice(.information, "No item here.")
      return nil
    }
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
    if let choice = handled.choice {
      return choice.title + " was chosen " + timeText.moment(handled.at) + " on " + handled.by
        + ". Nothing was done."
    }
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

  /// - Parameter choice: the item's action that was chosen by it.
  mutating func act(
    _ verb: Verb, on row: RowSummary, choosing choice: ActionChoice? = nil,
    _ effects: inout [Effect]
  ) {
    let operation = Operation(
      id: ids.next(at: now), target: .item(row.key.id), mutation: verb.mutation(choosing: choice),
      seen: row.contentSequence)
    effects.append(
      .perform(
        account: row.key.account, operations: [operation],
        sealAfter: verb == .delete ? Self.deleteGrace : nil))
    let active = activeList
    // What was undone before belongs to another past.
    redoStack = []
    switch operation.mutation {
    case .set(let change):
      note(operation.id, change, on: row, seen: operation.seen)
      let changed = change.without(valuesOf: row)
      expectSince(operation.id, after: changed, on: row.key)
      if !changed.isEmpty {
        var entry = undoEntry(operation, change, row, verb)
        entry.choice = choice
        undoStack.append(entry)
      }
    case .delete:
      noteRemoval(operation.id, of: row)
      undoStack.append(
        UndoEntry(
          operations: [UndoEntry.Done(account: row.key.account, operation: operation.id)],
          lines: [UndoEntry.Line(before: row, after: row)], count: 1,
          kind: .deleteMany(until: now.advanced(by: Self.deleteGrace)),
          verb: verb))
    case .restorePrevious, .configure: break
    }
    // The answer to an action's request may come when the person is elsewhere.
    if choice != nil, self[active].cursor?.rowID != .item(row.key) { return }
    afterwards(verb, on: row, in: active)
  }

  /// Shows a change of registers in every list that holds the item.
  mutating func note(
    _ operation: OperationID, _ change: StateChange, on row: RowSummary, seen: SequenceNumber?
  ) {
    note(operation, change, from: row, to: row.setting(change), seen: seen)
  }

  /// The same where the line afterwards says more than the registers do.
  mutating func note(
    _ operation: OperationID, _ change: StateChange, from row: RowSummary, to after: RowSummary,
    seen: SequenceNumber?
  ) {
    let startOfDay = timeText.startOfDay
    pendingChanges.append(
      PendingChange(
        operation: operation, key: row.key, seen: seen, kind: .set(change, after: after),
        counts: InboxCounts(after, startOfDay: startOfDay)
          - InboxCounts(row, startOfDay: startOfDay)))
    forEachList { $0.apply(after) }
  }

  /// Takes an item out of every list.
  mutating func noteRemoval(_ operation: OperationID, of row: RowSummary) {
    pendingChanges.append(
      PendingChange(
        operation: operation, key: row.key, seen: nil, kind: .removed,
        counts: InboxCounts() - InboxCounts(row, startOfDay: timeText.startOfDay)))
    forEachList { $0.remove(.item(row.key)) }
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
      operations: [UndoEntry.Done(account: row.key.account, operation: operation.id)],
      lines: [UndoEntry.Line(before: row, after: row.setting(change))], count: 1,
      kind: .set(
        back: back, made: changed,
        expect: UndoEntry.Expectations(
          readState: operation.id, action: operation.id, kept: operation.id)),
      verb: verb)
  }

  mutating func forEachList(_ body: (inout ListState) -> Void) {
    for id in ListID.allCases where id != .search || search != nil { body(&self[id]) }
  }

  /// Where the cursor goes, and what the person is told.
  private mutating func afterwards(_ verb: Verb, on row: RowSummary, in id: ListID) {
    switch verb {
    case .dismiss, .delete, .snooze:
      // In a list that keeps the item the cursor goes on as well, so that `d d d` works alike.
      if self[id].cursor?.rowID == .item(row.key) { self[id].move(by: 1) }
      if focus == .detail { leaveDetail() }
    case .read, .unread, .activate, .restore, .keep, .unkeep: break
    }
    // The detail never turns into another item under the person's hands.
    if focus == .detail, self[id].cursor?.rowID != .item(row.key) { leaveDetail() }
    switch verb {
    case .delete:
      notice = Notice(
        .success, "Deleted, here and on every device. " + keyHint(.undo) + " within 5 s undoes it",
        brief: "Deleted. " + keyHint(.undo) + " within 5 s undoes it")
      endOfferOfUndo("Deleted, here and on every device.")
    case .snooze(let until):
      notice = Notice(.success, "Back on " + timeText.full(until) + ", on every device.")
    case .restore: notice = Notice(.success, "Back in the tray.")
    case .keep: notice = Notice(.success, "Kept: it never expires.")
    case .unkeep: notice = Notice(.success, "No longer kept: it expires in its time.")
    case .dismiss, .activate, .read, .unread: break
    }
  }

  /// Takes the offer to undo a delete out of the line once that is too late.
  mutating func endOfferOfUndo(_ text: SafeText) {
    notice?.later = Notice.Later(start: now.advanced(by: Self.deleteGrace), text: text)
  }

  /// Shows the line that takes the place of the one whose offer has ended.
  mutating func endOffer() {
    guard let line = notice, let later = line.later, now >= later.start else { return }
    notice = Notice(line.kind, later.text)
  }

  /// Why the verb would change nothing; nil when it would.
  func uselessText(_ verb: Verb, _ row: RowSummary) -> SafeText? {
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
  /// The registers that it sets; none for a delete.
  var change: StateChange {
    if case .set(let change) = mutation { change } else { StateChange() }
  }

  /// What was done, after "Undone:".
  var pastTense: SafeText {
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
