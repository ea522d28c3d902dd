import BellhopModel
import BellhopStore
import Testing

@Suite("Publishing and changing several items")
struct PublishManyTests {
  private func request(
    _ title: String, appID: String? = nil, key: IdempotencyKey? = nil
  ) -> PublishRequest {
    PublishRequest(
      Content(app: "ci", appNotificationID: appID, visual: VisualContent(title: title)),
      idempotency: key)
  }

  @Test(
    "they are one transaction with one signal; a refused one does not affect the others",
    arguments: BackendKind.allCases)
  func together(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let signals = try await store.service.signals(for: store.user)
    let results = try await store.service.publish(
      [request("1", appID: "a"), request(""), request("2", appID: "a"), request("3")],
      for: store.user)
    #expect(results.count == 4)
    let published = try [results[0], results[2], results[3]].map { try $0.get() }
    #expect(published[0].item.id == published[1].item.id)
    #expect(published.map(\.outcome) == [.created, .updated, .created])
    guard case .failure(.invalid("payload.visualContent.title", _)) = results[1] else {
      Issue.record("the empty title was accepted")
      return
    }
    #expect(Set(try await store.titles()) == ["2", "3"])
    var iterator = signals.makeAsyncIterator()
    #expect(await iterator.next()?.sequence == SequenceNumber(3))
  }

  @Test(
    "their idempotency keys are stored with them, and a repetition writes nothing",
    arguments: BackendKind.allCases)
  func repeated(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    func requests(_ hash: UInt8) -> [PublishRequest] {
      ["1", "2"].map { title in
        request(
          title,
          key: IdempotencyKey(
            token: store.token.token.id, key: "k" + title,
            bodyHash: Array(repeating: hash, count: 32)))
      }
    }
    let first = try await store.service.publish(requests(1), for: store.user)
    let position = try await store.service.position(of: store.user)
    let again = try await store.service.publish(requests(1), for: store.user)
    for (first, again) in zip(first, again) {
      #expect(try first.get().item == again.get().item)
      #expect(try again.get().isRepeat)
    }
    let error = try await storeError {
      _ = try await store.service.publish(
        [request("new")] + requests(2), for: store.user)
    }
    #expect(error == .idempotencyConflict)
    #expect(try await store.service.position(of: store.user) == position)
  }

  @Test(
    "a publisher's change follows the rules of a replacement, and an empty one has no effect",
    arguments: BackendKind.allCases)
  func revised(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("one", appID: "a").item
    func revise(_ title: String, quiet: Bool = false) async throws -> Published {
      store.clock.advance(by: .seconds(1))
      return try await store.service.revise(
        app: "backups", appNotificationID: "a", isQuiet: quiet, for: store.user
      ) { content in
        var content = content
        content.visual?.title = title
        return content
      }
    }
    let same = try await revise("one")
    #expect(same.item == item)
    let updated = try await revise("two")
    #expect(updated.outcome == .updated)
    #expect(updated.item.arrival == item.arrival)
    _ = try await store.change(item, StateChange(userActionState: .dismissed))
    #expect(try await revise("three", quiet: true).outcome == .updated)
    let back = try await revise("four")
    #expect(back.outcome == .resurfaced)
    #expect(back.item.state.userActionState.value == .noInteraction)
    #expect(back.item.arrival == store.clock.now)
    #expect(back.item.id == item.id)
  }

  @Test(
    "an item that is deleted, expired or another user's can't be changed",
    arguments: BackendKind.allCases)
  func gone(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let other = try await store.service.addUser(named: "grace").id
    let expiration = store.clock.now.advanced(by: .seconds(60))
    try await store.publish("one", appID: "a") { $0.expiration = expiration }
    func error(_ user: UserID) async throws -> StoreError? {
      try await storeError {
        _ = try await store.service.revise(
          app: "backups", appNotificationID: "a", isQuiet: false, for: user, edit: { $0 })
      }
    }
    #expect(try await error(other) == .notFound(what: "item"))
    #expect(try await error(store.user) == nil)
    store.clock.advance(by: .seconds(60))
    #expect(try await error(store.user) == .notFound(what: "item"))
    try await store.publish("two", appID: "a")
    try await store.service.withdraw(app: "backups", appNotificationID: "a", for: store.user)
    #expect(try await error(store.user) == .notFound(what: "item"))
  }
}
