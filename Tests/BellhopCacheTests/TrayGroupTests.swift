import BellhopCache
import BellhopModel
import Testing

/// The items of a group in the tray, by level and by arrival within a level.
@Suite("Items of a group")
struct TrayGroupTests {
  /// The levels of the items 1 to 6, of which 6 arrived last.
  private static let levels: [Priority] = [.high, .low, .normal, .low, .normal, .min]

  private func item(_ number: Int64, _ level: Priority, at sequence: Int64) -> UserNotification {
    makeItem(number, group: "main", sequence: sequence) { $0.content.priority = level }
  }

  /// A cache with the items 1 to 6 in one group, and item 7 of no group.
  private func cache(_ kind: CacheKind) throws -> CacheFixture {
    let cache = try CacheFixture(kind)
    let items = Self.levels.enumerated().map { index, level in
      item(Int64(index) + 1, level, at: Int64(index) + 1)
    }
    try cache.pull(items.map { .item($0) } + [.item(makeItem(7))])
    return cache
  }

  private func list() throws -> CacheList {
    .trayGroup(try #require(TrayGroup(app: "ci", name: "main")))
  }

  @Test(
    "the highest level is first, and the newest within a level", arguments: CacheKind.allCases)
  func order(kind: CacheKind) throws {
    let cache = try cache(kind)
    let titles = ["item 1", "item 5", "item 3", "item 4", "item 2", "item 6"]
    #expect(try cache.titles(try list()) == titles)
    for limit in 1...6 {
      #expect(try cache.titles(try list(), .last, limit: limit) == Array(titles.suffix(limit)))
    }
  }

  @Test(
    "a folded group is where its newest item arrived, and names its first item",
    arguments: CacheKind.allCases)
  func unit(kind: CacheKind) throws {
    let cache = try cache(kind)
    let units = try cache.reader.trayUnits(.first, limit: 10)
    #expect(units.map(\.newest.title) == ["item 7", "item 6"])
    let group = try #require(units.last?.group)
    #expect(group.first.title == "item 1")
    #expect(group.tray == ItemCount(count: 6, unread: 6))
  }

  @Test(
    "the next window begins below its position, although items left, arrived or changed their level",
    arguments: CacheKind.allCases)
  func changes(kind: CacheKind) throws {
    let cache = try cache(kind)
    let list = try list()
    let shown = try cache.reader.rows(of: list, .first, limit: 3)
    let position = try #require(shown.last).position(in: list)
    #expect(shown.map(\.title) == ["item 1", "item 5", "item 3"])
    // The item at the position leaves, one arrives above it, and two change their sides.
    _ = try cache.storage.enqueue(
      [makeOperation(1, .dismiss, on: 3)], now: CacheFixture.start, sealAfter: nil)
    try cache.pull([
      .item(item(8, .urgent, at: 8)), .item(item(2, .high, at: 9)), .item(item(5, .min, at: 10)),
    ])
    let below = ["item 4", "item 6", "item 5"]
    let above = ["item 8", "item 2", "item 1"]
    #expect(try cache.titles(list) == above + below)
    #expect(try cache.titles(list, .below(position)) == below)
    #expect(try cache.titles(list, .above(position)) == above)
    #expect(try cache.titles(list, .above(position), limit: 2) == Array(above.suffix(2)))
    #expect(try cache.reader.countAbove(position, in: list, limit: 100) == 3)
    #expect(try cache.reader.count(of: list, above: position, limit: 100) == 3)
  }
}
