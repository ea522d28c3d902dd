package import BellhopModel

// Rows count towards ``PageLimit/bytes`` with all their text, because one field that is left out
// leaves a page without a bound. Numbers, times and the names of members do not count;
// ``PageLimit/rows`` bounds them.

extension String {
  /// The bytes that the text takes in JSON: its UTF-8, with six for each control character, which is
  /// written as `\u0001`.
  fileprivate var jsonByteCount: Int {
    var count = 0
    for byte in utf8 { count += byte < 0x20 ? 6 : 1 }
    return count
  }
}

extension UserNotification {
  /// The bytes of all text of the item, as JSON writes it.
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
  /// The authors of its registers, and the action that was chosen.
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
  /// The bytes of all text of the row, as JSON writes it.
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
  /// The bytes of all text of the items among them; what a change of state alone says is short.
  var byteCount: Int {
    reduce(0) { if case .item(let item) = $1 { $0 + item.byteCount } else { $0 } }
  }
}
