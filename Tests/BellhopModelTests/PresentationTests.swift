import BellhopModel
import Testing

@Suite("Presentation on a device")
struct PresentationTests {
  private static let published = Timestamp(seconds: 1_795_262_400)

  private func item(
    visual: Bool = false, targets: [String]? = nil, fallback: [String]? = nil,
    _ adjust: (inout UserNotification) -> Void = { _ in }
  ) -> UserNotification {
    var content = Content(app: "ci", raw: "data")
    if visual { content.visual = VisualContent(title: "seen") }
    content.extras.targetPolicy = targets.map { .init(platformTypes: $0) }
    content.extras.fallbackPolicy = fallback.map {
      .init(
        platformTypes: $0, fallbackDelayInSeconds: 60,
        visualContent: VisualContent(title: "late"))
    }
    var item = UserNotification(
      id: NotificationID(high: 1, low: 1), shortNumber: 1, created: Self.published,
      arrival: Self.published, content: content,
      state: ItemState(
        sequence: SequenceNumber(1), contentSequence: SequenceNumber(1),
        changed: Self.published))
    adjust(&item)
    return item
  }

  private func shown(
    _ item: UserNotification, on platform: String = "linux", receivedAfter seconds: Int64 = 1,
    at now: Int64 = 1000
  ) -> Presentation {
    presentation(
      of: item, on: DevicePlatform(registeredAs: platform),
      received: Self.published.advanced(by: .seconds(seconds)),
      at: Self.published.advanced(by: .seconds(now)), by: .utc)
  }

  private let seen = Presentation.visual(VisualContent(title: "seen"))
  private let late = Presentation.fallback(VisualContent(title: "late"))

  @Test(
    "the target policy names the platforms that show an item; a terminal counts as each of them")
  func targets() {
    #expect(shown(item(visual: true)) == seen)
    for platform in ["linux", "terminal", "unknown", ""] {
      #expect(shown(item(visual: true, targets: ["iOS"]), on: platform) == seen)
    }
    #expect(shown(item(visual: true, targets: ["iOS", "WebPush"]), on: "webpush") == seen)
    #expect(shown(item(visual: true, targets: ["iOS"]), on: "IOS") == seen)
    #expect(shown(item(visual: true, targets: ["iOS"]), on: "Android") == .nothing)
    #expect(shown(item(visual: true, targets: [])) == .nothing)
  }

  @Test(
    "raw content is for programs; if it arrives late, its fallback is for users",
    arguments: [(0, false), (59, false), (60, true), (86_400, true)] as [(Int64, Bool)])
  func fallback(seconds: Int64, isLate: Bool) {
    let item = item(fallback: ["iOS"])
    let expected = isLate ? late : .nothing
    #expect(shown(item, receivedAfter: seconds, at: 100_000) == expected)
    #expect(shown(item, on: "iOS", receivedAfter: seconds, at: 100_000) == expected)
    #expect(shown(item, on: "Android", receivedAfter: seconds, at: 100_000) == .nothing)
  }

  @Test("a fallback never replaces visual content, and the target policy applies to it too")
  func precedence() {
    #expect(shown(item(visual: true, fallback: ["iOS"]), receivedAfter: 500) == seen)
    let both = item(targets: ["Windows"], fallback: ["iOS", "Windows"])
    #expect(shown(both, on: "iOS", receivedAfter: 500) == .nothing)
    #expect(shown(both, on: "windows", receivedAfter: 500) == late)
    #expect(shown(item(), receivedAfter: 500) == .nothing)
  }

  @Test("the delay counts from the delivery of a scheduled item, and from its last publication")
  func counted() {
    let later = Self.published.advanced(by: .seconds(3600))
    let scheduled = item(fallback: ["iOS"]) {
      $0.arrival = later
      $0.content.deliverAt = later
    }
    #expect(shown(scheduled, receivedAfter: 500, at: 600) == .nothing)
    #expect(shown(scheduled, receivedAfter: 500, at: 3600) == .nothing)
    #expect(shown(scheduled, receivedAfter: 3660, at: 3700) == late)
    let updated = item(fallback: ["iOS"]) { $0.state.changed = later }
    #expect(shown(updated, receivedAfter: 3601, at: 3700) == .nothing)
    #expect(shown(updated, receivedAfter: 3660, at: 3700) == late)
  }

  @Test("nothing is shown before the delivery or after the expiry")
  func times() {
    let expiring = item(visual: true) {
      $0.content.expiration = Self.published.advanced(by: .seconds(100))
    }
    #expect(shown(expiring, at: 99) == seen)
    #expect(shown(expiring, at: 100) == .nothing)
    let scheduled = item(visual: true) {
      $0.content.deliverAt = Self.published.advanced(by: .seconds(100))
    }
    #expect(shown(scheduled, at: 99) == .nothing)
    #expect(shown(scheduled, at: 100) == seen)
  }

  @Test("a terminal keeps a late item with its fallback in the tray; any other item unchanged")
  func presented() {
    let raw = item(fallback: ["Android"])
    let inTime = Self.published.advanced(by: .seconds(59))
    let tooLate = Self.published.advanced(by: .seconds(61))
    #expect(raw.presented(received: inTime) == raw)
    #expect(placement(raw, at: tooLate, on: .utc).placement == .handled)
    let shown = raw.presented(received: tooLate)
    #expect(shown.content.visual == VisualContent(title: "late"))
    #expect(shown.content.raw == "data")
    #expect(placement(shown, at: tooLate, on: .utc).placement == .tray)
    let visual = item(visual: true, fallback: ["Android"])
    #expect(visual.presented(received: tooLate) == visual)
  }
}
