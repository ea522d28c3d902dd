import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import BellhopTestSupport
import Testing

@Suite("Repeats in the rows of the store")
struct RepeatRowTests {
  /// Stores a repeat of an item, with every value that distinguishes it from its first publication.
  private func storeRepeat(
    of item: UserNotification, _ store: StoreUnderTest
  ) async throws -> UserNotification {
    let now = store.clock.now
    return try await store.backend.storeRepeat(of: item.id, user: store.user, at: now) {
      $0.content.visual?.body = "again"
      $0.repeats = Repeats(firstAt: item.created).newRound(at: now).repeated(at: now)
      $0.state.resolved = now.advanced(by: .seconds(1))
    }
  }

  private func row(_ id: NotificationID, _ store: StoreUnderTest) async throws -> StoredRow? {
    let user = store.user
    return try await store.backend.read { try $0.row(id, of: user) }
  }

  @Test(
    "the meaning, the resolution and the repeats of an item are read as they were written",
    arguments: BackendKind.allCases)
  func values(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("disk full").item
    #expect(item.state.meaningSequence == item.state.contentSequence)
    let repeated = try await storeRepeat(of: item, store)
    #expect(repeated.state.meaningSequence == item.state.contentSequence)
    #expect(repeated.state.contentSequence > item.state.contentSequence)
    #expect(try await row(item.id, store) == .live(repeated))
    let dismissed = try await store.change(repeated, StateChange(userActionState: .dismissed))
    #expect(dismissed.state.meaning == repeated.state.meaning)
    #expect(dismissed.state.resolved == repeated.state.resolved)
    #expect(dismissed.repeats == repeated.repeats)
    #expect(try await row(item.id, store) == .live(dismissed))
  }

  @Test("a replacement is a new meaning", arguments: BackendKind.allCases)
  func replacement(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("disk full", appID: "disk").item
    let repeated = try await storeRepeat(of: item, store)
    #expect(repeated.state.meaning == item.state.contentSequence)
    for isQuiet in [true, false] {
      let next = try await store.publish("disk full", appID: "disk", quiet: isQuiet).item
      #expect(next.id == item.id)
      #expect(next.state.meaning == nil)
      #expect(next.state.meaningSequence == next.state.contentSequence)
    }
  }

  @Test(
    "a repeat is a whole item in the delta, and a change of it has its meaning and its resolution",
    arguments: BackendKind.allCases)
  func delta(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("disk full").item
    let first = try await store.pull(from: .beginning).token
    let repeated = try await storeRepeat(of: item, store)
    let second = try await store.pull(from: .since(first))
    #expect(second.changes == [.item(repeated)])
    let dismissed = try await store.change(repeated, StateChange(userActionState: .dismissed))
    let third = try await store.pull(from: .since(second.token))
    #expect(third.changes == [.state(item.id, dismissed.state)])
  }

  @Test(
    "a dismissal made before a repeat dismisses, and one made before the item came back does not",
    arguments: BackendKind.allCases)
  func seen(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("disk full").item
    let other = try await store.publish("disk still full").item
    let repeated = try await storeRepeat(of: item, store)
    // The second one came back: its last publication is a new meaning.
    try await store.backend.storeRepeat(of: other.id, user: store.user, at: store.clock.now) {
      $0.state.meaning = nil
    }
    let dismissals = [item, other].map {
      store.operation(.dismiss, $0, seen: $0.state.contentSequence)
    }
    let both = BellhopModel.Operation(
      id: store.newID(),
      onShown: [item, other].map { ($0.id, ShownVersion(content: $0.state.contentSequence)) },
      mutation: ItemCommand.read.mutation)
    let answer = try await store.send(dismissals + [both])
    #expect(answer.results == [.applied, .superseded, .applied])
    let states = try await [item, other].asyncMap {
      try await store.service.item($0.id, of: store.user).state
    }
    #expect(states.map(\.userActionState.value) == [.dismissed, .noInteraction])
    #expect(states.map(\.readState.value) == [.read, .unread])
    #expect(states[0].contentSequence == repeated.state.contentSequence)
  }

  @Test(
    "a bulk operation changes an item that only repeats came after, and no newer one",
    arguments: BackendKind.allCases)
  func bulk(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let items = [
      try await store.publish("repeated").item, try await store.publish("back").item,
    ]
    let through = try await store.service.position(of: store.user).sequence
    _ = try await storeRepeat(of: items[0], store)
    try await store.backend.storeRepeat(of: items[1].id, user: store.user, at: store.clock.now) {
      $0.state.meaning = nil
    }
    let operation = BellhopModel.Operation(
      id: store.newID(), target: .matching(Predicate(), through: through),
      mutation: ItemCommand.dismiss.mutation)
    #expect(try await store.send([operation]).results == [.applied])
    let states = try await items.asyncMap {
      try await store.service.item($0.id, of: store.user).state
    }
    #expect(states.map(\.userActionState.value) == [.dismissed, .noInteraction])
  }

  @Test(
    "the key of repeats finds the newest live item, and stays when the item is stored again",
    arguments: BackendKind.allCases)
  func collapseKey(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let user = store.user
    let older = try await store.publish("disk full").item
    store.clock.advance(by: .seconds(60))
    let newer = try await store.publish("disk full").item
    let key = try #require(older.content.collapseKey(.exact))
    func found(_ user: UserID) async throws -> NotificationID? {
      try await store.backend.read { try $0.item(collapsedUnder: key, of: user)?.id }
    }
    func setKey(_ key: [UInt8]?, of id: NotificationID) async throws {
      try await store.backend.write(
        in: .user(user), { try $0.setCollapseKey(key, of: id, user: user) }, committed: {})
    }
    #expect(try await found(user) == nil)
    for item in [newer, older] { try await setKey(key, of: item.id) }
    #expect(try await found(user) == newer.id)
    let other = try await store.service.addUser(named: "bob").id
    #expect(try await found(other) == nil)
    try await store.backend.storeRepeat(of: newer.id, user: user, at: store.clock.now)
    _ = try await store.change(newer, StateChange(userActionState: .dismissed))
    #expect(try await found(user) == newer.id)
    try await setKey(nil, of: newer.id)
    #expect(try await found(user) == older.id)
    try await store.service.delete(older.id, for: user)
    #expect(try await found(user) == nil)
  }

  @Test("a deleted item keeps nothing of its repeats")
  func deletion() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let item = try await store.publish("disk full").item
    let user = store.user
    try await store.backend.write(
      in: .user(user), { try $0.setCollapseKey([1, 2], of: item.id, user: user) }, committed: {})
    _ = try await storeRepeat(of: item, store)
    try await store.service.delete(item.id, for: user)
    let backend = try #require(store.backend as? SQLiteBackend)
    let kept = try await backend.inspect(
      """
      SELECT count(*) FROM item WHERE meaning_sequence IS NOT NULL OR resolved IS NOT NULL
        OR repeats IS NOT NULL OR collapse_key IS NOT NULL
      """)
    #expect(kept == [["0"]])
  }

  @Test("a row whose meaning is not below its content is damaged")
  func damage() async throws {
    let store = try await StoreUnderTest(.sqlite)
    let item = try await store.publish("disk full").item
    let backend = try #require(store.backend as? SQLiteBackend)
    _ = try await backend.inspect("UPDATE item SET meaning_sequence = content_sequence")
    let error = try await storeError { _ = try await row(item.id, store) }
    #expect(error == .damagedRow)
  }
}

extension Sequence {
  /// Returns the results of asynchronous calls, one after the other.
  fileprivate func asyncMap<Value>(
    _ transform: (Element) async throws -> Value
  ) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
