import BellhopModel
import BellhopScreen
import BellhopText

/// An item's names, times, registers, numbers and payload, as an outline.
struct InspectLines {
  var inspection: ItemInspection
  var time: TimeText
  /// The device's time zones.
  var clock: WallClock
  /// Whether the item no longer exists.
  var isGone = false

  var item: UserNotification { inspection.item }

  /// The level of a payload below which lines are initially folded.
  static let openDepth = 3

  func outline() -> Outline {
    var outline = Outline(
      section("Names", names) + section("Times", times) + section("State", state)
        + section("Rules", rules) + section("Repeats", repeats)
        + section("Numbers", numbers) + section("Rejected changes", outcomes)
        + section("Published", published) + section("Raw content", raw))
    outline.fold(deeperThan: Self.openDepth)
    return outline
  }

  private func section(_ title: SafeText, _ lines: [Outline.Line]) -> [Outline.Line] {
    lines.isEmpty ? [] : [Outline.Line(title, .accent)] + lines
  }

  // MARK: - Names

  private var names: [Outline.Line] {
    let content = item.content
    var lines = [
      Outline.Line("number", value: SafeText(ItemNumber.text(item.shortNumber))),
      Outline.Line("id", value: safe(item.id.description)),
      Outline.Line("account", value: safe(inspection.account.rawValue)),
      Outline.Line("app", value: safe(item.effectiveApp)),
    ]
    if let name = inspection.appName, name.string != item.effectiveApp {
      lines.append(Outline.Line("display name", value: name))
    }
    if let id = content.appNotificationID {
      lines.append(Outline.Line("app item id", value: safe(id)))
    }
    if let group = item.effectiveGroup { lines.append(Outline.Line("group", value: safe(group))) }
    let (level, tags) = (item.effectivePriority, item.effectiveTags)
    lines.append(Outline.Line("level", value: SafeText(level.name), role: level.role))
    if !tags.isEmpty {
      lines.append(
        Outline.Line("tags", value: SafeText.joined(tags.map { safe($0) }, by: ", ")))
    }
    return lines
  }

  func safe(_ text: String) -> SafeText { SafeText(text) }

  // MARK: - Times

  private var times: [Outline.Line] {
    var lines: [Outline.Line] = []
    func add(_ name: SafeText, _ instant: Timestamp?) {
      guard let instant else { return }
      lines.append(Outline.Line(name, value: time.exact(instant)))
    }
    add("published", item.created)
    add("arrived", item.arrival)
    if let delivery = item.content.deliverAt {
      add(delivery <= time.now ? "delivered" : "to deliver", delivery)
    }
    if let trigger = item.content.trigger {
      lines.append(Outline.Line("delivered", value: TriggerText.phrase(trigger)))
      let times = item.triggerTimes(at: time.now, on: clock)
      add("last", times?.latest)
      add("next", times?.next)
    }
    add("alert began", item.content.extras.startedDateTime)
    add("resolved", item.state.resolved)
    add("changed", item.state.changed)
    add("snoozed until", item.state.userActionState.value.snoozedUntil)
    if item.content.displayTimeToLive != nil {
      add("tray until", item.placementFacts(at: time.now, on: clock).trayWindow?.until)
    }
    if item.state.pinned.value {
      lines.append(
        Outline.Line(
          "expires",
          value: item.content.expiration.map { "never: pinned; otherwise " + time.exact($0) }
            ?? "never: pinned"))
    } else {
      add("expires", item.expires)
    }
    return lines
  }

  // MARK: - State

  private var state: [Outline.Line] {
    var lines = [Outline.Line("place", value: place)]
    lines += register("read state", item.state.readState, inspection.base.readState) {
      SafeText($0.rawValue)
    }
    lines += register("action", item.state.userActionState, inspection.base.userActionState) {
      $0.snoozedUntil.map { "snoozed until " + time.exact($0) } ?? Self.word(for: $0)
    }
    lines += register("pinned", item.state.pinned, inspection.base.pinned) { $0 ? "yes" : "no" }
    if item.content.trigger != nil {
      lines += register("cancelled", item.state.cancelled, inspection.base.cancelled) {
        $0 ? "yes" : "no"
      }
    }
    if inspection.isWaiting {
      lines.append(
        Outline.Line("sending", value: "changes from this device are not sent yet", role: .accent))
    }
    return lines
  }

  private static func word(for action: UserActionState) -> SafeText {
    switch action {
    case .noInteraction: "none"
    case .activated: "opened"
    case .dismissed: "dismissed"
    case .snoozed: "snoozed"
    }
  }

  private var place: SafeText {
    if isGone { return "gone: it is no longer in the store" }
    let span = placement(item, at: time.now, on: clock)
    let name: SafeText =
      switch span.placement {
      case .scheduled: "scheduled"
      case .tray: "the tray"
      case .snoozed: "snoozed"
      case .handled: item.content.visual == nil ? "history only: it has no text" : "handled"
      case .gone: "gone"
      }
    return span.until.map { name + ", until " + time.exact($0) } ?? name
  }

  /// Returns the lines of a register: its value and, inside, its author, time, operation and
  /// previous value.
  func register<Value>(
    _ name: SafeText, _ register: Register<Value>, _ base: Register<Value>,
    _ text: (Value) -> SafeText
  ) -> [Outline.Line] {
    var lines = [Outline.Line(name, value: text(register.value))]
    func add(_ name: SafeText, _ value: SafeText) {
      lines.append(Outline.Line(name, value: value, indent: 2))
    }
    if let change = register.change {
      if let previous = register.previous { add("before", text(previous)) }
      let kind: SafeText =
        switch change.by.kind {
        case .publisher: "publisher "
        case .rule: "rule "
        case .device:
          change.by.id == inspection.device?.rawValue ? "this device, " : "device "
        }
      add("by", SafeText(change.by.name) + " (" + kind + SafeText(change.by.id) + ")")
      add("at", time.exact(change.at))
      if let operation = change.operation { add("operation", SafeText(operation.description)) }
      if let choice = change.choice {
        add("chosen", SafeText(choice.title ?? choice.id) + " (" + SafeText(choice.id) + ")")
        if let typed = choice.text { add("typed", SafeText(typed, lineBreaks: .joined)) }
      }
    }
    if base.value != register.value { add("in the store", text(base.value)) }
    return lines
  }

  // MARK: - Numbers and payload

  private var numbers: [Outline.Line] {
    let state = item.state
    let lines = [
      Outline.Line("last change", value: SafeText(state.sequence.description)),
      Outline.Line("last content", value: SafeText(state.contentSequence.description)),
    ]
    guard let meaning = state.meaning else { return lines }
    // The content is a repeat of this one.
    return lines + [Outline.Line("last meaning", value: SafeText(meaning.description))]
  }

  private var outcomes: [Outline.Line] {
    inspection.outcomes.map { Outline.Line($0, indent: 1) }
  }

  private var published: [Outline.Line] { payload(inspection.payload) }

  /// The lines of raw content, which the payload contains only as a string.
  private var raw: [Outline.Line] { item.content.raw.map { payload($0) } ?? [] }

  private func payload(_ text: String) -> [Outline.Line] {
    let safe = SafeText(text, lineBreaks: .kept, byteLimit: ItemInspection.payloadBytesMax)
    if let lines = JSONBody.outline(of: safe) {
      return lines.map { indent, text in
        let first = text.pieces.first?.text.string.first
        return Outline.Line(
          indent: indent + 1, text: text, isClosing: first == "}" || first == "]")
      }
    }
    return safe.string.split(separator: "\n", omittingEmptySubsequences: false).map {
      Outline.Line(
        SafeText(String($0), byteLimit: ItemInspection.payloadBytesMax), .code, indent: 1)
    }
  }
}

extension TimeText {
  /// Formats the exact time: `Sat 21 Nov 2026 06:12:04 CET`.
  func exact(_ instant: Timestamp) -> SafeText {
    let date = zone.local(instant).date
    let day = "\(Self.weekdays[date.weekday]) \(date.day) \(Self.months[date.month - 1]) "
    return SafeText(day + "\(date.year) ") + clockWithSeconds(instant) + " "
      + SafeText(zone.abbreviation(instant), byteLimit: 16)
  }
}
