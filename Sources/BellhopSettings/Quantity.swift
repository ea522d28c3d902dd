/// Sizes as users write them: `64 KiB`, `1 MiB`, `300`.
package enum ByteCount {
  private static let units = Units(
    [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1), ("", 1)])

  /// The number of bytes that a text gives; nil if it is not a size.
  package static func bytes(_ text: String) -> Int? { units.value(of: text) }

  /// A size in the largest unit that divides it.
  package static func text(_ bytes: Int) -> String {
    let (name, factor) = units.unit(of: bytes) ?? ("B", 1)
    return "\(bytes / factor) \(name)"
  }
}

/// Spans of time as users write them: `250ms`, `25s`, `10m`, `12h`, `30d`.
package enum TimeSpan {
  /// The longest span of any setting.
  package static let longest = Duration.seconds(100 * 365 * 86_400)
  private static let units = Units(
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)])

  /// The span that a text gives; nil if it is not a span.
  package static func duration(_ text: String) -> Duration? {
    units.value(of: text).map { .milliseconds($0) }
  }

  /// A span in the largest unit that divides it, to the millisecond.
  package static func text(_ span: Duration) -> String {
    let milliseconds = Int((span / .milliseconds(1)).rounded())
    let (name, factor) = units.unit(of: milliseconds) ?? ("ms", 1)
    return "\(milliseconds / factor)\(name)"
  }
}

/// Units of one quantity, the largest first.
private struct Units: Sendable {
  private let units: [(name: String, factor: Int)]

  init(_ units: [(name: String, factor: Int)]) { self.units = units }

  /// The number in front of a unit, times the unit; nil for other texts and past `Int.max`.
  func value(of text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    var name = text.dropFirst(digits.count).drop { $0.isWhitespace }
    while name.last?.isWhitespace == true { name.removeLast() }
    guard let number = Int(digits), let unit = units.first(where: { $0.name == name }) else {
      return nil
    }
    let (product, overflow) = number.multipliedReportingOverflow(by: unit.factor)
    return overflow ? nil : product
  }

  func unit(of value: Int) -> (name: String, factor: Int)? {
    units.first { value >= $0.factor && value.isMultiple(of: $0.factor) }
  }
}
