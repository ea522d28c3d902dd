import BellhopModel

/// A window on one list, with a cursor that stays on its item.
struct ListState: Sendable {
  /// A move whose target is not among the rows yet.
  struct PendingMove: Hashable, Sendable {
    enum Base: Hashable, Sendable { case cursor, first, last }
    var base: Base
    var offset: Int
  }

  var query: ListQuery
  var sorting: Sorting
  /// The account whose items the list contains; nil for all accounts.
  var account: AccountName?
  /// Rows around the cursor, in the list's order, without gaps.
  var rows: [RowSummary] = []
  var reachesStart = true
  var reachesEnd = true
  /// The number of items above the first of ``rows``, if known.
  var countAbove: Int?
  var counting = ListCounting()
  /// The item or group under the cursor, with its position; nil in an empty list.
  var cursor: RowPosition?
  var ghost: DepartedItem?
  /// The group that is open only while the cursor is on one of its items.
  var held: Held?
  /// The row to which the cursor moves once it is back, unless the user moves it before.
  var awaitedRow: RowPosition?
  /// The request for the next unread item, which is beyond the rows.
  var awaitedUnread: Int?
  /// Whether the cursor moves to the first row when items arrive above it.
  /// True until the user's first key or click, and no longer than the first synchronisation.
  var followsFirst = FollowsFirst.never
  /// Whether rows beyond the cursor stay visible; false after a click, which must not move the row.
  var keepsMargin = false
  /// The first visible row.
  var top = 0
  var isLoaded = false
  /// Whether the cache may contain newer data.
  var isStale = true
  /// The request in progress.
  var outstanding: Int?
  /// The item or group that anchors the request.
  var askedAnchor: RowID?
  var pendingMove: PendingMove?
  /// The cursor and height of the last answered request, so that a short answer is not requested
  /// again.
  var answered: Asked?

  /// A group that formed under the cursor, and the item under the cursor.
  struct Held: Hashable, Sendable {
    var group: GroupKey
    var item: ItemKey
  }

  struct Asked: Hashable, Sendable {
    var cursor: RowID?
    var height: Int
  }

  enum FollowsFirst { case never, once, always }

  init(_ query: ListQuery, sorting: Sorting = Sorting(), account: AccountName? = nil) {
    self.query = query
    self.sorting = sorting
    self.account = account
  }

  /// Whether the row belongs to the list.
  func contains(_ row: RowSummary) -> Bool {
    query.contains(row) && (account == nil || row.key.account == account)
  }

  var cursorIndex: Int? {
    guard let cursor else { return nil }
    return index(of: cursor.rowID)
  }

  /// The row under the cursor, including ghosts.
  var cursorRow: RowSummary? { cursorIndex.map { rows[$0] } }

  /// Returns the index of an item's own row; nil if it is in a folded group.
  func index(of key: ItemKey) -> Int? { index(of: .item(key)) }

  func index(of id: RowID) -> Int? { rows.index(of: id) }

  // MARK: - Moving

  mutating func setCursor(_ index: Int) {
    guard rows.indices.contains(index) else { return }
    let row = rows[index]
    cursor = row.position
    pendingMove = nil
    awaitedRow = nil
    dropGhost()
  }

  /// Moves the cursor by rows; completes a move beyond the window when its rows arrive.
  mutating func move(by offset: Int, scrolling: Bool = false) {
    keepsMargin = true
    awaitedRow = nil
    if pendingMove != nil {
      pendingMove?.offset += offset
      return
    }
    guard let index = cursorIndex else { return }
    let target = index + offset
    if scrolling { top += offset }
    let isBeyond = target < 0 && !reachesStart || target >= rows.count && !reachesEnd
    let end = min(max(0, target), rows.count - 1)
    setCursor(end)
    if isBeyond { pendingMove = PendingMove(base: .cursor, offset: target - end) }
  }

  mutating func moveToFirst() {
    awaitedRow = nil
    if reachesStart {
      setCursor(0)
    } else {
      pendingMove = PendingMove(base: .first, offset: 0)
    }
  }

  mutating func moveToLast() {
    awaitedRow = nil
    if reachesEnd {
      setCursor(rows.count - 1)
    } else {
      pendingMove = PendingMove(base: .last, offset: 0)
    }
  }

  /// Moves the cursor to an item that is not among the rows.
  mutating func seek(_ position: RowPosition) {
    putCursor(at: position)
    pendingMove = nil
    outstanding = nil
    isStale = true
  }

  /// Moves the cursor to a row that an undo restores, as soon as it arrives.
  mutating func comeBack(to position: RowPosition) {
    seek(position)
    awaitedRow = position
  }

  /// Removes the ghost once the cursor has left it.
  private mutating func dropGhost() {
    guard let ghost, ghost.id != cursor?.rowID else { return }
    self.ghost = nil
    if let index = index(of: ghost.id) { keepingTop { _ = $0.remove(at: index) } }
  }

  /// Removes rows while the view stays in place.
  private mutating func keepingTop(_ change: (inout [RowSummary]) -> Void) {
    let first = rows.indices.contains(top) ? rows[top].rowID : nil
    change(&rows)
    if let index = first.flatMap({ index(of: $0) }) { top = index }
  }

  // MARK: - The user's changes

  /// Removes an item or a group; a cursor on it moves to the next row below, otherwise above.
  mutating func remove(_ id: RowID) {
    guard let index = index(of: id) else { return }
    let next = rows.indices.contains(index + 1) ? rows[index + 1].rowID : nil
    if ghost?.id == id {
      // A ghost does not count in its group.
      ghost = nil
      keepingTop { _ = $0.remove(at: index) }
    } else {
      keepingTop { $0.removeRow(at: index) }
    }
    guard cursor?.rowID == id else { return followCursor() }
    if rows.isEmpty {
      cursor = nil
    } else {
      setCursor(next.flatMap { self.index(of: $0) } ?? rows.count - 1)
    }
  }

  /// Moves the cursor with its row; a group with only one item left becomes that item.
  private mutating func followCursor() {
    guard let id = cursor?.rowID else { return }
    if let index = index(of: id) {
      cursor = rows[index].position
    } else if case .group(let group) = id,
      let index = rows.firstIndex(where: { $0.groupKey == group })
    {
      cursor = rows[index].position
    }
  }

  /// Shows `row` after the user's change: changes, removes or inserts it.
  mutating func apply(_ row: RowSummary, force: Bool = false) {
    let belongs = contains(row)
    var row = row
    let index = index(of: row.rowID)
    if let index, !row.isGroup {
      row.fold = rows[index].fold
    } else if !isFolding {
      row.fold = nil
    }
    switch (index, belongs) {
    case (let index?, true):
      if row.isGroup {
        rows[index] = row
      } else if !isAbove(rows[index].position, row.position),
        !isAbove(row.position, rows[index].position)
      {
        keepingTop { $0.replaceRow(at: index, with: row) }
      } else {
        move(row, from: index)
      }
      if ghost?.id == row.rowID { ghost = nil }
      followCursor()
    case (_?, false): remove(row.rowID)
    case (nil, true):
      if row.isGroup || query.isForReader && !force { return }
      insert(row)
    case (nil, false): break
    }
  }

  /// Moves a row; the view stays on its first row, unless that is the moved one.
  private mutating func move(_ row: RowSummary, from index: Int) {
    let wasCursor = cursor?.rowID == row.rowID
    let first = rows.indices.contains(top) ? rows[top].rowID : nil
    rows.remove(at: index)
    insert(row)
    let isThere = self.index(of: row.rowID) == index
    if let first, isThere || first != row.rowID, let top = self.index(of: first) { self.top = top }
    if wasCursor { cursor = row.position }
  }

  /// Inserts a row at its position, if that is within the window.
  mutating func insert(_ row: RowSummary) {
    guard isLoaded, index(of: row.key) == nil,
      let row = isFolding ? rows.placed(row, isWhole: reachesStart && reachesEnd) : row.alone
    else { return }
    let index = rows.firstIndex { isAbove(row.position, $0.position) } ?? rows.count
    if index == 0, !reachesStart { return }
    if index == rows.count, !reachesEnd { return }
    rows.insert(row, at: index)
    rows.noteInserted(row)
    if index < top || index == top && top > 0 { top += 1 }
    if cursor == nil { cursor = row.position }
  }

  // MARK: - Windows

  /// Keeps the cursor visible in a pane of these lines.
  mutating func settleView(_ lines: ListLines) {
    top = min(max(0, top), lines.top(showing: rows.count - 1))
    guard let index = cursorIndex else { return }
    let margin = keepsMargin ? lines.margin : 0
    let lowest = min(lines.top(showing: min(index + margin, rows.count - 1)), index)
    top = max(min(top, max(0, index - margin)), lowest)
  }

  /// Keeps an inactive list at its top while items arrive; a cursor out of sight moves there too.
  mutating func stayAtTop(height: Int) {
    guard top == 0, reachesStart, height > 0, let index = cursorIndex, index >= height else {
      return
    }
    cursor = rows.first?.position
  }

  /// Creates the request for missing rows around the cursor, if any; sets ``outstanding``.
  mutating func request(height: Int, serial: Int, folding: Folding) -> WindowRequest? {
    guard outstanding == nil, height > 0, wantsRows(height: height) else { return nil }
    if case .search(let text) = query, text.isEmpty { return nil }
    outstanding = serial
    isStale = false
    askedAnchor = nil
    let count = min(max(4 * height, 40), WindowRequest.countMax)
    let (anchor, direction): (WindowRequest.Anchor, WindowRequest.Direction)
    switch (followsFirst == .never ? pendingMove?.base : .first, cursor) {
    case (.first, _), (nil, nil), (.cursor, nil): (anchor, direction) = (.first, .down)
    case (.last, _): (anchor, direction) = (.last, .up)
    case (_, let cursor?):
      (anchor, direction) = (.row(cursor), .around)
      askedAnchor = cursor.rowID
    }
    var folding = folding
    if let held { folding.open(held.group) }
    return WindowRequest(
      anchor: anchor, direction: direction, order: order, count: count, serial: serial,
      account: account, folding: isFolding ? folding : nil)
  }

  private func wantsRows(height: Int) -> Bool {
    if isStale || !isLoaded || pendingMove != nil { return true }
    if answered == Asked(cursor: cursor?.rowID, height: height) { return false }
    let margin = max(1, height / 2)
    return !reachesStart && top < margin || !reachesEnd && rows.count - top - height < margin
  }

  /// Accepts the answer to the newest request.
  mutating func accept(_ window: LoadedWindow, height: Int) {
    if let held = held(over: window) {
      self.held = held
      outstanding = nil
      isStale = true
      return
    }
    let before = self
    outstanding = nil
    isLoaded = true
    rows = window.rows
    reachesStart = window.reachesStart
    reachesEnd = window.reachesEnd
    countAbove = window.reachesStart ? 0 : window.countAbove
    if let pendingMove {
      finish(pendingMove)
    }
    placeCursor(window, before: before)
    keepView(before: before)
    answered = Asked(cursor: cursor?.rowID, height: height)
  }

  private mutating func finish(_ move: PendingMove) {
    pendingMove = nil
    guard !rows.isEmpty else { return }
    let start: Int
    switch move.base {
    case .first: start = 0
    case .last: start = rows.count - 1
    case .cursor:
      guard let index = cursorIndex else { return }
      start = index
    }
    putCursor(at: rows[min(max(0, start + move.offset), rows.count - 1)].position)
  }

  private mutating func putCursor(at position: RowPosition?) {
    cursor = position
    ghost = nil
  }

  /// Keeps the cursor on its item: in place, at a new position, or as a ghost.
  private mutating func placeCursor(_ window: LoadedWindow, before: ListState) {
    if let id = awaitedRow?.rowID, let index = index(of: id) ?? successor(of: id) {
      awaitedRow = nil
      return putCursor(at: rows[index].position)
    }
    defer { if followsFirst == .once { followsFirst = .never } }
    if followsFirst != .never, reachesStart, let cursor, let last = rows.last,
      index(of: cursor.rowID) != nil || !reachesEnd && isAbove(last.position, cursor)
    {
      return putCursor(at: rows.first?.position)
    }
    guard let wanted = cursor else { return putCursor(at: rows.first?.position) }
    let id = wanted.rowID
    if let index = index(of: id) ?? successor(of: id) {
      return putCursor(at: rows[index].position)
    }
    let known = window.anchorRow.flatMap { $0.key == wanted.key ? $0 : nil }
    if case .item = id, let known, query.contains(known), known.position != cursor {
      cursor = known.position
      isStale = true
      return
    }
    guard var row = before.rows.first(where: { $0.rowID == id }) else {
      // The row was never drawn here, so the user cannot mean it.
      return putCursor(
        at: rows.first { isAbove(wanted, $0.position) }?.position ?? rows.last?.position)
    }
    let isResolved = before.askedAnchor == id
    ghost = DepartedItem(id: id, now: known, isResolved: isResolved)
    if !isResolved { isStale = true }
    if !row.isGroup { row.fold = rows.place(ofGhost: row) }
    cursor = row.position
    let index = rows.firstIndex { isAbove(row.position, $0.position) } ?? rows.count
    rows.insert(row, at: index)
  }

  /// Keeps the visible rows in place, or the top of the list visible.
  private mutating func keepView(before: ListState) {
    if before.top == 0, before.reachesStart || !before.isLoaded, reachesStart {
      top = 0
    } else if before.rows.indices.contains(before.top),
      let index = index(of: before.rows[before.top].rowID)
    {
      top = index
    } else if let index = cursorIndex, let old = before.cursorIndex {
      top = max(0, index - (old - before.top))
    }
  }
}
