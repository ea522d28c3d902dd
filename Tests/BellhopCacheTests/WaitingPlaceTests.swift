import BellhopCache
import BellhopModel
import Testing

@Suite("Items in the cache that wait for a place")
struct WaitingPlaceTests {
  static let start = CacheFixture.start

  private func at(_ minutes: Int64) -> Timestamp { Self.start.advanced(by: .seconds(minutes * 60)) }

  private func waiting(
    _ number: Int64 = 1, _ direction: PlaceCrossing.Direction = .entry
  ) throws -> UserNotification {
    let trigger = try Trigger(.place(PlaceCrossing(direction, of: "office")), repeats: true)
    return makeItem(number, arrival: Self.start) { $0.content.trigger = trigger }
  }

  /// The state of an item that a crossing delivered.
  private func crossed(
    _ item: UserNotification, at minutes: Int64, sequence: Int64
  ) -> ItemState {
    var state = item.state
    state.sequence = SequenceNumber(sequence)
    state.crossed = at(minutes)
    return state
  }

  private func report(
    _ number: Int64, at minutes: Int64, isInside: Bool = true, isCrossing: Bool = true
  ) -> BellhopModel.Operation {
    var change = AppSettingsChange()
    change.places = [
      "office": .report(
        PlaceReport(isInside: isInside, at: at(minutes), isCrossing: isCrossing))
    ]
    return BellhopModel.Operation(
      id: operationID(number), target: .app(AppSettings.everyApp), mutation: .configure(change))
  }

  @Test(
    "it is for later until the store reports a crossing, then on top of the tray, and rings once",
    arguments: CacheKind.allCases)
  func delivered(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let item = try waiting()
    try cache.pull([.item(item), .item(makeItem(2, sequence: 2, arrival: at(5)))])
    _ = try cache.storage.claimTrayAnnouncements(limit: 10)
    #expect(try cache.titles(.later) == ["item 1"])
    #expect(try cache.reader.row(itemID(1))?.due == Occurrence.unknownTime)
    for (minutes, sequence) in [(10, 3), (20, 4)] as [(Int64, Int64)] {
      let outcome = try cache.pull(
        [.state(itemID(1), crossed(item, at: minutes, sequence: sequence))], now: at(minutes))
      #expect(outcome.arrivals.map(\.occurrence) == [.crossing(at(minutes))])
      #expect(try cache.storage.claimAnnouncements(outcome.arrivals).count == 1)
      #expect(try cache.storage.claimAnnouncements(outcome.arrivals).isEmpty)
      #expect(try cache.titles(.tray) == ["item 1", "item 2"])
      #expect(try cache.reader.row(itemID(1))?.arrival == at(minutes))
      #expect(try cache.reader.totals().repeating.count == 1)
    }
  }

  @Test(
    "a crossing of more than fifteen minutes ago does not ring", arguments: CacheKind.allCases)
  func late(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let item = try waiting()
    try cache.pull([.item(item)])
    let outcome = try cache.pull(
      [.state(itemID(1), crossed(item, at: 10, sequence: 3))], now: at(25))
    #expect(outcome.arrivals.isEmpty)
    #expect(try cache.titles(.tray) == ["item 1"])
    #expect(try cache.storage.claimTrayAnnouncements(limit: 10).isEmpty)
  }

  @Test(
    "without a connection, the device's own crossing delivers, and the store has the last word",
    arguments: CacheKind.allCases)
  func offline(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let (item, other) = (try waiting(), try waiting(2, .exit))
    try cache.pull([.item(item), .item(other)])
    let touched = try cache.storage.enqueue([report(1, at: 10)], now: at(10), sealAfter: nil)
    #expect(Set(touched) == [itemID(1), itemID(2)])
    #expect(try cache.titles(.tray) == ["item 1"])
    #expect(try cache.titles(.later).contains("item 2"))
    let rung = try cache.storage.claimTrayAnnouncements(limit: 10)
    #expect(rung.map(\.occurrence) == [.crossing(at(10))])
    // The store answers, and then sends the item: the same delivery, which does not ring again.
    _ = try cache.storage.acknowledge(
      [OperationAnswer(id: operationID(1), result: .applied)], sequence: SequenceNumber(5),
      now: at(11))
    #expect(try cache.titles(.tray) == ["item 1"])
    let outcome = try cache.pull(
      [.state(itemID(1), crossed(item, at: 10, sequence: 5))], now: at(11))
    #expect(outcome.arrivals.isEmpty)
    #expect(try cache.titles(.tray) == ["item 1"])
    #expect(try cache.reader.item(itemID(1))?.isPending == false)
  }

  @Test(
    "an item goes back to later if the store knew of another device there",
    arguments: CacheKind.allCases)
  func takenBack(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(try waiting())])
    _ = try cache.storage.enqueue([report(1, at: 10)], now: at(10), sealAfter: nil)
    #expect(try cache.titles(.tray) == ["item 1"])
    _ = try cache.storage.acknowledge(
      [OperationAnswer(id: operationID(1), result: .applied)], sequence: SequenceNumber(5),
      now: at(11))
    try cache.pull([], at: 5, now: at(11))
    #expect(try cache.titles(.tray).isEmpty)
    #expect(try cache.titles(.later) == ["item 1"])
    // A device that knows of another one there delivers nothing by itself.
    _ = try cache.storage.enqueue(
      [report(2, at: 20, isCrossing: false)], now: at(20), sealAfter: nil)
    #expect(try cache.titles(.tray).isEmpty)
  }
}
