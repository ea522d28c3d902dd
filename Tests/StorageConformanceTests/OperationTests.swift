import BellhopModel
import BellhopStore
import Testing

@Suite("Operations of an outbox")
struct OperationTests {
  @Test("operations are applied in order, each exactly once", arguments: BackendKind.allCases)
  func exactlyOnce(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let operations = [
      store.operation(.read, item), store.operation(.unread, item), store.operation(.dismiss, item),
    ]
    let answer = try await store.send(operations)
    #expect(answer.results == [.applied, .applied, .applied])
    #expect(answer.hasEffects)
    let after = try await store.service.item(item.id, of: store.user)
    #expect(after.state.readState.value == .unread)
    #expect(after.state.userActionState.value == .dismissed)
    #expect(after.state.userActionState.change?.operation == operations[2].id)
    #expect(answer.sequence == after.state.sequence)
    // Another device restores it; the batch whose answer was lost comes again.
    let phone = try await store.addDevice("phone")
    let restored = try await store.service.change(
      item.id, StateChange(userActionState: .noInteraction), by: phone.author,
      for: store.user)
    let again = try await store.send(operations)
    #expect(again.results == [.alreadyApplied, .alreadyApplied, .alreadyApplied])
    #expect(!again.hasEffects)
    #expect(again.sequence >= answer.sequence)
    #expect(try await store.service.item(item.id, of: store.user) == restored)
  }

  @Test("a repeated batch may continue where the first one ended", arguments: BackendKind.allCases)
  func overlap(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let first = store.operation(.read, item)
    let second = store.operation(.dismiss, item)
    _ = try await store.send([first])
    #expect(try await store.send([first, second]).results == [.alreadyApplied, .applied])
  }

  @Test("a gap is refused with the number that comes next", arguments: BackendKind.allCases)
  func gap(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    _ = try await store.send([store.operation(.read, item)])
    let error = try await storeError {
      _ = try await store.send([store.operation(.dismiss, item)], from: 3)
    }
    #expect(error == .outboxGap(expected: 2))
    let hole = OperationBatch(
      device: store.device.id, lineage: Lineage("l1"),
      operations: [
        NumberedOperation(number: 2, operation: store.operation(.dismiss, item)),
        NumberedOperation(number: 4, operation: store.operation(.dismiss, item)),
      ])
    guard
      case .invalid(let field, _)? = try await storeError({
        _ = try await store.service.apply(hole, for: store.user)
      })
    else {
      Issue.record("a hole inside a batch was accepted")
      return
    }
    #expect(field == "operations.sequence")
  }

  @Test(
    "the same number with another id has diverged, and a new lineage heals it",
    arguments: BackendKind.allCases)
  func diverged(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let shared = store.operation(.read, item)
    _ = try await store.send([shared, store.operation(.dismiss, item)])
    let mine = store.operation(.pin, item)
    let before = try await store.service.position(of: store.user)
    #expect(
      try await storeError { _ = try await store.send([shared, mine]) } == .outboxDiverged)
    #expect(try await store.service.position(of: store.user) == before)
    // The copied home renumbers its outbox, including what the original has sent already.
    let healed = try await store.send([shared, mine], lineage: "l2")
    #expect(healed.results == [.alreadyApplied, .applied])
    #expect(try await store.service.item(item.id, of: store.user).state.pinned.value)
    // Both lineages continue.
    #expect(
      try await store.send([store.operation(.unread, item)], from: 3).results == [.applied])
    #expect(
      try await store.send([store.operation(.read, item)], from: 3, lineage: "l2").results
        == [.applied])
  }

  @Test(
    "in a new epoch numbers begin at 1 and what was applied is not applied again",
    arguments: BackendKind.allCases)
  func newEpoch(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let operations = [store.operation(.read, item), store.operation(.dismiss, item)]
    _ = try await store.send(operations)
    try await store.service.beginEpoch()
    let restored = try await store.restarted()
    func send(_ first: Int64) async throws -> BatchAnswer {
      try await restored.apply(
        OperationBatch(
          device: store.device.id, lineage: Lineage("l1"),
          operations: [NumberedOperation(number: first, operation: operations[1])]),
        for: store.user)
    }
    #expect(try await storeError { _ = try await send(2) } == .outboxGap(expected: 1))
    #expect(try await send(1).results == [.alreadyApplied])
  }

  @Test("an unregistered device gets an error", arguments: BackendKind.allCases)
  func unknownDevice(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let error = try await storeError {
      _ = try await store.send([store.operation(.read, item)], device: DeviceID("absent"))
    }
    #expect(error == .notFound(what: "device"))
  }

  @Test("content that the user has not seen is never handled", arguments: BackendKind.allCases)
  func seen(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let old = try await store.publish("build ok", appID: "job").item
    let new = try await store.publish("disk full", appID: "job").item
    let operation = store.operation(.dismiss, old, seen: old.state.contentSequence)
    let delete = store.operation(.delete, old, seen: old.state.contentSequence)
    #expect(
      try await store.send([operation, delete]).results == [.superseded, .superseded])
    #expect(try await store.service.item(old.id, of: store.user) == new)
    // If its answer was lost the refusal is repeated, and not reported as applied.
    #expect(
      try await store.send([operation, delete]).results == [.superseded, .superseded])
    let informed = store.operation(.dismiss, new, seen: new.state.contentSequence)
    #expect(try await store.send([informed], from: 3).results == [.applied])
  }

  @Test("undo does nothing when another change came since", arguments: BackendKind.allCases)
  func undo(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let dismiss = store.operation(.dismiss, item)
    let undo = try #require(dismiss.undo(id: store.newID(), before: item))
    #expect(try await store.send([dismiss, undo]).results == [.applied, .applied])
    let undone = try await store.service.item(item.id, of: store.user)
    #expect(undone.state.userActionState.value == .noInteraction)
    let again = store.operation(.dismiss, item)
    let late = try #require(again.undo(id: store.newID(), before: item))
    _ = try await store.send([again], from: 3)
    let until = store.clock.now.advanced(by: .seconds(60))
    let other = try await store.change(
      item, StateChange(userActionState: .snoozed(until: until)))
    #expect(try await store.send([late], from: 4).results == [.superseded])
    #expect(try await store.service.item(item.id, of: store.user) == other)
  }

  @Test("an operation on a deleted item is answered as gone", arguments: BackendKind.allCases)
  func gone(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let results = try await store.send([
      store.operation(.delete, item), store.operation(.read, item),
      store.operation(.delete, item),
    ]).results
    #expect(results == [.applied, .gone, .gone])
    #expect(try await store.titles().isEmpty)
  }

  @Test(
    "a snooze past the expiry is refused with the latest time, and the rest is applied",
    arguments: BackendKind.allCases)
  func refused(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let expiration = store.clock.now.advanced(by: .seconds(60))
    let item = try await store.publish("a") { $0.expiration = expiration }.item
    let late = expiration.advanced(by: .seconds(1))
    let operations = [store.operation(.snooze(until: late), item), store.operation(.read, item)]
    let expected: [OperationResult] = [.refused(latest: expiration), .applied]
    #expect(try await store.send(operations).results == expected)
    #expect(
      try await store.send(operations).results == [expected[0], .alreadyApplied])
  }

  @Test("several items are changed by one operation", arguments: BackendKind.allCases)
  func severalItems(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    var ids: [NotificationID] = []
    for number in 0..<5 { ids.append(try await store.publish("\(number)").item.id) }
    try await store.service.delete(ids[0], for: store.user)
    let operation = Operation(
      id: store.newID(), target: .items(ids), mutation: ItemCommand.dismiss.mutation)
    #expect(try await store.send([operation]).results == [.applied])
    let items = try await store.service.list(rows: 10, for: store.user).items
    #expect(items.allSatisfy { $0.state.userActionState.value == .dismissed })
    #expect(Set(items.map(\.state.sequence)).count == 4)
  }

  @Test(
    "a bulk operation skips later publications, and its undo restores each item",
    arguments: BackendKind.allCases)
  func bulk(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await store.publish("1", app: "ci").item
    let second = try await store.publish("2", app: "ci").item
    let other = try await store.publish("3", app: "nas").item
    let through = try await store.service.position(of: store.user).sequence
    // A later change of state is not a later publication.
    _ = try await store.change(first, StateChange(readState: .read))
    let until = store.clock.now.advanced(by: .seconds(60))
    _ = try await store.change(
      second, StateChange(userActionState: .snoozed(until: until)))
    let later = try await store.publish("4", app: "ci").item
    var predicate = Predicate()
    predicate.app = "ci"
    let dismiss = Operation(
      id: store.newID(), target: .matching(predicate, through: through),
      mutation: ItemCommand.dismiss.mutation)
    #expect(try await store.send([dismiss]).results == [.applied])
    func states() async throws -> [NotificationID: UserActionState] {
      Dictionary(
        uniqueKeysWithValues: try await store.service.list(rows: 10, for: store.user).items
          .map { ($0.id, $0.state.userActionState.value) })
    }
    #expect(
      try await states() == [
        first.id: .dismissed, second.id: .dismissed, other.id: .noInteraction,
        later.id: .noInteraction,
      ])
    let undo = Operation(
      id: store.newID(), target: .setBy(dismiss.id), mutation: .restorePrevious)
    #expect(try await store.send([undo], from: 2).results == [.applied])
    #expect(try await states()[first.id] == .noInteraction)
    #expect(try await states()[second.id] == .snoozed(until: until))
    #expect(
      try await store.service.item(first.id, of: store.user).state.readState.value == .read)
  }

  @Test("a batch that is too long is refused", arguments: BackendKind.allCases)
  func tooMany(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.operationsPerBatchMax = 5
    let store = try await StoreUnderTest(kind, limits: limits)
    let item = try await store.publish("0").item
    let many = (0..<6).map { _ in store.operation(.read, item) }
    #expect(
      try await storeError { _ = try await store.send(many) }
        == .invalid(field: "operations", expectation: "at most 5 operations"))
  }

  @Test(
    "results are kept for their lifetime; afterwards no operation is repeated, and numbers go on",
    arguments: BackendKind.allCases)
  func forgotten(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a").item
    let first = store.operation(.read, item)
    _ = try await store.send([first])
    store.clock.advance(by: store.limits.operationLife)
    store.clock.advance(by: .seconds(1))
    try await store.service.sweep()
    #expect(try await store.send([first]).results == [.outcomeUnknown])
    #expect(
      try await store.send([store.operation(.dismiss, item)], from: 2).results == [.applied])
    // Under another number, as after a restore of the device's data, it is recognised as well.
    _ = try await store.change(item, StateChange(readState: .unread))
    #expect(try await store.send([first], lineage: "l2").results == [.outcomeUnknown])
    #expect(try await store.send([first], lineage: "l2").results == [.outcomeUnknown])
    #expect(
      try await store.service.item(item.id, of: store.user).state.readState.value == .unread)
    // Another operation under a known number has diverged, however old it is.
    let other = store.operation(.pin, item)
    #expect(try await storeError { _ = try await store.send([other]) } == .outboxDiverged)
  }

  @Test(
    "beyond a device's limit the oldest operations are forgotten, and answered as unknown",
    arguments: BackendKind.allCases)
  func operationsPerDevice(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.operationsPerDeviceMax = 4
    let store = try await StoreUnderTest(kind, limits: limits)
    let desktop = try await store.addDevice("desktop").id
    let item = try await store.publish("a").item
    func operations(_ count: Int) -> [BellhopModel.Operation] {
      (0..<count).map { store.operation($0.isMultiple(of: 2) ? .read : .unread, item) }
    }
    let other = operations(2)
    _ = try await store.send(other, device: desktop)
    let first = operations(3)
    let second = operations(3)
    _ = try await store.send(first)
    _ = try await store.send(second, lineage: "l2")
    #expect(
      try await store.send(first).results == [.outcomeUnknown, .outcomeUnknown, .alreadyApplied])
    #expect(
      try await store.send(second, lineage: "l2").results
        == Array(repeating: .alreadyApplied, count: 3))
    #expect(
      try await store.send(other, device: desktop).results
        == [.alreadyApplied, .alreadyApplied])
    // Numbers and effects continue.
    #expect(try await store.send(operations(1), from: 4).results == [.applied])
    #expect(try await store.send(first).results == Array(repeating: .outcomeUnknown, count: 3))
    #expect(try await store.send(operations(9), from: 4, lineage: "l2").results.count == 9)
    #expect(
      try await store.send(second, lineage: "l2").results
        == Array(repeating: .outcomeUnknown, count: 3))
    // A revoked device's outboxes are removed with it.
    try await store.service.revokeDevice(desktop, of: store.user)
    #expect(try await store.service.problems().isEmpty)
  }

  @Test("the number of lineages of a device is limited", arguments: BackendKind.allCases)
  func outboxesPerDevice(kind: BackendKind) async throws {
    var limits = StoreLimits()
    limits.outboxesPerDeviceMax = 2
    let store = try await StoreUnderTest(kind, limits: limits)
    let item = try await store.publish("a").item
    let operation = store.operation(.read, item)
    for lineage in ["l1", "l2", "l1"] { _ = try await store.send([operation], lineage: lineage) }
    let error = try await storeError { _ = try await store.send([operation], lineage: "l3") }
    guard case .quotaReached? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
