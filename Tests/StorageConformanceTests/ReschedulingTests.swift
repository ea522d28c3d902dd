import BellhopModel
import BellhopStore
import Testing

@Suite("Schedules that devices change in the store")
struct ReschedulingTests {
  private static let everyHour = try? Trigger(.interval(seconds: 3600), repeats: true)
  private static let everyMinute = try? Trigger(.interval(seconds: 60), repeats: true)

  private func scheduled(
    _ store: StoreUnderTest, _ change: (inout Content) -> Void = { _ in }
  ) async throws -> UserNotification {
    try await store.publish("stand-up", appID: "standup") {
      $0.deliverAt = store.clock.now.advanced(by: .seconds(3600))
      change(&$0)
    }.item
  }

  private func change(
    _ item: UserNotification, to schedule: Schedule, seenOperation: OperationID? = nil,
    _ store: StoreUnderTest
  ) -> BellhopModel.Operation {
    Operation(
      id: store.newID(), onShown: item.id,
      ShownVersion(content: item.state.contentSequence, operation: seenOperation),
      mutation: .reschedule(schedule, at: store.clock.now))
  }

  private func later(_ seconds: Int64, _ store: StoreUnderTest) -> Schedule {
    .once(at: store.clock.now.advanced(by: .seconds(seconds)))
  }

  private func send(
    _ operations: BellhopModel.Operation..., to store: StoreUnderTest
  ) async throws -> [OperationResult] {
    try await store.send(operations, lineage: operations[0].id.description).results
  }

  @Test(
    "every device gets the whole item with its new time, which lists go by",
    arguments: BackendKind.allCases)
  func everywhere(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await scheduled(store)
    let before = try await store.pull(from: .beginning).token
    #expect(try await send(change(item, to: later(60, store), store), to: store) == [.applied])
    let changes = try await store.pull(from: .since(before)).changes
    let changed = try await store.service.item(item.id, of: store.user)
    #expect(changes == [.item(changed)])
    #expect(changed.content.deliverAt == store.clock.now.advanced(by: .seconds(60)))
    #expect(changed.arrival == changed.content.deliverAt)
    #expect(changed.state.contentSequence == changed.state.sequence)
    let requests = try await store.service.pendingRequests(of: nil, rows: 9, for: store.user)
    #expect(requests.requests.map(\.next) == [changed.arrival])
  }

  @Test(
    "what the device does next with its own content counts, also in a later batch",
    arguments: BackendKind.allCases)
  func own(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await scheduled(store)
    let first = change(item, to: later(60, store), store)
    let second = change(item, to: later(90, store), seenOperation: first.id, store)
    var read = store.operation(.read, item, seen: item.state.contentSequence)
    read.seenOperations = [item.id: second.id]
    #expect(try await send(first, second, read, to: store) == [.applied, .applied, .applied])
    var dismiss = store.operation(.dismiss, item, seen: item.state.contentSequence)
    dismiss.seenOperations = [item.id: second.id]
    #expect(try await send(dismiss, to: store) == [.applied])
    let state = try await store.service.item(item.id, of: store.user).state
    #expect(state.readState.value == .read)
    #expect(state.userActionState.value == .dismissed)
  }

  @Test(
    "content that was replaced since, by a publisher or by the device, is not changed",
    arguments: BackendKind.allCases)
  func replaced(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await scheduled(store)
    let first = change(item, to: later(60, store), store)
    let second = change(item, to: later(90, store), seenOperation: first.id, store)
    #expect(try await send(first, second, to: store) == [.applied, .applied])
    var dismiss = store.operation(.dismiss, item)
    dismiss.seenOperations = [item.id: first.id]
    #expect(try await send(dismiss, to: store) == [.superseded])
    _ = try await scheduled(store)
    var late = store.operation(.dismiss, item)
    late.seenOperations = [item.id: second.id]
    #expect(try await send(late, to: store) == [.superseded])
    #expect(
      try await send(change(item, to: later(5, store), store), to: store) == [.superseded],
      "the publisher has set another time")
    var unknown = store.operation(.dismiss, item)
    unknown.seenOperations = [item.id: store.newID()]
    #expect(try await send(unknown, to: store) == [.superseded])
    let state = try await store.service.item(item.id, of: store.user).state
    #expect(state.userActionState.value == .noInteraction)
  }

  @Test("its undo gives the item its former time, once", arguments: BackendKind.allCases)
  func undone(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await scheduled(store)
    let operation = change(item, to: later(60, store), store)
    let undo = try #require(operation.undo(id: store.newID(), before: item))
    #expect(try await send(operation, undo, to: store) == [.applied, .applied])
    let now = try await store.service.item(item.id, of: store.user)
    #expect(now.content == item.content)
    #expect(now.arrival == item.arrival)
    let again = try #require(operation.undo(id: store.newID(), before: item))
    #expect(try await send(again, to: store) == [.superseded])
  }

  @Test("sent twice, it is applied once", arguments: BackendKind.allCases)
  func repeated(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await scheduled(store)
    let operation = change(item, to: later(60, store), store)
    #expect(try await store.send([operation]).results == [.applied])
    let sequence = try await store.service.position(of: store.user)
    #expect(try await store.send([operation]).results == [.alreadyApplied])
    #expect(try await store.service.position(of: store.user) == sequence)
    let other = try await store.restarted()
    let answer = try await other.apply(
      OperationBatch(
        device: store.device.id, lineage: Lineage("after"),
        operations: [
          NumberedOperation(number: 1, operation: operation),
          NumberedOperation(
            number: 2,
            operation: change(item, to: later(9, store), seenOperation: operation.id, store)),
        ]), for: store.user)
    #expect(answer.results == [.alreadyApplied, .applied], "the store knows the content it made")
  }

  @Test("a time that no publisher may set is refused", arguments: BackendKind.allCases)
  func limits(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await scheduled(store)
    let far = change(item, to: later(366 * 10 * 86_400, store), store)
    #expect(try await send(far, to: store) == [.unacceptable(.invalid)])
    let unknown = try Trigger(
      .calendar(CalendarPattern(hour: 9), timeZone: "Mars/Olympus"), repeats: true)
    let hourly = try await store.publish("tidy up") { $0.trigger = Self.everyHour }.item
    let zone = change(hourly, to: .trigger(unknown), store)
    #expect(try await send(zone, to: store) == [.unacceptable(.invalid)])
    #expect(try await store.service.item(hourly.id, of: store.user) == hourly)
    let short = try await scheduled(store) {
      $0.appNotificationID = "short"
      $0.expiration = store.clock.now.advanced(by: .seconds(4000))
    }
    let end = try #require(short.content.expiration)
    #expect(
      try await send(change(short, to: later(5000, store), store), to: store)
        == [.refused(latest: end)])
  }

  @Test(
    "a change that was made offline counts from then, and may lie in the past",
    arguments: BackendKind.allCases)
  func late(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("tidy up") { $0.trigger = Self.everyHour }.item
    let made = store.clock.now
    let operation = change(item, to: .trigger(try #require(Self.everyMinute)), store)
    store.clock.advance(by: .seconds(150))
    #expect(try await send(operation, to: store) == [.applied])
    let changed = try await store.service.item(item.id, of: store.user)
    #expect(changed.arrival == made)
    #expect(
      changed.triggerTimes(at: store.clock.now, on: .utc)
        == TriggerTimes(
          latest: made.advanced(by: .seconds(120)), next: made.advanced(by: .seconds(180))))
  }

  @Test("a publisher that waits for the user's answer still gets it")
  func awaited() async throws {
    let store = try await StoreUnderTest(.memory)
    let token = try await store.service.mintToken(
      named: "ci", scope: .publish(.app("ci")), for: store.user
    ).token.id
    var content = Content(app: "ci", visual: VisualContent(title: "Deploy?"))
    content.deliverAt = store.clock.now.advanced(by: .seconds(3600))
    content.extras.awaitsResponse = true
    content.extras.actions = [ContentExtras.Action(id: "why", title: "Why", kind: .reply)]
    let item = try await store.service.publish(
      PublishRequest(content, publisher: token), for: store.user
    ).item
    let operation = change(item, to: later(60, store), store)
    var answer = Operation(
      id: store.newID(), target: .item(item.id),
      mutation: ItemCommand.activate.mutation.choosing(
        ActionChoice(try #require(content.extras.actions?.first), text: "no rush")))
    answer.seenOperations = [item.id: operation.id]
    #expect(try await send(operation, answer, to: store) == [.applied, .applied])
    let status = try await store.service.response(
      to: item.id, for: token, of: store.user, waiting: .zero)
    #expect(
      status
        == .answered(
          AwaitedResponse.Answer(action: "why", text: "no rush", at: store.clock.now)))
  }
}
