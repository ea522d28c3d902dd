import BellhopModel
import BellhopScreen
package import BellhopText

/// A question that has to be answered before many items are changed.
struct ConfirmState: Sendable {
  /// What of the items is meant.
  enum Target: Sendable {
    case marked([RowSummary])
    case whole(Selection)
  }

  var verb: Verb
  var target: Target
  /// The request that tells how many a whole list has.
  var serial: Int
  /// Nil until it is known.
  var extent: SelectionExtent?
  /// After the number: ` in ci`; empty where nothing is to be said.
  var place: SafeText = .empty

  /// How many, if that is known.
  var count: Int? {
    switch target {
    case .marked(let rows): rows.count
    case .whole: extent?.count
    }
  }
}

extension InboxState {
  /// Does what the person means to what is marked, or asks first.
  mutating func actOnMarked(_ verb: Verb, _ effects: inout [Effect]) {
    if let whole = marks.whole {
      overlay = .confirm(
        ConfirmState(
          verb: verb, target: .whole(whole.selection), serial: whole.serial, extent: whole.extent,
          place: placeText(of: whole.list)))
      return
    }
    let rows = marks.all
    guard marks.asks else { return act(verb, onMarked: rows, &effects) }
    overlay = .confirm(
      ConfirmState(
        verb: verb, target: .marked(rows), serial: 0, place: placeText(of: activeList)))
  }

  /// Whether `r` means read or unread.
  var markedReadVerb: Verb {
    if let whole = marks.whole { return whole.extent?.unread == 0 ? .unread : .read }
    return marks.all.contains { $0.readState == .unread } ? .read : .unread
  }

  /// Whether `*` means to keep.
  var markedKeepVerb: Verb {
    marks.whole != nil || marks.all.contains { !$0.isKept } ? .keep : .unkeep
  }

  private func placeText(of id: ListID) -> SafeText {
    if search == nil, let filter {
      return " that pass \"" + filter.field.drawn.truncated(to: 24) + "\""
    }
    switch id {
    case .tray: return " in the tray"
    case .handled, .history: return " in the history"
    case .later: return " for later"
    case .search: return " found"
    }
  }

  // MARK: - The question

  mutating func take(_ key: Key, in question: ConfirmState, _ effects: inout [Effect]) {
    switch key {
    case .character("y"), .character("Y"): confirm(question, &effects)
    case .character("n"), .character("N"), .character("q"), .escape, .control("c"), .control("g"):
      overlay = .none
      notice = Notice(.information, "Nothing was done.")
    default: break
    }
  }

  private mutating func confirm(_ question: ConfirmState, _ effects: inout [Effect]) {
    switch question.target {
    case .marked(let rows):
      overlay = .none
      act(question.verb, onMarked: rows, &effects)
    case .whole(let selection):
      guard let extent = question.extent else { return }
      overlay = .none
      act(question.verb, on: selection, extent, &effects)
    }
  }

  // MARK: - Marked one by one

  mutating func act(
    _ verb: Verb, onMarked rows: [RowSummary], _ effects: inout [Effect]
  ) {
    clearMarks()
    let useful = rows.filter { uselessText(verb, $0) == nil && !verb.isRefused(by: $0) }
    guard let first = useful.first else {
      notice = Notice(.information, "That would change none of them. Nothing was done.")
      return
    }
    guard useful.count > 1 else { return act(verb, on: first, &effects) }
    redoStack = []
    var operations: [UndoEntry.Done] = []
    for account in Set(useful.map(\.key.account)).sorted() {
      let mine = useful.filter { $0.key.account == account }
      for start in stride(from: 0, to: mine.count, by: BulkOrder.namedMax) {
        let part = Array(mine[start..<min(start + BulkOrder.namedMax, mine.count)])
        let id: OperationID = ids.next(at: now)
        operations.append(UndoEntry.Done(account: account, operation: id))
        effects.append(.performOnMarked(order(id, verb, part, of: account)))
        for row in part { show(verb, of: id, on: row) }
      }
    }
    undoStack.append(
      UndoEntry(
        operations: operations,
        lines: useful.map { UndoEntry.Line(before: $0, after: $0.setting(verb.change)) },
        count: useful.count,
        kind: verb == .delete
          ? .deleteMany(until: now.advanced(by: Self.deleteGrace)) : .many(InboxCounts()),
        verb: verb))
    if focus == .detail { leaveDetail() }
    say(verb, of: useful.count)
  }

  private func order(
    _ id: OperationID, _ verb: Verb, _ rows: [RowSummary], of account: AccountName
  ) -> MarkedOrder {
    MarkedOrder(
      account: account,
      operation: Operation(
        id: id, onShown: rows.map { ($0.key.id, $0.contentSequence) }, mutation: verb.mutation),
      sealAfter: verb == .delete ? Self.deleteGrace : nil)
  }

  /// Shows what an operation does to one of its items in every list that holds it.
  private mutating func show(_ verb: Verb, of operation: OperationID, on row: RowSummary) {
    switch verb.mutation {
    case .set(let change):
      note(operation, change, on: row, seen: row.contentSequence)
    case .delete: noteRemoval(operation, of: row)
    case .restorePrevious, .configure: break
    }
  }

  // MARK: - Whole lists

  mutating func act(
    _ verb: Verb, on selection: Selection, _ extent: SelectionExtent, _ effects: inout [Effect]
  ) {
    clearMarks()
    guard extent.count > 0 else {
      notice = Notice(.information, "Nothing is left of it. Nothing was done.")
      return
    }
    redoStack = []
    var done: [UndoEntry.Done] = []
    for part in extent.parts where part.count > 0 {
      // As many as if each had to name its items, and one for what a predicate cannot say.
      let count = (part.count + BulkOrder.namedMax - 1) / BulkOrder.namedMax + 1
      var operations: [OperationID] = []
      for _ in 0..<count { operations.append(ids.next(at: now)) }
      done += operations.map { UndoEntry.Done(account: part.account, operation: $0) }
      effects.append(
        .performBulk(
          BulkOrder(
            account: part.account, query: selection.query, bound: part.bound,
            mutation: verb.mutation, operations: operations,
            sealAfter: verb == .delete ? Self.deleteGrace : nil)))
    }
    let counts = counts(of: verb, on: selection, extent)
    let bulk = PendingBulk(
      operations: done.map(\.operation), selection: selection,
      bounds: Dictionary(
        extent.parts.map { ($0.account, $0.bound) }, uniquingKeysWith: { $1 }),
      change: verb == .delete ? nil : verb.change, counts: counts)
    let place = place(ofGroupIn: selection)
    showBulk(bulk)
    undoStack.append(
      UndoEntry(
        operations: done, lines: [], count: extent.count,
        kind: verb == .delete
          ? .deleteMany(until: now.advanced(by: Self.deleteGrace)) : .many(InboxCounts() - counts),
        place: place, whole: bulk, verb: verb))
    if focus == .detail { leaveDetail() }
    say(verb, of: extent.count)
  }

  /// Where the group stands that is meant; nil where it is no group.
  private func place(ofGroupIn selection: Selection) -> RowPosition? {
    guard case .group(let group) = selection.query, let index = tray.index(of: .group(group)) else {
      return nil
    }
    return tray.rows[index].position
  }

  /// What is meant leaves the lists at once, or changes in its place.
  mutating func showBulk(_ bulk: PendingBulk) {
    pendingBulks.append(bulk)
    for id in ListID.allCases where id != .search || search != nil {
      let query = self[id].query
      guard bulk.means(query) else {
        self[id].isStale = true
        continue
      }
      for row in self[id].rows {
        if let after = bulk.applied(to: row, in: query) {
          if after != row { self[id].apply(after, force: true) }
        } else {
          self[id].remove(row.rowID)
        }
      }
      self[id].countAbove = nil
      self[id].isStale = true
    }
    countsAreStale = true
  }

  /// What a change of a whole list does to the counts; of the tray only, whose items are alike.
  private func counts(
    of verb: Verb, on selection: Selection, _ extent: SelectionExtent
  ) -> InboxCounts {
    var query = selection.query
    switch query {
    case .narrowed(let whole, _): query = whole
    case .group: query = .tray
    default: break
    }
    guard query == .tray else { return InboxCounts() }
    let (all, unread) = (extent.count, extent.unread)
    switch verb {
    case .dismiss: return InboxCounts(tray: -all, trayUnread: -unread)
    case .activate: return InboxCounts(tray: -all, trayUnread: -unread)
    case .snooze: return InboxCounts(tray: -all, trayUnread: -unread, later: all)
    case .delete: return InboxCounts(tray: -all, trayUnread: -unread, kept: -all)
    case .read: return InboxCounts(trayUnread: -unread)
    case .unread: return InboxCounts(trayUnread: all - unread)
    case .restore, .keep, .unkeep: return InboxCounts()
    }
  }

  /// Says what was done to many items, and how it is undone.
  private mutating func say(_ verb: Verb, of count: Int) {
    let hint = keyHint(.undo) + (verb == .delete ? " within 5 s undoes it" : " undoes it")
    notice = Notice(.success, verb.said(of: count) + " " + hint)
    if verb == .delete { endOfferOfUndo(verb.said(of: count)) }
  }
}

extension Verb {
  /// `Dismissed 12 items.`
  package func said(of count: Int) -> SafeText {
    let words = pastTense.string
    return SafeText(words.prefix(1).uppercased() + words.dropFirst() + " · ") + count.items + "."
  }

  /// What the question asks: `Dismiss 12 items in the tray?`
  package func question(_ count: Int?, _ place: SafeText) -> SafeText {
    let items = (count?.items ?? "… items") + place
    switch self {
    case .read: return "Mark " + items + " read?"
    case .unread: return "Mark " + items + " unread?"
    case .activate: return "Open " + items + "?"
    case .dismiss: return "Dismiss " + items + "?"
    case .restore: return "Put " + items + " back in the tray?"
    case .snooze: return "Snooze " + items + "?"
    case .keep: return "Keep " + items + "?"
    case .unkeep: return "No longer keep " + items + "?"
    case .delete: return "Delete " + items + "?"
    }
  }

  /// Whether the store would refuse it for the item.
  func isRefused(by row: RowSummary) -> Bool {
    guard case .snooze(let until) = self else { return false }
    return row.isRawOnly || row.expires.map { until > $0 } ?? false
  }
}

extension Int {
  /// `1 item`, `1,204 items`.
  var items: SafeText { SafeText(counted("item")) }
}
