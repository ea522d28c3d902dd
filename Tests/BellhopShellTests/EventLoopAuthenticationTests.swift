import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopShell

@Suite("Proving who one is in the event loop")
struct EventLoopAuthenticationTests {
  private final class Performer: EffectPerformer {
    func endReading() {}
    func perform(_ effect: Effect) -> [Message] { [] }
  }

  @Test(
    "the screen comes back at once for a known user, and after a key if there is a reason to read",
    arguments: [nil, "you were not authenticated"] as [String?])
  func waiting(failure: String?) throws {
    let terminal = GridTerminal(size: Size(width: 80, height: 24))
    let state = InboxState(
      size: terminal.size, now: Timestamp(seconds: 1), zone: .utc, accountLabel: "home",
      ids: UniqueIDSource { 7 })
    var loop = EventLoop(
      terminal: terminal, performer: Performer(), box: MessageQueue {}, state: state,
      authenticate: { failure }, now: { Timestamp(seconds: 1) })
    let order = ActionOrder(
      key: ItemKey(account: AccountName("home"), id: NotificationID(high: 1, low: 1)),
      seen: ShownVersion(content: SequenceNumber(1)),
      action: ItemAction(id: "deploy", title: "Deploy", kind: .report))
    let messages = loop.authenticate(order)
    #expect(terminal.lent == (failure == nil ? [] : ["Press any key to go back."]))
    guard case .terminal(.authenticated(order, let reason))? = messages.last else {
      Issue.record("the action gets no answer: \(messages)")
      return
    }
    #expect(reason?.string == failure)
  }
}
