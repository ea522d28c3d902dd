import BellhopModel
import Testing

@Suite("Placement")
struct PlacementTests {
  func item(
    _ action: UserActionState = .noInteraction, expires: Int64? = nil, display: Int64? = nil,
    deliver: Int64? = nil, raw: Bool = false, isPinned: Bool = false
  ) -> UserNotification {
    let content = Content(
      app: "ci", visual: raw ? nil : VisualContent(title: "t"), raw: raw ? "data" : nil,
      expiration: expires.map(Sample.time), displayTimeToLive: display.map { .seconds($0) },
      deliverAt: deliver.map(Sample.time))
    var item = Sample.item(content, arrival: Sample.time(deliver ?? 0))
    item.state.userActionState = Register(action)
    item.state.pinned = Register(isPinned)
    return item
  }

  func span(_ item: UserNotification, at seconds: Int64) -> PlacementSpan {
    placement(item, at: Sample.time(seconds), on: .utc)
  }

  @Test("an item is in the tray until it is handled")
  func tray() {
    #expect(span(item(), at: 1_000_000) == PlacementSpan(.tray, until: nil))
  }

  @Test(
    "a dismissed or activated item is handled",
    arguments: [UserActionState.dismissed, .activated])
  func handled(_ action: UserActionState) {
    #expect(span(item(action), at: 0) == PlacementSpan(.handled, until: nil))
    #expect(
      span(item(action, expires: 90), at: 0) == PlacementSpan(.handled, until: Sample.time(90)))
  }

  @Test("a snoozed item returns by itself, at the millisecond")
  func snooze() {
    let snoozed = item(.snoozed(until: Sample.time(60)))
    #expect(span(snoozed, at: 59) == PlacementSpan(.snoozed, until: Sample.time(60)))
    #expect(span(snoozed, at: 60) == PlacementSpan(.tray, until: nil))
  }

  @Test("time in the tray counts from arrival, delivery and the end of a snooze")
  func displayTime() {
    #expect(span(item(display: 60), at: 59) == PlacementSpan(.tray, until: Sample.time(60)))
    #expect(span(item(display: 60), at: 60) == PlacementSpan(.handled, until: nil))
    let snoozed = item(.snoozed(until: Sample.time(100)), display: 60)
    #expect(span(snoozed, at: 159) == PlacementSpan(.tray, until: Sample.time(160)))
    let scheduled = item(display: 60, deliver: 500)
    #expect(span(scheduled, at: 499) == PlacementSpan(.scheduled, until: Sample.time(500)))
    #expect(span(scheduled, at: 559) == PlacementSpan(.tray, until: Sample.time(560)))
    #expect(span(scheduled, at: 560) == PlacementSpan(.handled, until: nil))
  }

  @Test("expiry takes precedence over every state except pinned")
  func expiry() {
    for action in [UserActionState.noInteraction, .dismissed, .snoozed(until: Sample.time(900))] {
      #expect(span(item(action, expires: 50), at: 50) == PlacementSpan(.gone, until: nil))
    }
    #expect(span(item(expires: 50, isPinned: true), at: 51) == PlacementSpan(.tray, until: nil))
    #expect(
      span(item(expires: 50, display: 90), at: 0) == PlacementSpan(.tray, until: Sample.time(50)))
  }

  @Test("an item with only raw content never enters the tray")
  func rawOnly() {
    #expect(span(item(raw: true), at: 0).placement == .handled)
    #expect(span(item(.snoozed(until: Sample.time(9)), raw: true), at: 0).placement == .handled)
  }

  @Test("the tray window agrees with the placement at every second")
  func windowAgrees() {
    for display in [nil, 20, 70] as [Int64?] {
      for expires in [nil, 40, 80] as [Int64?] {
        for action in [
          UserActionState.noInteraction, .dismissed, .snoozed(until: Sample.time(30)),
        ] {
          let item = item(action, expires: expires, display: display)
          for second in 0..<120 as Range<Int64> {
            let now = Sample.time(second)
            let isInside =
              item.placementFacts(at: now, on: .utc).trayWindow.map {
                now >= $0.from && $0.until.map { now < $0 } ?? true
              } ?? false
            #expect((placement(item, at: now, on: .utc).placement == .tray) == isInside)
          }
        }
      }
    }
  }
}
