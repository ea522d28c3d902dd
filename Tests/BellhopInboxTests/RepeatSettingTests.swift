import BellhopModel
import Testing

@testable import BellhopInbox

@Suite("The settings for repeats")
struct RepeatSettingTests {
  @Test("a setting goes through all of its values, and each change can be taken back")
  func cycles() {
    var settings = AppSettings(app: "nas")
    var keys: [RepeatKey?] = []
    for setting in [AppSetting.repeats, .repeats, .repeats, .resolutions, .resolutions] {
      let before = settings
      let change = setting.toggled(before)
      settings = change.applied(to: before)
      keys.append(settings.repeatKey)
      #expect(settings != before)
      #expect(change.values(of: before).applied(to: settings) == before)
    }
    #expect(keys == [.exact, .ignoringNumbers, nil, nil, nil])
    #expect(settings == AppSettings(app: "nas"))
  }
}
