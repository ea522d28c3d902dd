import BellhopModel

/// What was done to single items elsewhere. Where their lines tell all of it, they alone are read, and
/// nobody waits for lists and counts to be read anew.
extension InboxState {
  /// Asks for the items, or for everything where their lines alone would not tell.
  mutating func itemsChanged(_ keys: [ItemKey], _ effects: inout [Effect]) {
    guard canTakeLines, keys.allSatisfy({ aloneRow($0) != nil }) else { return markStale() }
    effects.append(.read(.items(keys)))
  }

  /// Puts the lines in the place of those that were shown, in the lists that are up to date otherwise.
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

  /// The lists whose rows are what the cache had when it was read last.
  private var currentLists: [ListID] {
    ListID.allCases.filter {
      ($0 != .search || search != nil) && self[$0].isLoaded && !self[$0].isStale
    }
  }

  /// Whether nothing is being read, no change of the person's own lies over what was, and lists are
  /// what is seen.
  private var canTakeLines: Bool {
    guard !readPause.holds, counting.base != nil, counting.outstanding == nil, !counting.isStale,
      pending.isEmpty, marks.isEmpty, !isInApps, overlay.isNone
    else { return false }
    return currentLists.allSatisfy { self[$0].outstanding == nil && self[$0].ghost == nil }
  }

  /// The item's line in the lists that are up to date, if no group stands for it in any.
  private func aloneRow(_ key: ItemKey) -> RowSummary? {
    let rows = currentLists.compactMap { id in
      self[id].index(of: key).map { self[id].rows[$0] }
    }
    return rows.allSatisfy { $0.fold == nil } ? rows.first : nil
  }

  /// Whether the line says all that has changed: the same content, under nobody's cursor, and in no list
  /// whose groups it would change.
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
      // Without the first line that is seen, the view is kept by the cursor's; without the only one of
      // a section its heading goes too.
      let hasNoSections = id != .history && list.order == .newest
      return list.contains(row) || hasNoSections && (index != list.top || index == 0)
    }
  }
}
