import BellhopModel

/// Applies changes that were made elsewhere to single items.
///
/// If the rows of these items contain everything that changed, only they are read, without waiting
/// for lists and counts.
extension InboxState {
  /// Requests the items, or everything if their rows alone are not enough.
  mutating func itemsChanged(_ keys: [ItemKey], _ effects: inout [Effect]) {
    guard canTakeLines, keys.allSatisfy({ aloneRow($0) != nil }) else { return markStale() }
    effects.append(.read(.items(keys)))
  }

  /// Replaces the shown rows in all lists that are otherwise up to date.
  mutating func accept(_ rows: [RowSummary], of keys: [ItemKey]) {
    guard canTakeLines, rows.map(\.key) == keys, rows.allSatisfy({ tells($0) }) else {
      return markStale()
    }
    let startOfDay = timeText.startOfDay
    for row in rows {
      let counts =
        InboxCounts(row, startOfDay: startOfDay)
        - InboxCounts(aloneRow(row.key), startOfDay: startOfDay)
      counting.add(counts)
      for id in currentLists { self[id].apply(row) }
    }
  }

  /// The lists whose rows match the cache as of the last read.
  private var currentLists: [ListID] {
    ListID.allCases.filter {
      ($0 != .search || search != nil) && self[$0].isLoaded && !self[$0].isStale
    }
  }

  /// Whether rows can be replaced: no pending reads or changes, and lists are visible.
  private var canTakeLines: Bool {
    guard !readPause.holds, counting.base != nil, counting.outstanding == nil, !counting.isStale,
      pending.isEmpty, marks.isEmpty, !isInApps, overlay.isNone
    else { return false }
    return currentLists.allSatisfy { self[$0].outstanding == nil && self[$0].ghost == nil }
  }

  /// Returns the item's row in the lists that are up to date; nil if a group contains it in one.
  private func aloneRow(_ key: ItemKey) -> RowSummary? {
    let rows = currentLists.compactMap { id in
      self[id].index(of: key).map { self[id].rows[$0] }
    }
    return rows.allSatisfy { $0.fold == nil } ? rows.first : nil
  }

  /// Whether the row contains everything that changed.
  ///
  /// The content is the same, the item is not under a cursor, and no list has groups that the
  /// change would affect.
  private func tells(_ row: RowSummary) -> Bool {
    guard let before = aloneRow(row.key), row.contentSequence == before.contentSequence,
      row.order == before.order
    else { return false }
    return currentLists.allSatisfy { id in
      let list = self[id]
      guard list.cursor?.rowID != row.rowID else { return false }
      guard let index = list.index(of: row.key) else {
        return !list.isFolding || !list.contains(before) && !list.contains(row)
      }
      // If the top row leaves, the view has to follow the cursor; if the only row of a section
      // leaves, its heading has to go, too.
      let hasNoSections = id != .history && list.order == .newest
      return list.contains(row) || hasNoSections && (index != list.top || index == 0)
    }
  }
}
