import BellhopModel
import BellhopScreen
import BellhopText

/// A question that the user has to answer before many items are changed.
struct ConfirmState: Sendable {
  /// The items in question.
  enum Target: Sendable {
    case marked([RowSummary])
    case whole(Selection)
  }

  var change: ItemChange
  var target: Target
  /// The request that counts the items of a whole list.
  var serial: Int
  /// The extent; nil until it is known.
  var extent: SelectionExtent?
  /// The text after the number: ` in ci`; empty if none is needed.
  var place: SafeText = .empty

  /// The number of items, if known.
  var count: Int? {
    switch target {
    case .marked(let rows): rows.count
    case .whole: extent?.count
    }
  }
}

extension InboxState {
  /// Changes the marked items, or asks first.
  mutating func actOnMarked(_ change: ItemChange, _ effects: inout [Effect]) {
    if let whole = marks.whole {
      overlay = .confirm(
        ConfirmState(
          change: change, target: .whole(whole.selection), serial: whole.serial,
          extent: whole.extent,
          place: placeText(of: whole.list)))
      return
    }
    let rows = marks.all
    guard marks.asks else { return act(change, onMarked: rows, &effects) }
    overlay = .confirm(
      ConfirmState(
        change: change, target: .marked(rows), serial: 0, place: placeText(of: activeList)))
  }

  /// The change that `r` makes: read or unread.
  var markedReadChange: ItemChange {
    if let whole = marks.whole { return whole.extent?.unread == 0 ? .unread : .read }
    return marks.all.contains { $0.readState == .unread } ? .read : .unread
  }

  /// The change that `*` makes: pin or unpin.
  var markedPinChange: ItemChange {
    marks.whole != nil || marks.all.contains { !$0.isPinned } ? .pin : .unpin
  }

  private func placeText(of id: ListID) -> SafeText {
    if search == nil, let filter {
      return " that match \"" + filter.field.drawn.truncated(to: 24) + "\""
    }
    switch id {
    case .tray: return " in the tray"
    case .handled: return " among the handled items"
    case .history: return " in the history"
    case .later: return " for later"
    case .search: return " found"
    }
  }

  // MARK: - The question

  mutating func take(_ key: Key, in question: ConfirmState, _ effects: inout [Effect]) {
    answer(key) { $0.confirm(question, &effects) }
  }

  /// Handles a key while the screen asks something: `y` confirms it, `n` or Esc leaves it.
  mutating func answer(_ key: Key, confirming confirm: (inout InboxState) -> Void) {
    switch key {
    case .character("y"), .character("Y"): confirm(&self)
    case .character("n"), .character("N"), .character("q"), .escape, .control("c"), .control("g"):
      closeOverlay()
      say("Nothing was done.")
    default: break  // open: Key
    }
  }

  private mutating func confirm(_ question: ConfirmState, _ effects: inout [Effect]) {
    switch question.target {
    case .marked(let rows):
      closeOverlay()
      act(question.change, onMarked: rows, &effects)
    case .whole(let selection):
      guard let extent = question.extent else { return }
      closeOverlay()
      act(question.change, on: selection, extent, &effects)
    }
  }

  // MARK: - Individually marked items

  mutating func act(
    _ change: ItemChange, onMarked rows: [RowSummary], _ effects: inout [Effect]
  ) {
    clearMarks()
    let useful = rows.filter { change.noEffectReason($0, now) == nil && !change.isRefused($0) }
    guard let first = useful.first else { return say("None of the marked items would change.") }
    guard useful.count > 1 else { return act(change, on: first, &effects) }
    steps.forgetUndone()
    var operations: [UndoEntry.Done] = []
    for account in Set(useful.map(\.key.account)).sorted() {
      let mine = useful.filter { $0.key.account == account }
      for start in stride(from: 0, to: mine.count, by: BulkOrder.namedMax) {
        let part = Array(mine[start..<min(start + BulkOrder.namedMax, mine.count)])
        let id: OperationID = ids.next(at: now)
        operations.append(UndoEntry.Done(account: account, operation: id))
        effects.append(.change(.performOnMarked(order(id, change, part, of: account))))
        for row in part { show(change, of: id, on: row) }
      }
    }
    steps.push(
      UndoEntry(
        operations: operations,
        lines: useful.map {
          UndoEntry.Line(before: $0, after: $0.setting(change.registers, at: now))
        },
        count: useful.count,
        kind: change.isDelete
          ? .deleteMany(until: now.advanced(by: Self.deleteGrace)) : .many(InboxCounts()),
        change: change))
    if focus == .detail { leaveDetail() }
    say(change, of: useful.count)
  }

  private func order(
    _ id: OperationID, _ change: ItemChange, _ rows: [RowSummary], of account: AccountName
  ) -> MarkedOrder {
    MarkedOrder(
      account: account,
      operation: Operation(
        id: id, onShown: rows.map { ($0.key.id, $0.version) }, mutation: change.mutation),
      sealAfter: change.isDelete ? Self.deleteGrace : nil)
  }

  /// Shows an operation's effect on one of its items in every list that contains it.
  private mutating func show(_ change: ItemChange, of operation: OperationID, on row: RowSummary) {
    switch change.mutation {
    case .set(let registers):
      note(operation, registers, on: row, seen: row.version)
    case .delete: noteRemoval(operation, of: row)
    case .restorePrevious, .configure, .reschedule, .publish, .changeRule, .applyRule: break
    }
  }

  // MARK: - Whole lists

  mutating func act(
    _ change: ItemChange, on selection: Selection, _ extent: SelectionExtent,
    _ effects: inout [Effect]
  ) {
    clearMarks()
    guard extent.count > 0 else { return say("No items are left. Nothing was done.") }
    steps.forgetUndone()
    var done: [UndoEntry.Done] = []
    for part in extent.parts where part.count > 0 {
      // Enough ids if each operation has to name its items, and one for what a predicate cannot
      // express.
      let count = (part.count + BulkOrder.namedMax - 1) / BulkOrder.namedMax + 1
      var operations: [OperationID] = []
      for _ in 0..<count { operations.append(ids.next(at: now)) }
      done += operations.map { UndoEntry.Done(account: part.account, operation: $0) }
      effects.append(
        .change(
          .performBulk(
            BulkOrder(
              account: part.account, query: selection.query, bound: part.bound,
              mutation: change.mutation, operations: operations,
              sealAfter: change.isDelete ? Self.deleteGrace : nil))))
    }
    let counts = counts(of: change, on: selection, extent)
    let bulk = PendingBulk(
      operations: done.map(\.operation), selection: selection,
      bounds: Dictionary(
        extent.parts.map { ($0.account, $0.bound) }, uniquingKeysWith: { $1 }),
      change: change.isDelete ? nil : change.registers, counts: counts)
    let place = place(ofGroupIn: selection)
    showBulk(bulk)
    steps.push(
      UndoEntry(
        operations: done, lines: [], count: extent.count,
        kind: change.isDelete
          ? .deleteMany(until: now.advanced(by: Self.deleteGrace)) : .many(InboxCounts() - counts),
        place: place, whole: bulk, change: change))
    if focus == .detail { leaveDetail() }
    say(change, of: extent.count)
  }

  /// Returns the position of the selected group; nil if the selection is not a group.
  private func place(ofGroupIn selection: Selection) -> RowPosition? {
    guard case .group(let group) = selection.query, let index = tray.index(of: .group(group)) else {
      return nil
    }
    return tray.rows[index].position
  }

  /// Shows the change of a whole list immediately: its items leave the lists or change in place.
  mutating func showBulk(_ bulk: PendingBulk) {
    pending.bulks.append(bulk)
    for id in ListID.allCases where id != .search || search != nil {
      let query = self[id].query
      guard bulk.means(query) else {
        self[id].isStale = true
        continue
      }
      for row in self[id].rows {
        if let after = bulk.applied(to: row, in: query, at: now) {
          if after != row { self[id].apply(after, force: true) }
        } else {
          self[id].remove(row.rowID)
        }
      }
      self[id].countAbove = nil
      self[id].isStale = true
    }
    counting.isStale = true
  }

  /// Returns the effect of changing a whole list on the counts; only for the tray, whose items are
  /// alike.
  private func counts(
    of change: ItemChange, on selection: Selection, _ extent: SelectionExtent
  ) -> InboxCounts {
    selection.query.isInTray ? change.counts(of: extent) : InboxCounts()
  }

  /// Shows a notice about the change of many items, and how to undo it.
  private mutating func say(_ change: ItemChange, of count: Int) {
    let done = change.doneText(count: count)
    let offer = keyHint(.undo) + (change.isDelete ? " within 5 s undoes it" : " undoes it")
    notice = Notice(
      .success, done + " " + offer, brief: nil,
      later: change.isDelete ? endOfUndoOffer(done) : nil)
  }
}
