import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Times")
struct TimeTests {
  @Test("tomorrow at nine is wall-clock nine, also across a clock change")
  func snoozeOverChange() {
    let evening = BerlinZone.winter.advanced(by: .seconds(-6 * 3600))
    let choices = SnoozeChoice.choices(now: evening, zone: BerlinZone.rules, expires: nil)
    let tomorrow = choices.first { $0.title == "tomorrow" }
    #expect(tomorrow.map { BerlinZone.rules.local($0.until).hour } == 9)
    #expect(choices.allSatisfy { $0.until > evening })
  }

  @Test("ages are shorter the more recent they are")
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

  @Test("the next wake-up is at least a whole minute away, and absent with nothing to age")
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

  @Test("an open item's age keeps counting, also where the lists are hidden")
  func openItem() throws {
    var desk = InboxDesk(width: 80, height: 24)
    desk.start()
    desk.arrive("one")
    desk.press("Enter")
    #expect(desk.state.layout.lists.isEmpty && desk.frame.glyphs.contains("just now"))
    #expect(desk.state.nextWake == desk.now.advanced(by: .seconds(60)))
    desk.wait(.seconds(60))
    #expect(desk.frame.glyphs.contains("1 minute ago"))
  }
}
