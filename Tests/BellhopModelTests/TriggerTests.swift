import BellhopModel
import BellhopTestSupport
import Foundation
import Testing

@Suite("Triggers")
struct TriggerTests {
  /// A device in Berlin that knows its own zone and UTC.
  static let berlin = WallClock { instant, zone in
    zone == "UTC" ? 0 : BerlinZone.rules.offsetSeconds(instant)
  }

  static let published = Sample.start

  private func time(_ text: String) throws -> Timestamp {
    try #require(Timestamp(text))
  }

  private func local(_ text: String, isRepeated: Bool = false) throws -> Occurrence.Label {
    try #require(Occurrence.Label(text + (isRepeated ? "/2" : "")))
  }

  // MARK: Intervals

  @Test("an interval counts from the publication, and has no occurrence at the publication itself")
  func interval() throws {
    let trigger = try Trigger(.interval(seconds: 60), repeats: true)
    func latest(_ seconds: Int64) -> Occurrence? {
      trigger.latest(through: Sample.time(seconds), published: Self.published, on: .utc)
    }
    #expect(latest(0) == nil)
    #expect(latest(59) == nil)
    #expect(latest(60) == Occurrence(.number(1), at: Sample.time(60)))
    #expect(latest(60 * 1000 + 59) == Occurrence(.number(1000), at: Sample.time(60_000)))
    for seconds: Int64 in [0, 59, 60, 61] {
      let next = trigger.next(after: Sample.time(seconds), published: Self.published, on: .utc)
      let number = seconds / 60 + 1
      #expect(next == Occurrence(.number(number), at: Sample.time(number * 60)))
    }
  }

  @Test("a trigger that does not repeat has one occurrence, before and after it as well")
  func once() throws {
    let trigger = try Trigger(.interval(seconds: 5), repeats: false)
    let only = Occurrence(.number(1), at: Sample.time(5))
    for seconds: Int64 in [0, 4, 5, 6, 1_000_000] {
      let now = Sample.time(seconds)
      let isDue = seconds >= 5
      #expect(
        trigger.latest(through: now, published: Self.published, on: .utc) == (isDue ? only : nil))
      #expect(trigger.next(after: now, published: Self.published, on: .utc) == (isDue ? nil : only))
    }
    let daily = try Trigger(.calendar(CalendarPattern(hour: 9), timeZone: "UTC"), repeats: false)
    let nine = Occurrence(
      try local("2026-11-21T09:00"), at: try time("2026-11-21T09:00:00Z"))
    for later in ["2026-11-21T09:00:00Z", "2026-11-22T10:00:00Z", "2031-01-01T00:00:00Z"] {
      #expect(
        daily.latest(through: try time(later), published: Self.published, on: .utc) == nine)
      #expect(daily.next(after: try time(later), published: Self.published, on: .utc) == nil)
    }
  }

  // MARK: Calendar

  @Test(
    "a component that is not named matches any value, or is the first one if it is finer",
    arguments: [
      (#"{"hour": 9}"#, "2026-11-21T09:00", "2026-11-22T09:00"),
      (#"{"minute": 30}"#, "2026-11-21T06:30", "2026-11-21T07:30"),
      (#"{"hour": 9, "minute": 15}"#, "2026-11-21T09:15", "2026-11-22T09:15"),
      (#"{"weekday": 2, "hour": 9}"#, "2026-11-23T09:00", "2026-11-30T09:00"),
      (#"{"weekday": [6, 2], "hour": 9}"#, "2026-11-23T09:00", "2026-11-27T09:00"),
      (#"{"weekday": 1}"#, "2026-11-22T00:00", "2026-11-29T00:00"),
      (#"{"day": 31}"#, "2026-12-31T00:00", "2027-01-31T00:00"),
      (#"{"day": 29, "month": 2}"#, "2028-02-29T00:00", "2032-02-29T00:00"),
      (#"{"day": 29, "month": 2, "weekday": 1}"#, "2032-02-29T00:00", "2060-02-29T00:00"),
      (#"{"month": 5}"#, "2027-05-01T00:00", "2028-05-01T00:00"),
      (#"{"month": 5, "hour": 8}"#, "2027-05-01T08:00", "2027-05-02T08:00"),
      (#"{"month": 5, "weekday": 2}"#, "2027-05-03T00:00", "2027-05-10T00:00"),
      (#"{"day": 1, "minute": 0}"#, "2026-12-01T00:00", "2026-12-01T01:00"),
      (#"{"year": 2027, "day": 13, "weekday": 6}"#, "2027-08-13T00:00", nil),
      (#"{"year": 2028}"#, "2028-01-01T00:00", nil),
    ])
  func components(pattern: String, first: String, second: String?) throws {
    let trigger = try trigger(#"{"calendar": \#(pattern), "timeZone": "UTC", "repeats": true}"#)
    let next = trigger.next(after: Self.published, published: Self.published, on: .utc)
    let instant = try time(first + ":00Z")
    #expect(next == Occurrence(try local(first), at: instant))
    let after = trigger.next(after: instant, published: Self.published, on: .utc)
    #expect(after?.label.description == second)
    // The same from the other side.
    let before = instant.advanced(by: .milliseconds(-1))
    #expect(trigger.latest(through: before, published: Self.published, on: .utc) == nil)
    #expect(trigger.latest(through: instant, published: Self.published, on: .utc) == next)
    if let second {
      let latest = trigger.latest(
        through: try time(second + ":00Z"), published: Self.published, on: .utc)
      #expect(latest == after)
    }
  }

  @Test("a past year has no occurrence")
  func past() throws {
    let trigger = try Trigger(.calendar(CalendarPattern(year: 2020), timeZone: nil), repeats: true)
    #expect(trigger.next(after: Self.published, published: Self.published, on: .utc) == nil)
    let later = try time("2030-01-01T00:00:00Z")
    #expect(trigger.latest(through: later, published: Self.published, on: .utc) == nil)
  }

  @Test("a device counts in the zone of the trigger, or in its own if there is none")
  func zones() throws {
    let now = try time("2026-11-21T06:30:00Z")
    let nine = try CalendarPattern(hour: 9)
    func next(_ zone: String?) throws -> Occurrence? {
      try Trigger(.calendar(nine, timeZone: zone), repeats: true)
        .next(after: now, published: now, on: Self.berlin)
    }
    let label = try local("2026-11-21T09:00")
    #expect(try next(nil) == Occurrence(label, at: try time("2026-11-21T08:00:00Z")))
    #expect(try next("UTC") == Occurrence(label, at: try time("2026-11-21T09:00:00Z")))
  }

  @Test("a time that clocks skip is due at the first minute after the gap, once")
  func gap() throws {
    let trigger = try Trigger(
      .calendar(CalendarPattern(minute: 30, hour: 2), timeZone: nil), repeats: true)
    let start = try time("2026-03-28T12:00:00Z")
    let first = trigger.next(after: start, published: start, on: Self.berlin)
    #expect(first == Occurrence(try local("2026-03-29T02:30"), at: BerlinZone.summer))
    let second = trigger.next(after: BerlinZone.summer, published: start, on: Self.berlin)
    #expect(second?.label.description == "2026-03-30T02:30")
    #expect(second?.time == (try time("2026-03-30T00:30:00Z")))
  }

  @Test("a time that occurs twice is due once, the first time")
  func repetition() throws {
    let trigger = try Trigger(
      .calendar(CalendarPattern(minute: 30, hour: 2), timeZone: nil), repeats: true)
    let start = try time("2026-10-24T12:00:00Z")
    let first = trigger.next(after: start, published: start, on: Self.berlin)
    #expect(
      first
        == Occurrence(try local("2026-10-25T02:30"), at: try time("2026-10-25T00:30:00Z")))
    let second = trigger.next(
      after: try time("2026-10-25T00:30:00Z"), published: start, on: Self.berlin)
    #expect(second?.label.description == "2026-10-26T02:30")
  }

  @Test("with an open hour, a repeated time is due twice, with two labels, and a skipped one not")
  func openHour() throws {
    let trigger = try Trigger(
      .calendar(CalendarPattern(minute: 30), timeZone: nil), repeats: true)
    func labels(from start: String, count: Int) throws -> [String] {
      let published = try time(start)
      var now = published
      return try (0..<count).map { _ in
        let next = try #require(trigger.next(after: now, published: published, on: Self.berlin))
        now = next.time
        return next.label.description
      }
    }
    #expect(
      try labels(from: "2026-10-24T23:00:00Z", count: 4) == [
        "2026-10-25T01:30", "2026-10-25T02:30", "2026-10-25T02:30/2", "2026-10-25T03:30",
      ])
    #expect(
      try labels(from: "2026-03-29T00:00:00Z", count: 2) == [
        "2026-03-29T01:30", "2026-03-29T03:30",
      ])
  }

  @Test("occurrences are those that a walk through every minute finds", arguments: [1, 2, 3, 4])
  func walk(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<12 {
      let hour = [nil, nil, 0, 1, 2, 3].randomElement(using: &random) ?? nil
      let pattern = try CalendarPattern(
        minute: [hour == nil ? 15 : nil, 0, 30, 59].randomElement(using: &random) ?? nil,
        hour: hour,
        weekdays: [[], [], [1], [1, 7]].randomElement(using: &random) ?? [],
        day: [nil, nil, nil, 25, 29].randomElement(using: &random) ?? nil)
      let trigger = try Trigger(.calendar(pattern, timeZone: nil), repeats: true)
      for change in [BerlinZone.summer, BerlinZone.winter] {
        let start = change.advanced(by: .seconds(-2 * 86_400))
        let due = MinuteWalk(pattern).due(from: start, minutes: 4 * 1440)
        for index in 0..<200 {
          let minutes = Int64.random(in: 0..<(4 * 1440), using: &random)
          let now = start.advanced(by: .seconds(minutes * 60))
          let latest = trigger.latest(through: now, published: start, on: Self.berlin)
          let expected = due.last { $0.time <= now }
          #expect(latest == expected, "seed \(seed), \(pattern), check \(index), at \(now)")
          guard let next = due.first(where: { $0.time > now }) else { continue }
          #expect(
            trigger.next(after: now, published: start, on: Self.berlin) == next,
            "seed \(seed), \(pattern), check \(index), at \(now)")
        }
      }
    }
  }

  // MARK: Input

  private func trigger(_ json: String) throws -> Trigger {
    try JSONDecoder().decode(Trigger.self, from: Data(json.utf8))
  }

  @Test(
    "a trigger that is not valid names the member and the accepted form",
    arguments: [
      (#"{}"#, "", "one of interval, calendar and place"),
      (#"{"interval": 60, "calendar": {"hour": 9}}"#, "", "one of interval, calendar and place"),
      (#"{"interval": 0}"#, "interval", "whole seconds from 1 to 31622400"),
      (#"{"interval": 59, "repeats": true}"#, "interval", "whole seconds from 60 to"),
      (#"{"interval": 60, "timeZone": "UTC"}"#, "timeZone", "no zone without calendar"),
      (#"{"interval": 60, "every": 1}"#, "every", "interval, calendar, timeZone, place, repeats"),
      (#"{"calendar": {}}"#, "calendar", "one or more of minute, hour, weekday"),
      (#"{"calendar": {"second": 5}}"#, "calendar.second", "minute, hour, weekday"),
      (#"{"calendar": {"hour": 24}}"#, "calendar.hour", "a whole number from 0 to 23"),
      (#"{"calendar": {"weekday": 0}}"#, "calendar.weekday", "from 1 to 7"),
      (#"{"calendar": {"weekday": [2, 8]}}"#, "calendar.weekday", "from 1 to 7"),
      (#"{"calendar": {"weekday": []}}"#, "calendar.weekday", "several such as [2, 6]"),
      (#"{"calendar": {"weekday": "monday"}}"#, "calendar.weekday", "from 1 (Sunday) to 7"),
      (#"{"calendar": {"day": 31, "month": 2}}"#, "calendar.day", "a day that the month has"),
      (
        #"{"calendar": {"day": 29, "month": 2, "year": 2027}}"#, "calendar.day",
        "a day that the month has"
      ),
      (
        #"{"calendar": {"day": 1, "month": 1, "year": 2027, "weekday": 1}}"#, "calendar.day",
        "on that weekday"
      ),
    ])
  func refused(json: String, field: String, expectation: String) throws {
    let error = try #require(throws: DecodingError.self) { try trigger(json) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("not an error of the data: \(error)")
      return
    }
    #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == field)
    #expect(context.debugDescription.contains(expectation), "\(context.debugDescription)")
  }

  @Test(
    "a trigger is the same after its way through JSON",
    arguments: [
      #"{"interval":60,"repeats":true}"#,
      #"{"calendar":{"hour":9,"weekday":2},"repeats":true,"timeZone":"Europe/Berlin"}"#,
      #"{"calendar":{"day":29,"hour":7,"minute":5,"month":2,"year":2028},"repeats":false}"#,
    ])
  func coding(json: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(String(decoding: try encoder.encode(trigger(json)), as: UTF8.self) == json)
  }

  @Test(
    "a label is the same after its way through text",
    arguments: ["0", "1", "525600", "2026-11-30T09:00", "2026-10-25T02:30/2"])
  func labels(text: String) throws {
    #expect(try #require(Occurrence.Label(text)).description == text)
  }

  @Test(
    "a text that is not a label is refused",
    arguments: [
      "", "-1", "01", "00", "x", "2026-11-30", "2026-11-30T09:00:00", "2026-11-30T25:00",
      "2026-11-31T09:00", "2026-11-30T09:00/3", "/2",
    ])
  func notLabels(text: String) {
    #expect(Occurrence.Label(text) == nil)
  }
}

/// Occurrences found by looking at the local clock in every minute.
private struct MinuteWalk {
  let pattern: CalendarPattern

  init(_ pattern: CalendarPattern) { self.pattern = pattern }

  /// Returns what is due after `start`, which is a full minute.
  func due(from start: Timestamp, minutes: Int) -> [Occurrence] {
    var found: [Occurrence] = []
    var shown: Set<Int64> = []
    var before = localMinute(at: start)
    shown.insert(before)
    for minute in 1...minutes {
      let now = start.advanced(by: .seconds(Int64(minute) * 60))
      let shows = localMinute(at: now)
      defer { before = shows }
      if pattern.hour == nil, pattern.minute != nil {
        if let time = matching(shows) {
          found.append(
            Occurrence(.wallClock(time, isRepeated: shown.contains(shows)), at: now))
        }
        shown.insert(shows)
        continue
      }
      for skippedOrShown in (min(before + 1, shows)...shows)
      where shown.insert(skippedOrShown).inserted {
        guard let time = matching(skippedOrShown) else { continue }
        found.append(Occurrence(.wallClock(time, isRepeated: false), at: now))
      }
    }
    return found
  }

  private func localMinute(at time: Timestamp) -> Int64 {
    (time.milliseconds / 1000 + Int64(BerlinZone.rules.offsetSeconds(time))) / 60
  }

  /// The local time of a minute, if the pattern has it.
  private func matching(_ minute: Int64) -> CivilTime? {
    let date = CivilDate(daysSince1970: minute / 1440)
    let (hour, inHour) = (Int(minute % 1440) / 60, Int(minute % 60))
    let isTime: Bool
    switch (pattern.hour, pattern.minute) {
    case (nil, nil): isTime = hour == 0 && inHour == 0
    case (let named?, nil): isTime = hour == named && inHour == 0
    case (nil, let named?): isTime = inHour == named
    case (let namedHour?, let named?): isTime = hour == namedHour && inHour == named
    }
    guard isTime, pattern.day.map({ $0 == date.day }) ?? true,
      pattern.weekdays.isEmpty || pattern.weekdays.contains(date.weekday + 1)
    else { return nil }
    return CivilTime(date: date, hour: hour, minute: inHour)
  }
}
