import BellhopModel
import BellhopText

extension Command {
  static let undoCommands: [Command] = [undo, redo, undoRules]

  static let undo = Command(
    id: "undo", title: "undo", help: "undo the last change; again for the one before",
    synonyms: ["revert", "take back"], keys: ["u"],
    places: .everywhere, chapter: .handling, changesItems: true, footer: Footer(8),
    disabledReason: { $0.steps.done.isEmpty ? "Nothing to undo." : nil },
    perform: { state, effects in state.undo(&effects) })

  static let redo = Command(
    id: "redo", title: "redo", help: "redo the last change that was undone", keys: ["Ctrl-r"],
    places: .everywhere, chapter: .handling, changesItems: true,
    disabledReason: { $0.steps.undone.isEmpty ? "Nothing to redo." : nil },
    perform: { state, effects in state.redo(&effects) })
}

extension InboxState {
  /// Undoes the last step.
  fileprivate mutating func undo(_ effects: inout [Effect]) {
    guard let entry = steps.popDone() else { return }
    guard var inverse = reverse(entry, isRedo: false, &effects) else { return }
    inverse.choice = entry.choice
    inverse.place = entry.place
    steps.pushUndone(inverse)
    if let place = entry.place, activeList == .tray, tray.isFolding { tray.comeBack(to: place) }
  }

  /// Redoes the step that was undone last.
  fileprivate mutating func redo(_ effects: inout [Effect]) {
    guard let entry = steps.popUndone() else { return }
    guard var inverse = reverse(entry, isRedo: true, &effects) else { return }
    inverse.choice = entry.choice
    inverse.place = entry.place
    steps.push(inverse)
  }

  /// Reverses a step.
  ///
  /// - Returns: The step that reverses this; nil if nothing was done.
  private mutating func reverse(
    _ entry: UndoEntry, isRedo: Bool, _ effects: inout [Effect]
  ) -> UndoEntry? {
    let word: SafeText = isRedo ? "Redone: " : "Undone: "
    switch entry.kind {
    case .set(let back, let made, let expect):
      var entry = entry
      if !isRedo { entry.choice = nil }
      return reverseSet(entry, back, made, expect, word, &effects)
    case .many(let counts):
      var inverse = reverseMany(entry, counts, word, &effects)
      if let whole = entry.whole {
        inverse.whole = whole
        showAgain(whole, counts, of: inverse.operations, isRedo: isRedo)
      }
      return inverse
    case .deleteMany(let until): return undoDelete(entry, until: until, &effects)
    case .deleteAgain: return deleteAgain(entry, &effects)
    case .settings(let key, let back, let made):
      return reverseSettings(key, back: back, made: made, word, &effects)
    case .schedule(let key, let back, let made):
      guard let operation = entry.operations.first?.operation else { return nil }
      return reverseSchedule(key, back: back, made: made, by: operation, word, &effects)
    }
  }

  // MARK: - Registers of one item

  /// Restores registers of one item that still have the values that were set.
  mutating func reverseSet(
    _ entry: UndoEntry, _ back: StateChange, _ made: StateChange,
    _ expect: UndoEntry.Expectations, _ word: SafeText, _ effects: inout [Effect]
  ) -> UndoEntry? {
    guard !back.isEmpty, let before = entry.lines.first?.before else { return nil }
    let start = currentRow(before.key) ?? before.setting(made, at: now)
    let wanted = back.untouched(since: made, in: start)
    guard !wanted.isEmpty else {
      say(sinceText(start))
      return nil
    }
    var current = start
    var since = expect
    var operations: [Operation] = []
    for part in UndoEntry.parts(wanted, expect) {
      var change = part.change
      if change.userActionState != nil { change.choice = entry.choice }
      let operation = Operation(
        id: ids.next(at: now), target: .item(before.key.id), mutation: .set(change),
        expect: part.expect, occurrences: before.occurrence.map { .label($0) })
      operations.append(operation)
      var after = current.setting(part.change, at: now)
      if part.change.userActionState != nil { after.handled = before.handled }
      note(
        operation.id, part.change, from: current, to: after, seen: current.version)
      current = after
      expectSince(operation.id, after: part.change, on: before.key)
      since = since.setting(part.change, by: operation.id)
    }
    effects.append(.change(.perform(account: before.key.account, operations: operations)))
    bringBack(current)
    notice = Notice(.success, word + entry.change.pastTense + ".")
    return UndoEntry(
      operations: operations.map {
        UndoEntry.Done(account: before.key.account, operation: $0.id)
      },
      lines: [UndoEntry.Line(before: start, after: current)], count: 1,
      kind: .set(back: wanted.values(of: start), made: wanted, expect: since), change: entry.change)
  }

  /// Makes all other steps on the item expect the operation from now on.
  mutating func expectSince(
    _ operation: OperationID, after change: StateChange, on key: ItemKey
  ) {
    steps.expect(operation, after: change, on: key)
  }

  /// Returns the reason why a step cannot be reversed: the item has changed since.
  private func sinceText(_ row: RowSummary) -> SafeText {
    guard let handled = row.handled, handled.origin != .here, row.action != .noInteraction else {
      return "Not undone: it has changed elsewhere since."
    }
    let what: SafeText =
      switch row.action {
      case .dismissed: row.isResolved ? "resolved" : "dismissed"
      case .activated: "opened"
      case .snoozed, .noInteraction: "snoozed"
      }
    return "Not undone: " + what + " " + timeText.moment(handled.at) + handled.place + " since."
  }

  // MARK: - Many items

  /// Restores every register that the operations set last, unless it has changed since.
  private mutating func reverseMany(
    _ entry: UndoEntry, _ counts: InboxCounts, _ word: SafeText, _ effects: inout [Effect]
  ) -> UndoEntry {
    var done: [UndoEntry.Done] = []
    for made in entry.operations {
      done.append(UndoEntry.Done(account: made.account, operation: ids.next(at: now)))
    }
    var inverse = UndoEntry(
      operations: done, lines: [], count: entry.count, kind: .many(InboxCounts() - counts),
      change: entry.change)
    var apart: [AccountName: [Operation]] = [:]
    for line in entry.lines {
      reverse(line, of: entry, into: &inverse, &apart)
    }
    for account in Set(done.map(\.account)).sorted() {
      let operations = zip(entry.operations, done).filter { $0.1.account == account }.map {
        Operation(
          id: $0.1.operation, target: .setBy($0.0.operation), mutation: .restorePrevious)
      }
      effects.append(
        .change(.perform(account: account, operations: operations + (apart[account] ?? []))))
    }
    let left = entry.lines.count - inverse.lines.count
    inverse.count -= left
    notice = Notice(.success, manyText(entry, word, left: left))
    return inverse
  }

  /// Shows one of many items as it was before, unless it has changed since.
  ///
  /// The store does not restore a changed item, either.
  private mutating func reverse(
    _ line: UndoEntry.Line, of entry: UndoEntry, into inverse: inout UndoEntry,
    _ apart: inout [AccountName: [Operation]]
  ) {
    let key = line.before.key
    let registers = entry.change.registers
    let start = currentRow(key) ?? line.after
    let wanted = registers.values(of: line.before)
      .untouched(since: registers.values(of: line.after), in: start)
    guard !wanted.isEmpty, let made = entry.operation(of: key.account),
      let operation = inverse.operation(of: key.account)
    else { return }
    var since = UndoEntry.Expectations(operation)
    let expected = entry.since[key] ?? UndoEntry.Expectations(made)
    // A register that a later step has restored was last set by that step.
    for part in UndoEntry.parts(wanted, expected) where part.expect != made {
      let own = Operation(
        id: ids.next(at: now), target: .item(key.id), mutation: .set(part.change),
        expect: part.expect, occurrences: line.before.occurrence.map { .label($0) })
      apart[key.account, default: []].append(own)
      since = since.setting(part.change, by: own.id)
      inverse.since[key] = since
    }
    var after = start.setting(wanted, at: now)
    if wanted.userActionState != nil { after.handled = line.before.handled }
    note(operation, wanted, from: start, to: after, seen: start.version)
    let single = inverse.since[key] ?? UndoEntry.Expectations(operation)
    for part in UndoEntry.parts(wanted, single) {
      expectSince(part.expect, after: part.change, on: key)
    }
    inverse.lines.append(UndoEntry.Line(before: start, after: after))
  }

  private func manyText(_ entry: UndoEntry, _ word: SafeText, left: Int) -> SafeText {
    let what = word + entry.change.pastTense + " · " + (entry.count - left).items + "."
    guard left > 0 else { return what }
    return what + SafeText(" \(left.grouped) changed elsewhere since and stay as they are.")
  }

  /// Applies the counts of a whole list immediately; shows its rows only for a redo.
  ///
  /// The rows do not show which items an undo brings back.
  private mutating func showAgain(
    _ whole: PendingBulk, _ counts: InboxCounts, of done: [UndoEntry.Done], isRedo: Bool
  ) {
    var bulk = whole
    bulk.operations = done.map(\.operation)
    bulk.counts = counts
    bulk.confirmedAt = nil
    if !isRedo { bulk.selection = nil }
    showBulk(bulk)
  }
}

// MARK: - Deletes

extension InboxState {
  /// The maximum width of a title in the notice about an undone delete, in cells.
  private static let undoneTitleCells = 40

  private mutating func undoDelete(
    _ entry: UndoEntry, until: Timestamp, _ effects: inout [Effect]
  ) -> UndoEntry? {
    guard now < until else {
      steps.forgetDone(on: Set(entry.lines.map(\.before.key)))
      say(
        entry.count == 1
          ? "Too late: it was deleted for good after 5 s."
          : "Too late: they were deleted for good after 5 s.")
      return nil
    }
    for made in entry.operations {
      effects.append(.change(.cancelDelete(account: made.account, operation: made.operation)))
    }
    pending.bulks.removeAll { bulk in
      entry.operations.contains { bulk.operations.contains($0.operation) }
    }
    for line in entry.lines { takeDeleteBack(line.before, entry.operations) }
    if let first = entry.lines.first { bringBack(first.before) }
    let title: SafeText? = entry.count == 1 ? entry.lines.first?.before.title : nil
    notice = Notice(
      .success,
      title.map { "Undone: “" + $0.truncated(to: Self.undoneTitleCells) + "” is back." }
        ?? "Undone: " + entry.count.items + (entry.count == 1 ? " is back." : " are back."))
    guard !entry.lines.isEmpty else { return nil }
    return UndoEntry(
      operations: [], lines: entry.lines, count: entry.count, kind: .deleteAgain, change: .delete)
  }

  private mutating func takeDeleteBack(_ row: RowSummary, _ operations: [UndoEntry.Done]) {
    var made = operations.first { $0.account == row.key.account }?.operation
    // The counts on the screen either still subtract the delete, or were read without the item.
    var isTakenOff = false
    let index = pending.changes.firstIndex { change in
      change.key == row.key && operations.contains { $0.operation == change.operation }
    }
    if let index {
      made = pending.changes[index].operation
      isTakenOff = pending.changes[index].matters(toAnswerOf: counting.serial)
      pending.changes.remove(at: index)
    }
    guard let made else { return }
    pending.changes.append(
      PendingChange(
        operation: made, key: row.key, seen: nil, kind: .present(row),
        counts: isTakenOff ? InboxCounts() : InboxCounts(row, startOfDay: timeText.startOfDay)))
    forEachList { $0.apply(row) }
  }

  private mutating func deleteAgain(
    _ entry: UndoEntry, _ effects: inout [Effect]
  ) -> UndoEntry? {
    let rows = entry.lines.compactMap { currentRow($0.before.key) }
    // Keep the other undone steps: they can still be redone after this one.
    let others = steps.undone
    if let only = rows.first, rows.count == 1 {
      act(.delete, on: only, &effects)
    } else if !rows.isEmpty {
      act(.delete, onMarked: rows, &effects)
    } else {
      say("Not deleted: it is no longer shown.")
    }
    steps.restoreUndone(others)
    return nil
  }

  // MARK: - Lines

  /// Returns the current row of an item in any list.
  func currentRow(_ key: ItemKey) -> RowSummary? {
    for id in ListID.allCases {
      let list = self[id]
      if let index = list.index(of: key), list.ghost?.id != .item(key) { return list.rows[index] }
    }
    return nil
  }

  /// Shows an item again, with the cursor on it if the list contains it.
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
