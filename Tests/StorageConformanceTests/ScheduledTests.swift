import BellhopModel
import BellhopStore
import Testing

@Suite("Scheduled items")
struct ScheduledTests {
  private func schedule(
    _ title: String, in seconds: Int64, appID: String? = "a", _ store: StoreUnderTest,
    quiet: Bool = false
  ) async throws -> UserNotification {
    let due = store.clock.now.advanced(by: .seconds(seconds))
    return try await store.publish(title, appID: appID, quiet: quiet) { $0.deliverAt = due }.item
  }

  private func place(_ item: UserNotification, _ store: StoreUnderTest) -> PlacementSpan {
    placement(item, at: store.clock.now, on: .utc)
  }

  @Test(
    "a scheduled item is listed and in the delta at once, and falls due without a write",
    arguments: BackendKind.allCases)
  func due(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let now = try await store.publish("now").item
    let token = try await store.pull(from: .beginning).token
    let item = try await schedule("later", in: 3600, store)
    let due = try #require(item.content.deliverAt)
    #expect(item.arrival == due)
    #expect(try await store.titles() == ["later", "now"])
    #expect(try await store.pull(from: .since(token)).changes == [.item(item)])
    #expect(place(item, store) == PlacementSpan(.scheduled, until: due))
    let position = try await store.service.position(of: store.user)
    store.clock.advance(by: due.duration(since: store.clock.now) - .milliseconds(1))
    #expect(place(item, store).placement == .scheduled)
    store.clock.advance(by: .milliseconds(1))
    #expect(place(item, store).placement == .tray)
    try await store.service.sweep()
    #expect(try await store.service.position(of: store.user) == position)
    #expect(try await store.service.item(item.id, of: store.user) == item)
    #expect(place(now, store).placement == .tray)
  }

  @Test(
    "a scheduled item survives a restart, before and after it is due",
    arguments: BackendKind.allCases)
  func restart(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await schedule("later", in: 3600, store)
    let token = try await store.pull(from: .beginning).token
    let restarted = try await store.restarted()
    #expect(try await restarted.item(item.id, of: store.user) == item)
    store.clock.advance(by: .seconds(7200))
    let again = try await store.restarted()
    let page = try await again.delta(from: .since(token), rows: 10, for: store.user)
    #expect(page.changes.isEmpty)
    #expect(try await again.item(item.id, of: store.user) == item)
  }

  @Test(
    "a scheduled item is replaced before it is due: another time, other text, or at once",
    arguments: BackendKind.allCases, [false, true])
  func replaced(kind: BackendKind, quiet: Bool) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await schedule("first", in: 3600, store)
    let second = try await schedule("second", in: 60, store, quiet: quiet)
    #expect(second.id == first.id)
    #expect(second.arrival == second.content.deliverAt)
    #expect(place(second, store).placement == .scheduled)
    let atOnce = try await store.publish("third", appID: "a", quiet: quiet)
    #expect(atOnce.item.id == first.id)
    #expect(atOnce.item.arrival == store.clock.now)
    #expect(place(atOnce.item, store).placement == .tray)
    #expect(try await store.titles() == ["third"])
  }

  @Test(
    "a scheduled item is cancelled before it is due, by its publisher or on a device",
    arguments: BackendKind.allCases)
  func cancelled(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await schedule("first", in: 3600, store)
    let token = try await store.pull(from: .beginning).token
    #expect(
      try await store.service.withdraw(
        app: "backups", appNotificationID: "a", for: store.user))
    let second = try await schedule("second", in: 3600, store)
    #expect(second.id != first.id)
    _ = try await store.send([store.operation(.delete, second)])
    #expect(try await store.titles().isEmpty)
    let changes = try await store.pull(from: .since(token)).changes
    #expect(changes.map(\.id) == [first.id, second.id])
    for case .item in changes { Issue.record("a cancelled item is in the delta") }
  }

  @Test(
    "an item that was read is unread again when it is scheduled again",
    arguments: BackendKind.allCases)
  func scheduledAgain(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("now", appID: "a").item
    _ = try await store.change(
      item, StateChange(readState: .read, userActionState: .dismissed))
    let again = try await schedule("later", in: 60, store)
    #expect(again.id == item.id)
    #expect(again.state.readState.value == .unread)
    #expect(place(again, store).placement == .scheduled)
    store.clock.advance(by: .seconds(60))
    #expect(place(again, store).placement == .tray)
  }

  @Test(
    "a publisher changes time and text; an expiry before the due time is refused",
    arguments: BackendKind.allCases)
  func revised(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await schedule("first", in: 3600, store)
    let sooner = store.clock.now.advanced(by: .seconds(60))
    let revised = try await store.service.revise(
      app: "backups", appNotificationID: "a", isQuiet: true, for: store.user
    ) { content in
      var content = content
      content.deliverAt = sooner
      return content
    }
    #expect(revised.item.id == item.id)
    #expect(revised.item.arrival == sooner)
    let error = try await storeError {
      _ = try await store.service.revise(
        app: "backups", appNotificationID: "a", isQuiet: false, for: store.user
      ) { content in
        var content = content
        content.expiration = sooner
        return content
      }
    }
    guard case .invalid("deliverAfterDateTime", _)? = error else {
      Issue.record("accepted, or \(String(describing: error))")
      return
    }
    #expect(try await store.service.item(item.id, of: store.user) == revised.item)
  }
}
