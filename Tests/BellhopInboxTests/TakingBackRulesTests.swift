import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Taking back what rules did")
struct TakingBackRulesTests {
  private static let mark = RuleMark(
    id: RuleID(high: 5, low: 1), revision: OperationID(high: 5, low: 2), name: "passed builds")
  private static let read = OperationID(high: 9, low: 8)
  private static let moved = OperationID(high: 9, low: 9)
  private static let effect: AppliedEffect = {
    var effect = AppliedEffect()
    (effect.app, effect.level) = ("noise", .low)
    effect.rules = [.init(rule: mark, parts: [.priority, .targetHostName])]
    return effect
  }()

  /// A desk with an item that rules have marked as read, dismissed and moved, in the history.
  private func desk() -> (desk: InboxDesk, id: NotificationID) {
    var desk = InboxDesk(width: 100, height: 30)
    let id = desk.shelf.publish(
      Content(app: "ci", priority: .high, visual: VisualContent(title: "build 412 passed")),
      at: desk.now)
    for (operation, change) in [
      (Self.read, StateChange(readState: .read)),
      (Self.moved, StateChange(userActionState: .dismissed, applied: Self.effect)),
    ] {
      desk.shelf.apply(
        Operation(id: operation, target: .item(id), mutation: .set(change)),
        by: Author(rule: Self.mark), at: desk.now)
    }
    desk.start()
    desk.press("2")
    return (desk, id)
  }

  private func run(_ desk: inout InboxDesk) {
    desk.press(":")
    desk.type("undo rules")
    desk.press("Enter")
  }

  private func operations(_ desk: InboxDesk) -> [BellhopModel.Operation] {
    desk.acts.flatMap { effect -> [BellhopModel.Operation] in
      if case .change(.perform(_, let operations, _)) = effect { operations } else { [] }
    }
  }

  @Test(
    "one command takes back all registers, each from the operation that set it, and u undoes that")
  func all() throws {
    var (desk, id) = self.desk()
    run(&desk)
    #expect(operations(desk).map(\.expect) == [Self.read, Self.moved])
    let state = try #require(desk.shelf.items[id]?.item.state)
    #expect(state.readState.value == .unread && state.userActionState.value == .noInteraction)
    #expect(state.applied.value == .empty)
    #expect(desk.state.notice?.text == "Freed of rules “build 412 passed” (noise). u undoes it")
    #expect(desk.state.activeRow?.app == "ci")
    desk.press("u")
    let again = try #require(desk.shelf.items[id]?.item.state)
    #expect(again.readState.value == .read && again.userActionState.value == .dismissed)
    #expect(again.applied.value == Self.effect)
    #expect(desk.state.notice?.text == "Undone: freed of rules.")
    desk.press("Ctrl-r")
    #expect(desk.shelf.items[id]?.item.state.applied.value == .empty)
  }

  @Test("what the user has changed since stays")
  func changedSince() {
    var (desk, id) = self.desk()
    desk.elsewhere(id, .restore)
    desk.elsewhere(id, .unread)
    desk.forgetActs()
    run(&desk)
    let made = operations(desk)
    #expect(made.map(\.mutation) == [.set(StateChange(applied: .empty))])
    #expect(made.map(\.expect) == [Self.moved])
  }

  @Test("an item that no rule has changed does not offer the command")
  func untouched() {
    var desk = InboxDesk(width: 100, height: 30)
    desk.shelf.publish(
      Content(app: "ci", visual: VisualContent(title: "build 412 passed")), at: desk.now)
    desk.start()
    #expect(
      Command.undoRules.disabledReason(desk.state)?.text == "No rule has changed this item.")
    desk.press(":")
    desk.type("undo rules")
    #expect(!desk.frame.glyphs.contains("take back what your rules did"))
  }
}
