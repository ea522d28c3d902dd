import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@Suite("Screens of the apps")
struct AppScreenTests {
  /// A morning on which the person wants something of several apps.
  private func desk(_ size: Size) -> InboxDesk {
    var desk = Scenes.desk(size.width, size.height)
    desk.shelf.settings = [
      "nas": AppSettings(
        app: "nas", displayName: "The NAS", aliases: ["disks", "raid"],
        permissions: AppPermissions(sound: false), retentionDays: 90),
      "jira": AppSettings(
        app: "jira", mute: .until(Scenes.now.advanced(by: .seconds(3 * 3600)))),
      "grafana": AppSettings(
        app: "grafana", mute: .forever,
        quietHours: BellhopModel.LocalTime("22:00").flatMap { from in
          BellhopModel.LocalTime("07:00").map {
            QuietHours(from: from, to: $0, days: [.sunday, .monday])
          }
        }),
    ]
    desk.send(desk.shelf.appsConfigured)
    return desk
  }

  private func name(_ scene: String, _ size: Size) -> String {
    "\(scene)-\(size.width)x\(size.height)"
  }

  @Test("the apps", arguments: screenSizes + [Size(width: 200, height: 50)])
  func apps(_ size: Size) {
    var desk = desk(size)
    desk.press("4 j j")
    assertScreen(desk.frame, name("apps", size))
  }

  @Test("the settings of an app, opened in the list of the apps", arguments: screenSizes)
  func settings(_ size: Size) {
    var desk = desk(size)
    desk.press("4 j Enter j")
    assertScreen(desk.frame, name("app-settings", size))
  }

  @Test("the rules of the app of an item, over the tray", arguments: screenSizes)
  func rules(_ size: Size) {
    var desk = desk(size)
    desk.press("j M")
    assertScreen(desk.frame, name("app-rules", size))
  }

  @Test("a muted app in the tray, and for how long another may be muted", arguments: screenSizes)
  func mute(_ size: Size) {
    var desk = desk(size)
    desk.press("m 3 j m")
    assertScreen(desk.frame, name("app-mute", size))
  }

  @Test("the palette, with what two letters find", arguments: screenSizes)
  func palette(_ size: Size) {
    var desk = desk(size)
    desk.press(":")
    desk.type("un")
    assertScreen(desk.frame, name("palette", size))
  }

  @Test("the person's devices", arguments: screenSizes)
  func devices(_ size: Size) {
    var desk = desk(size)
    desk.press("g d")
    let names = ["desktop", "work-laptop", "phone"]
    let all = names.enumerated().map { index, name in
      DeviceSummary(
        account: ItemShelf.account, id: DeviceID("d\(index + 1)"), name: SafeText(name),
        platform: index == 2 ? "ios" : "linux", state: index == 2 ? "expired" : "registered",
        lastSeen: Scenes.before(Int64(index) * 3 * 1440), isThis: index == 0)
    }
    let serials = desk.acts.compactMap { effect -> Int? in
      if case .loadDevices(let serial, _) = effect { serial } else { nil }
    }
    desk.send(.devicesLoaded(serial: serials.last ?? 0, all, problem: nil))
    desk.press("j")
    assertScreen(desk.frame, name("devices", size))
  }

  @Test("activity by hour and app, what waits, and the synchronisation", arguments: activitySizes)
  func activity(_ size: Size) {
    var desk = desk(size)
    desk.press("g a")
    let serials = desk.acts.compactMap { effect -> Int? in
      if case .loadActivity(let serial, _, _) = effect { serial } else { nil }
    }
    let hours = [0, 2, 1, 0, 0, 7, 31, 44, 12, 9, 9, 15, 22, 8, 4, 3, 0, 1, 1, 2, 18, 6, 3, 12]
    let report = ActivityReport(
      hours: hours,
      apps: [
        .init(name: "grafana", count: 121), .init(name: "ci", count: 64),
        .init(name: "日本語アプリ", count: 20), .init(name: "mail", count: 5),
      ],
      notes: [
        .init(at: Scenes.before(1), text: "in step with the store"),
        .init(at: Scenes.before(2), text: "3 new from ci, nas"),
        .init(at: Scenes.before(9), text: "live: changes arrive as they happen"),
        .init(
          at: Scenes.before(15), text: "the store cannot be reached (connection refused)",
          isProblem: true),
      ],
      waiting: ["dismiss #12 'Backup finished' · since 06:12 · being sent"], waitingCount: 3)
    desk.send(.activityLoaded(serial: serials.last ?? 0, report))
    assertScreen(desk.frame, name("activity", size))
  }

  static let activitySizes = screenSizes + [Size(width: 200, height: 50)]
}
