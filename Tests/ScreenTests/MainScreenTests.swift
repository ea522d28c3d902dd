import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

/// The sizes in which every scene is drawn.
let screenSizes = [
  Size(width: 40, height: 12), Size(width: 80, height: 24),
  Size(width: 120, height: 40),
]

@Suite("Screens")
struct MainScreenTests {
  @Test("a morning's tray", arguments: screenSizes)
  func tray(_ size: Size) {
    assertScreen(Scenes.desk(size.width, size.height).frame, name("tray", size))
  }

  @Test("the tray of SCREENS.md at its own width")
  func trayAsDocumented() {
    assertScreen(Scenes.desk(100, 21).frame, "tray-100x21")
  }

  @Test("groups, each one row, with the cursor on one", arguments: screenSizes)
  func groups(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height, Scenes.groups())
    desk.press("j j")
    assertScreen(desk.frame, name("groups", size))
  }

  @Test("a group that is open, with the cursor on one of its items", arguments: screenSizes)
  func openGroup(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height, Scenes.groups())
    desk.press("j j z j j")
    assertScreen(desk.frame, name("groups-open", size))
  }

  @Test("the question before all of a group is dismissed", arguments: screenSizes)
  func groupQuestion(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height, Scenes.groups())
    desk.press("j j d")
    assertScreen(desk.frame, name("groups-question", size))
  }

  @Test("Chinese, Japanese, Arabic, Thai, emoji and escape sequences", arguments: screenSizes)
  func world(_ size: Size) {
    assertScreen(Scenes.desk(size.width, size.height, Scenes.world()).frame, name("world", size))
  }

  @Test("all history", arguments: screenSizes)
  func history(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("2 j j")
    assertScreen(desk.frame, name("history", size))
  }

  @Test("what is for later", arguments: screenSizes)
  func later(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("3")
    assertScreen(desk.frame, name("later", size))
  }

  @Test("an item gone into", arguments: screenSizes)
  func detail(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("Enter")
    assertScreen(desk.frame, name("detail", size))
  }

  @Test("an empty tray over a full history", arguments: screenSizes)
  func emptyTray(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("d d d d d d d")
    assertScreen(desk.frame, name("empty-tray", size))
  }

  @Test("offline, with changes that wait", arguments: screenSizes)
  func offline(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.send(
      .connectionChanged(ConnectionStatus(.offline(since: Scenes.before(3)), waiting: 4)))
    desk.press("j")
    assertScreen(desk.frame, name("offline", size))
  }

  @Test("nothing at all in the store", arguments: screenSizes)
  func firstRun(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height, ItemShelf())
    desk.send(
      .firstRunHelpChanged(
        FirstRunHelp(
          isPrivateStore: true, publishCommand: "bellhop publish \"Hello\" --app nas",
          curlLine:
            "curl -H @$HOME/.config/bellhop/publish -d \"Done\" 127.0.0.1:8642/backups")))
    assertScreen(desk.frame, name("first-run", size))
  }

  @Test("searching, with the cursor in the words", arguments: screenSizes)
  func search(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("/")
    desk.type("disk")
    assertScreen(desk.frame, name("search", size))
  }

  @Test("a time to snooze until is typed, and what it means stands beside it")
  func typedSnooze() {
    var desk = Scenes.desk(80, 24)
    desk.press("s")
    desk.type("fri 9")
    assertScreen(desk.frame, "snooze-typed-80x24")
  }

  @Test("typing a filter, with how it may go on", arguments: screenSizes)
  func filter(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("f")
    desk.type("app:nas is:un")
    assertScreen(desk.frame, name("filter", size))
  }

  @Test("a filter that means nothing, and where", arguments: screenSizes)
  func filterProblem(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("f")
    desk.type("app:nas is:lost disk")
    assertScreen(desk.frame, name("filter-problem", size))
  }

  @Test("a list that is narrowed says so", arguments: screenSizes)
  func narrowed(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("f")
    desk.type("prio:>=high disk")
    desk.press("Enter")
    assertScreen(desk.frame, name("narrowed", size))
  }

  @Test("the keys of the list", arguments: screenSizes)
  func help(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("?")
    assertScreen(desk.frame, name("help", size))
  }

  @Test("the keys about one thing")
  func filteredHelp() {
    var desk = Scenes.desk(80, 24)
    desk.press("?")
    desk.type("tray")
    assertScreen(desk.frame, "help-filtered-80x24")
  }

  @Test("an item from underneath", arguments: screenSizes)
  func inspect(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height, Scenes.withActions())
    desk.press("j i j j")
    assertScreen(desk.frame, name("inspect", size))
  }

  @Test("a command being typed that gets the marked items", arguments: screenSizes)
  func pipe(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("Space Space |")
    desk.type("wc -w")
    assertScreen(desk.frame, name("pipe", size))
  }

  @Test("the history of unread items only", arguments: screenSizes)
  func unreadOnly(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("2 U")
    assertScreen(desk.frame, name("unread-only", size))
  }

  @Test("the ways to snooze", arguments: screenSizes)
  func snooze(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("s j")
    assertScreen(desk.frame, name("snooze", size))
  }

  @Test("an item with actions, in the list and gone into", arguments: screenSizes)
  func actions(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height, Scenes.withActions())
    if size.width < 100 { desk.press("Enter") }
    assertScreen(desk.frame, name("actions-detail", size))
  }

  @Test("the list of an item's actions", arguments: screenSizes)
  func actionMenu(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height, Scenes.withActions())
    desk.press(". j")
    assertScreen(desk.frame, name("actions", size))
  }

  @Test("a reply being typed, and a request being asked about", arguments: screenSizes.dropFirst())
  func actionSteps(_ size: Size) {
    var desk = Scenes.desk(size.width, size.height, Scenes.withActions())
    desk.press(". 2")
    assertScreen(desk.frame, name("actions-reply-empty", size))
    desk.type("to me")
    assertScreen(desk.frame, name("actions-reply", size))
    desk.press("Esc 1")
    assertScreen(desk.frame, name("actions-question", size))
  }

  @Test("an item that was handled elsewhere under the cursor", arguments: screenSizes)
  func ghost(_ size: Size) throws {
    var desk = Scenes.desk(size.width, size.height)
    desk.press("j")
    let id = try #require(
      desk.shelf.rows(of: .tray, at: desk.now).first { $0.priority == .urgent }?.key.id)
    desk.elsewhere(id, .dismiss, on: "work-laptop")
    desk.press("d")
    assertScreen(desk.frame, name("ghost", size))
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
      desk.send(.connectionChanged(status))
      assertScreen(desk.frame, "connection-\(label)-\(width)x24")
    }
  }

  private func name(_ scene: String, _ size: Size) -> String {
    "\(scene)-\(size.width)x\(size.height)"
  }
}
