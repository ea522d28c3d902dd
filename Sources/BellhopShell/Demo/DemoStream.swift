internal import BellhopModel

/// The simulated publishers of `bellhop demo`, with a day's notifications of a small household.
struct DemoStream: Sendable {
  /// The next notification and the pause before it.
  struct Step {
    var content: Content
    var pause: Duration
  }

  private struct Template: Sendable {
    var app: String
    var title: String
    var body: String
    var priority: Priority = .normal
    var group: String?
    var url: String?
    var tags: [String] = []
    /// The id that makes a second publish replace the item, as a build server does.
    var id: String?

    /// Returns the notification with a number in place of each `%n`.
    func content(number: Int) -> Content {
      let digits = String(number)
      func filled(_ text: String) -> String {
        text.split(separator: "%n", omittingEmptySubsequences: false).joined(separator: digits)
      }
      return Content(
        app: app, appNotificationID: id, group: group, priority: priority, tags: tags,
        visual: VisualContent(title: filled(title), body: filled(body)), clickURL: url.map(filled))
    }
  }

  private let random: @Sendable () -> UInt64
  private var number = 410
  /// The templates that remain before any is used again.
  private var rest: [Template] = []

  init(random: @escaping @Sendable () -> UInt64) { self.random = random }

  private static let templates: [Template] = [
    Template(
      app: "ci", title: "build %n failed: unit tests",
      body: "2 of 1,204 tests failed on linux-arm64:\nCacheTests\nOutboxTests", priority: .high,
      group: "main", url: "https://ci.example.com/%n", tags: ["linux", "arm64"]),
    Template(
      app: "ci", title: "build %n passed", body: "1,204 tests in 3 min 12 s", priority: .low,
      group: "main", url: "https://ci.example.com/%n", id: "build/main"),
    Template(
      app: "nas", title: "sdb: 11 bad sectors", body: "SMART says replace the disk.",
      priority: .urgent, tags: ["disk"]),
    Template(app: "backups", title: "Nightly took 3 h 12", body: "412 GB, 18,220 files changed"),
    Template(
      app: "calendar", title: "Stand-up in 10 minutes", body: "Room 4, or the usual link",
      url: "https://meet.example.com/standup"),
    Template(
      app: "shop", title: "Order 90%n · 3 items, 84.00", body: "Paid, waits to be packed",
      group: "orders"),
    Template(
      app: "grafana", title: "CPU high on web-%n", body: "92 % for five minutes", priority: .high,
      url: "https://grafana.example.com/d/%n"),
    Template(
      app: "apt", title: "12 upgrades available", body: "3 of them for security", priority: .low),
    Template(
      app: "mail", title: "Invoice 2026-%n", body: "From Gärtnerei 北斗 🌱: due on Friday",
      url: "https://mail.example.com/%n"),
    Template(app: "door", title: "Parcel at the back door", body: "Left by the carrier at 14:05"),
  ]

  /// Returns the next step. The stream never ends.
  mutating func next() -> Step {
    if rest.isEmpty { rest = Self.templates }
    let template = rest.remove(at: Int(random() % UInt64(rest.count)))
    number += 1
    return Step(
      content: template.content(number: number), pause: .milliseconds(Int64(1500 + random() % 4000))
    )
  }

  /// Returns one notification of each kind, numbered in this order.
  static func oneOfEach() -> [Content] {
    zip(411..., templates).map { $1.content(number: $0) }
  }
}
