import BellhopModel
import BellhopStore
import BellhopStoreMemory
import Testing

@Suite("First synchronisation and delta")
struct DeltaTests {
  @Test(
    "a first synchronisation gives live items, newest first, and a token for what follows",
    arguments: BackendKind.allCases)
  func firstSync(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    for number in 0..<10 { try await store.publish("\(number)") }
    let gone = try await store.publish("gone").item
    try await store.service.delete(gone.id, for: store.user)
    let (changes, token) = try await store.pull(from: .beginning, rows: 3)
    let titles = changes.map { change -> String? in
      if case .item(let item) = change { item.content.visual?.title } else { nil }
    }
    #expect(titles == (0..<10).reversed().map { "\($0)" })
    #expect(try await store.pull(from: .since(token)).changes.isEmpty)
  }

  @Test(
    "the token of a first synchronisation dates from the start of its paging",
    arguments: BackendKind.allCases)
  func firstSyncToken(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let oldest = try await store.publish("oldest", appID: "o").item
    for number in 0..<4 { try await store.publish("\(number)") }
    let first = try await store.service.delta(from: .beginning, rows: 2, for: store.user)
    guard case .next(let next) = first.end else {
      Issue.record("one page only")
      return
    }
    // Meanwhile the oldest item is handled and replaced, so that it jumps over the pages.
    _ = try await store.change(oldest, StateChange(readState: .read))
    let replaced = try await store.publish("jumped", appID: "o").item
    let (rest, token) = try await store.pull(from: .page(next), rows: 2)
    #expect(!rest.map(\.id).contains(oldest.id))
    #expect(token == first.started)
    #expect(try await store.pull(from: .since(token)).changes == [.item(replaced)])
  }

  @Test(
    "many changes of an item are one row of the delta, in sequence order",
    arguments: BackendKind.allCases)
  func coalesced(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let a = try await store.publish("a").item
    let b = try await store.publish("b").item
    let (_, token) = try await store.pull(from: .beginning)
    for state in [ReadState.read, .unread, .read] {
      _ = try await store.change(a, StateChange(readState: state))
    }
    let readB = try await store.change(b, StateChange(readState: .read))
    let dismissedA = try await store.change(a, StateChange(userActionState: .dismissed))
    let changes = try await store.pull(from: .since(token)).changes
    #expect(changes == [.state(b.id, readB.state), .state(a.id, dismissedA.state)])
  }

  @Test(
    "rows whose content the token has seen carry their state only, replaced ones all",
    arguments: BackendKind.allCases)
  func stateOnly(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let seen = try await store.publish("seen", appID: "s").item
    let (_, token) = try await store.pull(from: .beginning)
    let read = try await store.change(seen, StateChange(readState: .read))
    #expect(
      try await store.pull(from: .since(token)).changes == [.state(seen.id, read.state)])
    let replaced = try await store.publish("new", appID: "s").item
    #expect(try await store.pull(from: .since(token)).changes == [.item(replaced)])
  }

  @Test(
    "content newer than the token is whole even if its row comes on a later page",
    arguments: BackendKind.allCases)
  func contentOnLaterPages(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (_, token) = try await store.pull(from: .beginning)
    let early = try await store.publish("early").item
    for number in 0..<5 { try await store.publish("\(number)") }
    // Its row moves behind the others, its content stays older than theirs.
    let read = try await store.change(early, StateChange(readState: .read))
    let changes = try await store.pull(from: .since(token), rows: 2).changes
    #expect(changes.count == 6)
    #expect(changes.last == .item(read))
  }

  @Test("removed items come as tombstones", arguments: BackendKind.allCases)
  func removed(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let (_, token) = try await store.pull(from: .beginning)
    try await store.service.delete(item.id, for: store.user)
    let position = try await store.service.position(of: store.user)
    #expect(
      try await store.pull(from: .since(token)).changes
        == [.removed(item.id, sequence: position.sequence)])
  }

  @Test("a token stays valid across a restart of the store", arguments: BackendKind.allCases)
  func restart(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a")
    let (_, token) = try await store.pull(from: .beginning)
    let restarted = try await store.restarted()
    _ = try await restarted.publish(
      PublishRequest(Content(app: "x", visual: VisualContent(title: "b"))), for: store.user)
    let page = try await restarted.delta(from: .since(token), rows: 10, for: store.user)
    #expect(page.changes.count == 1)
  }

  @Test(
    "the first delta after a start reports the extent of the history that clients know",
    arguments: BackendKind.restorable)
  func validThrough(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a")
    let (_, token) = try await store.pull(from: .beginning)
    try await store.publish("b")
    let present = try await store.service.delta(from: .since(token), rows: 10, for: store.user)
    #expect(present.validThrough == nil, "the start of the token is the present one")
    let end = try await store.service.position(of: store.user).sequence
    let restarted = try await store.restarted()
    func first() async throws -> DeltaPage {
      try await restarted.delta(from: .since(token), rows: 10, for: store.user)
    }
    #expect(try await first().validThrough == end)
    _ = try await restarted.publish(
      PublishRequest(Content(app: "x", visual: VisualContent(title: "c"))), for: store.user)
    let page = try await first()
    #expect(page.validThrough == end, "what the present start writes is not of that past")
    guard case .complete(let next) = page.end else { throw StoreError.notFound(what: "end") }
    let later = try await restarted.delta(from: .since(next), rows: 10, for: store.user)
    #expect(later.validThrough == nil)
  }

  @Test(
    "a token that was changed, or is another user's, or another store's, starts again",
    arguments: BackendKind.allCases)
  func foreignTokens(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a")
    let (_, token) = try await store.pull(from: .beginning)
    let other = try await store.service.addUser(named: "bob").id
    func isRefused(_ token: String, for user: UserID) async throws -> Bool {
      let error = try await storeError {
        _ = try await store.service.delta(
          from: .since(DeltaToken(token)), rows: 10, for: user)
      }
      if case .resyncRequired? = error { return true }
      return false
    }
    #expect(try await isRefused(token.rawValue, for: other))
    #expect(try await isRefused("", for: store.user))
    #expect(try await isRefused(token.rawValue + "A", for: store.user))
    var bytes = Array(token.rawValue.utf8)
    for index in bytes.indices {
      let old = bytes[index]
      bytes[index] = old == 65 ? 66 : 65
      #expect(
        try await isRefused(String(decoding: bytes, as: UTF8.self), for: store.user),
        "byte \(index)")
      bytes[index] = old
    }
  }

  @Test("a token of an earlier epoch starts again", arguments: BackendKind.allCases)
  func epoch(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let (_, token) = try await store.pull(from: .beginning)
    let before = store.service.epoch
    try await store.service.beginEpoch()
    let restored = try await store.restarted()
    #expect(restored.epoch != before)
    let error = try await storeError {
      _ = try await restored.delta(from: .since(token), rows: 10, for: store.user)
    }
    #expect(error == .resyncRequired(reason: "the store has been restored from a backup since"))
  }

  @Test("a data directory rolled back under its store is noticed, even when it has caught up")
  func rollback() async throws {
    let store = try await StoreUnderTest(.memory)
    let backend = try #require(store.backend as? MemoryBackend)
    try await store.publish("a")
    let (_, early) = try await store.pull(from: .beginning)
    let backup = backend.snapshot()
    try await store.publish("lost 1")
    try await store.publish("lost 2")
    let (_, late) = try await store.pull(from: .beginning)
    backend.restore(backup)
    let rolledBack = try await store.restarted()
    func delta(_ token: DeltaToken) async throws -> StoreError? {
      try await storeError {
        _ = try await rolledBack.delta(from: .since(token), rows: 10, for: store.user)
      }
    }
    #expect(
      try await delta(late) == .resyncRequired(reason: "the token is newer than the store's data"))
    for number in 0..<5 {
      _ = try await rolledBack.publish(
        PublishRequest(Content(app: "x", visual: VisualContent(title: "new \(number)"))),
        for: store.user)
    }
    #expect(
      try await delta(late) == .resyncRequired(reason: "the token is newer than the store's data"))
    #expect(try await delta(early) == nil)
    // A token of a start that the backup does not know.
    let (_, unknown) = try await {
      let page = try await rolledBack.delta(from: .beginning, rows: 100, for: store.user)
      return (page.changes, try #require(page.started))
    }()
    backend.restore(backup)
    let again = try await store.restarted()
    let error = try await storeError {
      _ = try await again.delta(from: .since(unknown), rows: 10, for: store.user)
    }
    #expect(error == .resyncRequired(reason: "the store's data was rolled back"))
  }

  @Test(
    "administration that joins a running store leaves its tokens valid",
    arguments: BackendKind.allCases)
  func joining(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await store.publish("a")
    let joined = try await StoreService.open(
      .joining, on: store.backend, environment: store.environment)
    _ = try await joined.publish(
      PublishRequest(Content(app: "x", visual: VisualContent(title: "b"))), for: store.user)
    try await store.publish("c")
    let (_, token) = try await store.pull(from: .beginning)
    try await store.publish("d")
    #expect(try await store.pull(from: .since(token)).changes.count == 1)
  }
}
