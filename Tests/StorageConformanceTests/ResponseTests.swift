import BellhopModel
import BellhopStore
import BellhopTestSupport
import Testing

@Suite("Answers to publishers")
struct ResponseTests {
  private static let yes = ContentExtras.Action(id: "yes", title: "Yes")
  private static let why = ContentExtras.Action(id: "why", title: "Why?", kind: .reply)

  private func publish(
    _ store: StoreUnderTest, appID: String? = nil, by publisher: AccessTokenID,
    _ adjust: (inout Content) -> Void = { _ in }
  ) async throws -> UserNotification {
    store.clock.advance(by: .milliseconds(1))
    var content = Content(
      app: "ci", appNotificationID: appID, visual: VisualContent(title: "Deploy?"))
    content.extras.actions = [Self.yes, Self.why]
    content.extras.awaitsResponse = true
    adjust(&content)
    return try await store.service.publish(
      PublishRequest(content, publisher: publisher), for: store.user
    ).item
  }

  private func publisher(_ store: StoreUnderTest) async throws -> AccessTokenID {
    try await store.service.mintToken(
      named: "ci", scope: .publish(.app("ci")), for: store.user
    ).token.id
  }

  private func choose(
    _ action: ContentExtras.Action, text: String? = nil, _ item: UserNotification,
    _ store: StoreUnderTest, from device: DeviceID? = nil
  ) async throws -> (OperationResult?, BellhopModel.Operation) {
    let change = StateChange(
      userActionState: .activated, choice: ActionChoice(action, text: text))
    let operation = Operation(
      id: store.newID(), target: .item(item.id), mutation: .set(change),
      seen: item.state.contentSequence)
    return (try await send(operation, store, from: device), operation)
  }

  private func send(
    _ operation: BellhopModel.Operation, _ store: StoreUnderTest, from device: DeviceID? = nil
  ) async throws -> OperationResult? {
    try await store.send([operation], lineage: operation.id.description, device: device)
      .results.first
  }

  private func status(
    _ item: UserNotification, _ token: AccessTokenID, _ store: StoreUnderTest
  ) async throws -> ResponseStatus {
    try await store.service.response(
      to: item.id, for: token, of: store.user, waiting: .zero)
  }

  @Test(
    "the first choice answers, later ones are superseded, and undo keeps the answer",
    arguments: BackendKind.allCases)
  func first(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let token = try await publisher(store)
    let item = try await publish(store, by: token)
    #expect(try await status(item, token, store) == .pending)
    let phone = try await store.addDevice("phone")
    let (result, operation) = try await choose(Self.why, text: "no rush", item, store)
    #expect(result == .applied)
    let answer = ResponseStatus.answered(
      AwaitedResponse.Answer(action: "why", text: "no rush", at: store.clock.now))
    #expect(try await status(item, token, store) == answer)
    #expect(try await choose(Self.yes, item, store, from: phone.id).0 == .superseded)
    let undo = try #require(operation.undo(id: store.newID(), before: item))
    #expect(try await send(undo, store) == .applied)
    #expect(try await status(item, token, store) == answer)
    #expect(try await choose(Self.yes, item, store).0 == .superseded, "there is one answer")
    let state = try await store.service.item(item.id, of: store.user).state
    #expect(state.userActionState.value == .noInteraction)

    _ = try await send(store.operation(.delete, item), store)
    #expect(try await status(item, token, store) == answer, "it outlives the item")
  }

  @Test("only the token that published the item reads the answer")
  func others() async throws {
    let store = try await StoreUnderTest(.memory)
    let token = try await publisher(store)
    let item = try await publish(store, by: token)
    let plain = try await publish(store, by: token) { $0.extras.awaitsResponse = nil }
    let other = try await publisher(store)
    await #expect(throws: StoreError.self) { try await status(item, other, store) }
    await #expect(throws: StoreError.self) { try await status(plain, token, store) }
  }

  @Test(
    "opening and dismissing are reported only with the user's permission",
    arguments: BackendKind.allCases)
  func permission(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let token = try await publisher(store)
    _ = try await store.service.register(
      Category(id: "question", options: ["customDismissAction"]), ofApp: "ci", for: store.user)
    func handle(
      _ command: ItemCommand, _ responses: AppResponses, category: String? = "question"
    ) async throws -> ResponseStatus {
      var change = AppSettingsChange()
      change.responses = responses
      _ = try await store.service.configure("ci", change, for: store.user)
      let item = try await publish(store, by: token) { $0.extras.category = category }
      #expect(try await send(store.operation(command, item), store) == .applied)
      return try await status(item, token, store)
    }
    func answer(_ action: String) -> ResponseStatus {
      .answered(AwaitedResponse.Answer(action: action, at: store.clock.now))
    }
    #expect(try await handle(.dismiss, .actions) == .pending)
    #expect(try await handle(.activate, .actions) == .pending)
    #expect(try await handle(.dismiss, .all) == answer("dismiss"))
    #expect(try await handle(.dismiss, .all, category: nil) == .pending)
    #expect(try await handle(.activate, .all) == answer("default"))
    #expect(try await handle(.read, .all) == .pending)
    #expect(try await handle(.delete, .all) == .pending)

    var change = AppSettingsChange()
    change.responses = AppResponses.none
    _ = try await store.service.configure("ci", change, for: store.user)
    let item = try await publish(store, by: token)
    #expect(try await choose(Self.yes, item, store).0 == .applied)
    #expect(try await status(item, token, store) == .pending)
  }

  @Test(
    "an item that expires unanswered ends the wait, deleted or not",
    arguments: [ItemCommand.read, .delete])
  func expiry(command: ItemCommand) async throws {
    let store = try await StoreUnderTest(.sqlite)
    let token = try await publisher(store)
    let end = store.clock.now.advanced(by: .seconds(3600))
    let item = try await publish(store, by: token) { $0.expiration = end }
    _ = try await send(store.operation(command, item), store)
    #expect(try await status(item, token, store) == .pending)
    store.clock.advance(by: .seconds(3600))
    #expect(try await status(item, token, store) == .expired)
    store.clock.advance(by: .seconds(86_400 * 61))
    _ = try await store.service.sweep()
    await #expect(throws: StoreError.self) { try await status(item, token, store) }
  }

  @Test("publishing again asks again, or ends the wait", arguments: BackendKind.allCases)
  func again(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let token = try await publisher(store)
    let item = try await publish(store, appID: "x", by: token)
    _ = try await choose(Self.yes, item, store)
    let next = try await publish(store, appID: "x", by: token)
    #expect(try await status(next, token, store) == .pending)
    #expect(try await choose(Self.yes, item, store).0 == .superseded, "it is another question")
    #expect(try await status(next, token, store) == .pending)
    _ = try await publish(store, appID: "x", by: token) { $0.extras.awaitsResponse = nil }
    #expect(try await status(next, token, store) == .superseded)
  }

  @Test("a wait ends with the answer, or with the item's replacement")
  func waiting() async throws {
    let store = try await StoreUnderTest(.memory)
    let token = try await publisher(store)
    let item = try await publish(store, appID: "x", by: token)
    let service = store.service
    let user = store.user
    async let first = service.response(
      to: item.id, for: token, of: user, waiting: .seconds(60))
    // The wait subscribes before it reads, so the answer may come before or after that.
    _ = try await choose(Self.yes, item, store)
    guard case .answered(let answer) = try await first else {
      Issue.record("the wait did not end with the answer")
      return
    }
    #expect(answer.action == "yes")

    let next = try await publish(store, appID: "x", by: token)
    let before = service.subscriberCount
    async let second = service.response(
      to: next.id, for: token, of: user, waiting: .seconds(60))
    try await eventually(
      "the wait has begun", holds: { service.subscriberCount > before })
    _ = try await publish(store, appID: "x", by: token)
    #expect(try await second == .superseded)
  }

  @Test("a token has a limited number of waits, and others have theirs")
  func waitsMax() async throws {
    var limits = StoreLimits()
    limits.waitsPerTokenMax = 1
    let store = try await StoreUnderTest(.memory, limits: limits)
    let (service, user) = (store.service, store.user)
    let token = try await publisher(store)
    let item = try await publish(store, appID: "x", by: token)
    let other = try await publisher(store)
    let next = try await publish(store, appID: "y", by: other)
    async let first = service.response(
      to: item.id, for: token, of: user, waiting: .seconds(60))
    try await eventually("the wait has begun", holds: { service.subscriberCount == 1 })
    await #expect(throws: StoreError.tooManyStreams) {
      _ = try await service.response(to: item.id, for: token, of: user, waiting: .seconds(60))
    }
    async let second = service.response(
      to: next.id, for: other, of: user, waiting: .seconds(60))
    try await eventually("the other wait has begun", holds: { service.subscriberCount == 2 })
    _ = try await choose(Self.yes, item, store)
    _ = try await choose(Self.yes, next, store)
    for status in [try await first, try await second] {
      guard case .answered = status else {
        Issue.record("\(status)")
        continue
      }
    }
  }
}
