import BellhopModel
import BellhopStore
import Testing

@Suite("The user's time zone in the store")
struct ZoneTests {
  /// A store in UTC that also knows two zones, three hours before and after it.
  private func store(_ kind: BackendKind) async throws -> StoreUnderTest {
    try await StoreUnderTest(
      kind,
      wallClock: WallClock { _, zone in
        switch zone {
        case nil: 0
        case "Test/East": 3 * 3600
        case "Test/West": -3 * 3600
        default: nil
        }
      })
  }

  private func set(_ zone: Replacement<String>, _ store: StoreUnderTest) async throws {
    var change = AppSettingsChange()
    change.timeZone = zone
    _ = try await store.service.configure(AppSettings.everyApp, change, for: store.user)
  }

  /// Every day at 14:00, where the user is. The clock of the store starts at 12:00 UTC.
  private func publish(_ store: StoreUnderTest) async throws -> UserNotification {
    let daily = try Trigger(.calendar(CalendarPattern(hour: 14), timeZone: nil), repeats: true)
    return try await store.publish("medicine", appID: "medicine") { $0.trigger = daily }.item
  }

  private func next(_ store: StoreUnderTest) async throws -> [String] {
    try await store.service.pendingRequests(of: nil, rows: 10, for: store.user).requests
      .map { String($0.next.description.prefix(16)) }
  }

  @Test(
    "a time without a zone is due in the user's zone, or else in the store's",
    arguments: BackendKind.allCases)
  func due(kind: BackendKind) async throws {
    let store = try await store(kind)
    _ = try await publish(store)
    #expect(try await next(store) == ["2026-03-01T14:00"])
    try await set(.set("Test/West"), store)
    #expect(try await next(store) == ["2026-03-01T17:00"])
    try await set(.set("Test/East"), store)
    #expect(try await next(store) == ["2026-03-02T11:00"])
    try await set(.clear, store)
    #expect(try await next(store) == ["2026-03-01T14:00"])
  }

  @Test(
    "the states that the store answers with are those of the user's latest occurrence",
    arguments: BackendKind.allCases)
  func effective(kind: BackendKind) async throws {
    let store = try await store(kind)
    try await set(.set("Test/West"), store)
    let item = try await publish(store)
    // 14:00 in the west is 17:00 UTC.
    store.clock.advance(by: .seconds(5 * 3600))
    _ = try await store.service.change(
      item.id, StateChange(userActionState: .dismissed), by: store.device.author,
      from: nil, for: store.user)
    func action() async throws -> UserActionState {
      try await store.service.item(item.id, of: store.user).state.userActionState.value
    }
    #expect(try await action() == .dismissed)
    // The next day at 14:00 UTC, the occurrence of the store's own zone.
    store.clock.advance(by: .seconds(21 * 3600))
    #expect(try await action() == .dismissed)
    store.clock.advance(by: .seconds(3 * 3600))
    #expect(try await action() == .noInteraction)
  }

  @Test(
    "a bulk operation from another zone handles the occurrence that was shown there",
    arguments: BackendKind.allCases)
  func bulk(kind: BackendKind) async throws {
    let store = try await store(kind)
    let item = try await publish(store)
    // The device in the west has shown the occurrence of 2 March. For the store, the one of 3 March
    // is past as well.
    store.clock.advance(by: .seconds(2 * 86_400 + 3 * 3600))
    var predicate = Predicate()
    predicate.userActionState = .noInteraction
    let operation = Operation(
      id: store.newID(),
      target: .matching(
        predicate, through: try await store.service.position(of: store.user).sequence),
      mutation: ItemCommand.dismiss.mutation,
      occurrences: .through(store.clock.now, utcOffset: -3 * 3600))
    #expect(try await store.send([operation]).results == [.applied])
    let changes = try await store.pull(from: .beginning).changes
    let found = changes.compactMap { change -> Occurrence.Label? in
      guard case .item(let found) = change, found.id == item.id else { return nil }
      return found.state.userActionState.change?.occurrence
    }
    #expect(found.map(\.description) == ["2026-03-02T14:00"])
    #expect(
      try await store.service.item(item.id, of: store.user).state.userActionState.value
        == .noInteraction)
  }

  @Test(
    "a zone that the store does not know is refused, and so is the zone of an app",
    arguments: BackendKind.allCases)
  func refused(kind: BackendKind) async throws {
    let store = try await store(kind)
    for zone in ["Test/North", "../etc/passwd", ""] {
      let error = await #expect(throws: StoreError.self) { try await set(.set(zone), store) }
      guard case .invalid("timeZone", let expectation)? = error else {
        Issue.record("\(error as Any) for \(zone)")
        continue
      }
      #expect(expectation.contains("Europe/Berlin"))
    }
    var change = AppSettingsChange()
    change.timeZone = .set("Test/East")
    let error = await #expect(throws: StoreError.self) {
      _ = try await store.service.configure("ci", change, for: store.user)
    }
    #expect(error?.field == "timeZone")
    await #expect(throws: StoreError.self) {
      _ = try await store.service.app(named: AppSettings.everyApp, of: store.user)
    }
  }
}

extension StoreError {
  fileprivate var field: String? { if case .invalid(let field, _) = self { field } else { nil } }
}
