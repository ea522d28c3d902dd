import BellhopCache
import BellhopModel
import BellhopTestSupport
import Testing

@Suite("Mondays at nine in Berlin, over both clock changes of 2026")
struct MondayTests {
  private static let berlin = WallClock { instant, zone in
    zone == "Europe/Berlin" ? BerlinZone.rules.offsetSeconds(instant) : 0
  }

  /// The Mondays from 23 March to 2 November, each with its time in UTC.
  private static let mondays: [(date: String, time: Timestamp)] = {
    var mondays: [(String, Timestamp)] = []
    // 23 March, 09:00 in Berlin's winter time.
    var nine = Timestamp(seconds: 1_774_252_800)
    while mondays.count < 33 {
      let isSummer = nine >= BerlinZone.summer && nine < BerlinZone.winter
      let time = isSummer ? nine.advanced(by: .seconds(-3600)) : nine
      mondays.append((String("\(nine)".prefix(10)), time))
      nine = nine.advanced(by: .seconds(7 * 86_400))
    }
    return mondays
  }()

  @Test(
    "each one arrives at nine, rings once, and does not come back when it was handled",
    arguments: CacheKind.allCases)
  func bothChanges(kind: CacheKind) throws {
    #expect(Self.mondays.map(\.date).contains("2026-03-30"))
    #expect(Self.mondays.last?.date == "2026-11-02")
    let pattern = try CalendarPattern(hour: 9, weekdays: [2])
    let trigger = try Trigger(.calendar(pattern, timeZone: "Europe/Berlin"), repeats: true)
    let cache = try CacheFixture(kind, wallClock: Self.berlin)
    let item = makeItem(1, sequence: 1, arrival: Timestamp(seconds: 1_774_000_000)) {
      $0.content.trigger = trigger
    }
    try cache.pull([.item(item)], now: item.arrival)
    for (number, monday) in Self.mondays.enumerated() {
      #expect(try cache.reader.nextDue() == monday.time, "\(monday.date)")
      let before = monday.time.advanced(by: .milliseconds(-1))
      #expect(try cache.storage.moveDueItems(now: before, limit: 10).changed.isEmpty)
      #expect(try cache.titles(.tray).isEmpty)
      let arrivals = try cache.storage.moveDueItems(now: monday.time, limit: 10).arrivals
      #expect(arrivals.map { $0.occurrence?.description } == [monday.date + "T09:00"])
      #expect(try cache.storage.claimAnnouncements(arrivals).count == 1)
      #expect(try cache.titles(.tray) == ["item 1"])
      let shown = try #require(try cache.reader.item(itemID(1)))
      let dismiss = Operation(
        id: operationID(Int64(number) + 1), onShown: shown.id, shown.version,
        mutation: ItemCommand.dismiss.mutation)
      _ = try cache.storage.enqueue([dismiss], now: monday.time, sealAfter: nil)
      #expect(try cache.titles(.tray).isEmpty)
    }
  }
}
