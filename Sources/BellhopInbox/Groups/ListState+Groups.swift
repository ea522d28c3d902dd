import BellhopModel

/// Moves the cursor between items and groups.
extension ListState {
  /// Whether groups are shown as one row each, folded or open.
  ///
  /// A filtered list shows single items. So does a list in sections, because a group may have items
  /// of several levels.
  var isFolding: Bool { query == .tray && order == .newest }

  /// Returns the folded group to open because it contains the item under the cursor.
  ///
  /// An arrival turned the item into a group, or the item came back into one.
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

  /// Folds a group again that was open only for the cursor, once the cursor has left it.
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

  /// Schedules another read, regardless of reads in progress.
  mutating func readAgain() {
    outstanding = nil
    isStale = true
  }

  /// Returns the row of the last item of a group under the cursor.
  func successor(of id: RowID) -> Int? {
    guard case .group(let group) = id else { return nil }
    return rows.firstIndex { $0.groupKey == group }
  }

  /// Moves the cursor to the row of a group, from the group or one of its items.
  mutating func moveToHead(of group: GroupKey) {
    if let index = index(of: .group(group)) {
      setCursor(index)
    } else if case .member(_, let newest, let order) = cursor?.place {
      seek(RowPosition(key: newest, order: order, due: nil, place: .group(group)))
    }
  }

  /// Whether the row is the last of its group, as far as the rows show.
  func isLastMember(at index: Int) -> Bool {
    guard rows[index].isMember else { return false }
    guard rows.indices.contains(index + 1) else { return reachesEnd }
    let next = rows[index + 1]
    return !next.isMember || next.groupKey != rows[index].groupKey
  }
}
