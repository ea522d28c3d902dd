import BellhopModel
import Testing

@testable import BellhopClient

@Suite("The clock of this machine")
struct SystemClockTests {
  @Test("this machine knows other time zones, with their summer time")
  func zones() throws {
    let clock = SystemClock.wallClock
    let winter = try #require(Timestamp("2026-11-21T06:00:00Z"))
    let summer = try #require(Timestamp("2026-07-01T12:00:00Z"))
    #expect(clock.offsetSeconds(summer, "Europe/Berlin") == 7200)
    #expect(clock.offsetSeconds(winter, "Europe/Berlin") == 3600)
    #expect(clock.offsetSeconds(winter, "Asia/Kolkata") == 19_800)
    #expect(clock.offsetSeconds(winter, "Mars/Olympus") == nil)
    #expect(clock.offsetSeconds(winter, nil) == SystemClock.zone(at: winter).offsetSeconds)
  }
}
