import BellhopModel

/// The date, time and span that a ``WhenPhrase`` names, before they become an instant.
struct WhenParts {
  struct Time {
    var hour: Int
    var minute: Int
    var second: Int
    var offset: Int

    func on(_ date: CivilDate) -> CivilTime {
      CivilTime(date: date, hour: hour, minute: minute, second: second)
    }
  }

  struct Span {
    var seconds: Int64 = 0
    var days: Int64 = 0
    var months: Int64 = 0

    var isEmpty: Bool { seconds == 0 && days == 0 && months == 0 }
    var approximateLength: Duration { .seconds(seconds + (days + months * 31) * 86_400) }

    mutating func add(_ count: Int64, _ unit: WhenWord.Unit) {
      switch unit {
      case .second: seconds += count
      case .minute: seconds += count * 60
      case .hour: seconds += count * 3600
      case .day: days += count
      case .week: days += count * 7
      case .month: months += count
      }
    }
  }

  private(set) var date: CivilDate?
  private(set) var time: Time?
  private(set) var span = Span()
  /// The side of now that `in` or `ago` names.
  private(set) var side: WhenPhrase.Direction?

  private let words: [WhenWord]
  private let today: CivilDate
  private let direction: WhenPhrase.Direction
  private var position = 0
  /// The offset of the word that set ``side``.
  private var sideOffset = 0

  init(
    _ words: [WhenWord], today: CivilDate, direction: WhenPhrase.Direction
  ) throws(WhenPhrase.SyntaxError) {
    self.words = words
    self.today = today
    self.direction = direction
    while position < words.count { try take() }
    if side != nil, span.isEmpty {
      throw WhenPhrase.SyntaxError(
        description: "“in” and “ago” need a span, such as 3 days.", offset: sideOffset)
    }
    if date != nil, !span.isEmpty {
      throw WhenPhrase.SyntaxError(
        description: "A span and a day cannot be combined.", offset: words[0].offset)
    }
  }

  private var next: WhenWord? { position + 1 < words.count ? words[position + 1] : nil }

  private mutating func take() throws(WhenPhrase.SyntaxError) {
    let word = words[position]
    switch word.text {
    case "in", "ago":
      side = word.text == "in" ? .future : .past
      sideOffset = word.offset
    case "at", "on", "this", "the": break
    case "a", "an":
      guard let unit = next?.unit else { throw unknown(word) }
      position += 1
      span.add(1, unit)
    default:  // open: String
      var isTaken = try takeDay(word)
      if !isTaken { isTaken = try takeDate(word) }
      if !isTaken { isTaken = try takeTime(word) }
      if !isTaken { isTaken = takeSpan(word) }
      guard isTaken else { throw unknown(word) }
    }
    position += 1
  }

  private func unknown(_ word: WhenWord) -> WhenPhrase.SyntaxError {
    WhenPhrase.SyntaxError(description: "“\(word.text)” is not a valid time.", offset: word.offset)
  }

  private mutating func set(_ day: CivilDate, by word: WhenWord) throws(WhenPhrase.SyntaxError) {
    guard date == nil else {
      throw WhenPhrase.SyntaxError(
        description: "“\(word.text)” is a second day.", offset: word.offset)
    }
    date = day
  }

  private func day(_ distance: Int64) -> CivilDate {
    CivilDate(daysSince1970: today.daysSince1970 + distance)
  }

  /// Reads words that name a day.
  private mutating func takeDay(_ word: WhenWord) throws(WhenPhrase.SyntaxError) -> Bool {
    switch word.text {
    case "today": try set(today, by: word)
    case "tonight":
      try set(today, by: word)
      return try takeTime(word)
    case "tomorrow", "tmr": try set(day(1), by: word)
    case "yesterday": try set(day(-1), by: word)
    case "weekend": try set(weekday(6, .any), by: word)
    case "next", "last":
      guard let following = next else { throw unknown(word) }
      let isNext = word.text == "next"
      position += 1
      if following.text == "week" {
        try set(isNext ? weekday(1, .strictlyAfter) : mondayOfLastWeek, by: word)
      } else if let name = following.weekday {
        try set(weekday(name, isNext ? .strictlyAfter : .strictlyBefore), by: word)
      } else {
        throw unknown(following)
      }
    default:  // open: String
      guard let name = word.weekday else { return false }
      try set(weekday(name, .any), by: word)
    }
    return true
  }

  private var mondayOfLastWeek: CivilDate { day(-Int64((today.weekday + 6) % 7) - 7) }

  private enum Bound { case any, strictlyAfter, strictlyBefore }

  /// Returns the nearest such weekday. Today counts in the past direction only.
  private func weekday(_ name: Int, _ bound: Bound) -> CivilDate {
    let isAhead = bound == .strictlyAfter || (bound == .any && direction == .future)
    if isAhead {
      let distance = (name - today.weekday + 7) % 7
      return day(Int64(distance == 0 ? 7 : distance))
    }
    let distance = (today.weekday - name + 7) % 7
    return day(-Int64(distance == 0 && bound == .strictlyBefore ? 7 : distance))
  }

  /// Reads numeric and named dates: `2026-12-24`, `24.12.`, `24 dec 2026`, `dec 24`.
  private mutating func takeDate(_ word: WhenWord) throws(WhenPhrase.SyntaxError) -> Bool {
    if let found = try Self.dateAndTime(word) {
      try set(date(found.date, word), by: word)
      if let clock = found.time { time = clock }
      return true
    }
    if let parts = word.date {
      try set(date(parts, word), by: word)
      return true
    }
    let dayAndMonth: (day: Int, month: Int)?
    if let month = word.month, let day = next?.number {
      dayAndMonth = (Int(day), month)
    } else if let day = word.number, let month = next?.month {
      dayAndMonth = (Int(day), month)
    } else {
      dayAndMonth = nil
    }
    guard let dayAndMonth else { return false }
    position += 1
    var year: Int?
    if let number = next?.number, number >= 1970, number < 10_000 {
      year = Int(number)
      position += 1
    }
    try set(date((year, dayAndMonth.month, dayAndMonth.day), word), by: word)
    return true
  }

  /// Reads `2026-12-24t18:00`, without an offset, in local time.
  private static func dateAndTime(
    _ word: WhenWord
  ) throws(WhenPhrase.SyntaxError) -> (date: (year: Int?, month: Int, day: Int), time: Time?)? {
    guard word.text.count > 11, let mark = word.text.firstIndex(of: "t") else { return nil }
    let day = WhenWord(text: String(word.text[..<mark]), offset: word.offset)
    let clock = WhenWord(
      text: String(word.text[word.text.index(after: mark)...]), offset: word.offset + 11)
    guard let date = day.date, let found = clock.timeOfDay else { return nil }
    return (
      date,
      Time(hour: found.hour, minute: found.minute, second: found.second, offset: clock.offset)
    )
  }

  private func date(
    _ parts: (year: Int?, month: Int, day: Int), _ word: WhenWord
  ) throws(WhenPhrase.SyntaxError) -> CivilDate {
    func made(_ year: Int) throws(WhenPhrase.SyntaxError) -> CivilDate {
      guard (1...12).contains(parts.month),
        (1...CivilDate.daysIn(month: parts.month, year: year)).contains(parts.day)
      else {
        throw WhenPhrase.SyntaxError(
          description: "“\(word.text)” is not a day of the calendar.", offset: word.offset)
      }
      return CivilDate(year: year, month: parts.month, day: parts.day)
    }
    if let year = parts.year { return try made(year) }
    // Without a year, the nearest such day on the right side of now; 29 February may be years away.
    let years = direction == .future ? Array(0...8) : (0...8).map { -$0 }
    for distance in years {
      guard let date = try? made(today.year + distance) else { continue }
      if direction == .future ? date >= today : date <= today { return date }
    }
    return try made(today.year)
  }

  private mutating func takeTime(_ word: WhenWord) throws(WhenPhrase.SyntaxError) -> Bool {
    var clock = word.timeOfDay
    var half = next?.text
    if clock == nil, let hour = word.number, hour < 24 {
      // A bare number is an hour only if another word makes it one.
      let isSaid =
        half == "am" || half == "pm"
        || position > 0 && (words[position - 1].text == "at" || next?.unit == nil && date != nil)
      guard isSaid else { return false }
      clock = (Int(hour), 0, 0)
    } else if let clock, clock.hour == 0 || clock.hour > 12 {
      half = nil
    }
    guard var clock else { return false }
    guard time == nil else {
      throw WhenPhrase.SyntaxError(
        description: "“\(word.text)” is a second time of day.", offset: word.offset)
    }
    if half == "am" || half == "pm" {
      guard (1...12).contains(clock.hour) else { throw unknown(word) }
      clock.hour = clock.hour % 12 + (half == "pm" ? 12 : 0)
      position += 1
    }
    time = Time(
      hour: clock.hour, minute: clock.minute, second: clock.second, offset: word.offset)
    return true
  }

  private mutating func takeSpan(_ word: WhenWord) -> Bool {
    guard let count = word.number, let unit = next?.unit else { return false }
    position += 1
    span.add(count, unit)
    return true
  }
}
