package import BellhopModel

/// Reads times as people type them, on the clock of a wall: `2h`, `in 3 days`, `fri 9:00`,
/// `tomorrow`, `24 dec 18:00`, `2026-12-24`, and ISO 8601.
///
/// Hours, minutes and seconds are counted as they pass; days, weeks and months on the calendar, so
/// that `in 3 days` is the same time of day across a change of the clocks. A time that clocks are put
/// forward over is as much later as they jump; of one that comes twice the first is meant that lies
/// on the right side of now.
package struct WhenPhrase: Sendable {
  /// The side of now that is meant where the words leave it open: a snooze ends in the future, a
  /// filter looks back.
  package enum Direction: Sendable {
    case future, past
  }

  /// Why a phrase was not understood.
  package struct Problem: ExplainedError, Hashable, Sendable {
    /// One sentence, which names the word.
    package var description: String
    /// Where the word begins, in characters from the start of the phrase.
    package var offset: Int

    package init(description: String, offset: Int) {
      self.description = description
      self.offset = offset
    }
  }

  let now: Timestamp
  let zone: ZoneRules
  let direction: Direction

  /// When a day begins, for a future day without a time.
  static let morningHour = 9
  /// Longer is a mistake, and sums stay far from overflow.
  static let spanMax = Duration.seconds(10 * 366 * 86_400)
  /// A longer text is no time.
  static let charactersMax = 100

  package init(now: Timestamp, zone: ZoneRules, direction: Direction = .future) {
    self.now = now
    self.zone = zone
    self.direction = direction
  }

  /// The instant that the phrase means.
  package func instant(_ text: String) -> Result<Timestamp, Problem> {
    Result { () throws(Problem) in try read(text) }
  }

  /// The day that the phrase means, from its first instant up to the next day's.
  package func day(_ text: String) -> Result<Range<Timestamp>, Problem> {
    Result { () throws(Problem) in
      let parts = try WhenParts(words(of: text), today: today, direction: direction)
      guard let date = parts.date, parts.time == nil, parts.span.isEmpty else {
        throw Problem(description: "“\(text)” is not a day.", offset: 0)
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

  private func words(of text: String) throws(Problem) -> [WhenWord] {
    guard text.count <= Self.charactersMax else {
      throw Problem(description: "A time has at most \(Self.charactersMax) characters.", offset: 0)
    }
    let words = WhenWord.words(of: text)
    guard !words.isEmpty else {
      throw Problem(description: "Say when: 2h, tomorrow, fri 9:00.", offset: 0)
    }
    return words
  }

  private func read(_ text: String) throws(Problem) -> Timestamp {
    let words = try words(of: text)
    if words.count <= 2, let exact = Timestamp.withOffset(text) { return try onRightSide(exact) }
    let parts = try WhenParts(words, today: today, direction: direction)
    let isFuture = parts.side.map { $0 == .future } ?? (direction == .future)
    if !parts.span.isEmpty { return try onRightSide(spanned(parts, isFuture: isFuture)) }
    if let date = parts.date { return try onRightSide(dated(date, parts)) }
    guard let time = parts.time else {
      throw Problem(description: "“\(text)” names no time.", offset: 0)
    }
    return nearest(time, isFuture: isFuture)
  }

  private func spanned(_ parts: WhenParts, isFuture: Bool) throws(Problem) -> Timestamp {
    let sign: Int64 = isFuture ? 1 : -1
    let span = parts.span
    guard span.approximateLength <= Self.spanMax else {
      throw Problem(description: "That is more than ten years.", offset: 0)
    }
    guard span.days != 0 || span.months != 0 else {
      if let time = parts.time {
        throw Problem(
          description: "A span of hours or minutes goes without a time of day.",
          offset: time.offset)
      }
      return now.advanced(by: .seconds(sign * span.seconds))
    }
    var local = zone.local(now)
    local.date = local.date.adding(months: sign * span.months)
    local.date = CivilDate(daysSince1970: local.date.daysSince1970 + sign * span.days)
    if let time = parts.time {
      guard span.seconds == 0 else {
        throw Problem(
          description: "A span of hours or minutes goes without a time of day.",
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
    // "today" in the afternoon can only mean what is left of it.
    if morning <= now, date == today {
      return zone.instant(of: CivilTime(date: date, hour: WhenWord.eveningHour, minute: 0))
    }
    return morning
  }

  /// Of a time that comes twice the first on the right side of now.
  private func resolved(_ local: CivilTime) -> Timestamp {
    let instants = zone.instants(of: local)
    if instants.count > 1, direction == .future, let later = instants.first(where: { $0 > now }) {
      return later
    }
    return zone.instant(of: local)
  }

  /// The next time, or the last time, that the wall shows it.
  private func nearest(_ time: WhenParts.Time, isFuture: Bool) -> Timestamp {
    let days: [Int64] = isFuture ? [0, 1, 2] : [0, -1, -2]
    for day in days {
      let date = CivilDate(daysSince1970: today.daysSince1970 + day)
      let instant = resolved(time.on(date))
      if isFuture ? instant > now : instant <= now { return instant }
    }
    return now
  }

  private func onRightSide(_ instant: Timestamp) throws(Problem) -> Timestamp {
    if direction == .future, instant <= now {
      throw Problem(
        description: "\(zone.text(instant)) has passed already.",
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
  /// An RFC 3339 time that says its offset itself.
  fileprivate static func withOffset(_ text: String) -> Timestamp? {
    guard let last = text.last, text.count > 16 else { return nil }
    let tail = text.suffix(6)
    let hasOffset = last == "Z" || last == "z" || tail.first == "+" || tail.first == "-"
    return hasOffset ? Timestamp(text) : nil
  }
}

extension CivilDate {
  /// The same day of another month, or its last day where that is shorter.
  fileprivate func adding(months: Int64) -> CivilDate {
    let count = Int64(year) * 12 + Int64(month - 1) + months
    let year = Int(count >= 0 ? count / 12 : (count - 11) / 12)
    let month = Int(count - Int64(year) * 12) + 1
    return CivilDate(
      year: year, month: month, day: min(day, CivilDate.daysIn(month: month, year: year)))
  }
}
