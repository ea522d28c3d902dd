import BellhopModel
import Foundation
import Testing

@Suite("Times")
struct TimestampTests {
  @Test(
    "times in Graph's, RFC 3339's and ISO 8601's forms are parsed",
    arguments: [
      ("1970-01-01T00:00:00Z", 0),
      ("2026-11-21T06:12:04Z", 1_795_241_524_000),
      ("2026-11-21T06:12:04.25Z", 1_795_241_524_250),
      ("2026-11-21T06:12:04.2509999Z", 1_795_241_524_250),
      ("2026-11-21T07:12:04+01:00", 1_795_241_524_000),
      ("2026-11-21T00:12:04-0600", 1_795_241_524_000),
      ("2026-11-21T06:12", 1_795_241_520_000),
      ("2024-02-29T12:00:00z", 1_709_208_000_000),
    ] as [(String, Int64)])
  func reads(text: String, milliseconds: Int64) {
    #expect(Timestamp(text)?.milliseconds == milliseconds)
  }

  @Test(
    "an invalid time is refused",
    arguments: [
      "", "now", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-11-21",
      "2026-11-21T24:00:00Z",
      "2026-11-21T06:12:04.Z", "2026-11-21T06:12:04Zx", "1969-12-31T23:59:59Z", "20261121T061204Z",
      "2026-11-21T06:12:04+25:00",
    ])
  func refuses(_ text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test("a time written and read again is the same, and agrees with Foundation")
  func roundTrip() throws {
    var random = SystemRandomNumberGenerator()
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for _ in 0..<2000 {
      let milliseconds = Int64.random(in: 0...253_402_300_799_999, using: &random)
      let time = Timestamp(milliseconds: milliseconds)
      #expect(Timestamp(time.description) == time, "\(milliseconds)")
      let date = Date(timeIntervalSince1970: Double(milliseconds / 1000))
      let whole = Timestamp(seconds: milliseconds / 1000)
      #expect(whole.description == date.formatted(style), "\(milliseconds)")
    }
  }

  @Test("weekdays match the calendar")
  func weekdays() {
    #expect(CivilDate(year: 2026, month: 11, day: 21).weekday == 6)
    #expect(CivilDate(year: 1970, month: 1, day: 1).weekday == 4)
    #expect(CivilDate(daysSince1970: -1) == CivilDate(year: 1969, month: 12, day: 31))
  }
}

@Suite("IDs")
struct UniqueIDTests {
  @Test("an id's text and bytes are read back as the same id")
  func roundTrip() {
    let id: NotificationID = .version7(
      at: Timestamp(milliseconds: 0x0123_4567_89ab), random: (0xfff, .max))
    #expect(id.description == "01234567-89ab-7fff-bfff-ffffffffffff")
    #expect(NotificationID(id.description) == id)
    #expect(NotificationID(id.description.uppercased()) == id)
    #expect(NotificationID(bytes: id.bytes) == id)
    #expect(NotificationID(bytes: id.bytes.dropLast()) == nil)
  }

  @Test(
    "an invalid UUID is refused",
    arguments: [
      "", "0123", "01234567-89ab-7fff-bfff-fffffffffffg",
      "0123456789ab7fffbfffffffffffffff", "01234567-89ab-7fff-bfff-fffffffffffff",
    ])
  func refuses(_ text: String) {
    #expect(NotificationID(text) == nil)
  }

  @Test(
    "ids strictly increase: within a millisecond, past 4,096 of them, and when the clock steps back"
  )
  func rising() {
    var source = UniqueIDSource(random: { 42 })
    var last: NotificationID?
    for step in 0..<10_000 {
      let time = Timestamp(milliseconds: step < 5_000 ? 1_000_000 : 999_000)
      let id: NotificationID = source.next(at: time)
      if let last { #expect(id > last) }
      last = id
    }
  }
}
