import BellhopModel
import BellhopWire
import FoundationEssentials
import Testing

@Suite("App payloads")
struct AppPayloadTests {
  static func settings(_ app: String, _ sequence: Int64) throws -> AppSettings {
    AppSettings(
      app: app, sequence: SequenceNumber(sequence), displayName: "CI \"main\" 日本",
      aliases: ["ci", "builds"], mute: .until(Timestamp(milliseconds: 1_800_000_000_250)),
      permissions: AppPermissions(alert: true, sound: false, badge: true),
      quietHours: QuietHours(
        from: try #require(LocalTime("22:30")), to: try #require(LocalTime("07:00")),
        days: [.sunday, .monday], timeZone: "Europe/Berlin"),
      retentionDays: 30)
  }

  @Test("what the user decides about an app, and its badge, are words and a number")
  func decisions() throws {
    let settings = AppSettings(
      app: "a", sequence: SequenceNumber(3), authorization: .notDetermined, whenFocused: .ring,
      badge: 7)
    let bytes = try WireJSON.encode(settings, sortingKeys: true)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"aliases":[],"authorization":"notDetermined","badge":7,"mute":"off","#
        + #""permissions":{"alert":true,"badge":true,"sound":true},"sequence":3,"#
        + #""targetHostName":"a","whenFocused":"ring"}"#)
    #expect(try WireJSON.decode(AppSettings.self, from: bytes) == settings)
    let later =
      #"{"targetHostName":"a","sequence":3,"authorization":"ephemeral","whenFocused":"x","#
      + #""repeats":"x","resolutions":"x"}"#
    #expect(
      try WireJSON.decode(AppSettings.self, from: Array(later.utf8))
        == AppSettings(app: "a", sequence: SequenceNumber(3)))
  }

  @Test("settings have the documented form")
  func form() throws {
    let payload = AppPayload(
      settings: try Self.settings("ci.example.com", 12),
      usage: .init(items: 3, deletedItems: 1, bytes: 412))
    let bytes = try WireJSON.encode(payload, sortingKeys: true)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"@odata.etag":"\"12\"","aliases":["ci","builds"],"displayName":"CI \"main\" 日本","#
        + #""mute":"until","mutedUntilDateTime":"2027-01-15T08:00:00.250Z","#
        + #""permissions":{"alert":true,"badge":true,"sound":false},"quietHours":{"days":"#
        + #"["monday","sunday"],"from":"22:30","timeZone":"Europe/Berlin","to":"07:00"},"#
        + #""retentionDays":30,"sequence":12,"targetHostName":"ci.example.com","#
        + #""usage":{"bytes":412,"deletedItems":1,"items":3}}"#)
    #expect(try WireJSON.decode(AppPayload.self, from: bytes) == payload)
  }

  @Test("settings that an older store does not have get their defaults")
  func defaults() throws {
    let text = #"{"targetHostName":"a","sequence":3,"somethingNew":{"a":1}}"#
    #expect(
      try WireJSON.decode(AppSettings.self, from: Array(text.utf8))
        == AppSettings(app: "a", sequence: SequenceNumber(3)))
  }

  @Test(
    "a change contains what it sets, what it clears and nothing else",
    arguments: [
      (#"{}"#, AppSettingsChange()),
      (#"{"displayName":null,"quietHours":null,"timeZone":null,"retentionDays":null}"#, cleared),
      (#"{"displayName":"x","permissions":{"sound":false}}"#, partial),
      (#"{"mute":"forever","unknown":1}"#, muted(.forever)),
      (#"{"mute":"off"}"#, muted(.off)),
      (#"{"authorization":"denied","whenFocused":"line","timeZone":"Asia/Tokyo"}"#, decided),
      (
        #"{"repeats":"collapse","repeatsIgnoreNumbers":true,"resolutions":"publish"}"#,
        collapsing
      ),
      (
        #"{"mutedUntilDateTime":"2027-01-15T08:00:00Z"}"#,
        muted(.until(Timestamp(seconds: 1_800_000_000)))
      ),
    ])
  func changes(text: String, change: AppSettingsChange) throws {
    let decoded = try WireJSON.decode(AppSettingsChange.self, from: Array(text.utf8))
    #expect(decoded == change)
    #expect(
      try WireJSON.decode(AppSettingsChange.self, from: WireJSON.encode(change)) == change)
  }

  private static var cleared: AppSettingsChange {
    var change = AppSettingsChange()
    change.displayName = .clear
    change.quietHours = .clear
    change.timeZone = .clear
    change.retentionDays = .clear
    return change
  }

  private static var partial: AppSettingsChange {
    var change = AppSettingsChange()
    change.displayName = .set("x")
    change.sound = false
    return change
  }

  private static var decided: AppSettingsChange {
    var change = AppSettingsChange()
    change.authorization = .denied
    change.whenFocused = .line
    change.timeZone = .set("Asia/Tokyo")
    return change
  }

  private static var collapsing: AppSettingsChange {
    var change = AppSettingsChange()
    change.repeats = .collapse
    change.repeatsIgnoreNumbers = true
    change.resolutions = .publish
    return change
  }

  private static func muted(_ mute: Mute) -> AppSettingsChange {
    var change = AppSettingsChange()
    change.mute = mute
    return change
  }

  @Test(
    "an invalid change names its field",
    arguments: [
      (#"{"mute":"until"}"#, "mutedUntilDateTime"),
      (#"{"mute":"off","mutedUntilDateTime":"2027-01-15T08:00:00Z"}"#, "mutedUntilDateTime"),
      (#"{"mute":"loud"}"#, "mute"), (#"{"authorization":"yes"}"#, "authorization"),
      (#"{"whenFocused":"shout"}"#, "whenFocused"),
      (#"{"quietHours":{"from":"24:00","to":"07:00"}}"#, "quietHours.from"),
      (#"{"quietHours":{"from":"9:00","to":"10:00"}}"#, "quietHours.from"),
      (#"{"quietHours":{"from":"09:00"}}"#, "quietHours.to"),
      (#"{"quietHours":{"from":"09:00","to":"10:00","days":["someday"]}}"#, "quietHours.days[0]"),
      (#"{"retentionDays":"7"}"#, "retentionDays"), (#"{"repeats":"never"}"#, "repeats"),
      (#"{"resolutions":1}"#, "resolutions"),
      (#"{"permissions":{"sound":1}}"#, "permissions.sound"),
    ])
  func wrongChanges(text: String, field: String) {
    let error = #expect(throws: WireError.self) {
      try WireJSON.decode(AppSettingsChange.self, from: Array(text.utf8))
    }
    guard case .invalid(field, _)? = error else {
      Issue.record("\(error as Any) instead of \(field)")
      return
    }
  }

  @Test("quiet hours over midnight belong to the day on which they begin")
  func quietHours() throws {
    func time(_ text: String) throws -> LocalTime { try #require(LocalTime(text)) }
    let night = QuietHours(from: try time("22:00"), to: try time("07:00"), days: [.friday])
    #expect(night.contain(try time("22:00"), on: .friday))
    #expect(night.contain(try time("06:59"), on: .saturday))
    #expect(!night.contain(try time("07:00"), on: .saturday))
    #expect(!night.contain(try time("22:00"), on: .saturday))
    #expect(!night.contain(try time("06:59"), on: .friday))
    let noon = QuietHours(from: try time("12:00"), to: try time("13:00"), days: [.monday])
    #expect(noon.contain(try time("12:59"), on: .monday))
    #expect(!noon.contain(try time("13:00"), on: .monday))
    #expect(!noon.contain(try time("12:30"), on: .tuesday))
  }

  @Test("names of days work, and the day before Monday is Sunday")
  func weekdays() {
    var day = Weekday.monday
    for _ in 0..<7 { day = day.before }
    #expect(day == .monday)
    #expect(Set(Weekday.allCases.map(\.before)).count == 7)
  }
}
