/// An instant in UTC with millisecond resolution.
///
/// The text form is ISO 8601 in the profile of RFC 3339 §5.6: `2026-11-21T06:12:04.250Z`.
public struct Timestamp: Hashable, Sendable, Comparable {
  /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Creates an instant from whole seconds since 1970.
  public init(seconds: Int64) { milliseconds = seconds * 1000 }

  /// An instant before every instant that a store can hold.
  public static let distantPast = Timestamp(milliseconds: 0)
  /// 9999-12-31T23:59:59.999Z, the last instant with a four-digit year.
  public static let distantFuture = Timestamp(milliseconds: 253_402_300_799_999)

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// Returns the instant `duration` later, to the millisecond; saturates instead of overflowing.
  public func advanced(by duration: Duration) -> Timestamp {
    let (sum, overflow) = milliseconds.addingReportingOverflow(duration.milliseconds)
    if overflow { return duration < .zero ? Timestamp(milliseconds: .min) : .distantFuture }
    return Timestamp(milliseconds: sum)
  }

  /// The time from `earlier` to this instant; negative when `earlier` is later.
  public func duration(since earlier: Timestamp) -> Duration {
    .milliseconds(milliseconds &- earlier.milliseconds)
  }
}

extension Duration {
  /// The duration in whole milliseconds, rounded towards zero; saturates at the range of `Int64`.
  public var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return carry ? (seconds < 0 ? .min : .max) : sum
  }
}

// MARK: - ISO 8601

extension Timestamp: CustomStringConvertible, LosslessStringConvertible {
  /// The text form: always UTC with three fractional digits, so that texts sort by time.
  public var description: String {
    let days = milliseconds.flooredQuotient(86_400_000)
    let inDay = milliseconds - days * 86_400_000
    let date = CivilDate(daysSince1970: days)
    let seconds = inDay / 1000
    func padded(_ value: Int64, _ width: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return padded(Int64(date.year), 4) + "-" + padded(Int64(date.month), 2) + "-"
      + padded(Int64(date.day), 2) + "T" + padded(seconds / 3600, 2) + ":"
      + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2) + "."
      + padded(inDay % 1000, 3) + "Z"
  }

  /// Parses RFC 3339 date-times: any number of fractional digits, `Z` or a numeric offset.
  ///
  /// A time without an offset is in UTC, as in Graph's samples. Nil for anything else, for days
  /// that the month does not have, and for years before 1970.
  public init?(_ description: String) {
    var reader = DigitReader(description.utf8)
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2),
      reader.take("-"), let day = reader.number(2), reader.take("T", or: "t", or: " "),
      let hour = reader.number(2), reader.take(":"), let minute = reader.number(2),
      (1...12).contains(month), hour < 24, minute < 60, year >= 1970,
      (1...CivilDate.daysIn(month: month, year: year)).contains(day)
    else { return nil }
    var second = 0
    var fraction: Int64 = 0
    if reader.take(":") {
      guard let value = reader.number(2), value <= 60 else { return nil }
      second = value
      if reader.take(".", or: ",") {
        guard let value = reader.millisecondFraction() else { return nil }
        fraction = value
      }
    }
    var offsetMinutes = 0
    if !reader.take("Z", or: "z"), let sign = reader.sign() {
      guard let hours = reader.number(2), hours < 24 else { return nil }
      _ = reader.take(":")
      guard let minutes = reader.number(2), minutes < 60 else { return nil }
      offsetMinutes = sign * (hours * 60 + minutes)
    }
    guard reader.isAtEnd else { return nil }
    let days = CivilDate(year: year, month: month, day: day).daysSince1970
    let seconds =
      days * 86_400 + Int64(hour * 3600 + minute * 60 + second) - Int64(offsetMinutes * 60)
    self.init(milliseconds: seconds * 1000 + fraction)
  }
}

extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let time = Timestamp(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a UTC time such as 2026-11-21T06:12:04Z")
    }
    self = time
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A day of the proleptic Gregorian calendar.
///
/// The day count follows Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
public struct CivilDate: Hashable, Sendable, Comparable {
  public var year: Int
  /// 1 to 12.
  public var month: Int
  /// 1 to 31.
  public var day: Int

  public init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  public init(daysSince1970 days: Int64) {
    let shifted = days + 719_468
    let era = shifted.flooredQuotient(146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01; negative before it.
  public var daysSince1970: Int64 {
    let shiftedYear = Int64(month <= 2 ? year - 1 : year)
    let era = shiftedYear.flooredQuotient(400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// 0 for Sunday to 6 for Saturday.
  public var weekday: Int {
    let remainder = (daysSince1970 + 4) % 7
    return Int(remainder < 0 ? remainder + 7 : remainder)
  }

  /// Returns the number of days in the month: 28 to 31.
  public static func daysIn(month: Int, year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31  // open: Int
    }
  }

  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension Int64 {
  /// Divides, rounding towards negative infinity.
  func flooredQuotient(_ divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

/// A parser of fixed-width decimal fields in ASCII.
private struct DigitReader {
  private var rest: Substring.UTF8View

  init(_ text: String.UTF8View) { rest = text[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number(_ width: Int) -> Int? {
    var value = 0
    for _ in 0..<width {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// Parses one or more digits, of which the first three count.
  mutating func millisecondFraction() -> Int64? {
    var value: Int64 = 0
    var count = 0
    while let digit = digit() {
      if count < 3 { value = value * 10 + Int64(digit) }
      count += 1
    }
    guard count > 0 else { return nil }
    for _ in min(count, 3)..<3 { value *= 10 }
    return value
  }

  mutating func take(_ choices: Unicode.Scalar...) -> Bool { takeOne(of: choices) }
  mutating func take(_ first: Unicode.Scalar, or second: Unicode.Scalar) -> Bool {
    takeOne(of: [first, second])
  }
  mutating func take(
    _ first: Unicode.Scalar, or second: Unicode.Scalar, or third: Unicode.Scalar
  ) -> Bool {
    takeOne(of: [first, second, third])
  }

  mutating func sign() -> Int? {
    if take("+") { return 1 }
    if take("-") { return -1 }
    return nil
  }

  private mutating func takeOne(of choices: [Unicode.Scalar]) -> Bool {
    guard let byte = rest.first, choices.contains(Unicode.Scalar(byte)) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func digit() -> Int? {
    guard let byte = rest.first, (0x30...0x39).contains(byte) else { return nil }
    rest.removeFirst()
    return Int(byte - 0x30)
  }
}
