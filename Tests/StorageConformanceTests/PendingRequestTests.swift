import BellhopModel
import BellhopStore
import Testing

@Suite("Pending requests, and delivered items of a publisher")
struct PendingRequestTests {
  private static let everyHour = try? Trigger(.interval(seconds: 3600), repeats: true)
  private static let once = try? Trigger(.interval(seconds: 3600), repeats: false)

  /// Publishes an item that repeats, one delivered once, one scheduled, and one delivered at once.
  private func publishFour(_ store: StoreUnderTest, app: String = "ci") async throws {
    try await store.publish("hourly", app: app, appID: "hourly") { $0.trigger = Self.everyHour }
    try await store.publish("once", app: app, appID: "once") { $0.trigger = Self.once }
    try await store.publish("tomorrow", app: app, appID: "tomorrow") {
      $0.deliverAt = store.clock.now.advanced(by: .seconds(86_400))
    }
    try await store.publish("now", app: app, appID: "now")
  }

  private func pending(_ store: StoreUnderTest, of app: String? = "ci") async throws -> [String] {
    try await store.service.pendingRequests(of: app, rows: 100, for: store.user).requests
      .compactMap { $0.item.content.appNotificationID }
  }

  private func names(_ names: String...) -> ItemNames {
    var all = ItemNames()
    all.appNotificationIDs = names
    return all
  }

  @Test("they are listed by the time of their next delivery", arguments: BackendKind.allCases)
  func listed(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await publishFour(store)
    try await store.publish("other", app: "nas", appID: "other") { $0.trigger = Self.once }
    #expect(try await pending(store) == ["hourly", "once", "tomorrow"])
    #expect(try await pending(store, of: nil).sorted() == ["hourly", "once", "other", "tomorrow"])
    let first = try await store.service.pendingRequests(of: "ci", rows: 9, for: store.user)
    #expect(first.requests.map(\.next) == first.requests.map(\.next).sorted())
    #expect(first.requests[0].next == first.requests[0].item.arrival.advanced(by: .seconds(3600)))
    store.clock.advance(by: .seconds(3600))
    #expect(try await pending(store) == ["hourly", "tomorrow"])
    store.clock.advance(by: .seconds(86_400))
    #expect(try await pending(store) == ["hourly"])
  }

  @Test("the pages have each of them once, in order", arguments: BackendKind.allCases)
  func paged(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    for hour in 1...7 {
      try await store.publish("s\(hour)", app: "ci", appID: "s\(hour)") {
        $0.deliverAt = store.clock.now.advanced(by: .seconds(Int64(hour) * 3600))
      }
      // Half an hour after each of them.
      let trigger = try Trigger(.interval(seconds: Int64(hour) * 3600 + 1800), repeats: false)
      try await store.publish("t\(hour)", app: "ci", appID: "t\(hour)") { $0.trigger = trigger }
    }
    var (seen, page, pages) = ([String](), PageToken?.none, 0)
    repeat {
      let next = try await store.service.pendingRequests(
        of: "ci", page: page, rows: 2, for: store.user)
      seen += next.requests.compactMap(\.item.content.appNotificationID)
      (page, pages) = (next.next, pages + 1)
    } while page != nil && pages < 20
    #expect(seen == (1...7).flatMap { ["s\($0)", "t\($0)"] })
    #expect(pages >= 4)
  }

  @Test(
    "cancelling deletes what was never delivered, and keeps what was as it is",
    arguments: BackendKind.allCases)
  func cancelled(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await publishFour(store)
    let hourly = try #require(
      try await store.service.pendingRequests(of: "ci", rows: 9, for: store.user).requests.first
    ).item
    store.clock.advance(by: .seconds(3601))
    let dismiss = Operation(
      id: store.newID(), onShown: hourly.id,
      ShownVersion(content: hourly.state.contentSequence, occurrence: .number(1)),
      mutation: ItemCommand.dismiss.mutation)
    #expect(try await store.send([dismiss]).results == [.applied])
    let service = store.service
    try await service.cancelRequests(
      names("hourly", "tomorrow", "now", "unknown"), of: "ci", for: store.user)
    #expect(try await pending(store).isEmpty)
    #expect(try await store.titles().sorted() == ["hourly", "now", "once"])
    let kept = try await service.item(hourly.id, of: store.user)
    #expect(kept.state.cancelled.value)
    #expect(kept.state.cancelled.change?.by.kind == .publisher)
    #expect(kept.state.userActionState.value == .dismissed)
    store.clock.advance(by: .seconds(7200))
    #expect(
      kept.triggerTimes(at: store.clock.now, on: .utc)
        == TriggerTimes(latest: hourly.arrival.advanced(by: .seconds(3600))))
    #expect(
      try await service.item(hourly.id, of: store.user).state.userActionState.value == .dismissed)
    // Repeating it changes nothing.
    let position = try await service.position(of: store.user)
    try await service.cancelRequests(names("hourly", "tomorrow"), of: "ci", for: store.user)
    #expect(try await service.position(of: store.user) == position)
  }

  @Test(
    "a publisher's list shows what it cancelled itself, and nothing that its user did",
    arguments: BackendKind.allCases)
  func publishersList(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let service = store.service
    func listed(isForPublisher: Bool) async throws -> [Timestamp] {
      try await service.pendingRequests(
        of: "ci", rows: 9, isForPublisher: isForPublisher, for: store.user
      ).requests.map(\.next)
    }
    let item = try await store.publish("hourly", app: "ci", appID: "hourly") {
      $0.trigger = Self.everyHour
    }.item
    func hour(_ number: Int64) -> Timestamp { item.arrival.advanced(by: .seconds(number * 3600)) }
    store.clock.advance(by: .seconds(3601))
    _ = try await store.change(
      item, StateChange(readState: .read, userActionState: .dismissed, pinned: true))
    _ = try await store.change(item, StateChange(cancelled: true))
    #expect(try await listed(isForPublisher: false).isEmpty)
    #expect(try await listed(isForPublisher: true) == [hour(2)])
    store.clock.advance(by: .seconds(3600))
    #expect(try await listed(isForPublisher: true) == [hour(3)])
    let cancelled = try await service.item(item.id, of: store.user)
    try await service.cancelRequests(names("hourly"), of: "ci", for: store.user)
    #expect(try await listed(isForPublisher: true).isEmpty)
    // The user sees the same item as before.
    let kept = try await service.item(item.id, of: store.user)
    #expect(kept.state.cancelled.value && kept.state.cancelled.change?.by.kind == .publisher)
    #expect(
      kept.state.cancelled.change?.occurrence == cancelled.state.cancelled.change?.occurrence)
    #expect(kept.state.userActionState == cancelled.state.userActionState)
    #expect(
      kept.triggerTimes(at: store.clock.now, on: .utc)
        == cancelled.triggerTimes(at: store.clock.now, on: .utc))
    let position = try await service.position(of: store.user)
    try await service.cancelRequests(ItemNames(), of: "ci", for: store.user)
    #expect(try await service.position(of: store.user) == position, "a second time")
    // The user resumes what the app cancelled.
    _ = try await store.change(kept, StateChange(cancelled: false))
    #expect(try await listed(isForPublisher: false) == [hour(3)])
    #expect(try await listed(isForPublisher: true) == [hour(3)])
  }

  @Test(
    "without names, a publisher also cancels what its user cancelled",
    arguments: BackendKind.allCases)
  func allOfUser(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let delivered = try await store.publish("delivered", app: "ci") {
      $0.trigger = Self.everyHour
    }.item
    store.clock.advance(by: .seconds(3601))
    let waiting = try await store.publish("waiting", app: "ci") { $0.trigger = Self.once }.item
    for item in [delivered, waiting] {
      _ = try await store.change(item, StateChange(cancelled: true))
    }
    try await store.service.cancelRequests(ItemNames(), of: "ci", for: store.user)
    let deleted = try await storeError {
      _ = try await store.service.item(waiting.id, of: store.user)
    }
    #expect(deleted != nil)
    let kept = try await store.service.item(delivered.id, of: store.user)
    #expect(kept.state.cancelled.change?.by.kind == .publisher)
  }

  @Test(
    "without names, all of the app are cancelled, also more than one transaction holds",
    arguments: BackendKind.allCases)
  func allCancelled(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.sweepItemsMax = 3
    let store = try await StoreUnderTest(kind, limits: limits)
    for number in 1...8 {
      try await store.publish("s\(number)", app: "ci") {
        $0.deliverAt = store.clock.now.advanced(by: .seconds(Int64(number) * 3600))
      }
      try await store.publish("t\(number)", app: "ci") { $0.trigger = Self.everyHour }
    }
    try await store.publish("now", app: "ci")
    try await store.publish("other", app: "nas", appID: "other") { $0.trigger = Self.everyHour }
    try await store.service.cancelRequests(ItemNames(), of: "ci", for: store.user)
    #expect(try await pending(store, of: nil) == ["other"])
    #expect(try await store.titles().sorted() == ["now", "other"])
  }

  @Test(
    "removing delivered items dismisses the delivery of one that repeats, and deletes the others",
    arguments: BackendKind.allCases)
  func removed(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await publishFour(store)
    let service = store.service
    try await service.removeDelivered(names("hourly", "tomorrow"), of: "ci", for: store.user)
    #expect(try await store.titles().count == 4, "none of them was delivered")
    store.clock.advance(by: .seconds(3601))
    try await service.removeDelivered(
      names("hourly", "once", "tomorrow", "now"), of: "ci", for: store.user)
    #expect(try await store.titles().sorted() == ["hourly", "tomorrow"])
    let hourly = try #require(
      try await service.pendingRequests(of: "ci", rows: 9, for: store.user).requests.first
    ).item
    let answered = try await service.item(hourly.id, of: store.user)
    #expect(answered.state.userActionState.value == .dismissed)
    #expect(answered.state.userActionState.change?.by.kind == .publisher)
    store.clock.advance(by: .seconds(3600))
    #expect(
      try await service.item(hourly.id, of: store.user).state.userActionState.value
        == .noInteraction, "the next delivery")
  }

  @Test(
    "without names, all delivered items of the app are removed, and none of another app",
    arguments: BackendKind.allCases)
  func allRemoved(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.sweepItemsMax = 3
    let store = try await StoreUnderTest(kind, limits: limits)
    try await publishFour(store)
    for number in 1...7 { try await store.publish("plain \(number)", app: "ci") }
    try await store.publish("other", app: "nas")
    store.clock.advance(by: .seconds(3601))
    try await store.service.removeDelivered(ItemNames(), of: "ci", for: store.user)
    #expect(try await store.titles().sorted() == ["hourly", "other", "tomorrow"])
  }
}
