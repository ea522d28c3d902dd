import BellhopModel
import BellhopStore
import Testing

@Suite("Deliveries to hooks")
struct HookTests {
  @Test(
    "each changed item is delivered once, as the change since the last delivery",
    arguments: BackendKind.allCases)
  func changes(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let store = hooked.store
    #expect(try await hooked.tellAll().isEmpty)
    let first = try await store.publish("a").item
    let second = try await store.publish("b").item
    _ = try await store.change(first, StateChange(readState: .read))
    #expect(try await hooked.tellAll() == [["created 2", "created 1"]])
    _ = try await store.change(second, StateChange(readState: .read))
    _ = try await store.change(second, StateChange(pinned: true))
    try await store.service.delete(first.id, for: store.user)
    #expect(try await hooked.tellAll() == [["updated 2", "deleted"]])
    #expect(try await hooked.tellAll().isEmpty)
    #expect(
      try await hooked.step() == .rest(until: hooked.subscription.request.expires))
  }

  @Test(
    "each delivery by a trigger is reported once, as an update, and the hook rests until the next one",
    arguments: BackendKind.allCases)
  func occurrences(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let store = hooked.store
    let hourly = try Trigger(.interval(seconds: 3600), repeats: true)
    let item = try await store.publish("hourly") { $0.trigger = hourly }.item
    #expect(try await hooked.tellAll() == [["created 1"]])
    #expect(
      try await hooked.step() == .rest(until: item.arrival.advanced(by: .seconds(3600))))
    store.clock.advance(by: .seconds(3600))
    #expect(try await hooked.tellAll() == [["updated 1"]])
    store.clock.advance(by: .seconds(1800))
    #expect(try await hooked.tellAll().isEmpty)
    // Two deliveries that were missed count as one, with a change of the item in the same message.
    store.clock.advance(by: .seconds(7200))
    _ = try await store.change(item, StateChange(pinned: true))
    try await store.publish("plain")
    #expect(try await hooked.tellAll() == [["updated 1", "created 2"]])
    // A hook that fails receives it later.
    store.clock.advance(by: .seconds(3600))
    guard case .postponed(let next) = try await hooked.fail() else {
      Issue.record("not postponed")
      return
    }
    store.clock.advance(by: next.duration(since: store.clock.now))
    #expect(try await hooked.tellAll() == [["updated 1"]])
    _ = try await store.change(item, StateChange(cancelled: true))
    #expect(try await hooked.tellAll() == [["updated 1"]])
    store.clock.advance(by: .seconds(3600))
    #expect(try await hooked.tellAll().isEmpty)
  }

  @Test(
    "a crossing is reported once, as an update, also if another device reports the same place",
    arguments: BackendKind.allCases)
  func crossing(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let store = hooked.store
    let desktop = try await store.addDevice("desktop").id
    var places = AppSettingsChange()
    places.places = ["office": .add]
    _ = try await store.service.configure(AppSettings.everyApp, places, for: store.user)
    let entry = try Trigger(.place(PlaceCrossing(.entry, of: "office")), repeats: true)
    let content = Content(app: "notes", visual: VisualContent(title: "Ask Ann"), trigger: entry)
    _ = try await store.service.publish(PublishRequest(content, isDevice: true), for: store.user)
    #expect(try await hooked.tellAll() == [["created 1"]])
    /// An operation of a device that arrives at the office now.
    func arrival() -> BellhopModel.Operation {
      store.clock.advance(by: .seconds(60))
      var change = AppSettingsChange()
      change.places = [
        "office": .report(PlaceReport(isInside: true, at: store.clock.now, isCrossing: true))
      ]
      return Operation(
        id: store.newID(), target: .app(AppSettings.everyApp), mutation: .configure(change))
    }
    store.clock.advance(by: .seconds(3600))
    #expect(try await hooked.tellAll().isEmpty)
    #expect(try await store.send([arrival()]).results == [.applied])
    #expect(try await hooked.tellAll() == [["updated 1"]])
    #expect(try await store.send([arrival()], device: desktop).results == [.applied])
    #expect(try await hooked.tellAll().isEmpty)
  }

  @Test("a hook without updates does not receive them", arguments: BackendKind.allCases)
  func unwanted(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind, types: "created,deleted")
    let hourly = try Trigger(.interval(seconds: 3600), repeats: true)
    try await hooked.store.publish("hourly") { $0.trigger = hourly }
    #expect(try await hooked.tellAll() == [["created 1"]])
    hooked.store.clock.advance(by: .seconds(3600))
    #expect(
      try await hooked.step() == .rest(until: hooked.subscription.request.expires))
  }

  @Test(
    "only the subscribed changes are delivered, and the rest is skipped permanently",
    arguments: BackendKind.allCases)
  func filter(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.hookChangesMax = 2
    let hooked = try await HookedStore(kind, limits: limits, types: "deleted")
    let store = hooked.store
    var items: [UserNotification] = []
    for number in 0..<7 { items.append(try await store.publish("\(number)").item) }
    #expect(try await hooked.tellAll().isEmpty)
    try await store.service.delete(items[3].id, for: store.user)
    let message = try await hooked.message()
    #expect(message.content == .changes([HookChange(id: items[3].id, type: .deleted)]))
  }

  @Test(
    "an item that changed again before its page was read is still delivered as created",
    arguments: BackendKind.allCases)
  func pages(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.hookChangesMax = 2
    let hooked = try await HookedStore(kind, limits: limits)
    let store = hooked.store
    var items: [UserNotification] = []
    for number in 0..<5 { items.append(try await store.publish("\(number)").item) }
    let message = try await hooked.message()
    #expect(try await hooked.words(message) == ["created 1", "created 2"])
    _ = try await store.service.record(.accepted, of: message)
    _ = try await store.change(items[2], StateChange(readState: .read))
    #expect(try await hooked.tellAll() == [["created 4", "created 5"], ["created 3"]])
    _ = try await store.change(items[2], StateChange(readState: .unread))
    #expect(try await hooked.tellAll() == [["updated 3"]])
  }

  @Test(
    "failures are retried with growing, randomised pauses, and not before",
    arguments: BackendKind.allCases)
  func backOff(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let store = hooked.store
    try await store.publish("a")
    var pauses: [Int64] = []
    for attempt in 0..<8 {
      guard case .postponed(let next) = try await hooked.fail() else {
        Issue.record("given up at attempt \(attempt)")
        return
      }
      #expect(try await hooked.step() == .rest(until: next))
      let pause = next.duration(since: store.clock.now)
      let whole = Duration.seconds(5 << Int64(attempt))
      #expect(pause <= whole && pause >= whole / 2)
      pauses.append(pause.milliseconds)
      store.clock.advance(by: pause - .milliseconds(1))
      #expect(try await hooked.step() == .rest(until: next))
      store.clock.advance(by: .milliseconds(1))
    }
    #expect(pauses.contains { $0 % 1250 != 0 })
    // New changes wait with the old ones.
    try await store.publish("b")
    #expect(try await hooked.tellAll() == [["created 1", "created 2"]])
    // A success resets the count of failures.
    try await store.publish("c")
    guard case .postponed(let next) = try await hooked.fail() else { return }
    #expect(next.duration(since: store.clock.now) <= .seconds(5))
  }

  @Test("a hook's own pause is kept, up to the time budget", arguments: BackendKind.allCases)
  func retryAfter(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let store = hooked.store
    try await store.publish("a")
    let now = store.clock.now
    #expect(
      try await hooked.fail(after: .seconds(600))
        == .postponed(until: now.advanced(by: .seconds(600))))
    store.clock.advance(by: .seconds(600))
    #expect(
      try await hooked.fail(after: .seconds(9_999_999))
        == .postponed(until: now.advanced(by: .seconds(4 * 3600))))
    store.clock.advance(by: .seconds(4 * 3600 - 600))
    #expect(try await hooked.fail() == .dropped)
  }

  @Test(
    "after the time budget pending changes are dropped, and the lifecycle hook is notified",
    arguments: BackendKind.allCases)
  func dropped(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind, lifecycle: true)
    let store = hooked.store
    for number in 0..<3 { try await store.publish("\(number)") }
    var attempts = 0
    while case let record = try await hooked.fail(), record != .dropped {
      attempts += 1
      guard case .postponed(let next) = record else { break }
      store.clock.advance(by: next.duration(since: store.clock.now))
    }
    #expect((10...40).contains(attempts))
    let message = try await hooked.message()
    #expect(message.content == .lifecycle(.missed))
    #expect(message.url == "https://hook.example/life")
    // Later changes are delivered as usual, whether or not the lifecycle hook answers.
    guard
      case .postponed = try await store.service.record(.failed(retryAfter: nil), of: message)
    else {
      Issue.record("not tried again")
      return
    }
    try await store.publish("later")
    #expect(try await hooked.tellAll() == [["created 4"]])
    store.clock.advance(by: .seconds(5))
    #expect(try await hooked.tellAll() == [["missed"]])
    #expect(try await hooked.tellAll().isEmpty)
  }

  @Test(
    "an expired subscription is gone; its lifecycle hook is notified first, while it fails",
    arguments: BackendKind.allCases)
  func expiry(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind, lifecycle: true, life: .seconds(60))
    let store = hooked.store
    try await store.publish("a")
    store.clock.advance(by: .seconds(60))
    #expect(try await store.service.subscriptions(of: store.user).isEmpty)
    #expect(try await hooked.message().content == .lifecycle(.subscriptionRemoved))
    guard case .postponed(let next) = try await hooked.fail() else {
      Issue.record("not tried again")
      return
    }
    #expect(try await hooked.step() == .rest(until: next))
    #expect(
      try await storeError {
        try await store.service.unsubscribe(hooked.subscription.id, of: store.user)
      } == .notFound(what: "subscription"))
    store.clock.advance(by: .seconds(5))
    #expect(
      try await store.service.record(.accepted, of: try await hooked.message()) == .removed)
    #expect(try await hooked.step() == .gone)
    #expect(try await store.service.hooks(limit: 10).isEmpty)

    let other = try await HookedStore(kind, lifecycle: true, life: .seconds(60))
    other.store.clock.advance(by: .seconds(60))
    _ = try await other.fail()
    other.store.clock.advance(by: .seconds(4 * 3600))
    #expect(try await other.fail() == .removed)
  }

  @Test("a subscription's position survives a restart", arguments: BackendKind.allCases)
  func restart(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind, types: "created,deleted", lifecycle: true)
    let store = hooked.store
    try await store.publish("a")
    #expect(try await hooked.tellAll() == [["created 1"]])
    try await store.publish("b")
    guard case .postponed(let next) = try await hooked.fail() else { return }
    let again = try await store.restarted()
    #expect(
      try await again.subscriptions(of: store.user).map(\.request)
        == [hooked.subscription.request])
    #expect(try await hooked.step(in: again) == .rest(until: next))
    store.clock.advance(by: .seconds(5))
    guard case .tell(let message) = try await hooked.step(in: again) else {
      Issue.record("nothing to tell")
      return
    }
    #expect(try await hooked.words(message) == ["created 2"])
  }

  @Test(
    "a restored store and forgotten deletions are delivered as missed",
    arguments: BackendKind.allCases)
  func lostPlace(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.tombstoneLife = .seconds(600)
    let hooked = try await HookedStore(kind, limits: limits, lifecycle: true)
    let store = hooked.store
    let item = try await store.publish("a").item
    #expect(try await hooked.tellAll() == [["created 1"]])
    try await store.service.delete(item.id, for: store.user)
    store.clock.advance(by: .seconds(601))
    #expect(try await store.service.sweep().tombstonesDropped == 1)
    #expect(try await hooked.tellAll() == [["missed"]])
    try await store.publish("b")
    #expect(try await hooked.tellAll() == [["created 2"]])

    try await store.service.beginEpoch()
    let again = try await store.restarted()
    guard case .tell(let message) = try await hooked.step(in: again) else {
      Issue.record("nothing to tell")
      return
    }
    #expect(message.content == .lifecycle(.missed))
    #expect(try await again.record(.accepted, of: message) == .advanced)
    #expect(
      try await hooked.step(in: again)
        == .rest(until: hooked.subscription.request.expires))
  }

  @Test(
    "a clock that was far ahead when a hook failed does not block it for long",
    arguments: BackendKind.allCases)
  func clockJump(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind, life: .seconds(20 * 86_400))
    let store = hooked.store
    try await store.publish("a")
    store.clock.advance(by: .seconds(10 * 86_400))
    _ = try await hooked.fail(after: .seconds(60))
    store.clock.advance(by: .seconds(-10 * 86_400))
    #expect(try await hooked.tellAll() == [["created 1"]])
  }

  @Test(
    "the result of a message to an old address, or of an ended subscription, changes nothing",
    arguments: BackendKind.allCases)
  func late(kind: BackendKind) async throws {
    let hooked = try await HookedStore(kind)
    let (store, service) = (hooked.store, hooked.store.service)
    try await store.publish("a")
    let message = try await hooked.message()
    let moved = try await service.renew(
      hooked.subscription.id, expires: nil, notificationURL: "https://other.example/",
      with: store.token.token.id, for: store.user)
    #expect(try await service.record(.accepted, of: message) == .advanced)
    #expect(
      try await service.subscription(moved.id, of: store.user).progress == moved.progress)
    #expect(try await hooked.message().url == "https://other.example/")
    try await service.unsubscribe(moved.id, of: store.user)
    #expect(try await service.record(.accepted, of: message) == .removed)
    #expect(try await service.hooks(limit: 10).isEmpty)
  }
}
