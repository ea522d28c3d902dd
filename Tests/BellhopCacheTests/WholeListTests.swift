import BellhopCache
import BellhopModel
import Testing

/// SYNC-6 and SYNC-10: a change of a whole list affects its own items only.
@Suite("Changes of whole lists")
struct WholeListTests {
  /// Items outside the tray that arrive among those in it.
  enum Other: CaseIterable, Sendable {
    case scheduled, dataOnly, displayOver

    func change(_ item: inout UserNotification) {
      switch self {
      case .scheduled: item.content.deliverAt = item.arrival
      case .dataOnly: item.content.visual = nil
      case .displayOver: item.content.displayTimeToLive = .seconds(1)
      }
    }
  }

  private static func at(_ minutes: Int64) -> Timestamp {
    CacheFixture.start.advanced(by: .seconds(60 * minutes))
  }

  /// The operations that dismiss the tray; an operation names at most two items here.
  private func dismissal(
    of items: [UserNotification], at now: Timestamp, _ kind: CacheKind
  ) throws -> [BellhopModel.Operation] {
    let fixture = try CacheFixture(kind)
    try fixture.pull(items.map { .item($0) }, now: now)
    let list = WholeList(.tray, of: fixture.reader, namedMax: 2)
    let extent = try list.extent()
    #expect(extent.items.count == 3)
    return try list.operations(
      ItemCommand.dismiss.mutation, bound: extent.bound, ids: (1...3).map { operationID($0) })
  }

  @Test("one predicate covers a tray with no other items near it", arguments: CacheKind.allCases)
  func predicate(kind: CacheKind) throws {
    let items = [1, 2, 4].map { makeItem($0) }
    let operations = try dismissal(of: items, at: Self.at(5), kind)
    let operation = try #require(operations.first)
    #expect(operations.count == 1 && operation.isBulk)
    #expect(items.allSatisfy { operation.means($0, at: .distantPast, on: .utc) })
  }

  @Test(
    "items are named where a predicate would also cover others, such as scheduled ones",
    arguments: CacheKind.allCases, Other.allCases)
  func named(kind: CacheKind, other: Other) throws {
    // The clock was set back since item 4 arrived, so item 3 is not delivered yet.
    let now = Self.at(other == .scheduled ? 2 : 5)
    let between = makeItem(3) { other.change(&$0) }
    let operations = try dismissal(
      of: [1, 2, 4].map { makeItem($0) } + [between], at: now, kind)
    #expect(operations.count == 2 && !operations.contains { $0.isBulk })
    #expect(
      Set(operations.flatMap(\.notificationIDs)) == Set([1, 2, 4].map { itemID($0) }))
  }
}
