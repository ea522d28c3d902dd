import BellhopCache
import BellhopModel
import Testing

@Suite("Raw content that arrives too late")
struct FallbackTests {
  private func raw(_ number: Int64, sequence: Int64? = nil) -> UserNotification {
    makeItem(number, sequence: sequence) {
      $0.content.visual = nil
      $0.content.raw = "data \(number)"
      $0.content.extras.fallbackPolicy = .init(
        platformTypes: ["iOS"], fallbackDelayInSeconds: 60,
        visualContent: VisualContent(title: "fallback \(number)", body: "too late"))
    }
  }

  private func after(_ item: UserNotification, _ seconds: Int64) -> Timestamp {
    item.arrival.advanced(by: .seconds(seconds))
  }

  @Test(
    "it is in the tray with its fallback and rings; content in time stays data",
    arguments: CacheKind.allCases)
  func late(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let inTime = raw(1)
    try cache.pull([.item(inTime)], now: after(inTime, 59))
    let late = raw(2)
    let outcome = try cache.pull([.item(late)], now: after(late, 61))
    #expect(outcome.arrivals.map(\.id) == [late.id])
    #expect(try cache.titles(.tray) == ["fallback 2"])
    #expect(try cache.reader.item(late.id)?.notification.content.raw == "data 2")
    #expect(try cache.reader.item(inTime.id)?.notification.content.visual == nil)
    try cache.indexEverything()
    #expect(try cache.reader.item(late.id)?.placement == .tray)
  }

  @Test(
    "when the store sends everything again, each item stays the same",
    arguments: CacheKind.allCases)
  func rebuilt(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let (inTime, late) = (raw(1), raw(2))
    try cache.pull([.item(inTime)], now: after(inTime, 1))
    try cache.pull([.item(late)], now: after(late, 61))
    let changed = UserNotification(
      id: late.id, shortNumber: 2, created: late.created, arrival: late.arrival,
      content: late.content,
      state: ItemState(
        sequence: SequenceNumber(3), contentSequence: SequenceNumber(2), changed: late.arrival,
        registers: ItemRegisters(readState: Register(.read))))
    _ = try cache.storage.beginRebuild(epoch: nil)
    try cache.endFirstSync([changed, inTime])
    #expect(try cache.titles(.tray) == ["fallback 2"])
    #expect(try cache.reader.item(inTime.id)?.notification.content.visual == nil)
    #expect(try cache.reader.item(late.id)?.notification.state.readState.value == .read)
  }

  @Test("a later change of state does not change that", arguments: CacheKind.allCases)
  func stateOnly(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let item = raw(1)
    try cache.pull([.item(item)], now: after(item, 1))
    var state = item.state
    state.sequence = SequenceNumber(2)
    state.pinned = Register(true)
    try cache.pull([.state(item.id, state)], now: after(item, 3600))
    #expect(try cache.titles(.tray).isEmpty)
    #expect(try cache.reader.item(item.id)?.notification.content.visual == nil)
  }
}
