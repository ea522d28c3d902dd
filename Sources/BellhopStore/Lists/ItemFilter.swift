package import BellhopModel

/// The parsed value of `$filter`.
///
/// The grammar is a subset of OData's (OData 4.01 URL Conventions §5.1.1): comparisons of a field
/// with a literal, `in`, `contains`, `startswith`, `endswith`, `tags/any`, `and`, `or`, `not` and
/// parentheses.
package typealias ItemFilter = Condition<ItemTest>

extension ItemFilter {
  /// The range of arrivals that can meet the condition; a list by arrival examines no other items.
  package var arrivalRange: (from: Timestamp?, through: Timestamp?) {
    let ranges = required.map(\.arrivalRange)
    return (ranges.compactMap(\.from).max(), ranges.compactMap(\.through).min())
  }

  /// Returns the one app whose publications can meet the condition; nil if it is not limited to one.
  ///
  /// - Parameter hasMovedItems: Whether rules list items under an app that is not their publisher's.
  package func app(hasMovedItems: Bool) -> String? {
    required.lazy.compactMap { $0.app(hasMovedItems: hasMovedItems) }.first
  }
}

extension ItemTest {
  fileprivate var arrivalRange: (from: Timestamp?, through: Timestamp?) {
    switch self {
    case .compare(.arrivalDateTime, let comparison, .time(let time)):
      switch comparison {
      case .equal: (time, time)
      case .greater, .atLeast: (time, nil)
      case .less, .atMost: (nil, time)
      case .notEqual: (nil, nil)
      }
    case .compare, .isOneOf, .text, .name, .hasTag, .hasAnyTag: (nil, nil)
    }
  }

  fileprivate func app(hasMovedItems: Bool) -> String? {
    // Without moved items, the effective app of each is the published one.
    let fields: [ItemField] =
      hasMovedItems ? [.publishedHostName] : [.publishedHostName, .targetHostName]
    switch self {
    case .compare(let field, .equal, .text(let app)):
      return fields.contains(field) ? app : nil
    case .isOneOf(let field, let values):
      guard fields.contains(field), values.count == 1, case .text(let app)? = values.first
      else { return nil }
      return app
    case .compare, .text, .name, .hasTag, .hasAnyTag: return nil
    }
  }
}

// MARK: - Printing

extension ItemFilter {
  /// The filter in the syntax of `$filter`; parsing it returns the same filter.
  package var odata: String {
    switch self {
    case .test(let test): test.odata
    case .not(let part): "not (\(part.odata))"
    case .all(let parts): Self.joined(parts, by: " and ")
    case .any(let parts): Self.joined(parts, by: " or ") { $0.isAlternative }
    }
  }

  private static func joined(
    _ parts: [ItemFilter], by word: String, groupedIf isGrouped: (ItemFilter) -> Bool = \.isGroup
  ) -> String {
    parts.map { isGrouped($0) ? "(\($0.odata))" : $0.odata }.joined(separator: word)
  }
}

extension ItemTest {
  fileprivate var odata: String {
    switch self {
    case .compare(let field, let comparison, let value):
      "\(field.rawValue) \(comparison.rawValue) \(value.odata)"
    case .isOneOf(let field, let values):
      "\(field.rawValue) in (\(values.map(\.odata).joined(separator: ", ")))"
    case .text(let function, let field, let text):
      "\(function.rawValue)(\(field.rawValue), \(FilterValue.text(text).odata))"
    case .name(let field, let patterns):
      // Rules have such tests, and `$filter` does not.
      "\(field.rawValue) like (\(patterns.map(\.written).joined(separator: ", ")))"
    case .hasTag(let tag): "tags/any(t: t eq \(FilterValue.text(tag).odata))"
    case .hasAnyTag: "tags/any()"
    }
  }
}

extension FilterValue {
  /// The value as an OData literal.
  fileprivate var odata: String {
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
