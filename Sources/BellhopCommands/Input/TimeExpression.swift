internal import BellhopClient
package import BellhopModel
internal import BellhopSettings
package import BellhopTime

/// The times that users type on a command line.
package enum TimeExpression {
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
      guard option != "--for" || SpanPhrase.isLikeSpan(text) else { throw notASpan(text) }
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
