import BellhopModel
import Testing

@Suite("Do not disturb")
struct SilenceTests {
  private static let start = Timestamp(seconds: 1_790_000_000)

  @Test("do not disturb lasts until its end, and reports that end")
  func doNotDisturb() {
    var settings = AppSettings(app: AppSettings.everyApp)
    #expect(settings.areOfEveryApp)
    #expect(settings.silence(at: Self.start, on: .utc) == .none)
    let end = Self.start.advanced(by: .seconds(60))
    settings.mute = .until(end)
    #expect(settings.silence(at: Self.start, on: .utc) == .doNotDisturb(until: end))
    #expect(settings.silence(at: end, on: .utc) == .none)
    settings.mute = .forever
    #expect(settings.silence(at: end, on: .utc) == .doNotDisturb(until: nil))
  }

  @Test("quiet hours over midnight follow wall-clock time, also when clocks are put back")
  func quietHours() throws {
    let to = try #require(LocalTime("02:30"))
    let hours = QuietHours(from: try #require(LocalTime("22:00")), to: to)
    let settings = AppSettings(app: AppSettings.everyApp, quietHours: hours)
    let change = try #require(Timestamp("2026-10-25T01:00:00Z"))
    let berlin = WallClock { instant, _ in instant < change ? 7200 : 3600 }
    func silence(_ text: String) throws -> Silence {
      settings.silence(at: try #require(Timestamp(text)), on: berlin)
    }
    #expect(try silence("2026-10-24T19:59:59Z") == .none)
    #expect(try silence("2026-10-24T20:00:00Z") == .quietHours(to: to))
    #expect(try silence("2026-10-25T00:29:59Z") == .quietHours(to: to))
    #expect(try silence("2026-10-25T00:30:00Z") == .none, "02:30 in summer time")
    #expect(try silence("2026-10-25T01:29:59Z") == .quietHours(to: to), "02:29 once more")
    #expect(try silence("2026-10-25T01:30:00Z") == .none)
  }

  @Test("the settings for all apps have mute and quiet hours, nothing else")
  func fits() {
    var change = AppSettingsChange()
    change.mute = .forever
    change.quietHours = .clear
    #expect(change.fitsEveryApp)
    change.sound = false
    #expect(!change.fitsEveryApp)
  }
}
