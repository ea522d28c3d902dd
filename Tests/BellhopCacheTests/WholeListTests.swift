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

  /// An item that was published under its number, and repeated under `sequence`.
  private func repeated(_ number: Int64, at sequence: Int64) -> UserNotification {
    makeItem(number, sequence: sequence) { $0.state.meaning = SequenceNumber(number) }
  }

  @Test(
    "a list that repeats while the user confirms is changed whole",
    arguments: CacheKind.allCases, [2, 9])
  func repeatedMeanwhile(kind: CacheKind, namedMax: Int) throws {
    let fixture = try CacheFixture(kind)
    let now = Self.at(20)
    try fixture.pull([1, 2, 4].map { .item(makeItem($0)) }, now: now)
    let list = WholeList(.tray, of: fixture.reader, namedMax: namedMax)
    let extent = try list.extent()
    let items = [makeItem(1), repeated(2, at: 7), repeated(4, at: 8)]
    // One that came back means something new.
    let returned = makeItem(5, sequence: 9)
    let changes: [Change] = (items.dropFirst() + [returned]).map { .item($0) }
    try fixture.pull(changes, now: now)
    let operations = try list.operations(
      ItemCommand.dismiss.mutation, bound: extent.bound, ids: [operationID(1), operationID(2)])
    for item in items {
      let isChanged = operations.contains { operation in
        guard operation.isBulk || operation.notificationIDs.contains(item.id) else { return false }
        if operation.isBulk, !operation.means(item, at: now, on: .utc) { return false }
        let author = Author(kind: .device, id: "d", name: "d")
        if case .applied = operation.apply(to: item, by: author, at: now, on: .utc) { return true }
        return false
      }
      #expect(isChanged, "#\(item.shortNumber)")
    }
    #expect(!operations.contains { $0.notificationIDs.contains(returned.id) })
    #expect(
      !operations.contains { $0.isBulk && $0.means(returned, at: now, on: .utc) })
  }

  @Test(
    "a list whose rows are missing is bounded by what its items mean",
    arguments: CacheKind.allCases)
  func presentItems(kind: CacheKind) throws {
    let fixture = try CacheFixture(kind, isSynced: false)
    let state = try fixture.storage.syncState()
    _ = try fixture.storage.apply(
      ChangeChunk(
        request: .page(nil), generation: state.generation, changes: [.item(repeated(2, at: 7))],
        end: .page(
          next: PageCursor("p2"), start: DeltaToken("t1"), startSequence: SequenceNumber(7))),
      now: Self.at(20))
    let extent = try WholeList(.tray, of: fixture.reader, namedMax: 9).extent()
    #expect(extent.bound.contents == [itemID(2): SequenceNumber(2)])
    let row = try #require(try fixture.reader.row(itemID(2)))
    #expect(row.version.content == SequenceNumber(7))
    #expect(row.version.meaning == SequenceNumber(2))
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
