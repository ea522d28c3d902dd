internal import BellhopClient
internal import BellhopInbox
internal import BellhopModel
internal import BellhopText

/// An item as `bellhop list` prints it for users.
///
/// It uses words instead of marks, so that a screen reader can read them and `grep` can find them.
enum ItemLine {
  /// The width of the number, enough for `#123456`.
  private static let numberCells = 7
  private static let accountCells = 12
  private static let stateCells = 10
  private static let priorityCells = 7
  private static let appCells = 16
  private static let titleBytesMax = 1024

  /// Returns one line, truncated to `width` cells if there is a terminal, otherwise complete.
  ///
  /// - Parameters:
  ///   - account: The item's account, if the line must show it.
  ///   - appName: The user's name for the app; nil for its host.
  static func text(
    _ item: UserNotification, account: AccountName? = nil, appName: String? = nil,
    at now: Timestamp, width: Int?
  ) -> PrintedText {
    let owner = account.map { SafeText($0.rawValue).padded(to: accountCells) + " " } ?? .empty
    let columns =
      owner + SafeText(ItemNumber.text(item.shortNumber)).padded(to: numberCells) + " "
      + SafeText(state(of: item, at: now)).padded(to: stateCells)
      + SafeText(priority(item.effectivePriority)).padded(to: priorityCells)
      + SafeText(MomentText.localTime(arrival(of: item, at: now))) + "  "
      + SafeText(appName ?? item.effectiveApp).padded(to: appCells) + " "
    let headline = headline(item.content)
    guard let width else { return PrintedText(columns) + headline }
    let text = columns + SafeText(headline.string, byteLimit: SafeText.bodyBytesMax)
    return PrintedText(text.truncated(to: width))
  }

  /// Returns the time of arrival; with a trigger, that of the latest delivery.
  private static func arrival(of item: UserNotification, at now: Timestamp) -> Timestamp {
    item.delivered(by: now, on: SystemClock.wallClock)?.arrival ?? item.arrival
  }

  /// Returns the title and the beginning of the body.
  private static func headline(_ content: Content) -> PrintedText {
    guard let visual = content.visual else { return PrintedText("data") }
    let title = PrintedText(untrusted: visual.title)
    guard let body = visual.body, !body.isEmpty else { return title }
    return title + PrintedText(" · ")
      + PrintedText(untrusted: body, lineBreaks: .joined, byteLimit: titleBytesMax)
  }

  /// Returns one word for the state of the item.
  static func state(of item: UserNotification, at now: Timestamp) -> String {
    switch placement(item, at: now, on: SystemClock.wallClock).placement {
    case .scheduled:
      // A dismissed item stays until its time, and then moves to the history.
      return item.state.userActionState.value == .dismissed ? "dismissed" : "scheduled"
    case .snoozed: return "snoozed"
    case .gone: return "expired"
    case .tray, .handled:
      switch item.state.userActionState.value.kind {
      case .dismissed: return "dismissed"
      case .activated: return "opened"
      case .noInteraction, .snoozed: return item.state.readState.value.rawValue
      }
    }
  }

  /// Returns the level; empty for normal items, so that the others stand out.
  private static func priority(_ priority: Priority) -> String {
    priority == .normal ? "" : priority.name
  }

  /// Returns the complete item, with one fact per line.
  ///
  /// - Parameters:
  ///   - actions: The item's actions, with those of its category.
  ///   - device: This device, which is printed as `you here`.
  ///   - outcomes: Explanations of changes that had no effect.
  static func details(
    _ item: UserNotification, appName: String? = nil, actions: [ContentExtras.Action] = [],
    at now: Timestamp, device: DeviceID? = nil, outcomes: [String] = []
  ) -> [PrintedText] {
    var lines: [PrintedText] = []
    func add(_ label: String, _ value: String?) {
      guard let value, !value.isEmpty else { return }
      lines.append(
        PrintedText(SafeText(label).padded(to: 11))
          + PrintedText(untrusted: value, byteLimit: titleBytesMax))
    }
    let content = item.content
    add("number", ItemNumber.text(item.shortNumber))
    add("id", item.id.description)
    add("app", appName.map { "\($0) (\(item.effectiveApp))" } ?? item.effectiveApp)
    add("app id", content.appNotificationID)
    add("group", item.effectiveGroup)
    add("title", content.visual?.title)
    add("subtitle", content.visual?.subtitle)
    add("level", item.effectivePriority.name)
    add("tags", item.effectiveTags.joined(separator: ", "))
    add("link", content.clickURL)
    add("category", content.extras.category)
    add("user info", content.extras.userInfo.flatMap { try? JSONLine.encode($0) })
    add(
      "actions",
      actions.map { "\($0.title) (\($0.effect.rawValue))" }
        .joined(separator: ", "))
    for (index, attachment) in (content.extras.attachments ?? []).enumerated() {
      add("file \(index + 1)", ItemAttachment(attachment).words.string)
    }
    add("state", state(of: item, at: now) + (item.state.pinned.value ? ", pinned" : ""))
    let history = HistoryText(zone: SystemClock.zoneRules, now: now)
    if let by = Provenance(item.state.userActionState.change, device: device) {
      let resolution = HistoryText.Resolution(item)
      add(
        "handled",
        history.line(item.state.userActionState.value, by, resolution: resolution).string)
      add("answer", history.answer(by)?.string)
    }
    if let by = Provenance(item.state.readState.change, device: device) {
      let what: SafeText = item.state.readState.value == .read ? "read" : "marked unread"
      add("read", history.line(what, by).string)
    }
    if item.state.pinned.value, let by = Provenance(item.state.pinned.change, device: device) {
      add("pinned", history.line("pinned", by).string)
    }
    if item.state.cancelled.value,
      let by = Provenance(item.state.cancelled.change, device: device)
    {
      add("cancelled", history.line("cancelled", by).string)
    }
    for line in RuleEffectText.lines(item) { add("rules", line.string) }
    for outcome in outcomes { add("no effect", outcome) }
    add("until", item.state.userActionState.value.snoozedUntil.map(MomentText.localTime))
    add(
      "arrived",
      MomentText.localTime(item.arrival) + " " + SystemClock.zone(at: item.arrival).abbreviation)
    add("repeats", item.repeats.flatMap { history.round(of: $0)?.string })
    add("rounds", item.repeats.flatMap { history.earlierRounds(of: $0)?.string })
    add("delivered", content.deliverAt.map(MomentText.localTime))
    add("delivered", content.trigger.map { TriggerText.phrase($0).string })
    let times = item.triggerTimes(at: now, on: SystemClock.wallClock)
    add("last", times?.latest.map(MomentText.localTime))
    add("next", times?.next.map(MomentText.localTime))
    add("expires", item.expires.map(MomentText.localTime))
    return lines + texts(of: content)
  }

  /// Returns the lines of the body and the data, each after a blank line.
  private static func texts(of content: Content) -> [PrintedText] {
    [content.visual?.body, content.raw].compactMap(\.self).flatMap { text in
      [PrintedText(.empty)]
        + PrintedText(
          untrusted: text, lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax
        ).lines
    }
  }
}
