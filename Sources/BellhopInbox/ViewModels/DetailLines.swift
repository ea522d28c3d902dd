import BellhopModel
import BellhopScreen
import BellhopText

/// An item as lines: title, app and state, times, body, links, and its history.
struct DetailLines {
  var row: RowSummary
  var detail: ItemDetail?
  var ghost: DepartedItem?
  /// The account of the item, if there are several accounts.
  var account: SafeText?
  /// The key that shows the actions.
  var actionsKey: SafeText
  /// The key that shows the attachments.
  var attachmentsKey: SafeText
  /// The key that puts the item back into the tray; nil if that would change nothing.
  var backKey: SafeText?
  var width: Int
  var time: TimeText

  /// The current item; a ghost's row is outdated.
  private var shown: RowSummary { ghost?.now ?? row }

  /// Creates the lines, with the body already wrapped.
  func make(body: [StyledLine]) -> [StyledLine] {
    guard width > 0 else { return [] }
    var lines = head
    lines.append(.empty)
    lines += body
    if !body.isEmpty { lines.append(.empty) }
    lines += tail
    return lines
  }

  private var head: [StyledLine] {
    let level = row.priority.label
    let titleWidth = level.isEmpty ? width : max(8, width - level.width - 1)
    let title: SafeText = row.isRawOnly ? "data" : row.title
    var lines = title.wrapped(to: titleWidth).map { StyledLine($0, .accent) }
    if !level.isEmpty, !lines.isEmpty {
      lines[0].trailing = StyledLine.Piece(text: level, role: row.priority.role)
    }
    if let subtitle = row.subtitle, !subtitle.isEmpty {
      lines += wrapped(subtitle, .text)
    }
    lines += wrapped(standing, .dim)
    let relative = time.relative(row.arrival)
    lines += wrapped(
      relative.isEmpty ? time.full(row.arrival) : time.full(row.arrival) + " · " + relative, .dim)
    if let ghost { lines += wrapped(text(of: ghost), .ghost) }
    return lines
  }

  /// Returns the text about a ghost.
  ///
  /// For example: `Already handled on vm. b brings it back; it leaves the list when you move on.`
  private func text(of ghost: DepartedItem) -> SafeText {
    guard let now = ghost.now else { return "No longer in the store." }
    let isHandled = now.action != .noInteraction
    let place = now.handled?.place ?? " elsewhere"
    let handled: SafeText = now.isResolved ? "Already resolved" : "Already handled"
    let what: SafeText = isHandled ? handled + place + ". " : "Changed elsewhere. "
    let back: SafeText = backKey.map { $0 + " brings it back; it" } ?? "It"
    return what + back + " leaves the list when you move on."
  }

  /// The app and the state: `ci.example.com · group main · unread`.
  ///
  /// If the user has named the app, the host follows the name.
  private var standing: SafeText {
    var parts = [row.app]
    if let host = detail?.host { parts.append(host) }
    if let account { parts.append(account) }
    if let group = row.group, !group.isEmpty { parts.append("group " + group) }
    parts.append(shown.readState == .unread ? "unread" : "read")
    switch shown.action {
    case .noInteraction:
      if shown.placement == .scheduled, let at = shown.deliverAt, at != Occurrence.unknownTime {
        parts.append("scheduled for " + time.full(at))
      }
    case .activated: parts.append("opened")
    case .dismissed: parts.append(shown.isResolved ? "resolved" : "dismissed")
    case .snoozed(let until):
      parts.append(
        shown.placement == .snoozed ? "snoozed until " + time.full(until) : "back from a snooze")
    }
    if let trigger = detail?.trigger {
      parts.append(trigger)
      if let next = shown.facts.nextOccurrence, shown.placement != .scheduled {
        if next != Occurrence.unknownTime { parts.append("next " + time.full(next)) }
      } else if row.isCancelled {
        parts.append("cancelled")
      }
    }
    if detail?.isDevelopment == true { parts.append("for development") }
    if row.isPinned { parts.append("pinned") }
    if row.isWaiting { parts.append("not sent yet") }
    return SafeText.joined(parts, by: " · ")
  }

  private var tail: [StyledLine] {
    var lines = repeats
    if let url = row.clickURL {
      lines += wrapped(
        SafeText(url, byteLimit: Link.bytesMax), Link(url) == nil ? .dim : .link)
    }
    if let tags = detail?.tags, !tags.isEmpty {
      lines += wrapped("tags: " + SafeText.joined(tags, by: ", "), .dim)
    }
    if !lines.isEmpty { lines.append(.empty) }
    let attachments = attachmentLines
    if !attachments.isEmpty { lines += attachments + [.empty] }
    let actions = actionLines
    if !actions.isEmpty { lines += actions + [.empty] }
    lines += (detail?.outcomes ?? []).flatMap { wrapped($0, .accent) }
    lines += provenance.flatMap { wrapped($0, .dim) }
    lines += wrapped(published, .dim)
    return lines
  }

  /// The repeats of the item, with a line of blocks for their times, and its earlier rounds.
  private var repeats: [StyledLine] {
    guard let repeats = detail?.repeats else { return [] }
    let history = HistoryText(time: time)
    var lines: [StyledLine] = []
    if let round = history.round(of: repeats) { lines += wrapped(round, .text) }
    if repeats.buckets.count > 1 {
      let step = (repeats.buckets.count + width - 1) / width
      lines.append(StyledLine(SparkLine.text(repeats.buckets, step: step), .accent))
    }
    if let earlier = history.earlierRounds(of: repeats) { lines += wrapped(earlier, .dim) }
    return lines
  }

  /// The end of the alert that the item is about; nil if its publisher has not handled it.
  private var resolution: HistoryText.Resolution? {
    guard shown.isResolved, let ended = shown.resolved else { return nil }
    return detail?.resolution ?? HistoryText.Resolution(began: shown.arrival, ended: ended)
  }

  /// The attachments, one below the other: `[e]  build.log · text/plain · 1.2 MB`.
  private var attachmentLines: [StyledLine] {
    guard let attachments = detail?.attachments, !attachments.isEmpty else { return [] }
    let key: SafeText = "[" + attachmentsKey + "]"
    let room = max(1, width - key.width - 2)
    return attachments.enumerated().flatMap { index, attachment in
      var texts = attachment.words(at: time).wrapped(to: room).map { ($0, StyleRole.text) }
      if case .link(let link) = attachment.place {
        let url = SafeText(link.url, byteLimit: Link.bytesMax)
        texts += url == attachment.name ? [] : url.wrapped(to: room).map { ($0, .link) }
      }
      return texts.enumerated().map { line, text in
        var drawn = StyledLine(
          index == 0 && line == 0 ? key + "  " : .blanks(key.width + 2), .accent)
        drawn.add(text.0, text.1)
        return drawn
      }
    }
  }

  /// The actions: `[.]  Rerun   Assign…`.
  private var actionLines: [StyledLine] {
    guard let actions = detail?.actions, !actions.isEmpty, ghost == nil else { return [] }
    let key: SafeText = "[" + actionsKey + "]"
    var lines = [StyledLine(key, .accent)]
    var used = key.width
    for action in actions {
      let label = action.label.truncated(to: max(1, width - key.width - 2))
      let isFirst = lines[lines.count - 1].pieces.count == 1
      if !isFirst, used + 3 + label.width > width {
        lines.append(StyledLine(.blanks(key.width)))
        used = key.width
      }
      let gap = lines[lines.count - 1].pieces.count == 1 ? 2 : 3
      lines[lines.count - 1].pieces += [
        StyledLine.Piece(text: .blanks(gap), role: .text),
        StyledLine.Piece(text: label, role: action.isDestructive ? .error : .link),
      ]
      used += gap + label.width
    }
    return lines
  }

  /// The texts about handling, reading and pinning: author, place and time.
  private var provenance: [SafeText] {
    var texts: [SafeText] = []
    let history = HistoryText(time: time)
    func add(_ what: SafeText, _ provenance: Provenance?) {
      guard let provenance else { return }
      texts.append(history.line(what, provenance))
    }
    if let handled = shown.handled {
      // The end of the snooze is already shown above.
      texts.append(
        shown.placement == .snoozed && handled.choice == nil
          ? history.line("snoozed", handled)
          : history.line(shown.action, handled, resolution: resolution))
      if let answer = history.answer(handled) { texts.append(answer) }
    }
    if let detail, detail.row.readState == shown.readState {
      add(shown.readState == .read ? "read" : "marked unread", detail.readBy)
    }
    if row.isPinned { add("pinned", detail?.pinnedBy) }
    if row.isCancelled { add("deliveries cancelled", detail?.cancelledBy) }
    if row.applied != .empty { texts += detail?.rules ?? [] }
    if let expires = row.expires { texts.append("expires " + time.full(expires)) }
    return texts
  }

  private var published: SafeText {
    let number = SafeText(ItemNumber.text(row.shortNumber))
    guard let created = detail?.created else { return number }
    let isToday = time.zone.local(created).date == time.zone.local(time.now).date
    return "published " + (isToday ? time.clockWithSeconds(created) : time.full(created)) + " · "
      + number
  }

  private func wrapped(_ text: SafeText, _ role: StyleRole) -> [StyledLine] {
    text.wrapped(to: width).map { StyledLine($0, role) }
  }
}
