public import BellhopModel

// Rows count towards ``PageLimit/bytes`` with all their text, because one field that is left out
// leaves a page without a bound. Numbers, times and the names of members do not count;
// ``PageLimit/rows`` bounds them.

extension UserNotification {
  /// The bytes of all text of the item, in UTF-8.
  public var byteCount: Int {
    var count = content.storedByteCount + state.byteCount
    for action in content.extras.actions ?? [] {
      for name in (action.headers ?? [:]).keys { count += name.utf8.count }
    }
    return count
  }
}

extension ItemState {
  /// The authors of its registers, and the action that was chosen.
  fileprivate var byteCount: Int {
    var count = 0
    for change in [readState.change, userActionState.change, kept.change] {
      guard let change else { continue }
      count += change.by.id.utf8.count + change.by.name.utf8.count
      guard let choice = change.choice else { continue }
      count += choice.id.utf8.count + (choice.title ?? "").utf8.count
      count += (choice.text ?? "").utf8.count
    }
    return count
  }
}

extension StoredRow {
  /// The bytes of all text of the row, in UTF-8.
  public var byteCount: Int {
    switch self {
    case .live(let item): item.byteCount
    case .tombstone(let tombstone):
      tombstone.app.utf8.count + (tombstone.appNotificationID ?? "").utf8.count
    }
  }
}

extension [StoredRow] {
  var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}

extension [UserNotification] {
  var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}

extension [Change] {
  /// The bytes of all text of the items among them; what a change of state alone says is short.
  var byteCount: Int {
    reduce(0) { if case .item(let item) = $1 { $0 + item.byteCount } else { $0 } }
  }
}
