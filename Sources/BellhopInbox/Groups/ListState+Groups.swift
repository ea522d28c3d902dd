import BellhopModel

/// The cursor between items and groups.
extension ListState {
  /// Whether groups of its items are one row each, or open. What is narrowed shows single items; so
  /// does a list in sections, because a group may have items of several levels.
  var isFolding: Bool { query == .tray && order == .newest }

  /// The group to open because the item under the cursor is in it, folded: an arrival made it
  /// a group, or the item came back into one.
  func held(over window: LoadedWindow) -> Held? {
    guard isFolding, let cursor, case .item(let key) = cursor.rowID,
      pendingMove.map({ $0.base == .cursor }) ?? true,
      window.rows.index(of: .item(key)) == nil
    else { return nil }
    let known = window.anchorRow.flatMap { $0.key == key ? $0 : nil }
    if let known {
      guard contains(known) else { return nil }
    } else if askedAnchor == cursor.rowID {
      return nil
    }
    guard let group = known?.groupKey ?? cursorRow?.groupKey, group != held?.group,
      window.rows.contains(where: { $0.rowID == .group(group) && $0.isFolded })
    else { return nil }
    return Held(group: group, item: key)
  }

  /// Lets a group fold again that was open for the cursor only, once that has left it.
  mutating func dropHold() {
    guard let held else { return }
    if cursor?.rowID == .item(held.item) { return }
    if let row = cursorRow {
      if row.groupKey == held.group { return }
    } else if cursor != nil, isAwaited {
      return
    }
    self.held = nil
    readAgain()
  }

  /// What is drawn is to be read anew, whatever is under way.
  mutating func readAgain() {
    outstanding = nil
    isStale = true
  }

  /// The row of the one item that a group under the cursor is left with.
  func successor(of id: RowID) -> Int? {
    guard case .group(let group) = id else { return nil }
    return rows.firstIndex { $0.groupKey == group }
  }

  /// Puts the cursor on the row of a group, from the group or one of its items.
  mutating func moveToHead(of group: GroupKey) {
    if let index = index(of: .group(group)) {
      setCursor(index)
    } else if case .member(_, let newest, let order) = cursor?.place {
      seek(RowPosition(key: newest, order: order, due: nil, place: .group(group)))
    }
  }

  /// Whether the row is the last of its group, as far as the rows tell.
  func isLastMember(at index: Int) -> Bool {
    guard rows[index].isMember else { return false }
    guard rows.indices.contains(index + 1) else { return reachesEnd }
    let next = rows[index + 1]
    return !next.isMember || next.groupKey != rows[index].groupKey
  }
}
