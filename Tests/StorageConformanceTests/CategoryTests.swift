import BellhopModel
import BellhopStore
import Testing

@Suite("Categories of apps")
struct CategoryTests {
  private static let answer = ContentExtras.Action(id: "answer", title: "Answer", kind: .reply)
  private static let stop = ContentExtras.Action(
    id: "stop", title: "Stop", options: ["destructive"])

  private func publish(
    _ store: StoreUnderTest, own: [ContentExtras.Action]? = nil
  ) async throws -> UserNotification {
    try await store.publish("Deploy?", app: "ci") {
      $0.extras.category = "question"
      $0.extras.actions = own
    }.item
  }

  private func register(
    _ store: StoreUnderTest, _ actions: [ContentExtras.Action], as id: String = "question"
  ) async throws -> BellhopModel.Category {
    try await store.service.register(
      Category(id: id, actions: actions), ofApp: "ci", for: store.user
    ).category
  }

  private func choose(
    _ action: ContentExtras.Action, _ item: UserNotification, _ store: StoreUnderTest
  ) async throws -> OperationResult? {
    let change = StateChange(userActionState: .activated, choice: ActionChoice(action))
    let operation = Operation(
      id: store.newID(), target: .item(item.id), mutation: .set(change),
      seen: item.state.contentSequence)
    return try await store.send([operation], lineage: operation.id.description).results.first
  }

  @Test(
    "an item has the category's actions as they are now, and they reach devices in the delta",
    arguments: BackendKind.allCases)
  func travels(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let first = try await register(store, [Self.answer])
    let item = try await publish(store)
    let token = try await store.pull(from: .beginning).token
    #expect(item.actions(with: first).map(\.id) == ["answer"])
    let second = try await register(store, [Self.answer, Self.stop])
    let changes = try await store.pull(from: .since(token)).changes
    let settings = changes.compactMap { if case .app(let settings) = $0 { settings } else { nil } }
    #expect(settings.map(\.categories) == [[second]])
    #expect(settings.first?.category(of: item)?.actions.map(\.id) == ["answer", "stop"])
    // The same again changes nothing.
    let now = try await store.pull(from: .beginning).token
    #expect(try await register(store, [Self.answer, Self.stop]) == second)
    #expect(try await store.pull(from: .since(now)).changes.isEmpty)
    try await store.service.removeCategory("question", ofApp: "ci", for: store.user)
    #expect(try await store.service.categories(ofApp: "ci", for: store.user).isEmpty)
  }

  @Test(
    "a choice counts only for an action that still is as it was shown",
    arguments: BackendKind.allCases)
  func choices(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let shown = try await register(store, [Self.answer, Self.stop])
    let item = try await publish(
      store, own: [ContentExtras.Action(id: "log", title: "Log")])
    var changed = Self.stop
    changed.title = "Stop and delete"
    _ = try await register(store, [Self.answer, changed])
    #expect(try await choose(shown.actions[1], item, store) == .superseded)
    #expect(
      try await store.service.item(item.id, of: store.user).state.userActionState.change == nil)
    #expect(try await choose(shown.actions[0], item, store) == .applied)
    let choice = try await store.service.item(item.id, of: store.user).state.userActionState.change?
      .choice
    #expect(choice == ActionChoice(id: "answer", title: "Answer"))

    try await store.service.removeCategory("question", ofApp: "ci", for: store.user)
    #expect(try await choose(shown.actions[0], item, store) == .superseded)
    let own = try #require(item.content.extras.actions?.first)
    #expect(try await choose(own, item, store) == .applied, "its own actions stay")
  }

  @Test("an item may name only a category that its app has registered")
  func unknown() async throws {
    let store = try await StoreUnderTest(.memory)
    await #expect(throws: StoreError.self) { try await publish(store) }
    _ = try await register(store, [], as: "other")
    let error = await #expect(throws: StoreError.self) { try await publish(store) }
    #expect(
      error
        == .invalid(
          field: "category", expectation: "a category that the app has registered, such as other"))
    #expect(try await store.pull(from: .beginning).changes.allSatisfy { $0.id == nil })
  }

  @Test("its own actions come first, and all together are at most eight")
  func shown() throws {
    let own = (1...3).map { ContentExtras.Action(id: "\($0)", title: "own") }
    let shared = (3...9).map { ContentExtras.Action(id: "\($0)", title: "shared") }
    var content = Content(app: "ci", visual: VisualContent(title: "a"))
    content.extras.actions = own
    let item = UserNotification(
      id: NotificationID(high: 1, low: 1), shortNumber: 1, created: .distantPast,
      arrival: .distantPast, content: content,
      state: ItemState(
        sequence: SequenceNumber(1), contentSequence: SequenceNumber(1), changed: .distantPast))
    let actions = item.actions(with: Category(id: "question", actions: shared))
    #expect(actions.map(\.id) == ["1", "2", "3", "4", "5", "6", "7", "8"])
    #expect(actions.prefix(3).allSatisfy { $0.title == "own" })
    #expect(actions.dropFirst(3).allSatisfy { $0.title == "shared" })
  }

  @Test("the number and the size of categories are limited")
  func limits() async throws {
    let store = try await StoreUnderTest(.memory)
    let limits = StoreLimits()
    for number in 0..<limits.categoriesMax { _ = try await register(store, [], as: "\(number)") }
    await #expect(throws: StoreError.self) { try await register(store, [], as: "one more") }
    _ = try await register(store, [Self.answer], as: "0")
    var long = Self.answer
    long.kind = .copy
    long.text = String(repeating: "x", count: limits.actionTextBytesMax)
    let actions = (1...5).map { number in
      var action = long
      action.id = "\(number)"
      return action
    }
    await #expect(throws: StoreError.self) { try await register(store, actions, as: "0") }
    let twice = [Self.stop, Self.stop]
    await #expect(throws: StoreError.self) { try await register(store, twice, as: "0") }
    #expect(
      try await store.service.categories(ofApp: "ci", for: store.user)
        .first { $0.id == "0" }?.actions.map(\.id) == ["answer"])
  }
}
