import BellhopModel
import BellhopStore
import BellhopStoreMemory
import BellhopStoreSQLite
import Foundation
import GRDB
import Testing

@Suite("Data that goes back under a running store")
struct RestoreDetectorTests {
  /// A state of a store's storage, to restore under it.
  private enum Past {
    case memory(MemorySnapshot)
    case file(String)
  }

  private func past(of store: StoreUnderTest, _ name: String = "past") throws -> Past {
    if let backend = store.backend as? MemoryBackend { return .memory(backend.snapshot()) }
    let path = store.directory.file(name + ".sqlite")
    try SQLiteFile.copy(from: store.directory.file("store.sqlite"), to: path, replacing: false)
    return .file(path)
  }

  /// Restores it while the store has its storage open, as `sqlite3 .restore` does.
  private func putBack(_ past: Past, under store: StoreUnderTest) throws {
    switch past {
    case .memory(let snapshot):
      try #require(store.backend as? MemoryBackend).restore(snapshot)
    case .file(let path):
      let source = try DatabaseQueue(path: path)
      let target = try DatabaseQueue(path: store.directory.file("store.sqlite"))
      try source.backup(to: target)
      try source.close()
      try target.close()
    }
  }

  private func publish(_ count: Int, to service: StoreService, of user: UserID) async throws {
    for number in 0..<count {
      _ = try await service.publish(
        PublishRequest(Content(app: "x", visual: VisualContent(title: "new \(number)"))),
        for: user)
    }
  }

  private func refusal(
    of token: DeltaToken, by service: StoreService, for user: UserID
  ) async throws -> StoreError? {
    try await storeError { _ = try await service.delta(from: .since(token), rows: 50, for: user) }
  }

  private static let ahead = StoreError.resyncRequired(
    reason: "the token is newer than the store's data")

  @Test(
    "data that goes back under a running store is noticed by its next write",
    arguments: BackendKind.restorable)
  func caughtUp(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("kept")
    let (_, early) = try await store.pull(from: .beginning)
    let past = try past(of: store)
    let start = store.service.start
    try await store.publish("lost 1")
    try await store.publish("lost 2")
    let (_, late) = try await store.pull(from: .beginning)
    let signals = try await store.service.signals(for: store.user)
    try putBack(past, under: store)

    // Reads alone start no epoch: the lost changes are ahead of the store.
    #expect(try await refusal(of: early, by: store.service, for: store.user) == nil)
    #expect(store.service.start == start)
    try await publish(5, to: store.service, of: store.user)
    #expect(store.service.start != start)
    #expect(try await refusal(of: late, by: store.service, for: store.user) == Self.ahead)
    let changes = try await store.pull(from: .since(early)).changes
    #expect(changes.count == 5)
    // Streams end, so that clients ask again.
    for await _ in signals {}
    // From there on everything is as before.
    let now = store.service.start
    let (_, token) = try await store.pull(from: .beginning)
    try await publish(2, to: store.service, of: store.user)
    #expect(try await store.pull(from: .since(token)).changes.count == 2)
    #expect(store.service.start == now && store.service.figures.rollbacks == 1)
    #expect(try await store.service.problems().isEmpty)
    let again = try await store.restarted()
    #expect(try await refusal(of: late, by: again, for: store.user) == Self.ahead)
    #expect(try await refusal(of: token, by: again, for: store.user) == nil)
  }

  @Test("a change of another user notices it for all users", arguments: BackendKind.restorable)
  func otherUser(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let other = try await store.service.addUser(named: "grace").id
    try await publish(1, to: store.service, of: other)
    let past = try past(of: store)
    try await store.publish("lost")
    let (_, late) = try await store.pull(from: .beginning)
    try await publish(3, to: store.service, of: other)
    try putBack(past, under: store)
    try await publish(1, to: store.service, of: other)
    try await publish(5, to: store.service, of: store.user)
    #expect(try await refusal(of: late, by: store.service, for: store.user) == Self.ahead)
    #expect(store.service.figures.rollbacks == 1)
  }

  @Test(
    "data from before the start is noticed by a store that has written nothing",
    arguments: BackendKind.restorable)
  func beforeStart(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("kept")
    let past = try past(of: store)
    try await store.publish("lost")
    let running = try await store.restarted()
    let page = try await running.delta(from: .beginning, rows: 10, for: store.user)
    let late = try #require(page.started)
    let start = running.start
    try putBack(past, under: store)
    try await publish(5, to: running, of: store.user)
    #expect(running.start != start)
    #expect(
      try await refusal(of: late, by: running, for: store.user)
        == .resyncRequired(reason: "the store's data was rolled back"))
    #expect(try await running.problems().isEmpty)
  }

  @Test(
    "if the store's memory went back too, a token ahead of the store starts another epoch",
    arguments: BackendKind.restorable)
  func memoryToo(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("kept")
    let past = try past(of: store)
    // It knows nothing of what follows, like the same machine in its earlier state.
    let earlier = try await StoreService.open(
      .joining, on: store.backend, environment: store.environment)
    let start = earlier.start
    #expect(start == store.service.start)
    try await store.publish("lost 1")
    try await store.publish("lost 2")
    let (_, late) = try await store.pull(from: .beginning)
    try putBack(past, under: store)
    #expect(try await refusal(of: late, by: earlier, for: store.user) == Self.ahead)
    try await publish(5, to: earlier, of: store.user)
    #expect(earlier.start != start)
    #expect(try await refusal(of: late, by: earlier, for: store.user) == Self.ahead)
  }

  @Test(
    "a refused write starts no epoch, and the next one does",
    arguments: BackendKind.restorable)
  func refusedWrite(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("kept")
    let past = try past(of: store)
    try await store.publish("lost")
    let (_, late) = try await store.pull(from: .beginning)
    try putBack(past, under: store)
    for _ in 0..<3 {
      #expect(try await storeError { _ = try await store.publish("a", app: "not a name") } != nil)
    }
    #expect(store.service.figures.rollbacks == 0)
    try await publish(5, to: store.service, of: store.user)
    #expect(store.service.figures.rollbacks == 1)
    #expect(try await refusal(of: late, by: store.service, for: store.user) == Self.ahead)
    #expect(try await store.service.problems().isEmpty)
  }

  @Test("many concurrent writers start one epoch", arguments: BackendKind.restorable)
  func manyWriters(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let past = try past(of: store)
    try await store.publish("lost")
    let (_, late) = try await store.pull(from: .beginning)
    try putBack(past, under: store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask { try await publish(2, to: store.service, of: store.user) }
      }
      try await group.waitForAll()
    }
    #expect(store.service.figures.rollbacks == 1)
    #expect(try await refusal(of: late, by: store.service, for: store.user) == Self.ahead)
    #expect(try await store.pull(from: .beginning).changes.count == 40)
  }

  @Test("a write that takes no sequence does not hide a loss", arguments: BackendKind.restorable)
  func writesWithoutSequence(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let other = try await store.service.addUser(named: "grace").id
    let item = try await store.service.publish(
      PublishRequest(Content(app: "x", visual: VisualContent(title: "a"))), for: other
    ).item
    let read = StateChange(readState: .read)
    let author = store.device.author
    _ = try await store.service.change(item.id, read, by: author, for: other)
    let past = try past(of: store)
    try await store.publish("lost")
    let (_, late) = try await store.pull(from: .beginning)
    // It is read already.
    _ = try await store.service.change(item.id, read, by: author, for: other)
    try putBack(past, under: store)
    try await publish(5, to: store.service, of: store.user)
    #expect(store.service.figures.rollbacks == 1)
    #expect(try await refusal(of: late, by: store.service, for: store.user) == Self.ahead)
  }

  @Test("a loss of only a token's revocation is noticed, too", arguments: BackendKind.restorable)
  func revocation(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a")
    // One store has changed an item before; the other has written nothing else since its start.
    for (round, running) in [store.service, try await store.restarted()].enumerated() {
      let token = try await store.service.mintToken(
        named: "ci", scope: .publish(.any), for: store.user)
      let past = try past(of: store, "past \(round)")
      try await running.revokeToken(token.token.id, of: store.user)
      // It does not hide the loss.
      try await running.revokeToken(token.token.id, of: store.user)
      let start = running.start
      try putBack(past, under: store)
      #expect(try await running.authenticate(token.secret).user.id == store.user)
      try await publish(1, to: running, of: store.user)
      #expect(running.start != start && running.figures.rollbacks == 1)
      // From there on everything is as before.
      let now = running.start
      try await running.revokeToken(token.token.id, of: store.user)
      try await publish(2, to: running, of: store.user)
      #expect(running.start == now && running.figures.rollbacks == 1)
      #expect(try await running.problems().isEmpty)
    }
  }

  @Test("removing the user who was written last is not a loss", arguments: BackendKind.restorable)
  func removedUser(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let other = try await store.service.addUser(named: "grace").id
    try await store.publish("a")
    let (_, token) = try await store.pull(from: .beginning)
    try await publish(3, to: store.service, of: other)
    try await store.service.removeUser(named: "grace")
    try await store.publish("b")
    #expect(store.service.figures.rollbacks == 0)
    #expect(try await store.pull(from: .since(token)).changes.count == 1)
  }
}
