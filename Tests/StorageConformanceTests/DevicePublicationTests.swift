import BellhopModel
import BellhopStore
import Testing

@Suite("Publications that devices send through their outbox")
struct DevicePublicationTests {
  private static let hourly = try? Trigger(.interval(seconds: 3600), repeats: true)

  private func publication(
    _ title: String, app: String = "ci", appID: String? = nil, made: Timestamp? = nil,
    _ store: StoreUnderTest, _ change: (inout Content) -> Void = { _ in }
  ) -> BellhopModel.Operation {
    var content = Content(
      app: app, appNotificationID: appID, visual: VisualContent(title: title))
    change(&content)
    return Operation(id: store.newID(), publishing: content, at: made ?? store.clock.now)
  }

  /// An operation on an item as its device shows it before the store has sent it.
  private func change(
    _ command: ItemCommand, on publication: BellhopModel.Operation, _ store: StoreUnderTest
  ) -> BellhopModel.Operation {
    Operation(
      id: store.newID(), onShown: NotificationID(sameAs: publication.id),
      ShownVersion(content: .zero, operation: publication.id), mutation: command.mutation)
  }

  private func send(
    _ operations: BellhopModel.Operation..., to store: StoreUnderTest
  ) async throws -> [OperationResult] {
    try await store.send(operations, lineage: operations[0].id.description).results
  }

  private func item(
    of publication: BellhopModel.Operation, _ store: StoreUnderTest
  ) async throws -> UserNotification {
    try await store.service.item(NotificationID(sameAs: publication.id), of: store.user)
  }

  @Test(
    "the item has the id of the operation and a number, and reaches every device",
    arguments: BackendKind.allCases)
  func published(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let token = try await store.pull(from: .beginning).token
    let publication = publication("water the plants", store)
    store.clock.advance(by: .seconds(90))
    #expect(try await send(publication, to: store) == [.applied])
    let item = try await item(of: publication, store)
    #expect(item.content.visual?.title == "water the plants")
    #expect(item.shortNumber == 1)
    #expect(item.created == store.clock.now)
    #expect(item.arrival == store.clock.now)
    #expect(try await store.pull(from: .since(token)).changes == [.item(item)])
  }

  @Test("sent twice, also after a restart, it is published once", arguments: BackendKind.allCases)
  func repeated(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let publication = publication("once", store)
    #expect(try await store.send([publication]).results == [.applied])
    let position = try await store.service.position(of: store.user)
    #expect(try await store.send([publication]).results == [.alreadyApplied])
    #expect(try await send(publication, to: store) == [.alreadyApplied])
    let other = try await store.restarted()
    let answer = try await other.apply(
      OperationBatch(
        device: store.device.id, lineage: Lineage("after"),
        operations: [NumberedOperation(number: 1, operation: publication)]), for: store.user)
    #expect(answer.results == [.alreadyApplied])
    #expect(try await store.service.position(of: store.user) == position)
    #expect(try await store.titles() == ["once"])
  }

  @Test(
    "a request under its id as idempotency key that arrived before counts",
    arguments: BackendKind.allCases)
  func publishedBefore(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let publication = publication("once", store)
    let content = try #require(publication.publishedContent)
    let first = try await store.service.publish(
      PublishRequest(
        content,
        idempotency: IdempotencyKey(
          token: store.token.token.id, key: publication.id.description, bodyHash: [1]),
        publisher: store.token.token.id, isDevice: true), for: store.user
    ).item
    let answer = try await store.service.apply(
      OperationBatch(
        device: store.device.id, lineage: Lineage("l1"),
        operations: [
          NumberedOperation(number: 1, operation: publication),
          NumberedOperation(number: 2, operation: change(.dismiss, on: publication, store)),
        ], token: store.token.token.id), for: store.user)
    #expect(answer.results == [.applied, .applied])
    #expect(try await store.titles() == ["once"])
    let item = try await store.service.item(first.id, of: store.user)
    #expect(item.state.userActionState.value == .dismissed, "the device meant this item")
  }

  @Test(
    "a live item of the same app notification id is replaced, and handled in its place",
    arguments: BackendKind.allCases)
  func replacing(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let live = try await store.publish("build 411", app: "ci", appID: "build").item
    let dismiss = store.operation(.dismiss, live)
    #expect(try await store.send([dismiss]).results == [.applied])
    let publication = publication("build 412", appID: "build", store)
    let read = change(.read, on: publication, store)
    #expect(try await send(publication, read, to: store) == [.applied, .applied])
    let item = try await store.service.item(live.id, of: store.user)
    #expect(item.content.visual?.title == "build 412")
    #expect(item.shortNumber == live.shortNumber)
    #expect(item.state.userActionState.value == .noInteraction, "it has returned to the tray")
    #expect(item.state.readState.value == .read)
    #expect(try await store.titles() == ["build 412"])
    let local = try #require(publication.localItem)
    let undo = try #require(read.undo(id: store.newID(), before: local))
    #expect(try await send(undo, to: store) == [.applied])
    let undone = try await store.service.item(live.id, of: store.user)
    #expect(undone.state.readState.value == .unread)
    _ = try await store.publish("build 413", app: "ci", appID: "build")
    let late = change(.dismiss, on: publication, store)
    #expect(try await send(late, to: store) == [.superseded], "it was replaced since")
  }

  @Test(
    "several items, of which some are stored under another id, are handled in one operation",
    arguments: BackendKind.allCases)
  func several(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let live = try await store.publish("old", app: "ci", appID: "build").item
    let other = try await store.publish("other").item
    let own = publication("new", appID: "build", store)
    let plain = publication("plain", store)
    let several = Operation(
      id: store.newID(),
      onShown: [
        (NotificationID(sameAs: own.id), ShownVersion(content: .zero, operation: own.id)),
        (NotificationID(sameAs: plain.id), ShownVersion(content: .zero, operation: plain.id)),
        (other.id, ShownVersion(content: other.state.contentSequence)),
        (live.id, ShownVersion(content: live.state.contentSequence)),
      ], mutation: ItemCommand.dismiss.mutation)
    #expect(
      try await send(own, plain, several, to: store) == [.applied, .applied, .applied])
    for id in [live.id, other.id, NotificationID(sameAs: plain.id)] {
      let item = try await store.service.item(id, of: store.user)
      #expect(item.state.userActionState.value == .dismissed, "\(item.content)")
    }
  }

  @Test(
    "what the store refuses has its reason as the result, also when it is sent again",
    arguments: BackendKind.allCases)
  func refused(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    var denial = AppSettingsChange()
    denial.authorization = .denied
    _ = try await store.service.configure("ads", denial, for: store.user)
    let denied = publication("buy", app: "ads", store)
    let long = publication(String(repeating: "x", count: 600), store)
    let badge = publication("badge", store) { $0.extras.badge = -1 }
    let dismiss = change(.dismiss, on: denied, store)
    let reasons: [OperationResult] = [
      .notPublished("not allowed: the user does not accept notifications of this app"),
      .notPublished("payload.visualContent.title: expected at most 512 bytes"),
      .notPublished("badge: expected a number from 0"), .gone,
    ]
    let answer = try await store.send([denied, long, badge, dismiss])
    #expect(answer.results == reasons)
    #expect(try await store.send([denied, long, badge, dismiss]).results == reasons)
    #expect(try await store.titles().isEmpty)
    var consent = AppSettingsChange()
    consent.authorization = .authorized
    _ = try await store.service.configure("ads", consent, for: store.user)
    #expect(try await send(denied, to: store) == [reasons[0]], "a refusal stays one")
  }

  @Test(
    "a publication that has expired before it could be sent is refused, a late one is not",
    arguments: BackendKind.allCases)
  func late(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let soon = store.clock.now.advanced(by: .seconds(60))
    let expiring = publication("gone", store) { $0.expiration = soon }
    let delayed = publication("due", store) { $0.deliverAt = soon }
    let ahead = publication(
      "ahead", made: store.clock.now.advanced(by: .seconds(9000)), store
    ) { $0.trigger = Self.hourly }
    store.clock.advance(by: .seconds(600))
    #expect(
      try await send(expiring, delayed, ahead, to: store)
        == [.notPublished("it expired before it could be sent"), .applied, .applied])
    let item = try await item(of: delayed, store)
    #expect(item.content.deliverAt == soon)
    #expect(item.arrival == store.clock.now, "it arrives when the store has it")
    let early = try await self.item(of: ahead, store)
    #expect(early.arrival == store.clock.now, "a device's clock may be ahead")
  }

  @Test("a trigger counts from the user's publication", arguments: BackendKind.allCases)
  func triggered(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let made = store.clock.now
    let fresh = publication("stretch", store) { $0.trigger = Self.hourly }
    _ = try await store.publish("tidy up", app: "ci", appID: "tidy")
    let again = publication("tidy", appID: "tidy", made: made, store) {
      $0.trigger = Self.hourly
    }
    store.clock.advance(by: .seconds(5400))
    #expect(try await send(fresh, again, to: store) == [.applied, .applied])
    for item in try await store.service.list(rows: 9, for: store.user).items {
      #expect(item.arrival == made, "\(item.content)")
      #expect(
        item.triggerTimes(at: store.clock.now, on: .utc)
          == TriggerTimes(
            latest: made.advanced(by: .seconds(3600)), next: made.advanced(by: .seconds(7200))))
    }
  }

  @Test(
    "a rate limit commits what came before, and the rest is sent again later",
    arguments: BackendKind.allCases)
  func rateLimit(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.appPublishesPerMinute = 1
    let store = try await StoreUnderTest(kind, limits: limits)
    let (first, second) = (publication("one", store), publication("two", store))
    let dismiss = change(.dismiss, on: first, store)
    let batch = [first, dismiss, second]
    let error = try await storeError { _ = try await store.send(batch) }
    guard case .tooManyRequests? = error else {
      Issue.record("the limit was exceeded: \(String(describing: error))")
      return
    }
    #expect(try await store.titles() == ["one"])
    #expect(
      try await item(of: first, store).state.userActionState.value == .dismissed)
    store.clock.advance(by: .seconds(60))
    #expect(
      try await store.send(batch).results == [.alreadyApplied, .alreadyApplied, .applied])
    #expect(try await store.titles().sorted() == ["one", "two"])
  }
}
