package import BellhopModel
import BellhopText

/// A whole list or a filtered part of it, for marking everything that is shown.
package struct Selection: Hashable, Sendable {
  package var query: ListQuery
  /// The account whose items are selected; nil for all accounts.
  package var account: AccountName?

  package init(_ query: ListQuery, account: AccountName? = nil) {
    self.query = query
    self.account = account
  }
}

/// The number of items in a ``Selection`` at the time of the request.
package struct SelectionExtent: Hashable, Sendable {
  /// The part of the selection in one account.
  package struct Part: Hashable, Sendable {
    package var account: AccountName
    package var count: Int
    package var unread: Int
    /// The newest content that the user can have seen; later content is not included.
    package var bound: ShownBound

    package init(account: AccountName, count: Int, unread: Int, bound: ShownBound) {
      self.account = account
      self.count = count
      self.unread = unread
      self.bound = bound
    }
  }

  package var parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }

  package var count: Int { parts.reduce(0) { $0 + $1.count } }
  package var unread: Int { parts.reduce(0) { $0 + $1.unread } }
}

/// The items that the user has marked; a mark stays on its item when its row moves.
struct Marks: Sendable {
  /// A range: all items between its anchor and the cursor.
  struct Span: Sendable {
    var list: ListID
    var query: ListQuery
    var order: ListOrder
    var anchor: RowPosition
    var rows: [RowSummary]
    /// The folded groups in the range.
    var groups: [GroupKey: FoldedGroup] = [:]

    /// A group and its items.
    struct FoldedGroup: Sendable {
      var position: RowPosition
      /// The request for the items.
      var serial: Int
      /// The items; nil until they have been read.
      var items: [RowSummary]?
    }

    /// The items of the range, including those of its groups.
    var items: [RowSummary] { rows + groups.values.flatMap { $0.items ?? [] } }
  }

  /// A whole list.
  struct Whole: Sendable {
    var list: ListID
    var selection: Selection
    /// The request that is answered by ``extent``.
    var serial: Int
    /// The extent; nil until it is known.
    var extent: SelectionExtent?
  }

  /// The marked rows as last seen, in the order in which they were marked.
  private(set) var rows: [RowSummary] = []
  private var keys: Set<ItemKey> = []
  /// The number of ``rows`` in each group.
  private var groups: [GroupKey: Int] = [:]
  /// Whether all items of a group were marked by one key.
  var hasGroup = false
  /// The request for the items of a group to be marked.
  var awaited: Int?
  var span: Span?
  var whole: Whole?
  /// Whether acting on the marks asks first, because they were not set item by item.
  var asks = false

  var isEmpty: Bool { rows.isEmpty && span == nil && whole == nil }

  /// All individually marked items, including the range.
  var all: [RowSummary] {
    guard let span else { return rows }
    return rows + span.items.filter { !keys.contains($0.key) }
  }

  /// The number of marked items, if known.
  var count: Int? { whole.map { $0.extent?.count } ?? all.count }

  func contains(_ row: RowSummary, in list: ListID, _ query: ListQuery) -> Bool {
    if !row.isGroup {
      if keys.contains(row.key) { return true }
      if let span, span.rows.contains(where: { $0.key == row.key }) { return true }
    } else if let group = row.groupKey, groups[group] != nil || span?.groups[group] != nil {
      return true
    }
    if case .group(let group)? = whole?.selection.query { return row.groupKey == group }
    guard let whole, whole.list == list, whole.selection.query == query else { return false }
    guard let extent = whole.extent else { return true }
    return extent.parts.contains {
      $0.account == row.key.account && row.isIncluded(in: $0.bound)
    }
  }

  mutating func toggle(_ row: RowSummary) {
    if keys.contains(row.key) { remove(row.key) } else { insert(row) }
  }

  mutating func insert(_ row: RowSummary) {
    guard keys.insert(row.key).inserted else { return }
    rows.append(row)
    if let group = row.groupKey { groups[group, default: 0] += 1 }
  }

  mutating func remove(_ key: ItemKey) {
    guard keys.remove(key) != nil, let index = rows.firstIndex(where: { $0.key == key }) else {
      return
    }
    if let group = rows[index].groupKey {
      groups[group] = groups[group].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
    rows.remove(at: index)
  }

  /// Marks all items of a group, or unmarks them if all are marked.
  mutating func toggle(group: [RowSummary]) {
    if group.allSatisfy({ keys.contains($0.key) }) {
      for row in group { remove(row.key) }
    } else {
      for row in group { insert(row) }
      hasGroup = true
    }
    if rows.isEmpty { hasGroup = false }
  }

  /// Updates a marked item; unmarks it if its content is new, because the user has not seen that.
  ///
  /// A repeat is not new.
  mutating func see(_ row: RowSummary) {
    guard !row.isGroup, keys.contains(row.key),
      let index = rows.firstIndex(where: { $0.key == row.key })
    else {
      return
    }
    if rows[index].meaningSequence == row.meaningSequence {
      rows[index] = row
    } else {
      remove(row.key)
    }
  }
}

extension Command {
  static let markCommands: [Command] = [mark, markRange, markAll]

  static let mark = Command(
    id: "mark", title: "mark", help: "mark the item; the keys above then act on all marked items",
    synonyms: ["select"], keys: ["Space"], places: [.list, .results], chapter: .handling,
    disabledReason: { $0.reasonAgainstRow },
    perform: { state, effects in state.markOne(&effects) })

  static let markRange = Command(
    id: "mark-range", title: "range", help: "mark a range from here to the cursor, groups included",
    keys: ["v"], places: [.list, .results], chapter: .handling,
    disabledReason: { $0.marks.span == nil ? $0.reasonAgainstRow : nil },
    perform: { state, effects in state.markRange(&effects) })

  static let markAll = Command(
    id: "mark-all", title: "mark all",
    help: "mark all items of the list; acting on them asks first",
    synonyms: ["select all"], keys: ["a"], places: [.list, .results], chapter: .handling,
    disabledReason: { $0.reasonAgainstMarkingAll },
    perform: { state, effects in state.markAll(&effects) })
}

extension InboxState {
  /// Whether keys act on the marked items instead of on the item under the cursor.
  ///
  /// Inside an item, they act on that item.
  var actsOnMarks: Bool { !marks.isEmpty && focus != .detail }

  /// Marks or unmarks the item under the cursor, and moves to the next.
  fileprivate mutating func markOne(_ effects: inout [Effect]) {
    if activeRow?.isGroup == true { return markGroup(&effects) }
    guard let row = subject() else { return }
    dropWhole()
    endSpan()
    marks.toggle(row)
    marks.asks = marks.hasGroup
    self[activeList].move(by: 1)
  }

  /// Begins a range at the cursor, or ends the current one.
  fileprivate mutating func markRange(_ effects: inout [Effect]) {
    if marks.span != nil { return endSpan() }
    guard let row = subjectRow() else { return }
    dropWhole()
    let id = activeList
    marks.span = Marks.Span(
      list: id, query: self[id].query, order: self[id].order, anchor: row.position,
      rows: row.isGroup ? [] : [row])
    say("Move to the other end of the range. " + keyHint(.markRange) + " ends it.")
  }

  fileprivate var reasonAgainstMarkingAll: DisabledReason? {
    let list = self[activeList]
    if marks.whole?.list == activeList || (list.isLoaded && !list.rows.isEmpty) { return nil }
    return list.isAwaited ? "The list is still loading." : "No item here."
  }

  /// Marks everything in the list, or removes all marks the second time.
  fileprivate mutating func markAll(_ effects: inout [Effect]) {
    let id = activeList
    let list = self[id]
    endSpan()
    if marks.whole?.list == id {
      return clearMarks()
    }
    clearMarks()
    let rows = list.rows.filter { $0.rowID != list.ghost?.id }
    let areItems = !rows.contains { $0.isGroup }
    if list.reachesStart, list.reachesEnd, areItems, rows.count <= BulkOrder.namedMax {
      for row in rows { marks.insert(row) }
      marks.asks = rows.count > 1
      return
    }
    serial += 1
    let selection = Selection(list.query, account: list.account)
    marks.whole = Marks.Whole(list: id, selection: selection, serial: serial)
    effects.append(.slow(.measure(selection, serial: serial)))
  }

  mutating func clearMarks() { marks = Marks() }

  /// Requests the items of the group under the cursor in order to mark them, and moves on.
  private mutating func markGroup(_ effects: inout [Effect]) {
    guard let row = subjectRow(), let group = row.groupKey, let extent = row.extent else { return }
    serial += 1
    if extent.count > WindowRequest.countMax {
      // A group with too many items to read at once is marked as a whole, like a list.
      endSpan()
      clearMarks()
      let selection = Selection(.group(group), account: group.account)
      marks.whole = Marks.Whole(list: activeList, selection: selection, serial: serial)
      effects.append(.slow(.measure(selection, serial: serial)))
    } else {
      dropWhole()
      endSpan()
      marks.awaited = serial
      effects.append(readGroup(group))
    }
    self[activeList].move(by: 1)
  }

  /// Accepts the items of a group to be marked.
  mutating func acceptGroup(_ rows: [RowSummary], request: WindowRequest) {
    if let group = marks.span?.groups.first(where: { $0.value.serial == request.serial })?.key {
      marks.span?.groups[group]?.items = rows
      return
    }
    guard marks.awaited == request.serial else { return }
    marks.awaited = nil
    marks.toggle(group: rows)
    marks.asks = marks.hasGroup
  }

  private mutating func dropWhole() {
    if marks.whole != nil { clearMarks() }
  }

  mutating func endSpan() {
    guard let span = marks.span else { return }
    marks.span = nil
    for row in span.items { marks.insert(row) }
    if !span.groups.isEmpty { marks.hasGroup = true }
    marks.asks = marks.hasGroup
  }

  /// Accepts the extent of a whole list.
  mutating func accept(_ extent: SelectionExtent, serial: Int) {
    if marks.whole?.serial == serial { marks.whole?.extent = extent }
    guard case .confirm(var question) = overlay, question.serial == serial else { return }
    question.extent = extent
    overlay = .confirm(question)
  }

  /// Extends the range to the cursor, and drops marks that no longer apply.
  mutating func settleMarks(_ effects: inout [Effect]) {
    if let whole = marks.whole, !whole.selection.query.isGroup,
      self[whole.list].query != whole.selection.query
    {
      clearMarks()
    }
    guard let span = marks.span else { return }
    let list = self[span.list]
    guard list.query == span.query, list.order == span.order,
      activeList == span.list || focus == .detail
    else {
      return endSpan()
    }
    // A group that moved has taken the anchor with it.
    let anchor = list.index(of: span.anchor.rowID).map { list.rows[$0].position } ?? span.anchor
    marks.span?.anchor = anchor
    guard let cursor = list.cursor else { return }
    func isBetween(_ position: RowPosition) -> Bool {
      if position == anchor || position == cursor { return true }
      let isBelowAnchor = list.isAbove(anchor, position)
      return isBelowAnchor == list.isAbove(position, cursor)
        && isBelowAnchor == list.isAbove(anchor, cursor)
    }
    let window = list.rows.filter { row in
      row.rowID != list.ghost?.id && isBetween(row.position)
    }
    let items = window.filter { !$0.isGroup }
    let known = Set(items.map(\.key))
    // Rows that are now outside of the window are still in the range.
    let beyond = span.rows.filter { row in
      !known.contains(row.key) && list.index(of: row.key) == nil && isBetween(row.position)
    }
    marks.span?.rows = beyond + items
    marks.span?.groups = span.groups.filter { group, known in
      guard list.index(of: .group(group)) != nil else { return isBetween(known.position) }
      return window.contains { $0.groupKey == group && $0.isFolded }
    }
    for row in window where row.isFolded { take(foldedGroup: row, &effects) }
  }

  /// Requests the items of a group that the range has reached.
  private mutating func take(foldedGroup row: RowSummary, _ effects: inout [Effect]) {
    guard let group = row.groupKey, let extent = row.extent, marks.span?.groups[group] == nil else {
      return
    }
    guard extent.count <= WindowRequest.countMax else {
      return say(
        label(of: row) + " is too large for a range and stays unmarked: " + keyHint(.mark)
          + " marks it alone.")
    }
    serial += 1
    marks.span?.groups[group] = Marks.Span.FoldedGroup(position: row.position, serial: serial)
    effects.append(readGroup(group))
  }

  /// Creates the request for the items of a group, numbered ``serial``.
  private func readGroup(_ group: GroupKey) -> Effect {
    .read(
      .window(
        .group(group),
        WindowRequest(
          anchor: .first, direction: .down, count: WindowRequest.countMax, serial: serial,
          account: group.account)))
  }
}
