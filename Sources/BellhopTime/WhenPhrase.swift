package import BellhopModel

/// A parser of times as users type them, in local wall-clock time.
///
/// Accepts phrases such as `2h`, `in 3 days`, `fri 9:00`, `tomorrow`, `24 dec 18:00`, `2026-12-24`,
/// and ISO 8601.
///
/// Hours, minutes and seconds are elapsed time. Days, weeks and months follow the calendar, so
/// `in 3 days` is the same time of day even across a daylight saving change. A time that the clocks
/// skip is moved later by the length of the jump. If a time occurs twice, the first one on the
/// right
/// side of now counts.
package struct WhenPhrase: Sendable {
  /// The side of now for an ambiguous phrase: the future for a snooze, the past for a filter.
  package enum Direction: Sendable {
    case future, past
  }

  /// The reason why a phrase was not understood.
  package struct SyntaxError: ExplainedError, Hashable, Sendable {
    /// One sentence that names the word.
    package var description: String
    /// The start of the word, in characters from the start of the phrase.
    package var offset: Int

    package init(description: String, offset: Int) {
      self.description = description
      self.offset = offset
    }
  }

  let now: Timestamp
  let zone: ZoneRules
  let direction: Direction

  /// The hour that a future day without a time stands for.
  static let morningHour = 9
  /// The longest accepted span. Longer ones are mistakes, and the limit keeps sums from overflow.
  static let spanMax = Duration.seconds(10 * 366 * 86_400)
  /// The longest accepted text, in characters.
  static let charactersMax = 100

  package init(now: Timestamp, zone: ZoneRules, direction: Direction = .future) {
    self.now = now
    self.zone = zone
    self.direction = direction
  }

  /// Returns the instant that the phrase names.
  package func instant(_ text: String) -> Result<Timestamp, SyntaxError> {
    Result { () throws(SyntaxError) in try read(text) }
  }

  /// Returns the day that the phrase names, from its first instant to that of the next day.
  package func day(_ text: String) -> Result<Range<Timestamp>, SyntaxError> {
    Result { () throws(SyntaxError) in
      let parts = try WhenParts(words(of: text), today: today, direction: direction)
      guard let date = parts.date, parts.time == nil, parts.span.isEmpty else {
        throw SyntaxError(description: "“\(text)” is not a valid day.", offset: 0)
      }
      let next = CivilDate(daysSince1970: date.daysSince1970 + 1)
      return start(of: date)..<start(of: next)
    }
  }

  // MARK: Reading

  private var today: CivilDate { zone.local(now).date }

  private func start(of date: CivilDate) -> Timestamp {
    zone.instant(of: CivilTime(date: date, hour: 0, minute: 0))
  }

  private func words(of text: String) throws(SyntaxError) -> [WhenWord] {
    guard text.count <= Self.charactersMax else {
      throw SyntaxError(
        description: "A time may have at most \(Self.charactersMax) characters.", offset: 0)
    }
    let words = WhenWord.words(of: text)
    guard !words.isEmpty else {
      throw SyntaxError(description: "Enter a time: 2h, tomorrow, fri 9:00.", offset: 0)
    }
    return words
  }

  private func read(_ text: String) throws(SyntaxError) -> Timestamp {
    let words = try words(of: text)
    if words.count <= 2, let exact = Timestamp.withOffset(text) { return try onRightSide(exact) }
    let parts = try WhenParts(words, today: today, direction: direction)
    let isFuture = parts.side.map { $0 == .future } ?? (direction == .future)
    if !parts.span.isEmpty { return try onRightSide(spanned(parts, isFuture: isFuture)) }
    if let date = parts.date { return try onRightSide(dated(date, parts)) }
    guard let time = parts.time else {
      throw SyntaxError(description: "“\(text)” is not a valid time.", offset: 0)
    }
    return nearest(time, isFuture: isFuture)
  }

  private func spanned(_ parts: WhenParts, isFuture: Bool) throws(SyntaxError) -> Timestamp {
    let sign: Int64 = isFuture ? 1 : -1
    let span = parts.span
    guard span.approximateLength <= Self.spanMax else {
      throw SyntaxError(description: "A span may be at most ten years.", offset: 0)
    }
    guard span.days != 0 || span.months != 0 else {
      if let time = parts.time {
        throw SyntaxError(
          description: "A span of hours or minutes cannot have a time of day.",
          offset: time.offset)
      }
      return now.advanced(by: .seconds(sign * span.seconds))
    }
    var local = zone.local(now)
    local.date = local.date.adding(months: sign * span.months)
    local.date = CivilDate(daysSince1970: local.date.daysSince1970 + sign * span.days)
    if let time = parts.time {
      guard span.seconds == 0 else {
        throw SyntaxError(
          description: "A span of hours or minutes cannot have a time of day.",
          offset: time.offset)
      }
      return zone.instant(of: time.on(local.date))
    }
    return zone.instant(of: local).advanced(by: .seconds(sign * span.seconds))
      .advanced(by: .milliseconds(now.milliseconds.millisecondsInSecond))
  }

  private func dated(_ date: CivilDate, _ parts: WhenParts) -> Timestamp {
    if let time = parts.time { return resolved(time.on(date)) }
    guard direction == .future else { return start(of: date) }
    let morning = zone.instant(of: CivilTime(date: date, hour: Self.morningHour, minute: 0))
    // In the afternoon, "today" can only mean the rest of the day.
    if morning <= now, date == today {
      return zone.instant(of: CivilTime(date: date, hour: WhenWord.eveningHour, minute: 0))
    }
    return morning
  }

  /// Resolves a time that occurs twice to the first one on the right side of now.
  private func resolved(_ local: CivilTime) -> Timestamp {
    let instants = zone.instants(of: local)
    if instants.count > 1, direction == .future, let later = instants.first(where: { $0 > now }) {
      return later
    }
    return zone.instant(of: local)
  }

  /// Returns the next or the last instant at which the local clock shows `time`.
  private func nearest(_ time: WhenParts.Time, isFuture: Bool) -> Timestamp {
    let days: [Int64] = isFuture ? [0, 1, 2] : [0, -1, -2]
    for day in days {
      let date = CivilDate(daysSince1970: today.daysSince1970 + day)
      let instant = resolved(time.on(date))
      if isFuture ? instant > now : instant <= now { return instant }
    }
    return now
  }

  private func onRightSide(_ instant: Timestamp) throws(SyntaxError) -> Timestamp {
    if direction == .future, instant <= now {
      throw SyntaxError(
        description: "\(zone.text(instant)) is in the past.",
        offset: 0)
    }
    return instant
  }
}

extension Int64 {
  fileprivate var millisecondsInSecond: Int64 {
    let rest = self % 1000
    return rest < 0 ? rest + 1000 : rest
  }
}

extension Timestamp {
  /// Parses an RFC 3339 time that includes an offset.
  fileprivate static func withOffset(_ text: String) -> Timestamp? {
    guard let last = text.last, text.count > 16 else { return nil }
    let tail = text.suffix(6)
    let hasOffset = last == "Z" || last == "z" || tail.first == "+" || tail.first == "-"
    return hasOffset ? Timestamp(text) : nil
  }
}

extension CivilDate {
  /// Returns the same day of another month, or that month's last day if it is shorter.
  fileprivate func adding(months: Int64) -> CivilDate {
    let count = Int64(year) * 12 + Int64(month - 1) + months
    let year = Int(count >= 0 ? count / 12 : (count - 11) / 12)
    let month = Int(count - Int64(year) * 12) + 1
    return CivilDate(
      year: year, month: month, day: min(day, CivilDate.daysIn(month: month, year: year)))
  }
}
