internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

/// The first-run screen's help for publishing on this machine.
enum FirstRunText {
  /// Returns the lines for the account's store.
  static func help(for access: CacheAccess) -> FirstRunHelp {
    let account = access.account
    let command: SafeText = "bellhop publish \"Hello\" --app nas"
    guard account.isPrivate else {
      return FirstRunHelp(
        isPrivateStore: false, publishCommand: command,
        curlLine: SafeText(
          "curl -H \"Authorization: Bearer $TOKEN\" -d \"Done\" \(account.url)/backups"))
    }
    let status = try? access.context.privateStore().status()
    guard let status, let address = status.publishAddress else {
      return FirstRunHelp(isPrivateStore: true, publishCommand: command, curlLine: .empty)
    }
    let header = shortened(status.headerFile, home: access.context.environment["HOME"])
    return FirstRunHelp(
      isPrivateStore: true, publishCommand: command,
      curlLine: SafeText("curl -H @\(header) -d \"Done\" \(address)/backups"),
      portNote: status.portNote.map { SafeText($0) } ?? .empty)
  }

  /// Returns a path as users write it in a shell.
  private static func shortened(_ path: String, home: String?) -> String {
    guard let home, path.hasPrefix(home + "/") else { return path }
    return "$HOME" + path.dropFirst(home.count)
  }

  /// The time for which the store keeps the items of the tour.
  static let tourLifetime = Duration.seconds(3600)

  /// Returns the items of the tour.
  static func tourItems(until end: Timestamp) -> [Content] {
    [
      ("backups", "Nightly took 3 h 12", "412 GB, 18,220 files changed", Priority.normal),
      ("calendar", "Stand-up in 10 minutes", "Room 4, or the usual link", .normal),
      ("apt", "12 upgrades available", "3 of them for security", .low),
      ("nas", "Disk sdb is 54 °C", "It was 41 °C yesterday", .high),
      ("ci", "build 412 failed", "2 of 1,204 tests failed on linux-arm64", .normal),
    ].map { app, title, body, priority in
      Content(
        app: app, priority: priority, tags: ["tour"],
        visual: VisualContent(title: title, body: body), expiration: end)
    }
  }

  /// The notification that `p` publishes.
  static let sample = Content(
    app: "bellhop", priority: .high, tags: ["welcome"],
    visual: VisualContent(
      title: "Your first notification",
      body: """
        d dismisses it everywhere, r marks it read, s snoozes it, u undoes. \
        Press ? for everything else.

        All notifications work like this one: published once, they appear in every terminal \
        that is signed in to this store.
        """))
}
