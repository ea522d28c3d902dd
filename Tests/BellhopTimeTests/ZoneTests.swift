import BellhopModel
import BellhopTestSupport
import Testing

@testable import BellhopTime

@Suite("Wall-clock time")
struct ZoneTests {
  @Test("a local time that clocks skip has no instant, and one that they repeat has two")
  func transitions() {
    let skipped = CivilTime(
      date: CivilDate(year: 2026, month: 3, day: 29), hour: 2, minute: 30)
    #expect(BerlinZone.rules.instants(of: skipped).isEmpty)
    #expect(BerlinZone.rules.instant(of: skipped) == BerlinZone.summer.advanced(by: .seconds(1800)))
    let repeated = CivilTime(
      date: CivilDate(year: 2026, month: 10, day: 25), hour: 2, minute: 30)
    #expect(BerlinZone.rules.instants(of: repeated).count == 2)
  }

  @Test("an instant is written as wall-clock time, with the name of its zone")
  func text() {
    #expect(BerlinZone.rules.text(BerlinZone.summer) == "2026-03-29 03:00 CEST")
    #expect(ZoneRules.utc.text(BerlinZone.winter) == "2026-10-25 01:00 UTC")
  }

  @Test("the machine knows zones by their names, and their clock changes")
  func system() {
    let clock = SystemZone.wallClock
    for (time, offset) in [
      (BerlinZone.summer.advanced(by: .seconds(-1)), 3600), (BerlinZone.summer, 7200),
      (BerlinZone.winter.advanced(by: .seconds(-1)), 7200), (BerlinZone.winter, 3600),
    ] {
      #expect(clock.offsetSeconds(time, "Europe/Berlin") == offset)
      #expect(clock.offsetSeconds(time, "UTC") == 0)
      #expect(clock.offsetSeconds(time, nil) == SystemZone.rules.offsetSeconds(time))
    }
    #expect(clock.offsetSeconds(BerlinZone.summer, "Mars/Olympus") == nil)
  }
}
