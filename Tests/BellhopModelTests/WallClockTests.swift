import BellhopModel
import Testing

@Suite("Quiet hours")
struct WallClockTests {
  /// Berlin in 2026: summer time from 29 March 01:00 UTC to 25 October 01:00 UTC.
  ///
  /// Every other zone is unknown, and the device itself is in UTC.
  private static let clock = WallClock { instant, zone in
    guard let zone else { return 0 }
    guard zone == "Europe/Berlin", let begin = Timestamp("2026-03-29T01:00:00Z"),
      let end = Timestamp("2026-10-25T01:00:00Z")
    else { return nil }
    return (begin..<end).contains(instant) ? 7200 : 3600
  }

  private func hours(
    _ from: String, _ to: String, days: Set<Weekday> = Set(Weekday.allCases),
    zone: String? = "Europe/Berlin"
  ) throws -> QuietHours {
    QuietHours(
      from: try #require(LocalTime(from)), to: try #require(LocalTime(to)), days: days,
      timeZone: zone)
  }

  private func hold(_ hours: QuietHours, at instant: String) throws -> Bool {
    hours.hold(at: try #require(Timestamp(instant)), on: Self.clock)
  }

  @Test(
    "the day and the time are those of the zone",
    arguments: [
      ("1970-01-01T00:00:00Z", Weekday.thursday, "00:00"),
      ("2026-11-21T23:30:00Z", .saturday, "23:30"),
      ("2026-11-22T00:00:00Z", .sunday, "00:00"),
    ])
  func readings(instant: String, day: Weekday, time: String) throws {
    let reading = Self.clock.reading(at: try #require(Timestamp(instant)))
    #expect(reading.day == day)
    #expect(reading.time.description == time)
    let hourLater = Self.clock.reading(
      at: try #require(Timestamp(instant)), in: "Europe/Berlin")
    #expect((hourLater.time.minutes - reading.time.minutes + 1440) % 1440 == 60)
  }

  @Test("hours over midnight last into the next day, whether or not that day is included")
  func overMidnight() throws {
    let friday = try hours("22:00", "07:00", days: [.friday])
    #expect(try !hold(friday, at: "2026-11-20T20:59:59Z"))
    #expect(try hold(friday, at: "2026-11-20T21:00:00Z"))
    #expect(try hold(friday, at: "2026-11-20T23:00:00Z"), "midnight in Berlin")
    #expect(try hold(friday, at: "2026-11-21T05:59:59Z"))
    #expect(try !hold(friday, at: "2026-11-21T06:00:00Z"))
    #expect(try !hold(friday, at: "2026-11-21T21:00:00Z"), "Saturday evening")
    #expect(try !hold(friday, at: "2026-11-20T05:00:00Z"), "Friday morning belongs to Thursday")
  }

  @Test("when clocks change, the hours end at wall-clock time")
  func changesOfClocks() throws {
    let night = try hours("22:00", "07:00")
    // 29 March: from 22:00 CET to 07:00 CEST are eight hours.
    #expect(try hold(night, at: "2026-03-28T21:00:00Z"))
    #expect(try hold(night, at: "2026-03-29T04:59:59Z"))
    #expect(try !hold(night, at: "2026-03-29T05:00:00Z"))
    // 25 October: from 22:00 CEST to 07:00 CET are ten.
    #expect(try hold(night, at: "2026-10-24T20:00:00Z"))
    #expect(try hold(night, at: "2026-10-25T05:59:59Z"))
    #expect(try !hold(night, at: "2026-10-25T06:00:00Z"))
    // 02:30 does not exist in March, and comes twice in October.
    let half = try hours("02:15", "02:45")
    #expect(try !hold(half, at: "2026-03-29T00:59:59Z"))
    #expect(try !hold(half, at: "2026-03-29T01:00:00Z"))
    #expect(try hold(half, at: "2026-10-25T00:30:00Z"))
    #expect(try !hold(half, at: "2026-10-25T00:50:00Z"))
    #expect(try hold(half, at: "2026-10-25T01:30:00Z"))
  }

  @Test("without a zone, or with an unknown one, they use the device's own")
  func ownZone() throws {
    for zone in [nil, "Mars/Olympus"] {
      let noon = try hours("12:00", "13:00", zone: zone)
      #expect(try hold(noon, at: "2026-06-01T12:30:00Z"))
      #expect(try !hold(noon, at: "2026-06-01T10:30:00Z"))
    }
  }

  @Test("a muted app and one in quiet hours show and sound nothing, and still count")
  func announcements() throws {
    let noon = try #require(Timestamp("2026-06-01T12:30:00Z"))
    var settings = AppSettings(app: "ci")
    func granted() -> AppPermissions { settings.announcement(at: noon, on: Self.clock) }
    #expect(granted() == AppPermissions())
    settings.permissions.sound = false
    #expect(granted() == AppPermissions(sound: false))
    settings.quietHours = try hours("12:00", "13:00", zone: nil)
    #expect(granted() == AppPermissions(alert: false, sound: false))
    settings.quietHours = nil
    settings.mute = .until(noon)
    #expect(granted() == AppPermissions(sound: false))
    settings.mute = .until(noon.advanced(by: .seconds(1)))
    settings.permissions.badge = false
    #expect(granted() == AppPermissions(alert: false, sound: false, badge: false))
  }

  @Test("an app that is not authorized shows and sounds nothing, and does not count")
  func authorization() throws {
    let noon = try #require(Timestamp("2026-06-01T12:30:00Z"))
    for authorization in AppAuthorization.allCases where authorization != .authorized {
      let settings = AppSettings(app: "ci", authorization: authorization, badge: 3)
      #expect(settings.announcement(at: noon, on: Self.clock) == .none)
      #expect(settings.badgeShare == 0)
    }
    #expect(AppSettings(app: "ci").badgeShare == nil)
    #expect(AppSettings(app: "ci", badge: 3).badgeShare == 3)
    let silent = AppPermissions(badge: false)
    #expect(AppSettings(app: "ci", permissions: silent, badge: 3).badgeShare == 0)
  }
}
