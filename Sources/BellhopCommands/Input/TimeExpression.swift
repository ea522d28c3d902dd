internal import BellhopClient
package import BellhopModel
internal import BellhopSettings
package import BellhopTime

/// The times that users type on a command line.
package enum TimeExpression {
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

  /// Parses a future instant as on the screen: a span from `now`, `fri 9:00`, `tomorrow`, ISO 8601.
  ///
  /// Without a zone, it is in this machine's wall-clock time.
  package static func instant(
    _ text: String, now: Timestamp
  ) -> Result<Timestamp, WhenPhrase.SyntaxError> {
    WhenPhrase(now: now, zone: SystemClock.zoneRules).instant(text)
  }

  /// Parses the instant that the user typed after `option`.
  ///
  /// - Throws: `ClientError` that names the accepted form.
  package static func instant(
    _ text: String, option: String, now: Timestamp
  ) throws -> Timestamp {
    switch instant(text, now: now) {
    case .success(let time): return time
    case .failure(let problem):
      guard option != "--for" || isLikeSpan(text) else { throw notASpan(text) }
      throw ClientError(
        .usage, "\(option) \(text.prefix(64)): \(problem)\(suggestion(problem, in: text))",
        next: "Use a span such as 15m, 2h or 3d, or a time such as tomorrow, "
          + "\"fri 9:00\" or 2026-12-24T18:00:00Z.")
    }
  }

  /// Returns the error for an argument of `--for`.
  static func notASpan(_ text: String) -> ClientError {
    ClientError(.usage, "\"\(text.prefix(64))\" is not a valid span.", next: "Use 15m, 2h or 3d.")
  }

  /// Whether the text has only digits and units, so that it failed for another reason than its
  /// form.
  private static func isLikeSpan(_ text: String) -> Bool {
    text.allSatisfy { $0.isWholeNumber || secondsPerUnit[$0] != nil }
  }

  private static let dayNames = [
    "today", "tonight", "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday",
    "saturday", "sunday",
  ]

  /// Returns ` Did you mean tomorrow?` or an empty text.
  private static func suggestion(_ problem: WhenPhrase.SyntaxError, in text: String) -> String {
    let word = String(text.dropFirst(problem.offset).prefix { $0.isLetter })
    guard !dayNames.contains(word.lowercased()) else { return "" }
    return Spelling.nearest(word, in: dayNames).map { " Did you mean \($0)?" } ?? ""
  }
}
