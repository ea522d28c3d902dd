package import BellhopModel

/// The date format of HTTP headers: IMF-fixdate, RFC 9110 §5.6.7. Whole seconds, always GMT.
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Formats a time, as in `Sat, 21 Nov 2026 06:12:04 GMT`.
  package static func text(_ time: Timestamp) -> String {
    let seconds = max(0, time.milliseconds / 1000)
    let date = CivilDate(daysSince1970: seconds / 86_400)
    func two(_ value: Int64) -> String { (value < 10 ? "0" : "") + String(value) }
    let year = String(date.year)
    return days[date.weekday] + ", " + two(Int64(date.day)) + " " + months[date.month - 1] + " "
      + String(repeating: "0", count: max(0, 4 - year.count)) + year + " "
      + two(seconds / 3600 % 24) + ":" + two(seconds / 60 % 60) + ":" + two(seconds % 60) + " GMT"
  }

  /// Parses an IMF-fixdate. Returns nil for anything else, including the obsolete formats.
  package static func time(_ text: String) -> Timestamp? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]),
      let month = months.firstIndex(of: String(words[2])), let year = Int(words[3])
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int64($0) }
    guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]),
      (0...60).contains(clock[2]), (1970...9999).contains(year),
      (1...CivilDate.daysIn(month: month + 1, year: year)).contains(day)
    else { return nil }
    let days = CivilDate(year: year, month: month + 1, day: day).daysSince1970
    return Timestamp(seconds: days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2])
  }
}
