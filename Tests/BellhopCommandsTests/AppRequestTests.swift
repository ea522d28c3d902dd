import BellhopClient
import BellhopModel
import Testing

@testable import BellhopCommands

@Suite("Requests to change an app")
struct AppRequestTests {
  private static let now = Timestamp("2026-11-21T06:00:00Z") ?? .distantPast

  private static func request(_ adjust: (inout AppRequest) -> Void) -> AppRequest {
    var request = AppRequest()
    adjust(&request)
    return request
  }

  @Test("everything that can be set is understood")
  func everything() throws {
    let change = try Self.request {
      $0.name = "Back-ups"
      $0.aliases = ["backup", "nightly_1"]
      $0.mute = "2h"
      $0.alert = false
      $0.sound = true
      $0.badge = false
      $0.authorization = .provisional
      $0.whenFocused = .ring
      $0.repeats = .collapse
      $0.ignoresNumbers = true
      $0.resolutions = .publish
      $0.quiet = "22:00-07:00"
      $0.quietDays = "Mon,tuesday,sun"
      $0.timeZone = "Europe/Berlin"
      $0.retention = "2w"
    }.change(now: Self.now)
    #expect(change.displayName == .set("Back-ups"))
    #expect(change.aliases == ["backup", "nightly_1"])
    #expect(change.mute == .until(Self.now.advanced(by: .seconds(7200))))
    #expect(change.alert == false && change.sound == true && change.badge == false)
    #expect(change.authorization == .provisional && change.whenFocused == .ring)
    #expect(
      change.quietHours
        == .set(
          QuietHours(
            from: try #require(LocalTime("22:00")), to: try #require(LocalTime("07:00")),
            days: [.monday, .tuesday, .sunday], timeZone: "Europe/Berlin")))
    #expect(change.retentionDays == .set(14))
    #expect(change.repeats == .collapse && change.repeatsIgnoreNumbers == true)
    #expect(change.resolutions == .publish)
  }

  @Test("everything that can be removed is removed")
  func clearing() throws {
    let change = try Self.request {
      $0.name = ""
      $0.aliases = []
      $0.mute = "off"
      $0.quiet = "off"
      $0.retention = "default"
    }.change(now: Self.now)
    #expect(change.displayName == .clear && change.quietHours == .clear)
    #expect(change.retentionDays == .clear && change.mute == .off && change.aliases == [])
    #expect(change.alert == nil && change.sound == nil && change.badge == nil)
  }

  @Test(
    "a mute ends after a span, at a time, or never",
    arguments: [
      ("forever", Mute.forever), ("30m", .until(now.advanced(by: .seconds(1800)))),
      ("until 2026-11-22T06:00:00Z", .until(now.advanced(by: .seconds(86_400)))),
      ("2026-11-22T06:00:00Z", .until(now.advanced(by: .seconds(86_400)))),
    ])
  func mutes(text: String, mute: Mute) throws {
    #expect(try Self.request { $0.mute = text }.change(now: Self.now).mute == mute)
  }

  @Test(
    "an invalid value is refused with the accepted forms",
    arguments: [
      (request { _ in }, "No setting was given"), (request { $0.name = "  " }, "--name"),
      (request { $0.name = String(repeating: "x", count: 257) }, "--name"),
      (request { $0.aliases = ["a.b"] }, "\"a.b\" is not a valid --alias"),
      (request { $0.aliases = ["me"] }, "--alias"),
      (request { $0.mute = "soon" }, "--mute soon"),
      (request { $0.mute = "2026-11-20T06:00:00Z" }, "is in the past"),
      (request { $0.quiet = "22-7" }, "\"22-7\" is not a valid --quiet."),
      (request { $0.quiet = "08:00-08:00" }, "--quiet"),
      (request { $0.quietDays = "mon" }, "--quiet"),
      (
        request {
          $0.quiet = "08:00-09:00"
          $0.quietDays = "mo"
        }, "\"mo\" is not a valid --quiet-days"
      ),
      (
        request {
          $0.quiet = "08:00-09:00"
          $0.timeZone = "Mars/Olympus"
        }, "\"Mars/Olympus\" is not a valid --time-zone"
      ),
      (request { $0.retention = "36h" }, "\"36h\" is not a valid --retention."),
      (request { $0.retention = "always" }, "\"always\" is not a valid --retention."),
    ])
  func mistakes(request: AppRequest, words: String) {
    let error = #expect(throws: ClientError.self) { try request.change(now: Self.now) }
    #expect(error?.exitCode == .usage)
    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
  }
}
