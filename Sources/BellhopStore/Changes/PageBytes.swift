package import BellhopModel

// Rows count towards ``PageLimit/bytes`` with all their text, because one omitted field leaves a
// page without a bound. Numbers, times and member names do not count; ``PageLimit/rows`` bounds
// them.

extension String {
  /// The size of the text in JSON: its UTF-8 bytes, with six for each control character, written as
  /// `\u0001`.
  fileprivate var jsonByteCount: Int {
    var count = 0
    for byte in utf8 { count += byte < 0x20 ? 6 : 1 }
    return count
  }
}

extension UserNotification {
  /// The size of all text of the item in JSON, in bytes.
  package var byteCount: Int {
    var count = state.byteCount
    content.eachText { count += $0.jsonByteCount }
    for action in content.extras.actions ?? [] {
      for name in (action.headers ?? [:]).keys { count += name.jsonByteCount }
    }
    return count
  }
}

extension ItemState {
  /// The size of the authors of its registers and of the chosen action.
  fileprivate var byteCount: Int {
    var count = 0
    for change in registerChanges {
      count += change.by.id.jsonByteCount + change.by.name.jsonByteCount
      guard let choice = change.choice else { continue }
      count += choice.id.jsonByteCount + (choice.title ?? "").jsonByteCount
      count += (choice.text ?? "").jsonByteCount
    }
    return count
  }
}

extension StoredRow {
  /// The size of all text of the row in JSON, in bytes.
  package var byteCount: Int {
    switch self {
    case .live(let item): item.byteCount
    case .tombstone(let tombstone):
      tombstone.app.jsonByteCount + (tombstone.appNotificationID ?? "").jsonByteCount
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
  /// The size of all text of the items and categories in the changes. A change of state alone is
  /// short and does not count.
  var byteCount: Int {
    reduce(0) { count, change in
      switch change {
      case .item(let item): count + item.byteCount
      case .app(let settings): count + settings.categoryByteCount
      case .state, .removed: count
      }
    }
  }
}
