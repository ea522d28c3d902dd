public import BellhopModel

/// A condition over one item: what `$filter` says, as a value.
///
/// The grammar is a part of OData's (OData 4.01 URL Conventions §5.1.1): comparisons of a field
/// with a literal, `in`, `contains`, `startswith`, `endswith`, `tags/any`, `and`, `or`, `not` and
/// parentheses. Texts are compared byte by byte. Every condition is true or false: a comparison
/// with a missing value is false, except that `eq null` and `ne` are true of it.
///
/// A filter made by ``init(parsing:limits:)`` compares each field with values of its own kind only.
public indirect enum ItemFilter: Hashable, Sendable {
  case compare(ItemField, FilterComparison, FilterValue)
  /// `field in (…)`: equal to one of them.
  case isOneOf(ItemField, [FilterValue])
  case text(FilterFunction, ItemField, String)
  /// `tags/any(t: t eq '…')`.
  case hasTag(String)
  /// `tags/any()`.
  case hasAnyTag
  case not(ItemFilter)
  case and(ItemFilter, ItemFilter)
  case or(ItemFilter, ItemFilter)
}

/// How a field is compared.
public enum FilterComparison: String, Hashable, Sendable, CaseIterable {
  case equal = "eq"
  case notEqual = "ne"
  case greater = "gt"
  case atLeast = "ge"
  case less = "lt"
  case atMost = "le"

  /// Whether it asks for an order, which only numbers, times, texts and priorities have.
  public var isOrdering: Bool { self != .equal && self != .notEqual }
}

/// A condition on a part of a text.
public enum FilterFunction: String, Hashable, Sendable, CaseIterable {
  case contains
  case startsWith = "startswith"
  case endsWith = "endswith"
}

/// A literal, or what a field holds.
public enum FilterValue: Hashable, Sendable {
  case null
  case text(String)
  case number(Int64)
  case flag(Bool)
  case time(Timestamp)
  case priority(Priority)
}

/// A field that can be filtered by, under its name on the wire.
public enum ItemField: String, Hashable, Sendable, CaseIterable {
  case readState, userActionState, priority, kept
  case targetHostName, appNotificationId, groupName
  case title = "payload/visualContent/title"
  case subtitle = "payload/visualContent/subtitle"
  case body = "payload/visualContent/body"
  case createdDateTime, arrivalDateTime, lastModifiedDateTime, expirationDateTime
  case deliverAfterDateTime, snoozedUntilDateTime
  case shortNumber, sequence, contentSequence

  /// What values a field takes.
  public enum Kind: Hashable, Sendable {
    /// One of a few words, without an order.
    case word([String])
    case priority, flag, text, time, number
  }

  public var kind: Kind {
    switch self {
    case .readState: .word(ReadState.allCases.map(\.rawValue))
    case .userActionState: .word(UserActionState.Kind.allCases.map(\.rawValue))
    case .priority: .priority
    case .kept: .flag
    case .targetHostName, .appNotificationId, .groupName, .title, .subtitle, .body: .text
    case .createdDateTime, .arrivalDateTime, .lastModifiedDateTime, .expirationDateTime,
      .deliverAfterDateTime, .snoozedUntilDateTime:
      .time
    case .shortNumber, .sequence, .contentSequence: .number
    }
  }

  /// What the item holds there.
  public func value(of item: UserNotification) -> FilterValue {
    func text(_ text: String?) -> FilterValue { text.map(FilterValue.text) ?? .null }
    func time(_ time: Timestamp?) -> FilterValue { time.map(FilterValue.time) ?? .null }
    let (content, state) = (item.content, item.state)
    switch self {
    case .readState: return .text(state.readState.value.rawValue)
    case .userActionState: return .text(state.userActionState.value.kind.rawValue)
    case .priority: return .priority(content.priority)
    case .kept: return .flag(state.kept.value)
    case .targetHostName: return .text(content.app)
    case .appNotificationId: return text(content.appNotificationID)
    case .groupName: return text(content.group)
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
    }
  }
}

extension ItemFilter {
  /// The condition that a bulk operation's predicate is; nil for one that everything meets.
  public init?(_ predicate: Predicate) {
    var parts: [ItemFilter] = []
    if let app = predicate.app {
      parts.append(.compare(.targetHostName, .equal, .text(app)))
    }
    if let group = predicate.group { parts.append(.compare(.groupName, .equal, .text(group))) }
    if let state = predicate.readState {
      parts.append(.compare(.readState, .equal, .text(state.rawValue)))
    }
    if let kind = predicate.userActionState {
      parts.append(.compare(.userActionState, .equal, .text(kind.rawValue)))
    }
    if let least = predicate.minimumPriority {
      parts.append(.compare(.priority, .atLeast, .priority(least)))
    }
    if let end = predicate.arrivedBefore {
      parts.append(.compare(.arrivalDateTime, .less, .time(end)))
    }
    if let start = predicate.arrivedSince {
      parts.append(.compare(.arrivalDateTime, .atLeast, .time(start)))
    }
    guard let first = parts.first else { return nil }
    self = parts.dropFirst().reduce(first, ItemFilter.and)
  }

  /// Both conditions; a missing one asks for nothing.
  public static func all(_ left: ItemFilter?, _ right: ItemFilter?) -> ItemFilter? {
    guard let left, let right else { return left ?? right }
    return .and(left, right)
  }
}

// MARK: - Printing

extension ItemFilter: CustomStringConvertible {
  /// The filter as `$filter` writes it; parsing it gives the same filter.
  public var description: String {
    func grouped(_ filter: ItemFilter, if mustGroup: Bool) -> String {
      mustGroup ? "(\(filter))" : "\(filter)"
    }
    switch self {
    case .compare(let field, let comparison, let value):
      return "\(field.rawValue) \(comparison.rawValue) \(value)"
    case .isOneOf(let field, let values):
      return "\(field.rawValue) in (\(values.map(\.description).joined(separator: ", ")))"
    case .text(let function, let field, let text):
      return "\(function.rawValue)(\(field.rawValue), \(FilterValue.text(text)))"
    case .hasTag(let tag): return "tags/any(t: t eq \(FilterValue.text(tag)))"
    case .hasAnyTag: return "tags/any()"
    case .not(let filter): return "not (\(filter))"
    case .and(let left, let right):
      return grouped(left, if: left.isOr) + " and "
        + grouped(right, if: right.isOr || right.isAnd)
    case .or(let left, let right): return "\(left) or " + grouped(right, if: right.isOr)
    }
  }

  /// Whether it is two conditions that must both hold.
  public var isAnd: Bool { if case .and = self { true } else { false } }
  /// Whether it is two conditions of which one is enough.
  public var isOr: Bool { if case .or = self { true } else { false } }
}

extension FilterValue: CustomStringConvertible {
  /// The literal.
  public var description: String {
    switch self {
    case .null: return "null"
    case .text(let text):
      let escaped = text.unicodeScalars.reduce(into: "") { escaped, scalar in
        escaped.unicodeScalars.append(scalar)
        if scalar == "'" { escaped.unicodeScalars.append(scalar) }
      }
      return "'\(escaped)'"
    case .number(let number): return String(number)
    case .flag(let flag): return flag ? "true" : "false"
    case .time(let time): return time.description
    case .priority(let priority): return "'\(priority.name)'"
    }
  }
}
