import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@Suite("Screens")
struct MainScreenTests {
  @Test("the tray at the width that shows every column")
  func trayAsDocumented() {
    assertScreen(Scenes.desk(100, 21).frame, "tray-100x21")
  }

  @Test("every state of the connection in the header", arguments: [80, 120])
  func connections(_ width: Int) {
    var desk = Scenes.desk(width, 24)
    let states: [(String, ConnectionStatus)] = [
      ("connecting", ConnectionStatus(.connecting)), ("live", ConnectionStatus(.live)),
      ("live-waiting", ConnectionStatus(.live, waiting: 2)),
      ("polling", ConnectionStatus(.polling(every: .seconds(30)))),
      ("offline", ConnectionStatus(.offline(since: nil))),
      (
        "signed-out",
        ConnectionStatus(
          .signedOut(Provenance(by: "work-laptop", at: Scenes.before(2))), waiting: 1)
      ),
    ]
    for (label, status) in states {
      desk.send(.account(.connection(status)))
      assertScreen(desk.frame, "connection-\(label)-\(width)x24")
    }
  }
}
