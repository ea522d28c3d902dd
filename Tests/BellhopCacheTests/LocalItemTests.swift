import BellhopCache
import BellhopModel
import FoundationEssentials
import Testing

@Suite("Items that a device publishes, in its cache until the store has sent them")
struct LocalItemTests {
  private func at(_ minutes: Int64) -> Timestamp {
    CacheFixture.start.advanced(by: .seconds(minutes * 60))
  }

  private let id = NotificationID(sameAs: operationID(1))

  /// Publishes the item at the start.
  @discardableResult
  private func publish(
    _ cache: CacheFixture, _ change: (inout Content) -> Void = { _ in }
  ) throws -> BellhopModel.Operation {
    var content = Content(
      app: "home", group: "garden", visual: VisualContent(title: "water the plants"))
    change(&content)
    let operation = Operation(id: operationID(1), publishing: content, at: at(0))
    _ = try cache.storage.enqueue([operation], now: at(0), sealAfter: nil)
    return operation
  }

  /// The item as the store sends it.
  private func sent(
    _ operation: BellhopModel.Operation, sequence: Int64 = 5, as id: NotificationID? = nil,
    arrival: Timestamp? = nil, _ change: (inout Content) -> Void = { _ in }
  ) throws -> UserNotification {
    var content = try #require(operation.publishedContent)
    change(&content)
    let arrival = arrival ?? at(9)
    return UserNotification(
      id: id ?? self.id, shortNumber: 12, created: at(9), arrival: arrival, content: content,
      state: ItemState(
        sequence: SequenceNumber(sequence), contentSequence: SequenceNumber(sequence),
        changed: at(9)))
  }

  private func answer(
    _ result: OperationResult, at sequence: Int64 = 5, _ cache: CacheFixture
  ) throws -> AcknowledgeOutcome {
    try cache.storage.acknowledge(
      [OperationAnswer(id: operationID(1), result: result)], sequence: SequenceNumber(sequence),
      now: at(9))
  }

  private func outcomes(_ cache: CacheFixture) throws -> [OutcomeRecord] {
    switch cache.kind {
    case .memory: try #require(cache.storage as? MemoryCache).outcomes(of: nil, limit: 9)
    case .sqlite:
      try CacheReader(path: cache.path, account: CacheFixture.account).outcomes(of: nil, limit: 9)
    }
  }

  @Test("it is in lists, counts, groups and search at once", arguments: CacheKind.allCases)
  func listed(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let operation = try publish(cache)
    #expect(try cache.titles(.tray) == ["water the plants"])
    #expect(try cache.reader.totals().tray == ItemCount(count: 1, unread: 1))
    #expect(try cache.reader.trayGroups(limit: 9).map(\.group) == ["garden"])
    try cache.indexEverything()
    #expect(try cache.titles(.search("plants")) == ["water the plants"])
    let item = try #require(try cache.reader.item(id))
    #expect(item.notification == operation.localItem)
    #expect(item.isPending)
    #expect(item.version == ShownVersion(content: .zero, operation: operation.id))
    let row = try #require(try cache.reader.row(id))
    #expect(row.shortNumber == 0)
    #expect(row.version == item.version)
    guard case .found(let found) = try cache.reader.lookUp(.id(id)) else {
      Issue.record("it is not found by its id")
      return
    }
    #expect(found == item)
  }

  @Test("in the tray at once, it does not ring", arguments: CacheKind.allCases)
  func silent(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let operation = try publish(cache)
    #expect(try cache.storage.claimTrayAnnouncements(limit: 9).isEmpty)
    let outcome = try cache.pull([.item(try sent(operation))], now: at(9))
    #expect(outcome.arrivals.isEmpty)
    #expect(try cache.storage.claimTrayAnnouncements(limit: 9).isEmpty)
  }

  @Test(
    "a delayed one is delivered and rings without the store, once", arguments: CacheKind.allCases)
  func delayed(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let operation = try publish(cache) { $0.deliverAt = at(5) }
    #expect(try cache.titles(.later) == ["water the plants"])
    #expect(try cache.reader.nextDue() == at(5))
    let due = try cache.storage.moveDueItems(now: at(5), limit: 9)
    #expect(due.arrivals.map(\.id) == [id])
    #expect(try cache.storage.claimAnnouncements(due.arrivals).count == 1)
    #expect(try cache.storage.claimAnnouncements(due.arrivals).isEmpty)
    let outcome = try cache.pull([.item(try sent(operation))], now: at(9))
    #expect(outcome.arrivals.isEmpty)
    #expect(try cache.storage.claimTrayAnnouncements(limit: 9).isEmpty)
    #expect(try cache.titles(.tray) == ["water the plants"])
  }

  @Test("sent before its time, it rings then", arguments: CacheKind.allCases)
  func sentEarly(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let operation = try publish(cache) { $0.deliverAt = at(20) }
    try cache.pull([.item(try sent(operation, arrival: at(20)))], now: at(9))
    _ = try answer(.applied, cache)
    let due = try cache.storage.moveDueItems(now: at(20), limit: 9)
    #expect(due.arrivals.map(\.id) == [id])
    #expect(try cache.storage.claimAnnouncements(due.arrivals).count == 1)
  }

  @Test("one with a trigger rings at each of its times", arguments: CacheKind.allCases)
  func triggered(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let trigger = try Trigger(.interval(seconds: 240), repeats: true)
    let operation = try publish(cache) { $0.trigger = trigger }
    for number: Int64 in 1...2 {
      let due = try cache.storage.moveDueItems(now: at(4 * number), limit: 9)
      #expect(due.arrivals.map(\.occurrence) == [.number(number)])
      #expect(try cache.storage.claimAnnouncements(due.arrivals).count == 1)
    }
    try cache.pull([.item(try sent(operation, arrival: at(0)))], now: at(9))
    #expect(try cache.storage.claimTrayAnnouncements(limit: 9).isEmpty)
    let next = try cache.storage.moveDueItems(now: at(12), limit: 9)
    #expect(try cache.storage.claimAnnouncements(next.arrivals).count == 1)
  }

  @Test("the store's row replaces it, also with other content", arguments: CacheKind.allCases)
  func replaced(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let operation = try publish(cache)
    let end = at(900)
    let row = try sent(operation) { ($0.app, $0.expiration) = ("garden.example", end) }
    let outcome = try cache.pull([.item(row)], now: at(9))
    #expect(outcome.arrivals.isEmpty)
    let item = try #require(try cache.reader.item(id))
    #expect(item.notification == row)
    #expect(item.version == ShownVersion(content: SequenceNumber(5)))
    #expect(item.isPending, "the answer is still to come")
    #expect(try cache.reader.totals().tray.count == 1)
    #expect(try cache.reader.apps().map(\.app) == ["garden.example"])
    #expect(try answer(.applied, cache).finished == [operation.id])
    #expect(try cache.reader.item(id)?.isPending == false)
  }

  @Test(
    "a row with the same content also brings the number", arguments: CacheKind.allCases)
  func number(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let operation = try publish(cache)
    try cache.pull([.item(try sent(operation, arrival: at(0)))], now: at(9))
    #expect(try cache.reader.row(id)?.shortNumber == 12)
    #expect(try cache.reader.item(id)?.notification.created == at(9))
  }

  @Test(
    "it leaves when the store has stored it as another item, and not before",
    arguments: CacheKind.allCases)
  func otherID(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    let operation = try publish(cache)
    _ = try answer(.applied, cache)
    #expect(try cache.titles(.tray).contains("water the plants"))
    let other = itemID(1)
    try cache.pull([.item(try sent(operation, as: other))], now: at(9))
    #expect(try cache.reader.item(id) == nil)
    #expect(try cache.titles(.tray) == ["water the plants"])
    #expect(try cache.reader.totals().tray.count == 1)
    #expect(try cache.storage.outboxCounts() == OutboxCounts(held: 0, waiting: 0, settling: 0))
  }

  @Test("a refusal removes it, and its reason is kept", arguments: CacheKind.allCases)
  func refused(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let operation = try publish(cache)
    let outcome = try answer(.notPublished("not allowed"), cache)
    #expect(
      outcome.rejected
        == [RejectedOperation(operation: operation, result: .notPublished("not allowed"))])
    #expect(try cache.reader.item(id) == nil)
    #expect(try cache.titles(.tray).isEmpty)
    #expect(try cache.reader.totals().tray.count == 0)
    let kept = try outcomes(cache)
    #expect(kept.map(\.result) == [.notPublished("not allowed")])
    #expect(kept.map(\.operation) == [operation])
    #expect(kept.map(\.number) == [nil])
    #expect(try cache.storage.unreportedRejections() == outcome.rejected)
  }

  @Test(
    "what the user does with it is shown, and names the publication",
    arguments: CacheKind.allCases)
  func handled(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    let operation = try publish(cache)
    let shown = try #require(try cache.reader.item(id))
    let dismiss = Operation(
      id: operationID(2), onShown: id, shown.version, mutation: ItemCommand.dismiss.mutation)
    #expect(dismiss.seenOperations == [id: operation.id])
    _ = try cache.storage.enqueue([dismiss], now: at(1), sealAfter: nil)
    #expect(try cache.titles(.tray).isEmpty)
    #expect(try cache.titles(.handled) == ["water the plants"])
    try cache.pull([.item(try sent(operation))], now: at(9))
    #expect(try cache.titles(.handled) == ["water the plants"], "the dismissal is still to come")
  }

  @Test(
    "a whole list that was handled before or after does not contain it",
    arguments: CacheKind.allCases)
  func bulk(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    func all(_ number: Int64) -> BellhopModel.Operation {
      Operation(
        id: operationID(number), target: .matching(Predicate(), through: SequenceNumber(9)),
        mutation: ItemCommand.dismiss.mutation, occurrences: .through(at(1)))
    }
    _ = try cache.storage.enqueue([all(2)], now: at(0), sealAfter: nil)
    try publish(cache)
    _ = try cache.storage.enqueue([all(3)], now: at(1), sealAfter: nil)
    while try !cache.storage.overlayBulk(limit: 10, now: at(1)).isFinished {}
    #expect(try cache.titles(.tray) == ["water the plants"])
    #expect(try cache.titles(.handled) == ["item 1"])
  }

  @Test("it can be delivered at another time before it is sent", arguments: CacheKind.allCases)
  func rescheduled(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try publish(cache) { $0.deliverAt = at(5) }
    let shown = try #require(try cache.reader.item(id))
    let later = Operation(
      id: operationID(2), onShown: id, shown.version,
      mutation: .reschedule(.once(at: at(8)), at: at(1)))
    _ = try cache.storage.enqueue([later], now: at(1), sealAfter: nil)
    #expect(try cache.reader.nextDue() == at(8))
    #expect(try cache.reader.item(id)?.version.operation == later.id)
    let due = try cache.storage.moveDueItems(now: at(8), limit: 9)
    #expect(try cache.storage.claimAnnouncements(due.arrivals).count == 1)
    #expect(try cache.titles(.tray) == ["water the plants"])
  }

  @Test("a rebuild and its sweep keep it", arguments: CacheKind.allCases)
  func rebuilt(kind: CacheKind) throws {
    let cache = try CacheFixture(kind)
    try cache.pull([.item(makeItem(1))])
    try publish(cache)
    _ = try cache.storage.beginRebuild(epoch: nil)
    #expect(try cache.titles(.tray).contains("water the plants"))
    try cache.endFirstSync()
    let swept = try cache.storage.sweepOldGenerations(limit: 9, now: at(1))
    #expect(swept.removed == [itemID(1)])
    #expect(try cache.titles(.tray) == ["water the plants"])
  }

  @Test("it is still there when the cache is opened again")
  func reopened() throws {
    let cache = try CacheFixture(.sqlite)
    try publish(cache) { $0.deliverAt = at(5) }
    let before = try #require(try cache.reader.item(id))
    let other = try CacheReader(path: cache.path, account: CacheFixture.account)
    #expect(try other.item(id) == before)
  }

  @Test("it is made again from the outbox of a damaged cache, as it was handled")
  func salvaged() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/cache.sqlite"
    let content = Content(app: "home", visual: VisualContent(title: "water the plants"))
    do {
      let cache = try SQLiteCache(path: path, identity: CacheFixture.identity())
      let operation = Operation(id: operationID(1), publishing: content, at: at(0))
      var read = Operation(
        id: operationID(2), target: .item(id), mutation: ItemCommand.read.mutation, seen: .zero)
      read.seenOperations = [id: operation.id]
      _ = try cache.enqueue([operation, read], now: at(0), sealAfter: nil)
    }
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes.replaceSubrange(0..<100, with: Data(repeating: 7, count: 100))
    try bytes.write(to: URL(filePath: path))
    let report = try SQLiteCache.salvage(
      at: path, identity: CacheFixture.identity(), now: at(3))
    #expect(report.rescuedCount == 2)
    let reader = try CacheReader(path: path, account: CacheFixture.account)
    let item = try #require(try reader.item(id))
    #expect(item.notification.content == content)
    #expect(item.notification.state.readState.value == .read)
    #expect(item.placement == .tray)
    #expect(item.version.operation == operationID(1))
  }
}
