import BellhopClient
import BellhopModel
import Testing

@testable import BellhopCommands

@Suite("bellhop dnd")
struct AttentionRequestTests {
  private static let now = Timestamp(seconds: 1_790_000_000)

  private func change(_ adjust: (inout AttentionRequest) -> Void) throws -> AppSettingsChange {
    var request = AttentionRequest()
    adjust(&request)
    #expect(request.setsSomething)
    return try request.change(now: Self.now)
  }

  @Test("dnd is on, off, for a span, until a time, or in quiet hours")
  func said() throws {
    #expect(try change { $0.isOn = true }.mute == .forever)
    #expect(try change { $0.isOn = false }.mute == .off)
    let end = Self.now.advanced(by: .seconds(7200))
    #expect(try change { $0.span = "2h" }.mute == .until(end))
    #expect(try change { $0.until = end.description }.mute == .until(end))
    let hours = try change {
      $0.quiet = "22:00-07:00"
      $0.quietDays = "sun,mon"
    }
    #expect(hours.mute == nil && hours.quietHours?.value?.days == [.sunday, .monday])
    #expect(try change { $0.quiet = "off" }.quietHours == .clear)
    #expect(!AttentionRequest().setsSomething)
  }

  @Test("contradictory options are refused")
  func refused() {
    for adjust in [
      {
        $0.isOn = false
        $0.span = "2h"
      },
      {
        $0.span = "2h"
        $0.until = "tomorrow"
      },
      { $0.span = "tomorrow" }, { $0.until = "whenever" }, { $0.quiet = "22-7" },
    ] as [(inout AttentionRequest) -> Void] {
      let error = #expect(throws: ClientError.self) { try change(adjust) }
      #expect(error?.exitCode == .usage)
    }
  }
}
