/// A parser of spans of time as users type them, such as `15m` or `1h30m`.
package enum SpanPhrase {
  private static let secondsPerUnit: [Character: Int64] = [
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
  ]
  /// The longest span: ten years. Longer ones are mistakes, and the limit keeps sums from overflow.
  private static let secondsMax: Int64 = 315_360_000

  /// Parses a span such as `90s`, `15m`, `1h30m`, `2d`, `1w`; nil for anything else, and for zero.
  package static func duration(_ text: some StringProtocol) -> Duration? {
    var total: Int64 = 0
    var number: Int64?
    for character in text {
      if let digit = character.wholeNumberValue, character.isASCII {
        number = (number ?? 0) * 10 + Int64(digit)
        guard let number, number <= secondsMax else { return nil }
      } else {
        guard let value = number, let unit = secondsPerUnit[character] else { return nil }
        total += value * unit
        guard total <= secondsMax else { return nil }
        number = nil
      }
    }
    return number == nil && total > 0 ? .seconds(total) : nil
  }

  /// Returns whether the text has only digits and units, so that its form is that of a span.
  package static func isLikeSpan(_ text: some StringProtocol) -> Bool {
    text.allSatisfy { $0.isWholeNumber || secondsPerUnit[$0] != nil }
  }
}
