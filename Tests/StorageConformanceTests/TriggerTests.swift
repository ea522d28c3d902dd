import BellhopModel
import BellhopStore
import Testing

@Suite("Items with a trigger in the store")
struct TriggerTests {
  private static let everyHour = try? Trigger(.interval(seconds: 3600), repeats: true)

  private func publish(
    _ title: String, appID: String? = nil, quiet: Bool = false, _ store: StoreUnderTest,
    trigger: Trigger? = everyHour, _ adjust: (inout Content) -> Void = { _ in }
  ) async throws -> UserNotification {
    try await store.publish(title, appID: appID, quiet: quiet) {
      $0.trigger = trigger
      adjust(&$0)
    }.item
  }

  private func stored(
    _ item: UserNotification, _ store: StoreUnderTest
  ) async throws -> UserNotification {
    for change in try await store.pull(from: .beginning).changes {
      if case .item(let found) = change, found.id == item.id { return found }
    }
    throw StoreError.notFound(what: "item")
  }

  /// A dismissal by someone who saw this occurrence.
  private func dismissal(
    of item: UserNotification, at occurrence: Int64, _ store: StoreUnderTest
  ) -> BellhopModel.Operation {
    Operation(
      id: store.newID(), onShown: item.id,
      ShownVersion(content: item.state.contentSequence, occurrence: .number(occurrence)),
      mutation: ItemCommand.dismiss.mutation)
  }

  private func titles(_ filter: ItemFilter, _ store: StoreUnderTest) async throws -> [String] {
    let page = try await store.service.list(
      ListRequest(filter: filter, rows: 100, isCounted: true), for: store.user)
    #expect(page.count == page.items.count)
    return page.items.compactMap { $0.content.visual?.title }
  }

  private static func action(_ word: String) -> ItemFilter {
    .test(.compare(.userActionState, .equal, .text(word)))
  }

  @Test(
    "the store writes nothing when a trigger is due, and answers with the latest occurrence's state",
    arguments: BackendKind.allCases)
  func effective(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await publish("backup", store)
    try await store.publish("plain")
    store.clock.advance(by: .seconds(3600))
    let dismiss = dismissal(of: item, at: 1, store)
    #expect(try await store.send([dismiss]).results == [.applied])
    #expect(try await titles(Self.action("dismissed"), store) == ["backup"])
    #expect(try await titles(Self.action("noInteraction"), store) == ["plain"])
    let position = try await store.service.position(of: store.user)
    store.clock.advance(by: .seconds(3600))
    try await store.service.sweep()
    #expect(try await store.service.position(of: store.user) == position)
    #expect(try await titles(Self.action("dismissed"), store).isEmpty)
    #expect(try await titles(Self.action("noInteraction"), store).sorted() == ["backup", "plain"])
    let answered = try await store.service.item(item.id, of: store.user)
    #expect(answered.state.userActionState.value == .noInteraction)
    #expect(answered.arrival == item.arrival)
    #expect(
      answered.triggerTimes(at: store.clock.now, on: .utc)
        == TriggerTimes(
          latest: item.arrival.advanced(by: .seconds(7200)),
          next: item.arrival.advanced(by: .seconds(10_800))))
    let known = try await stored(item, store)
    #expect(known.state.userActionState.value == .dismissed)
    #expect(known.state.userActionState.change?.occurrence == .number(1))
  }

  @Test(
    "a dismissal that arrives late counts for the occurrence that it names",
    arguments: BackendKind.allCases)
  func late(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await publish("backup", store)
    store.clock.advance(by: .seconds(2 * 3600 + 60))
    for (number, label) in [(1, 2), (2, 1)] as [(Int64, Int64)] {
      let operation = dismissal(of: item, at: label, store)
      let answer = try await store.send([operation], from: number)
      // The first occurrence is over, so nothing is left to do.
      #expect(answer.results == [.applied])
    }
    let known = try await stored(item, store)
    #expect(known.state.userActionState.change?.occurrence == .number(2))
  }

  @Test(
    "a bulk operation reaches items with a trigger, for the occurrences that were shown",
    arguments: BackendKind.allCases)
  func bulk(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await publish("backup", store)
    for number in 1...3 { try await store.publish("plain \(number)") }
    store.clock.advance(by: .seconds(3600))
    let shown = store.clock.now
    let through = try await store.service.position(of: store.user).sequence
    store.clock.advance(by: .seconds(3600))
    var predicate = Predicate()
    predicate.userActionState = .noInteraction
    predicate.arrivedBefore = shown.advanced(by: .milliseconds(1))
    let operation = Operation(
      id: store.newID(), target: .matching(predicate, through: through),
      mutation: ItemCommand.dismiss.mutation, occurrences: .through(shown))
    #expect(try await store.send([operation]).results == [.applied])
    #expect(try await titles(Self.action("noInteraction"), store) == ["backup"])
    let known = try await stored(item, store)
    #expect(known.state.userActionState.change?.occurrence == .number(1))

    let undo = Operation(
      id: store.newID(), target: .setBy(operation.id), mutation: .restorePrevious)
    #expect(try await store.send([undo], from: 2).results == [.applied])
    #expect(try await titles(Self.action("noInteraction"), store).count == 4)
    #expect(try await stored(item, store).state.userActionState.value == .noInteraction)
  }

  @Test("the first page of a first synchronisation has them all", arguments: BackendKind.allCases)
  func firstPage(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await publish("backup", store)
    for number in 1...8 { try await store.publish("plain \(number)") }
    let page = try await store.service.delta(from: .beginning, rows: 3, for: store.user)
    #expect(page.changes.contains { $0.id == item.id })
    #expect(page.changes.count == 4)
    #expect(try await store.pull(from: .beginning, rows: 500).changes.count == 9)
  }

  @Test(
    "retention spares an item with an occurrence ahead, and an expiration ends it",
    arguments: BackendKind.allCases)
  func retention(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.retention = .seconds(86_400)
    let store = try await StoreUnderTest(kind, limits: limits)
    let daily = try Trigger(.interval(seconds: 86_400), repeats: true)
    let once = try Trigger(.interval(seconds: 2 * 86_400), repeats: false)
    _ = try await publish("daily", store, trigger: daily)
    _ = try await publish("once", store, trigger: once)
    _ = try await publish("ending", store, trigger: daily) {
      $0.expiration = store.clock.now.advanced(by: .seconds(86_401 + 3600))
    }
    try await store.publish("plain")
    func remaining(afterDays days: Int64) async throws -> [String] {
      store.clock.advance(by: .seconds(days * 86_400 + 7200))
      while try await store.service.sweep().expired > 0 {}
      return try await store.titles().sorted()
    }
    #expect(try await remaining(afterDays: 1) == ["daily", "once"])
    #expect(try await remaining(afterDays: 1) == ["daily", "once"])
    #expect(try await remaining(afterDays: 2) == ["daily"])
    #expect(try await remaining(afterDays: 40) == ["daily"])
  }

  @Test(
    "publishing again starts its times again, and a quiet update with the same trigger keeps them",
    arguments: BackendKind.allCases)
  func replaced(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await publish("first", appID: "a", store)
    store.clock.advance(by: .seconds(3600))
    let dismiss = dismissal(of: item, at: 1, store)
    _ = try await store.send([dismiss])
    let quiet = try await publish("second", appID: "a", quiet: true, store)
    #expect(quiet.arrival == item.arrival)
    #expect(quiet.state.userActionState.change?.occurrence == .number(1))
    let loud = try await publish("third", appID: "a", store)
    #expect(loud.arrival == store.clock.now)
    #expect(loud.state.userActionState.value == .noInteraction)
    store.clock.advance(by: .seconds(3600))
    #expect(try await titles(Self.action("noInteraction"), store) == ["third"])
    // Without a trigger, it is an ordinary item that arrived at the last occurrence.
    let plain = try await store.publish("fourth", appID: "a", quiet: true).item
    #expect(plain.id == item.id)
    #expect(plain.arrival == loud.arrival.advanced(by: .seconds(3600)))
    #expect(plain.content.trigger == nil)
  }

  @Test(
    "a trigger that cannot be due is refused with the field and the accepted form",
    arguments: BackendKind.allCases)
  func refused(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let nine = try CalendarPattern(hour: 9)
    let past = try Trigger(.calendar(CalendarPattern(year: 2020), timeZone: nil), repeats: true)
    let unknown = try Trigger(.calendar(nine, timeZone: "Europe/Atlantis"), repeats: true)
    let path = try Trigger(.calendar(nine, timeZone: "../Europe/Berlin"), repeats: true)
    let hourly = try Trigger(.interval(seconds: 3600), repeats: true)
    let cases: [(Trigger, String, (inout Content) -> Void)] = [
      (past, "trigger.calendar", { _ in }), (unknown, "trigger.timeZone", { _ in }),
      (path, "trigger.timeZone", { _ in }),
      (hourly, "trigger", { $0.deliverAt = store.clock.now.advanced(by: .seconds(60)) }),
      (
        hourly, "expirationDateTime",
        { $0.expiration = store.clock.now.advanced(by: .seconds(3600)) }
      ),
    ]
    for (trigger, field, adjust) in cases {
      let error = try await storeError {
        _ = try await publish("x", store, trigger: trigger, adjust)
      }
      guard case .invalid(field, let expectation)? = error else {
        Issue.record("\(field): \(String(describing: error))")
        continue
      }
      #expect(!expectation.isEmpty)
    }
    #expect(try await store.titles().isEmpty)
  }

  @Test("a user has a limited number of them", arguments: BackendKind.allCases)
  func limited(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.triggersMax = 2
    let store = try await StoreUnderTest(kind, limits: limits)
    _ = try await publish("a", appID: "a", store)
    _ = try await publish("b", store)
    let error = try await storeError { _ = try await publish("c", store) }
    guard case .quotaReached? = error else {
      Issue.record("accepted, or \(String(describing: error))")
      return
    }
    _ = try await publish("a again", appID: "a", store)
    #expect(try await store.titles().sorted() == ["a again", "b"])
  }
}
