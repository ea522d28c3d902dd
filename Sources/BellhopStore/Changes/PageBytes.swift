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
  /// The size of the authors of its registers, of the chosen action and of the effect of rules.
  fileprivate var byteCount: Int {
    var count = 0
    for change in registerChanges {
      count += change.by.id.jsonByteCount + change.by.name.jsonByteCount
      guard let choice = change.choice else { continue }
      count += choice.id.jsonByteCount + (choice.title ?? "").jsonByteCount
      count += (choice.text ?? "").jsonByteCount
    }
    return count + effectByteCount
  }

  /// The size of the effect of rules, and of the effect before.
  fileprivate var effectByteCount: Int {
    applied.value.byteCount + (applied.previous?.byteCount ?? 0)
  }
}

extension AppliedEffect {
  /// The size of the texts, and of the ids of the rules, of which there may be many.
  fileprivate var byteCount: Int {
    var count = (group ?? "").jsonByteCount + (app ?? "").jsonByteCount
    for tag in tags { count += tag.jsonByteCount }
    for mark in rules.map(\.rule) + exhausted {
      count += mark.name.jsonByteCount + 2 * Self.idByteCount
    }
    return count
  }

  /// The size of the text of an id.
  private static let idByteCount = 36
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
  /// The size of all text of the items, categories, rules and effects of rules in the changes. The
  /// rest of a change of state alone is short and does not count.
  var byteCount: Int {
    reduce(0) { count, change in
      switch change {
      case .item(let item): count + item.byteCount
      case .app(let settings): count + settings.categoryByteCount
      case .rule(let rule): count + rule.byteCount
      case .state(_, let state): count + state.effectByteCount
      case .removed, .ruleRemoved: count
      }
    }
  }
}
