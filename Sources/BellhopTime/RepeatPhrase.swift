package import BellhopModel

/// A parser of repeated times as users type them.
///
/// Accepts a span such as `2h`, and wall-clock times such as `9:00`, `mon,fri 9:00`, `mon-fri 17:30`, `weekdays 8:00`,
/// `1. 9:00` for the first of every month, and `24.12. 18:00`. A day without a time is 9:00.
package enum RepeatPhrase {
  /// Returns the trigger that the phrase describes.
  ///
  /// - Parameters:
  ///   - zone: The IANA name of the time zone; nil for that of each device. A span has none.
  ///   - repeats: Whether the trigger has further occurrences after the first.
  package static func trigger(
    _ text: String, zone: String?, repeats: Bool = true
  ) -> Result<Trigger, WhenPhrase.SyntaxError> {
    Result { () throws(WhenPhrase.SyntaxError) in
      guard text.count <= WhenPhrase.charactersMax else {
        throw WhenPhrase.SyntaxError(
          description: "A time may have at most \(WhenPhrase.charactersMax) characters.", offset: 0)
      }
      if let span = SpanPhrase.duration(text) {
        return try trigger(.interval(seconds: span.components.seconds), repeats, text)
      }
      var parts = Parts()
      for word in WhenWord.words(of: text) { try parts.take(word) }
      guard parts.hasDay || parts.time != nil else {
        throw WhenPhrase.SyntaxError(
          description: "Enter a time: 9:00, mon,fri 9:00, weekdays 8:00.", offset: 0)
      }
      let time = parts.time ?? (WhenPhrase.morningHour, 0)
      let pattern: CalendarPattern
      do throws(Trigger.FormatError) {
        pattern = try CalendarPattern(
          minute: time.minute, hour: time.hour, weekdays: parts.weekdays, day: parts.day,
          month: parts.month)
      } catch {
        throw syntaxError(error, text)
      }
      return try trigger(.calendar(pattern, timeZone: zone), repeats, text)
    }
  }

  private static func trigger(
    _ kind: Trigger.Kind, _ repeats: Bool, _ text: String
  ) throws(WhenPhrase.SyntaxError) -> Trigger {
    do throws(Trigger.FormatError) {
      return try Trigger(kind, repeats: repeats)
    } catch {
      throw syntaxError(error, text)
    }
  }

  private static func syntaxError(
    _ error: Trigger.FormatError, _ text: String
  ) -> WhenPhrase.SyntaxError {
    WhenPhrase.SyntaxError(
      description: "“\(text)” is not a valid time: expected \(error.expectation).", offset: 0)
  }

  /// The parts of a phrase that were read.
  private struct Parts {
    var weekdays: [Int] = []
    var day: Int?
    var month: Int?
    var time: (hour: Int, minute: Int)?
    var isDaily = false

    var hasDay: Bool { isDaily || !weekdays.isEmpty || day != nil }

    mutating func take(_ word: WhenWord) throws(WhenPhrase.SyntaxError) {
      if let clock = word.timeOfDay, clock.second == 0, time == nil {
        time = (clock.hour, clock.minute)
      } else if let days = Self.weekdays(word.text), day == nil, !isDaily {
        weekdays += days
      } else if ["day", "daily"].contains(word.text), !hasDay {
        isDaily = true
      } else if let number = Self.dayOfMonth(word.text), !hasDay {
        day = number
      } else if let date = word.date, date.year == nil, !hasDay {
        (day, month) = (date.day, date.month)
      } else if !["at", "on", "and", "every"].contains(word.text) {
        throw WhenPhrase.SyntaxError(
          description: "“\(word.text)” is not understood. Use 9:00, mon,fri 9:00, mon-fri 17:30, "
            + "weekdays 8:00, 1. 9:00 or 24.12. 18:00.", offset: word.offset)
      }
    }

    /// Returns the weekdays, 1 for Sunday, of a name or a range such as `mon-fri`.
    private static func weekdays(_ text: String) -> [Int]? {
      switch text {
      case "weekday", "weekdays": return [2, 3, 4, 5, 6]
      case "weekend", "weekends": return [1, 7]
      default: break  // open: String
      }
      let names = text.split(separator: "-", omittingEmptySubsequences: false)
      let days = names.compactMap { WhenWord(text: String($0), offset: 0).weekday }
      guard days.count == names.count, let first = days.first, let last = days.last,
        days.count <= 2
      else { return nil }
      let count = (last - first + 7) % 7 + 1
      return (0..<count).map { (first + $0) % 7 + 1 }
    }

    /// Returns the day in `1.` or `15.`
    private static func dayOfMonth(_ text: String) -> Int? {
      guard text.hasSuffix("."), text.count <= 3, text.dropLast().allSatisfy(\.isNumber) else {
        return nil
      }
      return Int(text.dropLast())
    }
  }
}
