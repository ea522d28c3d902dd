import BellhopModel
import BellhopStore
import Testing

@Suite("Changes of one item")
struct ChangeTests {
  @Test(
    "a register records its previous value, who changed it and when",
    arguments: BackendKind.allCases)
  func provenance(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let until = store.clock.now.advanced(by: .seconds(600))
    _ = try await store.change(item, StateChange(userActionState: .snoozed(until: until)))
    store.clock.advance(by: .seconds(5))
    let changed = try await store.change(
      item, StateChange(readState: .read, userActionState: .dismissed, pinned: true))
    let stored = try await store.service.item(item.id, of: store.user)
    #expect(stored == changed)
    let action = stored.state.userActionState
    #expect(action.value == .dismissed)
    #expect(action.previous == .snoozed(until: until))
    #expect(action.change?.at == store.clock.now)
    #expect(action.change?.by == Author(kind: .device, id: "laptop", name: "Laptop"))
    #expect(action.change?.operation != nil)
    #expect(stored.state.readState.previous == .unread)
    #expect(stored.state.pinned.value)
    #expect(stored.state.contentSequence == item.state.contentSequence)
    #expect(stored.state.sequence > item.state.sequence)
    #expect(stored.content == item.content)
  }

  @Test(
    "read on one device and dismissed on another both survive",
    arguments: BackendKind.allCases)
  func registersAreIndependent(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let phone = try await store.addDevice("phone")
    let item = try await store.publish("a").item
    _ = try await store.change(item, StateChange(readState: .read))
    let both = try await store.service.change(
      item.id, StateChange(userActionState: .dismissed), by: phone.author, from: phone.id,
      for: store.user)
    #expect(both.state.readState.change?.by.id == "laptop")
    #expect(both.state.userActionState.change?.by.id == "phone")
  }

  @Test("setting the current value changes nothing", arguments: BackendKind.allCases)
  func unchanged(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let read = try await store.change(item, StateChange(readState: .read))
    #expect(try await store.change(item, StateChange(readState: .read)) == read)
    #expect(try await store.service.position(of: store.user).sequence == read.state.sequence)
  }

  @Test("If-Match guards a change and a delete", arguments: BackendKind.allCases)
  func ifMatch(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a", appID: "x").item
    let current = try await store.publish("b", appID: "x").item.state.sequence
    let old = item.state.sequence
    let change = StateChange(readState: .read)
    #expect(
      try await storeError { _ = try await store.change(item, change, ifMatch: [old]) }
        == .modified(current: current))
    #expect(
      try await storeError {
        _ = try await store.service.delete(item.id, ifMatch: [old], for: store.user)
      } == .modified(current: current))
    let read = try await store.change(item, change, ifMatch: [SequenceNumber(999), current])
    #expect(read.state.readState.value == .read)
    #expect(
      try await store.service.delete(
        item.id, ifMatch: [read.state.sequence], for: store.user))
  }

  @Test(
    "a delete is terminal, purges the content and does nothing the second time",
    arguments: BackendKind.allCases)
  func delete(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("secret", appID: "x") { $0.raw = "secret" }.item
    #expect(try await store.service.delete(item.id, for: store.user))
    #expect(try await store.service.delete(item.id, for: store.user) == false)
    #expect(
      try await storeError { _ = try await store.change(item, StateChange(pinned: true)) }
        == .notFound(what: "item"))
    #expect(
      try await storeError {
        _ = try await store.service.item(number: item.shortNumber, of: store.user)
      } == .notFound(what: "item"))
    let user = store.user
    let row = try await store.backend.read { try $0.row(item.id, of: user) }
    guard case .tombstone(let tombstone)? = row else {
      Issue.record("the row is still live")
      return
    }
    #expect(tombstone.app == "backups")
    #expect(tombstone.appNotificationID == "x")
    #expect(tombstone.shortNumber == item.shortNumber)
    #expect(tombstone.deleted == store.clock.now)
  }

  @Test(
    "a snooze past the expiry is refused with the latest allowed time",
    arguments: BackendKind.allCases)
  func snoozePastExpiry(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let expiration = store.clock.now.advanced(by: .seconds(3600))
    let item = try await store.publish("a") { $0.expiration = expiration }.item
    let late = expiration.advanced(by: .milliseconds(1))
    let error = try await storeError {
      _ = try await store.change(item, StateChange(userActionState: .snoozed(until: late)))
    }
    #expect(
      error
        == .invalid(
          field: "snoozedUntilDateTime", expectation: "a time no later than \(expiration)"))
    _ = try await store.change(
      item, StateChange(userActionState: .snoozed(until: expiration)))
  }

  @Test(
    "a list gives the newest arrival first, page by page, each item once",
    arguments: BackendKind.allCases)
  func list(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    for number in 0..<25 { try await store.publish("item \(number)") }
    // Several items of one millisecond are ordered by their ids.
    for number in 25..<30 {
      _ = try await store.service.publish(
        PublishRequest(
          Content(app: "burst", visual: VisualContent(title: "item \(number)"))),
        for: store.user)
    }
    var titles: [String] = []
    var page: PageToken?
    repeat {
      let answer = try await store.service.list(page: page, rows: 7, for: store.user)
      titles += answer.items.compactMap(\.content.visual?.title)
      page = answer.next
    } while page != nil
    #expect(titles == (0..<30).reversed().map { "item \($0)" })
    var predicate = Predicate()
    predicate.app = "burst"
    #expect(
      try await store.service.list(matching: predicate, rows: 100, for: store.user).items.count
        == 5)
    #expect(
      try await storeError {
        _ = try await store.service.list(
          page: PageToken(rawValue: "AQ"), rows: 7, for: store.user)
      }
        == .invalid(
          field: "$skiptoken", expectation: "the token of an @odata.nextLink of this store"))
  }

  @Test("a page ends early when its items are large", arguments: BackendKind.allCases)
  func pageBytes(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.pageBytesMax = 10_000
    let store = try await StoreUnderTest(kind, limits: limits)
    for number in 0..<10 {
      try await store.publish("\(number)") { $0.raw = String(repeating: "x", count: 4000) }
    }
    let page = try await store.service.list(rows: 100, for: store.user)
    #expect(page.items.count == 3)
    #expect(page.next != nil)
    #expect(try await store.pull(from: .beginning).changes.count == 10)
  }
}
