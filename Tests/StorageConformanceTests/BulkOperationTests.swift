import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Testing

@Suite("Bulk operations, chunk by chunk")
struct BulkOperationTests {
  private static var limits: StoreLimits {
    var limits = StoreLimits()
    limits.bulkChunkItemsMax = 3
    return limits
  }

  /// A bulk operation on everything published up to now.
  private func bulk(
    _ command: ItemCommand, _ store: StoreUnderTest, adjust: (inout Predicate) -> Void = { _ in }
  ) async throws -> BellhopModel.Operation {
    var predicate = Predicate()
    adjust(&predicate)
    return Operation(
      id: store.newID(),
      target: .matching(
        predicate, through: try await store.service.position(of: store.user).sequence),
      mutation: command.mutation)
  }

  private func items(_ store: StoreUnderTest) async throws -> [UserNotification] {
    try await store.service.list(rows: 1000, for: store.user).items
  }

  @Test(
    "more items than a chunk holds are all changed, once, before the answer",
    arguments: BackendKind.allCases, [1, 3, 6, 10])
  func allChunks(kind: BackendKind, count: Int) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    for number in 0..<count { try await store.publish("\(number)") }
    let operation = try await bulk(.read, store)
    let answer = try await store.send([operation])
    #expect(answer.results == [.applied])
    let items = try await items(store)
    #expect(items.allSatisfy { $0.state.readState.change?.operation == operation.id })
    // Each item took one sequence, and the answer's includes them all.
    #expect(answer.sequence == SequenceNumber(Int64(2 * count)))
    #expect(items.map(\.state.sequence).max() == answer.sequence)
    #expect(try await store.send([operation]).results == [.alreadyApplied])
    #expect(try await store.service.position(of: store.user).sequence == answer.sequence)
  }

  @Test(
    "its undo restores each item's own state, chunk by chunk too",
    arguments: BackendKind.allCases)
  func undo(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    for number in 0..<10 {
      let item = try await store.publish("\(number)").item
      if number % 2 == 0 {
        _ = try await store.change(item, StateChange(userActionState: .activated))
      }
    }
    let before = try await items(store).map(\.state.userActionState.value)
    let dismiss = try await bulk(.dismiss, store)
    _ = try await store.send([dismiss])
    // Another device changes two of them: its changes stay.
    let changed = try await items(store).prefix(2)
    for item in changed {
      _ = try await store.change(item, StateChange(userActionState: .activated))
    }
    let undo = Operation(
      id: store.newID(), target: .setBy(dismiss.id), mutation: .restorePrevious)
    #expect(try await store.send([undo], from: 2).results == [.applied])
    let after = try await items(store).map(\.state.userActionState.value)
    #expect(Array(after.dropFirst(2)) == Array(before.dropFirst(2)))
    #expect(Array(after.prefix(2)) == [.activated, .activated])
  }

  @Test(
    "operations around it keep their order, and it sees the effects of those before it",
    arguments: BackendKind.allCases)
  func inOrder(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    var last = try await store.publish("0").item
    for number in 1..<8 { last = try await store.publish("\(number)").item }
    _ = try await store.change(last, StateChange(readState: .read))
    let operations = [
      store.operation(.unread, last),
      // Applies to unread items only, and the last one is unread again by now.
      try await bulk(.pin, store) { $0.readState = .unread },
      store.operation(.unpin, last),
      try await bulk(.dismiss, store),
    ]
    let answer = try await store.send(operations)
    #expect(answer.results == Array(repeating: .applied, count: 4))
    let items = try await items(store)
    #expect(items.filter(\.state.pinned.value).count == 7)
    #expect(items.allSatisfy { $0.state.userActionState.value == .dismissed })
  }

  @Test(
    "other writes run between the chunks, and items published meanwhile are not changed",
    arguments: BackendKind.allCases)
  func othersGoBetween(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    let other = try await store.service.addUser(named: "grace").id
    for number in 0..<10 { try await store.publish("\(number)", appID: "\(number)") }
    let operation = try await bulk(.dismiss, store)
    let between = BetweenWrites(store.backend)
    let service = try await StoreService.open(
      .joining, on: between, environment: store.environment, limits: store.limits)
    let user = store.user
    between.afterEach { [service = store.service] in
      for user in [user, other] {
        let content = Content(
          app: "backups", appNotificationID: "0", visual: VisualContent(title: "later"))
        _ = try await service.publish(PublishRequest(content), for: user)
      }
    }
    let answer = try await service.apply(store.batch([operation]), for: store.user)
    #expect(answer.results == [.applied])
    #expect(between.writes >= 4)
    let items = try await items(store)
    #expect(items.filter { $0.state.userActionState.value == .dismissed }.count == 9)
    #expect(items.first { $0.content.appNotificationID == "0" }?.content.visual?.title == "later")
    #expect(try await store.service.position(of: other).sequence.rawValue >= 4)
    let effects = items.filter { $0.state.userActionState.change?.operation == operation.id }
    #expect(try #require(effects.map(\.state.sequence).max()) <= answer.sequence)
  }

  @Test(
    "an item replaced between reading and writing its chunk is not changed",
    arguments: BackendKind.allCases)
  func replacedBehindTheReading(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    for number in 0..<3 { try await store.publish("\(number)", appID: "\(number)") }
    let operation = try await bulk(.dismiss, store)
    let between = BetweenWrites(store.backend)
    let service = try await StoreService.open(
      .joining, on: between, environment: store.environment, limits: store.limits)
    let user = store.user
    between.afterEachRead { [service = store.service] in
      let content = Content(
        app: "backups", appNotificationID: "1", visual: VisualContent(title: "later"))
      _ = try await service.publish(PublishRequest(content), for: user)
    }
    let answer = try await service.apply(store.batch([operation]), for: user)
    #expect(answer.results == [.applied])
    let dismissed = try await items(store).filter {
      $0.state.userActionState.value == .dismissed
    }
    #expect(Set(dismissed.map(\.content.visual?.title)) == ["0", "2"])
  }

  @Test(
    "after a crash between chunks the rest is done at the next start, each item once",
    arguments: BackendKind.allCases, [1, 2, 3])
  func crash(kind: BackendKind, chunks: Int) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    for number in 0..<10 { try await store.publish("\(number)") }
    let operation = try await bulk(.read, store)
    try await store.crash(sending: [operation], afterWrites: chunks)
    #expect(
      try await items(store).filter { $0.state.readState.value == .read }.count == 3 * chunks)
    let restarted = try await store.restarted()
    let signals = try await restarted.signals(for: store.user)
    #expect(try await restarted.sweep().operationsFinished == 1)
    #expect(try await restarted.sweep().operationsFinished == 0)
    let items = try await items(store)
    #expect(items.allSatisfy { $0.state.readState.change?.operation == operation.id })
    #expect(items.allSatisfy { $0.state.readState.change?.by == store.device.author })
    let position = try await restarted.position(of: store.user).sequence
    #expect(position == SequenceNumber(20))
    var last = SequenceNumber.zero
    for await signal in signals {
      last = signal.sequence
      if last == position { break }
    }
    #expect(last == position)
    // The client, which never got an answer, sends it again.
    let again = try await restarted.apply(store.batch([operation]), for: store.user)
    #expect(again.results == [.alreadyApplied])
    #expect(again.sequence == position)
    #expect(try await restarted.position(of: store.user).sequence == position)
  }

  @Test(
    "sent again after a crash, before anything resumed it, it continues where it was",
    arguments: BackendKind.allCases)
  func sentAgain(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    for number in 0..<10 { try await store.publish("\(number)") }
    let first = try #require(try await items(store).first)
    let operations = [
      try await bulk(.read, store), store.operation(.dismiss, first),
    ]
    try await store.crash(sending: operations, afterWrites: 2)
    let restarted = try await store.restarted()
    let answer = try await restarted.apply(store.batch(operations), for: store.user)
    #expect(answer.results == [.applied, .applied])
    #expect(answer.sequence == SequenceNumber(21))
    #expect(try await restarted.sweep().operationsFinished == 0)
    #expect(try await items(store).allSatisfy { $0.state.readState.value == .read })
  }

  @Test(
    "two requests with the same operation at once apply it once between them",
    arguments: BackendKind.allCases)
  func twice(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    for number in 0..<20 { try await store.publish("\(number)") }
    let batch = store.batch([try await bulk(.read, store)])
    let (service, user) = (store.service, store.user)
    async let first = service.apply(batch, for: user)
    async let second = service.apply(batch, for: user)
    async let swept = service.sweep()
    let answers = try await [first, second]
    _ = try await swept
    for answer in answers {
      #expect(answer.results == [.applied] || answer.results == [.alreadyApplied])
      #expect(answer.sequence == SequenceNumber(40))
    }
    #expect(try await service.position(of: user).sequence == SequenceNumber(40))
  }

  @Test(
    "numbers are checked before anything is applied, even with bulk operations in the batch",
    arguments: BackendKind.allCases)
  func refusedWhole(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind, limits: Self.limits)
    for number in 0..<10 { try await store.publish("\(number)") }
    let position = try await store.service.position(of: store.user)
    let operation = try await bulk(.read, store)
    #expect(
      try await storeError { _ = try await store.send([operation], from: 2) }
        == .outboxGap(expected: 1))
    #expect(try await store.service.position(of: store.user) == position)
  }

  @Test("a file from before bulk operations gets their table, and loses nothing")
  func migration() async throws {
    let store = try await StoreUnderTest(.sqlite, limits: Self.limits)
    for number in 0..<10 { try await store.publish("\(number)") }
    let backend = try #require(store.backend as? SQLiteBackend)
    for statement in [
      "DROP TABLE bulk_work", "DROP INDEX item_development",
      "ALTER TABLE device DROP COLUMN environment", "ALTER TABLE item DROP COLUMN environment",
      """
      DELETE FROM grdb_migrations
      WHERE identifier LIKE '%bulk work' OR identifier LIKE '%environments'
      """,
    ] {
      _ = try await backend.inspect(statement)
    }
    await backend.close()
    let reopened = try SQLiteBackend(path: store.directory.file("store.sqlite"))
    let service = try await StoreService.open(
      .starting, on: reopened, environment: store.environment, limits: store.limits)
    var predicate = Predicate()
    predicate.app = "backups"
    let operation = Operation(
      id: store.newID(), target: .matching(predicate, through: SequenceNumber(10)),
      mutation: ItemCommand.read.mutation)
    let answer = try await service.apply(store.batch([operation]), for: store.user)
    #expect(answer.sequence == SequenceNumber(20))
    await reopened.close()
  }
}
