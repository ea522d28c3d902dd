import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopTime

@Suite("Typed times")
struct WhenPhraseTests {
  /// An instant from a local time in Berlin, such as `2026-11-21 14:30:15`.
  private static func instant(_ text: String) -> Timestamp {
    guard let utc = Timestamp(text) else { preconditionFailure("\(text) is not a time") }
    return BerlinZone.rules.instant(of: ZoneRules.utc.local(utc))
  }

  /// A Saturday.
  private static let now = instant("2026-11-21 14:30:15")

  private static func read(
    _ text: String, _ direction: WhenPhrase.Direction = .future, at now: Timestamp = now
  ) -> Result<Timestamp, WhenPhrase.SyntaxError> {
    WhenPhrase(now: now, zone: BerlinZone.rules, direction: direction).instant(text)
  }

  @Test(
    "times in the future are parsed as users mean them",
    arguments: [
      ("2h", "2026-11-21 16:30:15"), ("90 s", "2026-11-21 14:31:45"),
      ("1h30m", "2026-11-21 16:00:15"), ("in 20 min", "2026-11-21 14:50:15"),
      ("an hour", "2026-11-21 15:30:15"), ("2 hours 5 minutes", "2026-11-21 16:35:15"),
      ("in 3 days", "2026-11-24 14:30:15"), ("2d", "2026-11-23 14:30:15"),
      ("1 week", "2026-11-28 14:30:15"), ("in 3 months", "2027-02-21 14:30:15"),
      ("in 2 days at 9:00", "2026-11-23 09:00"),
      ("tomorrow", "2026-11-22 09:00"), ("Tomorrow 7:15", "2026-11-22 07:15"),
      ("tomorrow evening", "2026-11-22 18:00"), ("today", "2026-11-21 18:00"),
      ("today 16:00", "2026-11-21 16:00"), ("this evening", "2026-11-21 18:00"),
      ("tonight", "2026-11-21 20:00"), ("noon", "2026-11-22 12:00"),
      ("midnight", "2026-11-22 00:00"), ("15:00", "2026-11-21 15:00"),
      ("9:00", "2026-11-22 09:00"), ("9am", "2026-11-22 09:00"), ("9:30 pm", "2026-11-21 21:30"),
      ("12am", "2026-11-22 00:00"), ("12pm", "2026-11-22 12:00"), ("at 17", "2026-11-21 17:00"),
      ("fri 9:00", "2026-11-27 09:00"), ("friday", "2026-11-27 09:00"),
      ("sat", "2026-11-28 09:00"), ("next monday", "2026-11-23 09:00"),
      ("next week", "2026-11-23 09:00"), ("weekend", "2026-11-28 09:00"),
      ("mon 9", "2026-11-23 09:00"), ("24 dec 18:00", "2026-12-24 18:00"),
      ("dec 24", "2026-12-24 09:00"), ("24 December 2027", "2027-12-24 09:00"),
      ("24.12. 18:00", "2026-12-24 18:00"), ("1 mar", "2027-03-01 09:00"),
      ("29 feb", "2028-02-29 09:00"), ("2026-12-24", "2026-12-24 09:00"),
      ("2026-12-24 18:00", "2026-12-24 18:00"), ("2026-12-24T18:00:05", "2026-12-24 18:00:05"),
      ("2026-12-24T18:00:00+01:00", "2026-12-24 18:00"),
      ("2026-12-24T17:00:00Z", "2026-12-24 18:00"),
    ])
  func future(phrase: String, wall: String) {
    #expect(Self.read(phrase) == .success(Self.instant(wall)))
  }

  @Test(
    "looking back, the same words mean the last such time",
    arguments: [
      ("2h", "2026-11-21 12:30:15"), ("3 days ago", "2026-11-18 14:30:15"),
      ("yesterday", "2026-11-20 00:00"), ("today", "2026-11-21 00:00"),
      ("yesterday 9:00", "2026-11-20 09:00"), ("fri", "2026-11-20 00:00"),
      ("sat", "2026-11-21 00:00"), ("last sat", "2026-11-14 00:00"),
      ("last week", "2026-11-09 00:00"), ("15:00", "2026-11-20 15:00"),
      ("9:00", "2026-11-21 09:00"), ("24 dec", "2025-12-24 00:00"),
      ("2026-11-01", "2026-11-01 00:00"),
    ])
  func past(phrase: String, wall: String) {
    #expect(Self.read(phrase, .past) == .success(Self.instant(wall)))
  }

  @Test(
    "an invalid time is refused, with the word and its position",
    arguments: [
      ("", 0, "2h, tomorrow"), ("soon", 0, "soon"), ("tomorrow maybe", 9, "maybe"),
      ("fri sat", 4, "second day"), ("9:00 10:00", 5, "second time"), ("30 feb", 0, "calendar"),
      ("25:00", 0, "25:00"), ("13pm", 0, "13"), ("9", 0, "9"), ("yesterday", 0, "in the past"),
      ("3 days ago", 0, "in the past"), ("2026-11-21T10:00:00Z", 0, "in the past"),
      ("in 2h at 9:00", 9, "cannot have a time"), ("500 weeks 500 weeks", 0, "ten years"),
      ("999999999999999999999 h", 0, "99999"), ("next", 0, "next"), ("9:00 ago", 5, "span"),
      ("in 2 days fri", 0, "span"),
    ])
  func refused(phrase: String, offset: Int, part: String) throws {
    guard case .failure(let problem) = Self.read(phrase) else {
      Issue.record("\(phrase) was understood")
      return
    }
    #expect(problem.offset == offset, "\(problem)")
    #expect(problem.description.contains(part), "\(problem)")
  }

  @Test("days keep the time of day across a clock change, hours do not")
  func changeOfClocks() {
    let before = Self.instant("2026-10-24 14:00")
    #expect(Self.read("in 1 day", at: before) == .success(Self.instant("2026-10-25 14:00")))
    #expect(Self.read("24h", at: before) == .success(Self.instant("2026-10-25 13:00")))
    // 02:30 comes twice in this night: the one still to come.
    let between = BerlinZone.winter.advanced(by: .seconds(60))
    #expect(
      Self.read("2:30", at: between) == .success(BerlinZone.winter.advanced(by: .seconds(1800))))
    // In this night it does not exist: as much later as the clocks jump.
    let spring = Self.instant("2026-03-28 20:00")
    #expect(
      Self.read("tomorrow 2:30", at: spring)
        == .success(BerlinZone.summer.advanced(by: .seconds(1800))))
  }

  @Test("a day lasts from its midnight to the next, also one of 25 hours")
  func days() {
    let phrase = WhenPhrase(
      now: Self.instant("2026-10-26 08:00"), zone: BerlinZone.rules, direction: .past)
    guard case .success(let day) = phrase.day("yesterday") else {
      Issue.record("yesterday is not a day")
      return
    }
    #expect(day.lowerBound == Self.instant("2026-10-25 00:00"))
    #expect(day.upperBound == day.lowerBound.advanced(by: .seconds(25 * 3600)))
    #expect(throws: WhenPhrase.SyntaxError.self) { try phrase.day("yesterday 9:00").get() }
  }

  @Test("any text gives a time on the right side of now, or an error with a range inside the text")
  func anything() {
    var random = SeededRandom(seed: 20_261_121)
    let parts = [
      "in", "ago", "at", "next", "last", "fri", "monday", "dec", "3", "24", "2026", "h", "min",
      "days",
      "am", "pm", "9:00", "tomorrow", "week", "months", "-", ".", "24.12.", "t", "é", "😀", ":",
      "99999",
      "2026-12-24", "an", " ",
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...5, using: &random)
      let glue = Bool.random(using: &random) ? " " : ""
      let phrase = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }
        .joined(separator: glue)
      switch Self.read(phrase) {
      case .success(let instant): #expect(instant > Self.now, "\(phrase)")
      case .failure(let problem): #expect((0...phrase.count).contains(problem.offset), "\(phrase)")
      }
    }
  }
}
