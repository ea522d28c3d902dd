import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Apps")
struct AppTests {
  private static let account = ItemShelf.account

  private func key(_ app: String) -> AppKey { AppKey(account: Self.account, app: app) }

  /// A desk with three apps, of which `nas` was seen last.
  private func desk(_ width: Int = 80, _ height: Int = 24) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height)
    desk.arrive("backup done", app: "backups")
    desk.wait(.seconds(60))
    desk.arrive("build 1 failed", app: "ci")
    desk.arrive("build 2 failed", app: "ci")
    desk.wait(.seconds(60))
    desk.arrive("sdb: 11 bad sectors", app: "nas")
    desk.start()
    desk.send(desk.shelf.appsConfigured)
    desk.press("g g")
    desk.forgetActs()
    return desk
  }

  private func changes(_ desk: InboxDesk) -> [AppSettingsChange] {
    desk.acts.flatMap { effect -> [AppSettingsChange] in
      guard case .change(.perform(_, let operations, _)) = effect else { return [] }
      return operations.compactMap {
        if case .configure(let change) = $0.mutation { change } else { nil }
      }
    }
  }

  @Test("apps are ordered by when they were last seen, with their counts")
  func order() {
    var desk = desk()
    desk.press("4")
    #expect(desk.state.apps.rows.map(\.key.app) == ["nas", "ci", "backups"])
    #expect(desk.state.apps.rows[1].tray == 2)
    #expect(desk.state.apps.rows[1].unread == 2)
    #expect(desk.state.apps.cursor == key("nas"))
    desk.press("j")
    desk.arrive("nightly", app: "backups")
    #expect(desk.state.apps.rows.map(\.key.app).first == "backups")
    #expect(desk.state.apps.cursor == key("ci"), "the cursor belongs to the app")
  }

  @Test("an app with settings is shown before any of its items arrive")
  func configuredOnly() {
    var desk = desk()
    desk.shelf.settings["mail"] = AppSettings(app: "mail", mute: .forever)
    desk.send(desk.shelf.appsConfigured)
    desk.press("4 G")
    #expect(desk.state.apps.cursor == key("mail"))
    #expect(desk.frame.glyphs.contains("never"))
  }

  @Test("keys for items do nothing among the apps")
  func itemKeys() {
    var desk = desk()
    desk.press("4 d r x s b * Space v a")
    #expect(desk.acts.isEmpty)
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == 4)
  }

  @Test("m mutes the app of the item under the cursor at once, with an operation; u undoes it")
  func mute() {
    var desk = desk()
    desk.press("m")
    #expect(desk.frame.glyphs.contains("Mute nas, on every device"))
    desk.press("1")
    let end = desk.now.advanced(by: .seconds(3600))
    #expect(changes(desk).map(\.mute) == [.until(end)])
    #expect(desk.state.apps.isMuted(key("nas"), at: desk.now))
    #expect(desk.frame.glyphs.contains("nas ×"))
    desk.press("u")
    #expect(changes(desk).map(\.mute) == [.until(end), .off])
    #expect(!desk.state.apps.isMuted(key("nas"), at: desk.now))
    desk.press("Ctrl-r")
    #expect(desk.shelf.settings["nas"]?.mute == .until(end))
  }

  @Test("unmuting is the first choice for a muted app, and a mute ends by itself")
  func unmute() {
    var desk = desk()
    desk.press("m 3")
    #expect(desk.shelf.settings["nas"]?.mute == .forever)
    desk.press("m")
    #expect(desk.frame.glyphs.contains("unmute"))
    desk.press("Enter")
    #expect(desk.shelf.settings["nas"]?.mute == .off)
    desk.press("m 1")
    #expect(desk.frame.glyphs.contains("nas ×"))
    desk.wait(.seconds(3600))
    #expect(!desk.frame.glyphs.contains("nas ×"))
  }

  @Test("today ends at midnight in the screen's time zone")
  func today() {
    var desk = desk()
    desk.press("m 2")
    let local = InboxDesk.cet.local(desk.shelf.settings["nas"]?.mute.end ?? .distantPast)
    #expect(local.date.daysSince1970 == InboxDesk.cet.local(desk.now).date.daysSince1970 + 1)
    #expect((local.hour, local.minute) == (0, 0))
  }

  @Test("permissions are toggled by key, and the settings stay open")
  func permissions() {
    var desk = desk()
    desk.press("M 3")
    #expect(changes(desk).map(\.sound) == [false])
    #expect(changes(desk).map(\.alert) == [nil], "what was not named is left alone")
    desk.press("3 j Enter")
    #expect(changes(desk).map(\.sound) == [false, true, nil])
    #expect(desk.shelf.settings["nas"]?.permissions == AppPermissions(badge: false))
    desk.press("u")
    #expect(desk.shelf.settings["nas"]?.permissions == AppPermissions())
  }

  @Test(
    "a typed value becomes an operation",
    arguments: [
      ("7", "30d", AppSetting.retention), ("8", "The NAS", .name), ("9", "disk, raid", .aliases),
      ("6", "22-7:30 sun,mon", .quietHours),
    ])
  func typed(digit: String, text: String, setting: AppSetting) {
    var desk = desk()
    desk.press("M \(digit)")
    desk.type(text)
    #expect(desk.frame.cursor != nil)
    desk.press("Enter")
    let settings = desk.shelf.settings["nas"] ?? AppSettings(app: "nas")
    switch setting {
    case .retention: #expect(settings.retentionDays == 30)
    case .name: #expect(settings.displayName == "The NAS")
    case .aliases: #expect(settings.aliases == ["disk", "raid"])
    default:
      #expect(settings.quietHours?.words == "22:00-07:30 mon,sun")
    }
    desk.press("u")
    #expect(desk.shelf.settings["nas"].map { $0.settingOnly } == AppSettings(app: "nas"))
  }

  @Test(
    "an invalid value is reported, and nothing is changed",
    arguments: [
      ("7", "40y"), ("7", "0d"), ("7", "9999d"), ("9", "two.dots"), ("6", "22:00"),
      ("6", "7-7"), ("6", "25-7"), ("6", "22-7 someday"), ("7", "600w"),
    ])
  func wrong(digit: String, text: String) {
    var desk = desk()
    desk.press("M \(digit)")
    desk.type(text)
    desk.press("Enter")
    #expect(desk.acts.isEmpty)
    #expect(desk.state.notice?.kind == .error)
    desk.press("Esc Esc")
    #expect(desk.state.overlay.isNone)
  }

  @Test("settings changed elsewhere since are not undone")
  func undoneElsewhere() {
    var desk = desk()
    desk.press("m 3")
    desk.shelf.settings["nas"]?.mute = .off
    desk.send(desk.shelf.appsConfigured)
    desk.forgetActs()
    desk.press("u")
    #expect(desk.acts.isEmpty)
    #expect(desk.state.notice?.text.string.hasPrefix("Not undone") == true)
  }

  @Test("a change that could not be stored is reverted")
  func failed() throws {
    var desk = desk()
    desk.isPrompt = false
    desk.press("m 3")
    #expect(desk.state.apps.isMuted(key("nas"), at: desk.now))
    let made = desk.acts.compactMap { effect -> OperationID? in
      if case .change(.perform(_, let operations, _)) = effect { operations.first?.id } else { nil }
    }
    let operation = try #require(made.first)
    desk.answers = []
    desk.send(.change(.failed([operation], "Not done: the disk is full")))
    #expect(!desk.state.apps.isMuted(key("nas"), at: desk.now))
    desk.press("u")
    #expect(desk.state.notice?.text == "Nothing to undo.")
  }

  @Test("o shows the items of the app, and Esc goes back to the apps")
  func items() {
    var desk = desk()
    desk.press("4 j o")
    #expect(desk.state.tab == .history)
    #expect(Set(desk.state[.history].rows.map(\.appHost)) == ["ci"])
    desk.press("Esc")
    #expect(desk.state.tab == .apps)
    desk.press("2")
    #expect(desk.state[.history].rows.count == 4)
  }

  @Test("settings are toggled with the mouse, beside the apps and over a list")
  func mouse() throws {
    var desk = desk(120, 30)
    desk.press("4")
    let rect = try #require(desk.state.layout.appSettings)
    desk.send(.mouse(MouseEvent(.press, at: Point(x: rect.x + 6, y: rect.y + 4))))
    #expect(changes(desk).map(\.sound) == [false])
    let list = try #require(desk.state.layout.apps)
    let second = AppsPane.rows(in: list).row(1)
    desk.send(.mouse(MouseEvent(.press, at: Point(x: second.x + 4, y: second.y))))
    #expect(desk.state.apps.cursor == key("ci"))
    #expect(desk.state.overlay.isNone)
  }

  @Test("the list of apps is bounded, however many there are")
  func many() {
    var desk = desk()
    desk.press("4")
    let all = (0..<5_000).map { number in
      AppOverview(
        key: key("app\(number)"), tray: 1, unread: 1, history: number,
        lastSeen: Timestamp(milliseconds: Int64(number)))
    }
    desk.isPrompt = false
    desk.send(.dataChanged)
    desk.send(.answer(.appOverviews(serial: desk.state.apps.outstanding ?? 0, all)))
    #expect(desk.state.apps.rows.count == AppsState.rowsMax)
    #expect(desk.state.apps.rows.first?.key == key("app4999"))
    #expect(desk.frame.glyphs.contains("5,000 apps"))
  }
}

extension AppSettings {
  /// The settings without the sequence of the change.
  fileprivate var settingOnly: AppSettings {
    var settings = self
    settings.sequence = .zero
    return settings
  }
}
