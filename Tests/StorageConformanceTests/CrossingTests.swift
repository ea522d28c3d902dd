import BellhopModel
import BellhopStore
import Testing

@Suite("Places in the store")
struct CrossingTests {
  private func change(
    _ places: [String: PlaceChange], of app: String = AppSettings.everyApp, _ store: StoreUnderTest
  ) async throws {
    var change = AppSettingsChange()
    change.places = places
    _ = try await store.service.configure(app, change, for: store.user)
  }

  /// An operation of a device that arrives at the office or leaves it now.
  private func report(
    _ isInside: Bool, _ store: StoreUnderTest, before: Duration = .zero
  ) -> BellhopModel.Operation {
    var change = AppSettingsChange()
    let time = store.clock.now.advanced(by: .zero - before)
    change.places = ["office": .report(PlaceReport(isInside: isInside, at: time, isCrossing: true))]
    return Operation(
      id: store.newID(), target: .app(AppSettings.everyApp), mutation: .configure(change))
  }

  private func publish(
    _ title: String, _ store: StoreUnderTest, on direction: PlaceCrossing.Direction = .entry,
    at place: String = "office", isDevice: Bool = true
  ) async throws -> UserNotification {
    store.clock.advance(by: .seconds(1))
    let content = Content(
      app: "notes", visual: VisualContent(title: title),
      trigger: try Trigger(.place(PlaceCrossing(direction, of: place)), repeats: true))
    return try await store.service.publish(
      PublishRequest(content, isDevice: isDevice), for: store.user
    ).item
  }

  private func places(_ store: StoreUnderTest) async throws -> [String: Place] {
    try await store.service.app(named: AppSettings.everyApp, of: store.user).settings.places
  }

  @Test(
    "the first device that arrives delivers the items that wait for it, on all devices",
    arguments: BackendKind.allCases)
  func entry(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let desktop = try await store.addDevice("desktop").id
    try await change(["office": .add], store)
    let item = try await publish("Ask Ann", store)
    let other = try await publish("Lock up", store, on: .exit)
    let token = try await store.pull(from: .beginning).token
    store.clock.advance(by: .seconds(60))
    let entered = store.clock.now
    #expect(try await store.send([report(true, store)]).results == [.applied])
    let changes = try await store.pull(from: .since(token)).changes
    let states = changes.compactMap { change -> Timestamp?? in
      if case .state(item.id, let state) = change { state.crossed } else { nil }
    }
    #expect(states == [entered])
    #expect(!changes.contains { $0.id == other.id })
    let answered = try await store.service.item(item.id, of: store.user)
    #expect(answered.triggerTimes(at: store.clock.now, on: .utc)?.latest == entered)
    // The second device that arrives, and the first that leaves, cross no boundary.
    store.clock.advance(by: .seconds(60))
    #expect(try await store.send([report(true, store)], device: desktop).results == [.applied])
    #expect(try await store.send([report(false, store)], from: 2).results == [.applied])
    #expect(try await store.service.item(item.id, of: store.user).state == answered.state)
    #expect(try await places(store) == ["office": Place(devices: [desktop: store.clock.now])])
    let left = report(false, store)
    #expect(try await store.send([left], from: 2, device: desktop).results == [.applied])
    #expect(
      try await store.service.item(other.id, of: store.user).state.crossed == store.clock.now)
    #expect(try await places(store) == ["office": Place()])
    // Sent again, an operation has no effect.
    let position = try await store.service.position(of: store.user)
    #expect(try await store.send([left], from: 2, device: desktop).results == [.alreadyApplied])
    #expect(try await store.service.position(of: store.user) == position)
  }

  @Test(
    "a late report delivers as of the time at which the device noticed it",
    arguments: BackendKind.allCases)
  func late(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await change(["office": .add], store)
    let item = try await publish("Ask Ann", store)
    store.clock.advance(by: .seconds(7200))
    let later = try await publish("Published after the arrival", store)
    let operation = report(true, store, before: .seconds(3600))
    #expect(try await store.send([operation]).results == [.applied])
    let noticed = store.clock.now.advanced(by: .seconds(-3600))
    #expect(try await store.service.item(item.id, of: store.user).state.crossed == noticed)
    #expect(try await store.service.item(later.id, of: store.user).state.crossed == nil)
  }

  @Test("a device that was signed out has left", arguments: BackendKind.allCases)
  func signedOut(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let desktop = try await store.addDevice("desktop").id
    try await change(["office": .add], store)
    let item = try await publish("Ask Ann", store)
    #expect(try await store.send([report(true, store)], device: desktop).results == [.applied])
    let first = try await store.service.item(item.id, of: store.user).state.crossed
    try await store.service.revokeDevice(desktop, of: store.user)
    store.clock.advance(by: .seconds(60))
    #expect(try await store.send([report(true, store)]).results == [.applied])
    let second = try await store.service.item(item.id, of: store.user).state.crossed
    #expect(first != second && second == store.clock.now)
    #expect(try await places(store)["office"]?.present(at: store.clock.now) == [store.device.id])
  }

  @Test(
    "an app may wait for a place only with the user's permission, a device always",
    arguments: BackendKind.allCases)
  func permission(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    try await change(["office": .add, "home": .add], store)
    let refused = try await storeError { _ = try await publish("Ad", store, isDevice: false) }
    #expect(
      refused
        == .accessDenied(reason: "the user does not allow this app to wait for places"))
    // Nor does it learn which places there are.
    let hidden = try await storeError {
      _ = try await publish("Ad", store, at: "gym", isDevice: false)
    }
    #expect(hidden == refused)
    var allowed = AppSettingsChange()
    allowed.usesPlaces = true
    _ = try await store.service.configure("notes", allowed, for: store.user)
    _ = try await publish("Reminder", store, isDevice: false)
    let unknown = try await storeError { _ = try await publish("Reminder", store, at: "gym") }
    #expect(
      unknown
        == .invalid(
          field: "trigger.place.name",
          expectation: "the name of one of the user's places: home, office"))
  }

  @Test(
    "places have names and a number, belong to all apps, and only devices report",
    arguments: BackendKind.allCases)
  func refused(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    func field(_ body: () async throws -> Void) async throws -> String? {
      if case .invalid(let field, _) = try await storeError(body) { field } else { nil }
    }
    #expect(try await field { try await change(["my office": .add], store) } == "places")
    #expect(try await field { try await change(["office": .add], of: "notes", store) } == "places")
    let many = Dictionary(
      (0...32).map { ("place-\($0)", PlaceChange.add) }, uniquingKeysWith: { $1 })
    #expect(try await field { try await change(many, store) } == "places")
    try await change(["office": .add], store)
    let report = PlaceChange.report(
      PlaceReport(isInside: true, at: store.clock.now, isCrossing: true))
    #expect(try await field { try await change(["office": report], store) } == "places.inside")
    #expect(try await places(store) == ["office": Place()])
    try await change(["office": .remove], store)
    #expect(try await places(store).isEmpty)
  }

  @Test(
    "an item that waits for a place is pending without a time, and does not expire by default",
    arguments: BackendKind.allCases)
  func pending(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.defaultExpiration = .seconds(3600)
    let store = try await StoreUnderTest(kind, limits: limits)
    try await change(["office": .add], store)
    let item = try await publish("Ask Ann", store)
    #expect(item.content.expiration == nil)
    store.clock.advance(by: .seconds(30 * 86_400))
    try await store.service.sweep()
    let pending = try await store.service.pendingRequests(of: nil, rows: 10, for: store.user)
    #expect(pending.requests.map(\.item.id) == [item.id])
    #expect(pending.requests.map(\.next) == [Occurrence.unknownTime])
  }
}
