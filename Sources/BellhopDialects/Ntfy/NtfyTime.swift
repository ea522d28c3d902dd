internal import BellhopModel
import BellhopTime

/// Times in the format of ntfy's publishers and readers.
enum NtfyTime {
  /// Parses a Unix time, an RFC 3339 time, a span or a wall-clock time in words.
  ///
  /// A span counts from now, such as `30m`, `1h30m` or `in 2 days`. Times in words are such as
  /// `10am`, `tomorrow, 9:30` or `fri 9:00`. A day without a time means its morning, as in all
  /// times that users type for this store.
  static func instant(
    _ text: String, now: Timestamp, zone: ZoneRules
  ) -> Result<Timestamp, WhenPhrase.SyntaxError> {
    if let time = unix(text) ?? Timestamp(text) { return .success(time) }
    if let span = span(text) { return .success(now.advanced(by: span)) }
    guard text.utf8.count <= textBytesMax else {
      return .failure(
        WhenPhrase.SyntaxError(description: "it has more than \(textBytesMax) bytes", offset: 0))
    }
    return WhenPhrase(now: now, zone: zone).instant(text)
  }

  /// The maximum size of a time. A longer text is not a valid time.
  private static let textBytesMax = 64

  /// Parses seconds since 1970.
  static func unix(_ text: String) -> Timestamp? {
    guard (1...11).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let seconds = Int64(text)
    else { return nil }
    return Timestamp(seconds: seconds)
  }

  private static let unitMilliseconds: [String: Int64] = {
    let names: [(Int64, [String])] = [
      (1, ["ms"]), (1000, ["s", "sec", "secs", "second", "seconds"]),
      (60_000, ["m", "min", "mins", "minute", "minutes"]),
      (3_600_000, ["h", "hr", "hrs", "hour", "hours"]), (86_400_000, ["d", "day", "days"]),
      (604_800_000, ["w", "week", "weeks"]),
    ]
    return Dictionary(
      uniqueKeysWithValues: names.flatMap { unit in unit.1.map { ($0, unit.0) } })
  }()

  /// Parses numbers with units, one after the other.
  static func span(_ text: String) -> Duration? {
    guard text.utf8.count <= textBytesMax else { return nil }
    var rest = text.lowercased()[...]
    if rest.hasPrefix("in ") { rest = rest.dropFirst(3) }
    var milliseconds: Int64 = 0
    var isEmpty = true
    while true {
      rest = rest.drop { $0 == " " || $0 == "," }
      if rest.isEmpty { break }
      let digits = rest.prefix { ("0"..."9").contains($0) }
      rest = rest.dropFirst(digits.count).drop { $0 == " " }
      let unit = rest.prefix { ("a"..."z").contains($0) }
      rest = rest.dropFirst(unit.count)
      guard digits.count <= 10, let count = Int64(digits),
        let factor = unitMilliseconds[String(unit)]
      else { return nil }
      let (product, overflow) = count.multipliedReportingOverflow(by: factor)
      let (sum, carry) = milliseconds.addingReportingOverflow(product)
      guard !overflow, !carry else { return nil }
      milliseconds = sum
      isEmpty = false
    }
    return isEmpty ? nil : .milliseconds(milliseconds)
  }
}
