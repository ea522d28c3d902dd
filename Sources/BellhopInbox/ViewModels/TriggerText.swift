package import BellhopModel
package import BellhopText

/// The words for the times of a trigger.
package enum TriggerText {
  /// Returns the times as a phrase: `every 2 h`, `Mon and Fri at 09:00, Europe/Berlin`, `daily at
  /// 09:00`, `on arrival at office` or, for a single delivery, `once: 15 min after publication`.
  package static func phrase(_ trigger: Trigger) -> SafeText {
    switch trigger.kind {
    case .interval(let seconds):
      let span = span(seconds)
      return trigger.repeats ? "every " + span : "once: " + span + " after publication"
    case .calendar(let pattern, let zone):
      let times = times(of: pattern)
      let phrase: SafeText = trigger.repeats ? times : "once: " + times
      return phrase + (zone.map { ", " + SafeText($0, byteLimit: 64) } ?? .empty)
    case .place(let crossing):
      let place = SafeText(crossing.place, byteLimit: Place.nameBytesMax)
      let phrase: SafeText =
        switch crossing.direction {
        case .entry: "on arrival at " + place
        case .exit: "on leaving " + place
        }
      return trigger.repeats ? phrase : "once: " + phrase
    }
  }

  private static func span(_ seconds: Int64) -> SafeText {
    let units: [(length: Int64, name: SafeText)] = [(86_400, "d"), (3600, "h"), (60, "min")]
    let unit = units.first { seconds % $0.length == 0 } ?? (1, "s")
    return "\(seconds / unit.length) " + unit.name
  }

  private static func times(of pattern: CalendarPattern) -> SafeText {
    var parts: [SafeText] = []
    let days = pattern.weekdays.map { SafeText(TimeText.weekdays[$0 - 1]) }
    if !days.isEmpty { parts.append(list(days)) }
    // Parts finer than the finest one that is given are the first: a month alone is its first day.
    let isTimed = pattern.hour != nil || pattern.minute != nil
    let isFirstDay =
      !isTimed && days.isEmpty && pattern.day == nil
      && (pattern.month != nil || pattern.year != nil)
    let day = pattern.day ?? (isFirstDay ? 1 : nil)
    let month = (pattern.month ?? (isFirstDay ? 1 : nil)).map { SafeText(TimeText.months[$0 - 1]) }
    switch (day, month) {
    case (let day?, let month?): parts.append("\(day) " + month)
    case (let day?, nil): parts.append("day \(day) of the month")
    case (nil, let month?): parts.append("in " + month)
    case (nil, nil): break
    }
    if let year = pattern.year { parts.append("\(year)") }
    let minute = pattern.minute ?? 0
    if pattern.hour == nil, pattern.minute != nil {
      if parts.isEmpty { parts = ["hourly"] }
      return SafeText.joined(parts + ["at minute \(minute)"], by: " ")
    }
    if parts.isEmpty { parts = ["daily"] }
    let clock = "at " + twoDigits(pattern.hour ?? 0) + ":" + twoDigits(minute)
    return SafeText.joined(parts + [clock], by: " ")
  }

  private static func list(_ words: [SafeText]) -> SafeText {
    guard let last = words.last, words.count > 1 else { return words.first ?? .empty }
    return SafeText.joined(Array(words.dropLast()), by: ", ") + " and " + last
  }

  private static func twoDigits(_ number: Int) -> SafeText {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
