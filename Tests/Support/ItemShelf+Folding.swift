package import BellhopInbox
package import BellhopModel

extension ItemShelf {
  /// The tray with its groups, made from all its rows.
  package func foldedRows(_ folding: Folding, at now: Timestamp) -> [RowSummary] {
    Self.folded(rows(of: .tray, at: now), folding)
  }

  /// Folds the tray's single rows, newest first, into groups that are folded or open.
  package static func folded(_ rows: [RowSummary], _ folding: Folding) -> [RowSummary] {
    var done: Set<GroupKey> = []
    return rows.flatMap { row -> [RowSummary] in
      guard let group = row.groupKey else { return [row] }
      guard done.insert(group).inserted else { return [] }
      var members = byLevel(rows.filter { $0.groupKey == group })
      guard members.count > 1 else { return [row] }
      let extent = FoldExtent(
        count: members.count, unread: members.count { $0.readState == .unread },
        newest: FoldExtent.Newest(
          key: row.key, order: row.order, version: row.version, arrival: row.arrival))
      var head = members[0]
      guard folding.isOpen(group) else {
        head.fold = .closed(extent)
        return [head]
      }
      head.fold = .open(extent)
      for index in members.indices {
        members[index].fold = .member(newest: row.key, order: row.order)
      }
      return [head] + members
    }
  }

  /// Returns the rows by level, the highest first; in each level in their own order.
  static func byLevel(_ rows: [RowSummary]) -> [RowSummary] {
    Priority.allCases.reversed().flatMap { level in rows.filter { $0.priority == level } }
  }

  func foldedWindow(
    _ folding: Folding, _ request: WindowRequest, at now: Timestamp
  ) -> LoadedWindow {
    let all = foldedRows(folding, at: now)
    var range: Range<Int>
    var anchorRow: RowSummary?
    switch request.anchor {
    case .first: range = 0..<min(all.count, request.count)
    case .last: range = max(0, all.count - request.count)..<all.count
    case .row(let position):
      anchorRow = row(position.key.id, at: now)
      let place = place(of: position, in: all, anchorRow)
      let half = request.direction == .around ? request.count / 2 : 0
      range = max(0, place - half)..<min(all.count, place + request.count - half)
      if request.direction == .up { range = max(0, place - request.count)..<place }
    }
    return LoadedWindow(
      rows: Array(all[range]), reachesStart: range.lowerBound == 0,
      reachesEnd: range.upperBound == all.count, anchorRow: anchorRow,
      countAbove: Self.items(in: all[..<range.lowerBound]))
  }

  /// The number of items in rows.
  package static func items(in rows: some Sequence<RowSummary>) -> Int {
    rows.reduce(0) { sum, row in
      switch row.fold {
      case .closed(let extent): sum + extent.count
      case .open: sum
      case .member, nil: sum + 1
      }
    }
  }

  /// The index of the position's item or group, or of its place if it is gone.
  private func place(
    of position: RowPosition, in all: [RowSummary], _ anchor: RowSummary?
  ) -> Int {
    var group = anchor?.placement == .tray ? anchor?.groupKey : nil
    switch position.place {
    case .group(let key): group = key
    case .member(let key, _, _): group = group ?? key
    case nil: break
    }
    return all.firstIndex { $0.rowID == position.rowID }
      ?? group.flatMap { group in
        all.firstIndex { $0.rowID == .group(group) }
          ?? all.firstIndex { $0.groupKey == group && position.rowID == .group(group) }
      }
      ?? all.firstIndex { position.isAbove($0.position) } ?? all.count
  }
}

extension RowPosition {
  /// Whether it is above a row, at its own arrival.
  fileprivate func isAbove(_ other: RowPosition) -> Bool {
    var unit = other.order
    if case .member(_, _, let order) = other.place { unit = order }
    return order > unit
  }
}
