import BellhopModel
import Foundation
import Testing

@Suite("Places and their crossings")
struct PlaceTests {
  private static let (laptop, desktop) = (DeviceID("laptop"), DeviceID("desktop"))

  private static func item(
    _ direction: PlaceCrossing.Direction = .entry, repeats: Bool = true, crossed: Int64? = nil
  ) throws -> UserNotification {
    var item = Sample.item(
      Content(
        app: "notes", visual: VisualContent(title: "Ask Ann"),
        trigger: try Trigger(.place(PlaceCrossing(direction, of: "office")), repeats: repeats)))
    item.state.crossed = crossed.map(Sample.time)
    return item
  }

  /// The changes of a device that reports where it is.
  private static func report(
    _ isInside: Bool, at seconds: Int64, isCrossing: Bool = true
  ) -> [String: PlaceChange] {
    [
      "office": .report(
        PlaceReport(isInside: isInside, at: Sample.time(seconds), isCrossing: isCrossing))
    ]
  }

  /// Applies a report, and returns the direction of the crossing.
  private static func cross(
    _ device: DeviceID, _ isInside: Bool, at seconds: Int64, sent: Int64? = nil,
    _ places: inout [String: Place]
  ) -> PlaceCrossing.Direction? {
    let (after, crossings) = report(isInside, at: seconds)
      .applied(to: places, by: (device, Sample.time(sent ?? seconds)))
    places = after
    return crossings.keys.first?.direction
  }

  @Test("the first device that arrives and the last one that leaves cross the boundary")
  func crossings() {
    var places = ["office": Place()]
    #expect(Self.cross(Self.laptop, true, at: 10, &places) == .entry)
    #expect(Self.cross(Self.laptop, true, at: 20, &places) == nil)
    #expect(Self.cross(Self.desktop, true, at: 30, &places) == nil)
    #expect(places["office"]?.present(at: Sample.time(40)) == [Self.desktop, Self.laptop])
    #expect(Self.cross(Self.laptop, false, at: 50, &places) == nil)
    #expect(Self.cross(Self.laptop, false, at: 55, &places) == nil)
    #expect(Self.cross(Self.desktop, false, at: 60, &places) == .exit)
    #expect(places["office"] == Place())
    #expect(Self.cross(Self.desktop, true, at: 70, &places) == .entry)
  }

  @Test("a device that has been silent for twelve hours has left, without a crossing")
  func silent() {
    var places = ["office": Place()]
    #expect(Self.cross(Self.laptop, true, at: 0, &places) == .entry)
    #expect(Self.cross(Self.laptop, true, at: 3600, &places) == nil)
    let end: Int64 = 3600 + 12 * 3600
    #expect(places["office"]?.present(at: Sample.time(end - 1)) == [Self.laptop])
    #expect(places["office"]?.present(at: Sample.time(end)) == [])
    #expect(Self.cross(Self.desktop, false, at: end, &places) == nil)
    #expect(Self.cross(Self.desktop, true, at: end, &places) == .entry)
    // It was there, but its report no longer counts.
    #expect(Self.cross(Self.laptop, false, at: end + 1, &places) == nil)
    #expect(places["office"]?.present(at: Sample.time(end + 1)) == [Self.desktop])
  }

  @Test("a report without a device, or on an unknown place, changes nothing")
  func unknown() {
    let places = ["home": Place()]
    let report = Self.report(true, at: 0)
    #expect(report.applied(to: places, by: (Self.laptop, Sample.time(0))).places == places)
    #expect(report.applied(to: ["office": Place()], by: nil).places == ["office": Place()])
  }

  @Test("an item waits for its crossing, and each one delivers it again")
  func deliveries() throws {
    let item = try Self.item()
    let span = placement(item, at: Sample.time(5), on: .utc)
    #expect(span.placement == .scheduled)
    let entered = try #require(
      item.crossed(PlaceCrossing(.entry, of: "office"), at: Sample.time(10)))
    #expect(placement(entered, at: Sample.time(9), on: .utc).placement == .scheduled)
    #expect(placement(entered, at: Sample.time(10), on: .utc).placement == .tray)
    let shown = try #require(entered.atLatestOccurrence(through: Sample.time(11), on: .utc))
    #expect(shown.arrival == Sample.time(10))
    #expect(
      entered.triggerTimes(at: Sample.time(11), on: .utc)
        == TriggerTimes(latest: Sample.time(10), next: nil))
    let dismissed = try #require(
      { () -> UserNotification? in
        let operation = Operation(
          id: Sample.id(7), target: .item(item.id), mutation: ItemCommand.dismiss.mutation,
          occurrences: .label(.crossing(Sample.time(10))))
        let outcome = operation.apply(
          to: entered, by: Sample.author, at: Sample.time(12), on: .utc)
        return if case .applied(let after) = outcome { after } else { nil }
      }())
    #expect(placement(dismissed, at: Sample.time(12), on: .utc).placement == .handled)
    let again = try #require(
      dismissed.crossed(PlaceCrossing(.entry, of: "office"), at: Sample.time(20)))
    #expect(placement(again, at: Sample.time(20), on: .utc).placement == .tray)
  }

  @Test("no item is delivered by another crossing, an earlier one, or a second one if it is once")
  func ignored() throws {
    let item = try Self.item(crossed: 100)
    let entry = PlaceCrossing(.entry, of: "office")
    #expect(item.crossed(entry, at: Sample.time(100)) == nil)
    #expect(item.crossed(entry, at: Sample.time(90)) == nil)
    #expect(item.crossed(entry, at: Sample.time(101)) != nil)
    #expect(item.crossed(PlaceCrossing(.exit, of: "office"), at: Sample.time(200)) == nil)
    #expect(item.crossed(PlaceCrossing(.entry, of: "home"), at: Sample.time(200)) == nil)
    #expect(try Self.item().crossed(entry, at: Sample.start) == nil)
    let once = try Self.item(repeats: false, crossed: 100)
    #expect(once.crossed(entry, at: Sample.time(200)) == nil)
    #expect(once.nextOccurrence(after: Sample.time(200), on: .utc) == nil)
    var cancelled = item
    cancelled.state.cancelled = Register(false).setting(
      true,
      change: RegisterChange(
        at: Sample.time(150), by: Sample.author, operation: nil,
        occurrence: .crossing(Sample.time(100))))
    #expect(cancelled.crossed(entry, at: Sample.time(200)) == nil)
    #expect(placement(cancelled, at: Sample.time(200), on: .utc).placement == .tray)
  }

  @Test("an item that waits is pending until it expires, at a time that is not known")
  func pending() throws {
    var item = try Self.item()
    item.content.expiration = Sample.time(1000)
    #expect(item.nextOccurrence(after: Sample.time(999), on: .utc) == Occurrence.unknownTime)
    #expect(item.nextOccurrence(after: Sample.time(1000), on: .utc) == nil)
    #expect(
      placement(item, at: Sample.time(999), on: .utc)
        == PlacementSpan(.scheduled, until: Sample.time(1000)))
  }

  @Test("a device reports what it has not reported yet, and repeats that it is there")
  func reports() {
    let places = [
      "office": Place(devices: [Self.laptop: Sample.time(0), Self.desktop: Sample.time(0)]),
      "home": Place(), "gym": Place(devices: [Self.laptop: Sample.time(0)]),
    ]
    func reported(_ presences: [String: Bool], at seconds: Int64) -> [String: Bool] {
      places.reports(
        presences, of: Self.laptop, repeatingAfter: .seconds(3600), at: Sample.time(seconds)
      ).compactMapValues { change in
        guard case .report(let report) = change, report.time == Sample.time(seconds) else {
          return nil
        }
        return report.isInside
      }
    }
    #expect(reported(["office": true, "home": false, "park": true], at: 10).isEmpty)
    #expect(reported(["office": true], at: 3600) == ["office": true])
    #expect(
      reported(["office": false, "home": true], at: 10) == ["office": false, "home": true])
    // Only where no other device is does it cross the boundary.
    let left = places.reports(
      ["office": false, "gym": false], of: Self.laptop, repeatingAfter: nil, at: Sample.time(10))
    func isCrossing(_ name: String) -> Bool? {
      if case .report(let report)? = left[name] { report.isCrossing } else { nil }
    }
    #expect(isCrossing("office") == false)
    #expect(isCrossing("gym") == true)
  }

  @Test("labels of crossings are times in UTC, in order")
  func labels() throws {
    let label = Occurrence.Label.crossing(Sample.time(10))
    #expect(label.description == "2026-11-21T06:00:10.000Z")
    #expect(Occurrence.Label(label.description) == label)
    #expect(Occurrence.Label.beforeFirst < label)
    #expect(label < .crossing(Sample.time(11)))
    #expect(!(label < .beforeFirst) && !(label < label))
    #expect(Occurrence.Label("yesterdayZ") == nil)
  }

  @Test(
    "a trigger for a place is read and written strictly",
    arguments: [
      #"{"place":{"name":"office","on":"entry"},"repeats":true}"#,
      #"{"place":{"name":"home.2","on":"exit"},"repeats":false}"#,
    ])
  func json(text: String) throws {
    let trigger = try JSONDecoder().decode(Trigger.self, from: Data(text.utf8))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(trigger), as: UTF8.self) == text)
  }

  @Test(
    "a wrong trigger for a place is refused",
    arguments: [
      #"{"place":{"name":"office"}}"#, #"{"place":{"name":"office","on":"near"}}"#,
      #"{"place":{"name":"","on":"entry"}}"#, #"{"place":{"name":"my office","on":"entry"}}"#,
      #"{"place":{"name":"office","on":"entry"},"interval":60}"#,
      #"{"place":{"name":"office","on":"entry"},"timeZone":"Europe/Berlin"}"#,
      #"{"place":{"name":"office","on":"entry","radius":5}}"#,
    ])
  func wrong(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Trigger.self, from: Data(text.utf8))
    }
  }

  @Test("changes to places survive JSON: null removes a place, an empty object adds it")
  func changes() throws {
    var change = AppSettingsChange()
    change.places = [
      "office": .report(PlaceReport(isInside: true, at: Sample.time(3), isCrossing: true)),
      "home": .add, "gym": .remove,
    ]
    let data = try JSONEncoder().encode(change)
    #expect(try JSONDecoder().decode(AppSettingsChange.self, from: data) == change)
    #expect(String(decoding: data, as: UTF8.self).contains(#""gym":null"#))
    var settings = AppSettings(app: AppSettings.everyApp)
    settings.places = ["office": Place(devices: [Self.laptop: Sample.time(3)]), "home": Place()]
    let coded = try JSONEncoder().encode(settings)
    #expect(try JSONDecoder().decode(AppSettings.self, from: coded) == settings)
  }
}
