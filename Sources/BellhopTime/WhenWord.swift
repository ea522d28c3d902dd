import BellhopModel

/// A lowercased word of a ``WhenPhrase``, with its position.
struct WhenWord: Hashable, Sendable {
  var text: String
  /// The position, in characters from the start of the phrase.
  var offset: Int

  static let eveningHour = 18

  /// Splits text at blanks and commas, and between a number and the letters after it.
  static func words(of text: String) -> [WhenWord] {
    var words: [WhenWord] = []
    var current = ""
    var start = 0
    func end() {
      if !current.isEmpty { words.append(WhenWord(text: current, offset: start)) }
      current = ""
    }
    for (offset, character) in text.lowercased().enumerated() {
      if character.isWhitespace || character == "," {
        end()
        continue
      }
      if let last = current.last, current.first?.isNumber == true, last.isNumber,
        character.isLetter, !isDateTime(current)
      {
        end()
      } else if let first = current.first, first.isLetter, current.last?.isLetter == true,
        character.isNumber, words.last?.isNumber == true || isUnit(current)
      {
        // The minutes of 1h30m start here.
        end()
      }
      if current.isEmpty { start = offset }
      current.append(character)
    }
    end()
    return words
  }

  /// Whether the text is the date of `2026-12-24t…`, which stays one word.
  private static func isDateTime(_ text: String) -> Bool { text.count == 10 && text.contains("-") }

  private static func isUnit(_ text: String) -> Bool { units[text] != nil }

  var isNumber: Bool { !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber } }
  /// The value of a whole number of at most six digits.
  var number: Int64? { isNumber && text.count <= 6 ? Int64(text) : nil }
  var unit: Unit? { Self.units[text] }

  enum Unit: Sendable {
    case second, minute, hour, day, week, month
  }

  private static let units: [String: Unit] = [
    "s": .second, "sec": .second, "secs": .second, "second": .second, "seconds": .second,
    "m": .minute, "min": .minute, "mins": .minute, "minute": .minute, "minutes": .minute,
    "h": .hour, "hr": .hour, "hrs": .hour, "hour": .hour, "hours": .hour,
    "d": .day, "day": .day, "days": .day,
    "w": .week, "wk": .week, "week": .week, "weeks": .week,
    "mo": .month, "month": .month, "months": .month,
  ]

  /// The weekday, 0 (Sunday) to 6 (Saturday), by its name or at least three first letters, as in
  /// `tues`.
  var weekday: Int? { Self.index(of: text, in: Self.weekdays) }
  /// The month, 1 to 12, by its name or at least three first letters.
  var month: Int? { Self.index(of: text, in: Self.months).map { $0 + 1 } }

  private static let weekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]
  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  private static func index(of text: String, in names: [String]) -> Int? {
    let word = text.hasSuffix(".") ? String(text.dropLast()) : text
    guard word.count >= 3 else { return nil }
    return names.firstIndex { $0.hasPrefix(word) }
  }

  /// The time of day in `9:00`, `21:30:15`, `noon`, `midnight` or a part of the day.
  ///
  /// The caller handles the suffix of `9am` and `9:30pm`.
  var timeOfDay: (hour: Int, minute: Int, second: Int)? {
    switch text {
    case "morning": return (WhenPhrase.morningHour, 0, 0)
    case "noon", "midday": return (12, 0, 0)
    case "afternoon": return (14, 0, 0)
    case "evening": return (Self.eveningHour, 0, 0)
    case "night", "tonight": return (20, 0, 0)
    case "midnight": return (0, 0, 0)
    default: break  // open: String
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), (1...2).contains(parts[0].count),
      parts.dropFirst().allSatisfy({ $0.count == 2 }),
      parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    let second = parts.count == 3 ? Int(parts[2]) ?? 60 : 0
    return second < 60 ? (hour, minute, second) : nil
  }

  /// The date in `2026-12-24`, `24.12.2026`, `24.12.` or `24.12`; the year is nil if omitted.
  var date: (year: Int?, month: Int, day: Int)? {
    func numbers(_ separator: Character) -> [Int]? {
      var parts = text.split(separator: separator, omittingEmptySubsequences: false)
      if separator == ".", parts.last?.isEmpty == true { parts.removeLast() }
      let values = parts.compactMap { part in
        part.allSatisfy({ $0.isASCII && $0.isNumber }) && part.count <= 4 ? Int(part) : nil
      }
      return values.count == parts.count && values.count > 1 ? values : nil
    }
    if let parts = numbers("-"), parts.count == 3, parts[0] >= 1970 {
      return (parts[0], parts[1], parts[2])
    }
    if let parts = numbers("."), parts.count <= 3, parts.count < 3 || parts[2] >= 1970 {
      return (parts.count == 3 ? parts[2] : nil, parts[1], parts[0])
    }
    return nil
  }
}
