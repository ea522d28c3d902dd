import BellhopModel
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Times")
struct TimeTests {
  /// Clocks go forward at 2026-03-29 01:00 UTC and back at 2026-10-25 01:00 UTC.
  static let berlin = ZoneRules(
    offsetSeconds: { $0 >= summer && $0 < winter ? 7200 : 3600 },
    abbreviation: { $0 >= summer && $0 < winter ? "CEST" : "CET" })
  static let summer = Timestamp(seconds: 1_774_746_000)
  static let winter = Timestamp(seconds: 1_792_890_000)

  @Test("a local time that clocks skip has no instant, one they repeat has two")
  func transitions() {
    let skipped = LocalTime(
      date: CivilDate(year: 2026, month: 3, day: 29), hour: 2, minute: 30)
    #expect(Self.berlin.instants(of: skipped).isEmpty)
    #expect(Self.berlin.instant(of: skipped) == Self.summer.advanced(by: .seconds(1800)))
    let repeated = LocalTime(
      date: CivilDate(year: 2026, month: 10, day: 25), hour: 2, minute: 30)
    #expect(Self.berlin.instants(of: repeated).count == 2)
  }

  @Test("tomorrow at nine is nine by the wall, also over a change of clocks")
  func snoozeOverChange() {
    let evening = Self.winter.advanced(by: .seconds(-6 * 3600))
    let choices = SnoozeChoice.choices(now: evening, zone: Self.berlin, expires: nil)
    let tomorrow = choices.first { $0.title == "tomorrow" }
    #expect(tomorrow.map { Self.berlin.local($0.until).hour } == 9)
    #expect(choices.allSatisfy { $0.until > evening })
  }

  @Test("ages are written the shorter the nearer")
  func ages() {
    let now = InboxDesk.morning
    let text = TimeText(zone: InboxDesk.cet, now: now)
    let ages: [(Int64, SafeText)] = [
      (10, "now"), (125, "2m"), (5 * 3600 + 1, "5h"), (2 * 86_400, "Thu"), (9 * 86_400, "12 Nov"),
      (374 * 86_400, "2025-11-12"),
    ]
    for (seconds, expected) in ages {
      #expect(text.age(now.advanced(by: .seconds(-seconds))) == expected)
    }
    #expect(text.full(now) == "Sat 21 Nov 06:14 CET")
  }

  @Test("the next wake-up is a whole minute away at least, and absent with nothing to age")
  func wake() throws {
    var desk = InboxDesk(width: 80, height: 24)
    desk.start()
    #expect(desk.state.nextWake == nil)
    desk.arrive("one")
    let wake = try #require(desk.state.nextWake)
    #expect(wake == desk.now.advanced(by: .seconds(60)))
    desk.wait(.seconds(7200))
    #expect(try #require(desk.state.nextWake) > desk.now.advanced(by: .seconds(60 * 50)))
  }
}
