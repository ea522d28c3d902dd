/// A test of one item.
///
/// Except for names, texts are compared byte by byte. A comparison with a missing value is false, except that
/// `eq null` and `ne` are true for it. Each field is compared only with values of its own kind.
package enum ItemTest: Hashable, Sendable {
  case compare(ItemField, FilterComparison, FilterValue)
  /// The field is equal to one of the values.
  case isOneOf(ItemField, [FilterValue])
  case text(FilterFunction, ItemField, String)
  /// The field's text matches one of the patterns, whatever the case of the letters A to Z.
  case name(ItemField, [ListFilter.NamePattern])
  case hasTag(String)
  case hasAnyTag
}

/// An operator that compares a field with a value.
package enum FilterComparison: String, Hashable, Sendable, CaseIterable {
  case equal = "eq"
  case notEqual = "ne"
  case greater = "gt"
  case atLeast = "ge"
  case less = "lt"
  case atMost = "le"

  /// Whether the operator needs an order, which only numbers, times, texts and priorities have.
  package var isOrdering: Bool { self != .equal && self != .notEqual }
}

/// A condition on a part of a text.
package enum FilterFunction: String, Hashable, Sendable, CaseIterable {
  case contains
  case startsWith = "startswith"
  case endsWith = "endswith"
}

/// A literal, or the value of a field.
package enum FilterValue: Hashable, Sendable {
  case null
  case text(String)
  case number(Int64)
  case flag(Bool)
  case time(Timestamp)
  case priority(Priority)
}

/// A field to filter by, under its name on the wire.
///
/// Level, app and group are the effective ones, as are tags: those of rules, or else the published ones.
package enum ItemField: String, Hashable, Sendable, CaseIterable {
  case readState, userActionState, priority
  case pinned = "kept"
  case targetHostName, appNotificationId, groupName
  case title = "payload/visualContent/title"
  case subtitle = "payload/visualContent/subtitle"
  case body = "payload/visualContent/body"
  case createdDateTime, arrivalDateTime, lastModifiedDateTime, expirationDateTime
  case deliverAfterDateTime, snoozedUntilDateTime
  case shortNumber, sequence, contentSequence
  /// The fields as their publisher wrote them, which a filter on the wire cannot name.
  case publishedHostName, publishedGroupName, publishedPriority

  /// The fields that a filter on the wire may name.
  package static let filterable = allCases.filter { !published.contains($0) }
  private static let published: Set<ItemField> = [
    .publishedHostName, .publishedGroupName, .publishedPriority,
  ]

  /// The kinds of values that fields have.
  package enum Kind: Hashable, Sendable {
    /// One of a few words, without an order.
    case word([String])
    case priority, flag, text, time, number
  }

  package var kind: Kind {
    switch self {
    case .readState: .word(ReadState.allCases.map(\.rawValue))
    case .userActionState: .word(UserActionState.Kind.allCases.map(\.rawValue))
    case .priority, .publishedPriority: .priority
    case .pinned: .flag
    case .targetHostName, .publishedHostName, .appNotificationId, .groupName, .publishedGroupName,
      .title, .subtitle, .body:
      .text
    case .createdDateTime, .arrivalDateTime, .lastModifiedDateTime, .expirationDateTime,
      .deliverAfterDateTime, .snoozedUntilDateTime:
      .time
    case .shortNumber, .sequence, .contentSequence: .number
    }
  }

  /// Returns the item's value of the field.
  package func value(of item: UserNotification) -> FilterValue {
    func text(_ text: String?) -> FilterValue { text.map(FilterValue.text) ?? .null }
    func time(_ time: Timestamp?) -> FilterValue { time.map(FilterValue.time) ?? .null }
    let (content, state) = (item.content, item.state)
    switch self {
    case .readState: return .text(state.readState.value.rawValue)
    case .userActionState: return .text(state.userActionState.value.kind.rawValue)
    case .priority: return .priority(item.effectivePriority)
    case .pinned: return .flag(state.pinned.value)
    case .targetHostName: return .text(item.effectiveApp)
    case .appNotificationId: return text(content.appNotificationID)
    case .groupName: return text(item.effectiveGroup)
    case .title: return text(content.visual?.title)
    case .subtitle: return text(content.visual?.subtitle)
    case .body: return text(content.visual?.body)
    case .createdDateTime: return .time(item.created)
    case .arrivalDateTime: return .time(item.arrival)
    case .lastModifiedDateTime: return .time(state.changed)
    case .expirationDateTime: return time(content.expiration)
    case .deliverAfterDateTime: return time(content.deliverAt)
    case .snoozedUntilDateTime: return time(state.userActionState.value.snoozedUntil)
    case .shortNumber: return .number(item.shortNumber)
    case .sequence: return .number(state.sequence.rawValue)
    case .contentSequence: return .number(state.contentSequence.rawValue)
    case .publishedHostName: return .text(content.app)
    case .publishedGroupName: return text(content.group)
    case .publishedPriority: return .priority(content.priority)
    }
  }
}
