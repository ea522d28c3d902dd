import BellhopModel
import BellhopStore
import BellhopStoreSQLite
import Testing

@Suite("Actions of items")
struct ActionChoiceTests {
  private static let actions: [ContentExtras.Action] = [
    .init(
      id: "rerun", title: "Rerun ✓", kind: .http, options: ["confirm"],
      url: "https://ci.example.com/412", method: "PUT", headers: ["X-A": "b"], body: "{}"),
    .init(id: "assign", title: "Assign", kind: .reply, placeholder: "to whom?"),
  ]

  private func operation(
    _ store: StoreUnderTest, _ item: UserNotification, _ choice: ActionChoice
  ) -> BellhopModel.Operation {
    var operation = store.operation(.activate, item)
    operation.mutation = .set(
      StateChange(readState: .read, userActionState: .activated, choice: choice))
    return operation
  }

  @Test("actions are stored, found again and in the delta", arguments: BackendKind.allCases)
  func stored(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a") { $0.extras.actions = Self.actions }.item
    #expect(item.content.extras.actions == Self.actions)
    #expect(try await store.service.item(item.id, of: store.user) == item)
    #expect(try await store.pull(from: .beginning).changes == [.item(item)])
  }

  @Test(
    "a choice and its text are stored once, and reach every device",
    arguments: BackendKind.allCases)
  func chosen(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a") { $0.extras.actions = Self.actions }.item
    let choosing = operation(store, item, ActionChoice(id: "assign", text: "to \"me\"\u{1f}"))
    #expect(try await store.send([choosing]).results == [.applied])
    let after = try await store.service.item(item.id, of: store.user)
    #expect(after.state.readState.value == .read)
    #expect(after.state.userActionState.value == .activated)
    #expect(
      after.state.userActionState.change?.choice
        == ActionChoice(id: "assign", title: "Assign", text: "to \"me\"\u{1f}"))
    // The answer was lost, and the operation comes again.
    #expect(try await store.send([choosing]).results == [.alreadyApplied])
    #expect(try await store.service.item(item.id, of: store.user) == after)
    // A second choice is reported, too, though the state stays.
    let second = operation(store, after, ActionChoice(id: "rerun"))
    #expect(try await store.send([second], from: 2).results == [.applied])
    let last = try await store.service.item(item.id, of: store.user)
    #expect(last.state.sequence > after.state.sequence)
    #expect(
      last.state.userActionState.change?.choice == ActionChoice(id: "rerun", title: "Rerun ✓"))
    #expect(try await store.pull(from: .beginning).changes == [.item(last)])
    // A state that is set otherwise has no choice.
    #expect(try await store.send([store.operation(.dismiss, last)], from: 3).results == [.applied])
    let dismissed = try await store.service.item(item.id, of: store.user)
    #expect(dismissed.state.userActionState.change?.choice == nil)
  }

  @Test("an action that the item does not have is not chosen", arguments: BackendKind.allCases)
  func unknown(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a", appID: "1") { $0.extras.actions = Self.actions }.item
    let choosing = operation(store, item, ActionChoice(id: "delete"))
    #expect(try await store.send([choosing]).results == [.superseded])
    let change = StateChange(userActionState: .activated, choice: ActionChoice(id: "delete"))
    #expect(
      try await storeError {
        _ = try await store.service.change(
          item.id, change, by: store.device.author, for: store.user)
      } == .invalid(field: "actionId", expectation: "the id of one of the item's actions"))
    // Replaced meanwhile by content without actions.
    let late = operation(store, item, ActionChoice(id: "rerun"))
    let replaced = try await store.publish("b", appID: "1").item
    #expect(try await store.send([late], from: 2).results == [.superseded])
    #expect(try await store.service.item(item.id, of: store.user) == replaced)
  }

  @Test("the text of a choice is limited", arguments: BackendKind.allCases)
  func bounded(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a") { $0.extras.actions = Self.actions }.item
    for text in [String(repeating: "x", count: ActionChoice.textBytesMax + 1), "a\u{0}b"] {
      let choosing = operation(store, item, ActionChoice(id: "assign", text: text))
      guard
        case .invalid("actionText", _)? = try await storeError({
          _ = try await store.send([choosing])
        })
      else {
        Issue.record("a text of \(text.utf8.count) bytes was taken")
        continue
      }
    }
    #expect(try await store.service.item(item.id, of: store.user) == item)
  }

  @Test("a deleted item keeps no choice", arguments: BackendKind.allCases)
  func deleted(kind: BackendKind) async throws {
    let store = try await StoreUnderTest(kind)
    let item = try await store.publish("a") { $0.extras.actions = Self.actions }.item
    let choosing = operation(store, item, ActionChoice(id: "assign", text: "secret"))
    _ = try await store.send([choosing, store.operation(.delete, item)])
    #expect(try await store.titles() == [])
    guard let backend = store.backend as? SQLiteBackend else { return }
    #expect(
      try await backend.inspect("SELECT count(*), count(action_choice) FROM item") == [["1", "0"]])
  }
}
