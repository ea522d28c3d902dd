import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("New apps")
struct NewAppTests {
  /// A desk on which the given apps are new, in this order.
  private static func desk(_ apps: String..., width: Int = 100) -> InboxDesk {
    var desk = InboxDesk(width: width, height: 24)
    desk.arrive("sdb: 11 bad sectors", app: "nas")
    desk.start()
    for (index, app) in apps.enumerated() {
      desk.shelf.settings[app] = AppSettings(
        app: app, sequence: SequenceNumber(Int64(index) + 1), authorization: .notDetermined)
    }
    desk.send(desk.shelf.appsConfigured)
    desk.forgetActs()
    return desk
  }

  private static func decisions(_ desk: InboxDesk) -> [AppAuthorization?] {
    desk.acts.flatMap { effect -> [AppAuthorization?] in
      guard case .change(.perform(_, let operations, _)) = effect else { return [] }
      return operations.map {
        if case .configure(let change) = $0.mutation { change.authorization } else { nil }
      }
    }
  }

  @Test(
    "the screen asks about a new app, and one key stores the decision, which u takes back",
    arguments: [
      ("p a", AppAuthorization.authorized, "grafana may notify you"),
      ("p q", .provisional, "grafana arrives silently"),
      ("p n", .denied, "grafana may not publish"),
    ])
  func decides(key: String, decision: AppAuthorization, line: String) {
    var desk = Self.desk("grafana")
    #expect(desk.frame.glyphs.contains("grafana wants to notify you."))
    #expect(desk.frame.glyphs.contains("pa allow  pq quiet  pn never  Esc later"))
    desk.press(key)
    #expect(Self.decisions(desk) == [decision])
    #expect(desk.shelf.settings["grafana"]?.authorization == decision)
    #expect(desk.frame.glyphs.contains(line))
    #expect(!desk.frame.glyphs.contains("wants to notify you"))
    desk.press("u")
    #expect(desk.shelf.settings["grafana"]?.authorization == .notDetermined)
    desk.press("j j")
    #expect(desk.frame.glyphs.contains("grafana wants to notify you."))
  }

  @Test("several new apps are asked about one after the other, in the order in which they came")
  func several() {
    var desk = Self.desk("grafana", "mail", "backups")
    #expect(desk.frame.glyphs.contains("grafana wants to notify you (and 2 more)."))
    desk.press("p a j")
    #expect(desk.frame.glyphs.contains("mail wants to notify you (and 1 more)."))
    desk.press("p n j p q")
    #expect(Self.decisions(desk) == [.authorized, .denied, .provisional])
    desk.press("j p a")
    #expect(desk.frame.glyphs.contains("No app is asking."))
  }

  @Test("the question leaves the screen when another device has answered")
  func answeredElsewhere() {
    var desk = Self.desk("grafana")
    desk.shelf.settings["grafana"]?.authorization = .provisional
    desk.send(desk.shelf.appsConfigured)
    #expect(!desk.frame.glyphs.contains("wants to notify you"))
    desk.press("p a")
    #expect(desk.acts.isEmpty)
  }

  @Test("Esc puts the question off, blocks nothing, and leaves a later app's question")
  func later() {
    var desk = Self.desk("grafana")
    desk.press("Esc")
    #expect(desk.acts.isEmpty)
    #expect(!desk.frame.glyphs.contains("wants to notify you"))
    desk.send(desk.shelf.appsConfigured)
    #expect(!desk.frame.glyphs.contains("wants to notify you"))
    desk.shelf.settings["mail"] = AppSettings(app: "mail", authorization: .notDetermined)
    desk.send(desk.shelf.appsConfigured)
    #expect(desk.frame.glyphs.contains("mail wants to notify you."))
  }

  @Test("the settings of all apps together are no app that asks")
  func everyApp() {
    let desk = Self.desk(AppSettings.everyApp)
    #expect(desk.state.questionedApp == nil)
  }

  @Test("M goes through the decisions and what a focused screen shows, each with an operation")
  func settings() {
    var desk = Self.desk()
    desk.press("M 1")
    #expect(Self.decisions(desk) == [.provisional])
    #expect(desk.frame.glyphs.contains("quiet"))
    desk.press("1 1")
    #expect(Self.decisions(desk) == [.provisional, .denied, .authorized])
    desk.press("j j j j j j j j j j Enter")
    #expect(desk.shelf.settings["nas"]?.whenFocused == .line)
    desk.press("u")
    #expect(desk.shelf.settings["nas"]?.whenFocused == .list)
  }

  @Test("the apps tab names the decision and the badge")
  func facts() {
    var desk = Self.desk(width: 200)
    desk.shelf.settings["nas"] = AppSettings(app: "nas", authorization: .provisional, badge: 12)
    desk.send(desk.shelf.appsConfigured)
    desk.press("4")
    #expect(desk.frame.glyphs.contains("arrives silently · badge 12"))
  }

  @Test("an app's line replaces an older notice of the screen, but not an error")
  func focusedLine() {
    var desk = Self.desk()
    desk.send(.focusChanged(true))
    let news = Announcement(
      app: "nas", name: "nas", title: "rebuilt", priority: .normal, whenFocused: .line)
    func arrive() {
      desk.send(.account(.announced([news], of: ItemShelf.account, isReturn: false)))
    }
    desk.press("d")
    arrive()
    #expect(desk.frame.glyphs.contains("nas: rebuilt"))
    desk.send(.notice(Notice(.error, "Not done: the disk is full")))
    arrive()
    #expect(desk.frame.glyphs.contains("Not done: the disk is full"))
  }
}
