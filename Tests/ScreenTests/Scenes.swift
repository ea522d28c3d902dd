import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTestSupport

/// The notifications of one morning.
enum Scenes {
  static let now = InboxDesk.morning

  static func before(_ minutes: Int64) -> Timestamp {
    Timestamp(milliseconds: now.milliseconds - minutes * 60_000)
  }

  /// Tray, history and later of an ordinary morning.
  static func morning() -> ItemShelf {
    var shelf = ItemShelf()
    func item(
      _ app: String, _ title: String, _ minutes: Int64, _ priority: Priority = .normal,
      subtitle: String? = nil, body: String? = nil, group: String? = nil, url: String? = nil,
      tags: [String] = []
    ) -> NotificationID {
      shelf.publish(
        Content(
          app: app, group: group, priority: priority, tags: tags,
          visual: VisualContent(title: title, subtitle: subtitle, body: body), clickURL: url),
        at: before(minutes))
    }
    let old = item("mail", "Invoice 2025-90", 400 * 24 * 60)
    shelf.handle(old, .dismiss, on: "old-laptop", at: before(399 * 24 * 60))
    let disk = item("grafana", "Disk latency p99 over 200 ms", 7 * 60 + 15)
    shelf.handle(disk, .activate, on: "desktop", at: before(7 * 60 + 14))
    _ = item("apt", "12 upgrades wait", 25 * 60, .low, body: "linux-image, openssl and 10 more")
    let calendar = item("calendar", "Stand-up at 10:00", 3 * 60 + 5)
    shelf.handle(calendar, .read, on: "phone", at: before(100))
    let heat = item("nas", "Disk sdb temperature 54 °C", 103, .high)
    shelf.handle(heat, .dismiss, on: "work-laptop", at: before(101))
    let jira = item("jira", "OPS-77 waits", 79, body: "Replacement disk was ordered")
    shelf.handle(
      jira, .snooze(until: Timestamp(seconds: 1_795_420_800)), on: "desktop", at: before(70))
    let mail = item("mail", "Invoice 2026-118", 62)
    shelf.handle(mail, .activate, on: "phone", at: before(60))
    _ = item("backups", "nightly took 3 h 12", 60, body: "nightly of 21 Nov took 3 h 12")
    let passed = item("ci", "build 411 passed", 12)
    shelf.handle(passed, .dismiss, on: "work-laptop", at: before(11))
    shelf.publish(Content(app: "sensors", raw: "{\"t\":21.5}"), at: before(10))
    _ = item(
      "nas", "sdb: 11 bad sectors", 9, .urgent,
      body: "SMART 197 Current_Pending_Sector 11 (was 3 yesterday). SMART says replace the disk")
    _ = item(
      "ci", "build 412 failed: unit tests", 2, .high,
      body: "2 of 1,204 tests failed on linux-arm64:\n\n  CacheTests    \"token and rows together\""
        + "\n  OutboxTests   \"a lost answer applies once\"",
      group: "main", url: "https://ci.example.com/412", tags: ["arm64", "unit"])
    return shelf
  }

  /// The same morning, with actions on the newest item, and one that was chosen elsewhere.
  static func withActions() -> ItemShelf {
    var shelf = morning()
    func publish(_ title: String, _ actions: [ContentExtras.Action], _ minutes: Int64)
      -> NotificationID
    {
      var content = Content(
        app: "ci", group: "next", priority: .high,
        visual: VisualContent(title: title, body: "2 of 1,204 tests failed on linux-arm64."),
        clickURL: "https://ci.example.com/412")
      content.extras.actions = actions
      return shelf.publish(content, at: before(minutes))
    }
    let assign = ContentExtras.Action(
      id: "assign", title: "Assign", kind: .reply, url: "https://ci.example.com/412/owner",
      method: "PUT", placeholder: "to whom?")
    let chosen = publish("build 413 failed: lint", [assign], 1)
    var operation = Operation(
      id: OperationID(high: 3, low: 3), target: .item(chosen),
      mutation: ItemCommand.activate.mutation)
    operation.mutation = .set(
      StateChange(
        readState: .read, userActionState: .activated,
        choice: ActionChoice(id: "assign", text: "Ada, please")))
    shelf.apply(
      operation, by: Author(kind: .device, id: "d2", name: "work-laptop"), at: before(0))
    _ = publish(
      "build 414 failed: unit tests",
      [
        .init(
          id: "rerun", title: "Rerun", kind: .http, options: ["clear"],
          url: "https://ci.example.com/414/rerun"),
        assign,
        .init(id: "log", title: "Log", kind: .open, url: "https://ci.example.com/414/log"),
        .init(id: "command", title: "Command", kind: .copy, text: "make test\nmake lint"),
        .init(
          id: "drop", title: "Drop the branch", kind: .http, options: ["destructive"],
          url: "https://xn--mller-kva.example:8443/main", method: "DELETE"),
        .init(id: "later", title: "Teleport", kind: .init(rawValue: "teleport")),
      ], 0)
    return shelf
  }

  /// A morning with groups: three orders of a shop, two builds, and two disks that are nearly full.
  static func groups() -> ItemShelf {
    var shelf = ItemShelf()
    func item(
      _ app: String, _ title: String, _ body: String?, _ minutes: Int64, group: String? = nil,
      _ priority: Priority = .normal, isRead: Bool = false
    ) {
      let id = shelf.publish(
        Content(
          app: app, group: group, priority: priority,
          visual: VisualContent(title: title, body: body)), at: before(minutes))
      if isRead { shelf.handle(id, .read, on: "phone", at: before(minutes - 1)) }
    }
    item("backups", "nightly took 3 h 12", nil, 400)
    item("nas", "sda: 91 % full", nil, 340, group: "disks", .urgent, isRead: true)
    item("nas", "sdb: 88 % full", nil, 330, group: "disks", .low, isRead: true)
    item("shop", "Order 90198", "1 item, 12.50", 320, group: "shop", isRead: true)
    item("shop", "Order 90204", "2 items, 39.90", 310, group: "shop", isRead: true)
    item("ci", "build 411 failed", "1 of 1,204 tests", 302, group: "main", .high)
    item("shop", "Order 90213", "3 items, 84.00", 300, group: "shop")
    item("ci", "build 412 passed", "1,204 tests in 3 min 12 s", 12, group: "main", .low)
    item("calendar", "Stand-up at 10:00", nil, 9)
    return shelf
  }

  /// Text in many scripts, and malicious text.
  static func world() -> ItemShelf {
    var shelf = ItemShelf()
    func item(_ app: String, _ title: String, _ body: String? = nil, _ minutes: Int64) {
      shelf.publish(
        Content(app: app, visual: VisualContent(title: title, body: body)), at: before(minutes))
    }
    item("evil", "\u{1B}[31mred\u{1B}]0;title\u{07} \u{9B}2J\r\nsecond line", "\u{202E}txt.exe", 40)
    item("zalgo", "Z" + String(repeating: "\u{0301}", count: 10_000) + "algo", nil, 35)
    item("arabic", "مرحبا بالعالم", "نص من اليمين إلى اليسار", 30)
    item("thai", "สำรองข้อมูลเสร็จแล้ว", nil, 25)
    item("emoji", "👩‍👩‍👧‍👦 family 🇩🇪 flag 👍🏽 thumb ❤️ heart", "🎉🎉🎉 done", 20)
    item("日本語アプリ", "バックアップが完了しました：サーバー１号機", "全角と半角 mixed テキスト", 15)
    item("备份", "备份全文搜索测试：所有的备份都已经成功完成，没有错误", "第一行\n第二行", 10)
    return shelf
  }

  static func desk(_ width: Int, _ height: Int, _ shelf: ItemShelf = morning()) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height, shelf: shelf)
    desk.start()
    return desk
  }
}
