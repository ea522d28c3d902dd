import BellhopModel

/// Changes of single items in rows that are partly folded.
///
/// Corrects the extent of a group as far as the rows allow; the next window brings the rest.
extension [RowSummary] {
  func index(of id: RowID) -> Int? {
    switch id {
    case .item(let key): firstIndex { $0.key.id == key.id && $0.key == key && !$0.isGroup }
    case .group(let group): firstIndex { $0.isGroup && $0.groupKey == group }
    }
  }

  /// Removes a row; a group with only one item left becomes that item.
  mutating func removeRow(at index: Int) {
    let row = remove(at: index)
    guard row.isMember, let group = row.groupKey else { return }
    correct(group, count: -1, unread: row.readState == .unread ? -1 : 0)
  }

  /// Replaces a row with `row`, which is of the same item.
  mutating func replaceRow(at index: Int, with row: RowSummary) {
    let old = self[index]
    self[index] = row
    self[index].fold = old.fold
    guard old.isMember, let group = old.groupKey, row.readState != old.readState else { return }
    correct(group, count: 0, unread: row.readState == .unread ? 1 : -1)
  }

  /// Places an item that enters the list: as a member of an open group, or alone.
  ///
  /// Nil if it belongs to a row that is present, or to a group that these rows do not show.
  ///
  /// - Parameter isWhole: Whether these are all rows of the list.
  func placed(_ row: RowSummary, isWhole: Bool) -> RowSummary? {
    var row = row
    let wasAlone = row.fold == nil
    row.fold = nil
    guard let group = row.groupKey else { return row }
    if let head = first(where: { $0.rowID == .group(group) }) {
      guard let fold = head.memberFold else { return nil }
      row.fold = fold
      return row
    }
    let isShown = contains { $0.groupKey == group }
    return wasAlone || isShown || isWhole ? row : nil
  }

  /// Counts an inserted item in its group.
  mutating func noteInserted(_ row: RowSummary) {
    guard row.isMember, let group = row.groupKey else { return }
    correct(group, count: 1, unread: row.readState == .unread ? 1 : 0)
  }

  /// Places a ghost among the items of its group if that is open; otherwise nil.
  func place(ofGhost row: RowSummary) -> Fold? {
    guard let group = row.groupKey else { return nil }
    return first { $0.rowID == .group(group) }?.memberFold
  }

  private mutating func correct(_ group: GroupKey, count: Int, unread: Int) {
    guard let head = index(of: .group(group)), case .open(var extent) = self[head].fold else {
      return
    }
    extent.count += count
    extent.unread = Swift.min(Swift.max(0, extent.unread + unread), Swift.max(0, extent.count))
    if extent.count > 1 {
      self[head].fold = .open(extent)
    } else {
      remove(at: head)
      for index in indices where self[index].isMember && self[index].groupKey == group {
        self[index].fold = nil
      }
    }
  }
}

extension RowSummary {
  /// The role of the items below the row of an open group; nil for any other row.
  fileprivate var memberFold: Fold? {
    guard case .open(let extent) = fold else { return nil }
    return .member(newest: extent.newest.key, order: extent.newest.order)
  }
}
