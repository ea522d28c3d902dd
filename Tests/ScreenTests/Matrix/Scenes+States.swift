import BellhopInbox
import BellhopModel
import BellhopTestSupport
import BellhopText

/// Content of panes other than lists, and more items than fit.
extension Scenes {
  /// A busy week: 420 items of 42 apps, most of them handled, some for later.
  static let many: ItemShelf = {
    var shelf = ItemShelf()
    let words = ["disk", "build", "order", "backup", "login", "invoice", "upgrade"]
    for number in (0..<420).reversed() {
      let minutes = Int64(number) * 24 + 1
      let word = words[number % words.count]
      let priority: Priority = number % 31 == 0 ? .urgent : number % 9 == 0 ? .high : .normal
      var content = Content(
        app: "app-\(number % 42).example.com", group: number % 5 == 0 ? "\(word)s" : nil,
        priority: priority, tags: (0..<(number % 4)).map { "tag-\($0)" },
        visual: VisualContent(
          title: "\(word) \(420 - number)" + (number % 6 == 0 ? ": " + longWords : ""),
          body: number % 3 == 0 ? longBody : "of \(word) number \(420 - number)"),
        clickURL: number % 4 == 0 ? "https://example.com/\(word)/\(number)" : nil)
      if number % 8 == 0 {
        content.extras.actions = (1...14).map {
          ContentExtras.Action(id: "a\($0)", title: "Way number \($0)", kind: .report)
        }
      }
      let id = shelf.publish(content, at: before(minutes))
      let device = number % 2 == 0 ? "work-laptop" : "phone"
      switch number % 7 {
      case 1, 2: shelf.handle(id, .dismiss, on: device, at: before(minutes - 1))
      case 3: shelf.handle(id, .activate, on: device, at: before(minutes - 1))
      case 4:
        let until = now.advanced(by: .seconds(Int64(number) * 3000 + 900))
        shelf.handle(id, .snooze(until: until), on: device, at: before(minutes - 1))
      case 5: shelf.handle(id, .read, on: device, at: before(minutes - 1))
      default: break
      }
    }
    return shelf
  }()

  private static let longWords =
    "a title that says much more than anybody would want to read in a list of notifications"

  private static let longBody = (1...30).map { line in
    "Line \(line): " + String(repeating: "words that go on ", count: line % 5 + 1)
  }.joined(separator: "\n")

  /// International texts, one of them for later, one handled, and one with actions.
  static func worldOfActions() -> ItemShelf {
    var shelf = world()
    var content = Content(
      app: "日本語アプリ", priority: .high,
      visual: VisualContent(title: "配備が失敗しました：サーバー１号機の再起動が必要です", body: "مرحبا بالعالم"),
      clickURL: "https://例え.example/配備")
    content.extras.actions = [
      .init(id: "1", title: "再起動する", kind: .http, url: "https://xn--r8jz45g.example/restart"),
      .init(id: "2", title: "👩‍👩‍👧‍👦 返信", kind: .reply, placeholder: "誰に？"),
      .init(id: "3", title: "مرحبا\u{202E}evil\u{1B}[2J", kind: .copy, text: "前\n後"),
    ]
    shelf.publish(content, at: before(1))
    return shelf
  }

  /// A shelf with nothing snoozed or scheduled.
  static func nothingLater() -> ItemShelf { groups() }

  /// An alert that came 37 times and that a rule has changed, and one that was resolved.
  static func repeats() -> ItemShelf {
    var shelf = ItemShelf()
    func alert(_ title: String, _ minutes: Int64, _ body: String) -> NotificationID {
      shelf.publish(
        Content(
          app: "grafana", group: "db", priority: .urgent,
          visual: VisualContent(title: title, body: body)), at: before(minutes))
    }
    let full = alert("Disk of db-3 is full", 90, "0 of 512 GiB are free.")
    shelf.resolve(full, at: before(78))
    let slow = alert("p99 of db-7 is over 200 ms", 51, "412 ms, and 388 ms a minute ago.")
    let yesterday = before(12 * 60)
    var repeats = Repeats(firstAt: before(36 * 60)).newRound(at: yesterday)
    for _ in 1...11 { repeats = repeats.repeated(at: yesterday) }
    repeats = repeats.newRound(at: before(51))
    for number in 1...36 as ClosedRange<Int64> {
      repeats = repeats.repeated(at: before(51 - number * number / 27))
    }
    shelf.setRepeats(repeats, of: slow, at: before(3))
    var effect = AppliedEffect()
    effect.level = .high
    let rule = RuleMark(
      id: RuleID(high: 5, low: 1), revision: OperationID(high: 5, low: 2), name: "slow queries")
    effect.rules = [.init(rule: rule, parts: [.priority])]
    let operation = Operation(
      id: OperationID(high: 9, low: 9), target: .item(slow),
      mutation: .set(StateChange(applied: effect)))
    shelf.apply(operation, by: Author(rule: rule), at: before(51))
    return shelf
  }

  // MARK: - Apps

  static let settings: [AppSettings] = [
    AppSettings(
      app: "nas", displayName: "The NAS", aliases: ["disks", "raid"],
      permissions: AppPermissions(sound: false), retentionDays: 90),
    AppSettings(app: "jira", mute: .until(now.advanced(by: .seconds(3 * 3600)))),
    AppSettings(
      app: "grafana", mute: .forever,
      quietHours: LocalTime("22:00").flatMap { from in
        LocalTime("07:00").map {
          QuietHours(from: from, to: $0, days: [.sunday, .monday])
        }
      }),
  ]

  static let worldSettings: [AppSettings] = [
    AppSettings(
      app: "日本語アプリ", displayName: "日本語のとても長い名前のアプリケーション 👩‍👩‍👧‍👦", aliases: ["别名", "اسم"],
      retentionDays: 1),
    AppSettings(app: "arabic", displayName: "مرحبا بالعالم", mute: .forever),
    AppSettings(app: "evil", displayName: "\u{1B}[31mred\u{202E}txt.exe"),
  ]

  // MARK: - Devices and activity

  static func devices(_ names: [String]) -> [DeviceSummary] {
    names.enumerated().map { index, name in
      DeviceSummary(
        account: ItemShelf.account, id: DeviceID("d\(index + 1)"), name: SafeText(name),
        platform: index == 2 ? "ios" : "linux", state: index == 2 ? "expired" : "registered",
        lastSeen: before(Int64(index) * 3 * 1440), isThis: index == 0)
    }
  }

  static let activity = ActivityReport(
    hours: [0, 2, 1, 0, 0, 7, 31, 44, 12, 9, 9, 15, 22, 8, 4, 3, 0, 1, 1, 2, 18, 6, 3, 12],
    apps: [
      .init(name: "grafana", count: 121), .init(name: "ci", count: 64),
      .init(name: "日本語アプリ", count: 20), .init(name: "mail", count: 5),
    ],
    notes: [
      .init(at: before(1), text: "up to date"),
      .init(at: before(2), text: "3 new from ci, nas"),
      .init(at: before(9), text: "live: changes arrive as they happen"),
      .init(
        at: before(15), text: "the store cannot be reached (connection refused)", isProblem: true),
    ],
    waiting: [
      PrivateText(
        "dismiss #12 'Backup finished' · since 06:12 · being sent",
        hidden: "dismiss #12 · since 06:12 · being sent")
    ], waitingCount: 3)

  static let noActivity = ActivityReport(
    hours: Array(repeating: 0, count: 24), apps: [], notes: [], waiting: [], waitingCount: 0)

  static let muchActivity = ActivityReport(
    hours: (0..<168).map { ($0 * 7919) % 97 * 100 },
    apps: (0..<20).map {
      .init(name: SafeText("app-\($0).example.com"), count: 200_000 / ($0 + 1))
    },
    notes: (0..<100).map {
      .init(at: before(Int64($0) * 31), text: SafeText("\($0 + 1) new from app-\($0).example.com"))
    },
    waiting: (0..<50).map {
      let number = $0 + 48_000
      return PrivateText(
        SafeText("dismiss #\(number) 'order \($0)' · since 06:12"),
        hidden: SafeText("dismiss #\(number) · since 06:12"))
    },
    waitingCount: 1_204)

  static let worldActivity = ActivityReport(
    hours: activity.hours,
    apps: [
      .init(name: "مرحبا بالعالم", count: 64), .init(name: "日本語のとても長い名前のアプリ", count: 20),
      .init(name: "สำรองข้อมูลเสร็จแล้ว", count: 5),
    ],
    notes: [.init(at: before(2), text: SafeText("3 new from 备份, \u{1B}[2J\u{202E}evil"))],
    waiting: [
      PrivateText(
        SafeText("dismiss #12 'バックアップが完了しました：サーバー１号機' · since 06:12"),
        hidden: "dismiss #12 · since 06:12")
    ],
    waitingCount: 1)

  static let views = [
    SavedView(name: "the nas", filter: "app:nas"),
    SavedView(name: "failed builds", filter: "app:ci prio:>=high"),
    SavedView(name: "invoices", filter: "invoice", list: .history, isOwn: true),
  ]
}
