import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTerminal
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopShell

@Suite("Ringing in the event loop")
struct EventLoopRingTests {
  private final class Performer: EffectPerformer {
    func endReading() {}

    var effects: [Effect] = []
    func perform(_ effect: Effect) -> [Message] {
      effects.append(effect)
      return []
    }
  }

  @Test("the terminal rings, and programs do what it cannot")
  func means() {
    let account = AccountName("home")
    let news = [
      Announcement(app: "nas", name: "nas", title: "disk fails", priority: .urgent)
    ]
    for takes in [true, false] {
      let terminal = GridTerminal(size: Size(width: 80, height: 24))
      if !takes { terminal.refuseNotifications() }
      let performer = Performer()
      let box = MessageQueue {}
      let state = InboxState(
        size: terminal.size, now: Timestamp(seconds: 1), zone: .utc, accountLabel: "home",
        ids: UniqueIDSource { 7 })
      var loop = EventLoop(
        terminal: terminal, performer: performer, box: box, state: state,
        now: { Timestamp(seconds: 1) })
      loop.start()
      performer.effects = []
      box.post(.account(.announced(news, of: account, isReturn: false)))
      terminal.send(.wake)
      loop.step()
      #expect(terminal.bells == 1)
      #expect(terminal.notified == (takes ? [["nas", "disk fails"]] : []))
      let left = performer.effects.compactMap {
        if case .terminal(.ring(let ring)) = $0 { ring } else { nil }
      }
      // Sound is always left to a program.
      #expect(left.map(\.notes.count) == [takes ? 0 : 1])
      #expect(left.map(\.bell) == [false])
    }
  }
}
