import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Changes by rules on the screen")
struct RuleAuthorTests {
  private static let mark = RuleMark(
    id: RuleID(high: 5, low: 1), revision: OperationID(high: 5, low: 2), name: "passed builds")

  @Test("the history of an item names the rule that changed it")
  func history() throws {
    let change = RegisterChange(
      at: Timestamp(seconds: 1_795_000_000), by: Author(rule: Self.mark),
      operation: OperationID(high: 1, low: 1))
    let provenance = try #require(Provenance(change, device: DeviceID("d1")))
    #expect(provenance.place == " by the rule passed builds")
    let history = HistoryText(zone: .utc, now: Timestamp(seconds: 1_795_000_000))
    #expect(
      history.line(.dismissed, provenance).string.hasPrefix("dismissed by the rule passed builds"))
  }

  @Test("an inspection shows the rule's id beside its name")
  func inspection() throws {
    var desk = InboxDesk(width: 80, height: 100)
    desk.shelf.publish(
      Content(app: "ci", visual: VisualContent(title: "build 412 passed")), at: desk.now)
    desk.start()
    let id = try #require(desk.state.activeRow?.key.id)
    desk.shelf.apply(
      Operation(
        id: OperationID(high: 9, low: 9), target: .item(id),
        mutation: .set(StateChange(readState: .read))),
      by: Author(rule: Self.mark), at: desk.now)
    desk.send(.dataChanged)
    desk.press("i")
    #expect(desk.frame.glyphs.contains("passed builds (rule \(Self.mark.id))"))
  }
}
