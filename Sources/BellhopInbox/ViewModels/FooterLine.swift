import BellhopModel
import BellhopScreen
import BellhopText

/// The last line: the keys that matter here, or the answer to the last one; where the cursor is.
struct FooterLine {
  private let state: InboxState

  init(_ state: InboxState) { self.state = state }

  /// What fits into `width`.
  func place(width: Int) -> [PlacedSpan] {
    if case .confirm(let question) = state.overlay { return ask(question, width: width) }
    if case .menu(let menu) = state.overlay, let question = menu.question {
      return ask(question, short: menu.shortQuestion ?? question, yesOrNo, width: width)
    }
    if case .devices(let menu) = state.overlay, menu.isAsking {
      return ask(menu.question, short: menu.question, yesOrNo, width: width)
    }
    var right = rightSpans
    if right.width + 2 > width { right = [] }
    // What stands at the right is parted from the hints as they are one from another, unless a key
    // would have to go for it where there are few.
    let room = width - right.width - (right.isEmpty ? 1 : width < Self.gapWidth ? 2 : 3)
    let placedRight = right.placed(at: width - right.width - 1)
    if let notice = state.notice {
      let role: StyleRole =
        switch notice.kind {
        case .information: .accent
        case .success: .ok
        case .error: .error
        }
      return say(
        [notice.text, notice.brief].compactMap(\.self).map { state.program.written(in: $0) },
        role, nil, width: width, placedRight)
    }
    if let text = state.fetchText {
      // While something is open or typed, Esc ends that first.
      let stops = state.overlay.isNone && !state.isTyping ? [text + " · Esc stops it"] : []
      return say(stops + [text], .accent, nil, width: width, placedRight)
    }
    if let problems = state.filterProblemTexts {
      return say(problems, .error, nil, width: width, placedRight)
    }
    if state.layout.notice == nil, state.overlay.isNone,
      let text = state.tourText(width: width - 2)
    {
      return [Span(" "), Span(text, .accent)].placed(at: 0)
    }
    if let question = state.questionText {
      let command: Command = state.apps.question?.others == 0 ? .appSettings : .showApps
      return say([question.full, question.brief], .accent, command, width: width, placedRight)
    }
    return fitting(hints.filter { !$0.isEmpty }, in: room).placed(at: 0) + placedRight
  }

  /// The hints that have room, the first first: of the others only the way out of here has its
  /// place beside it kept free.
  private func fitting(_ hints: [[Span]], in room: Int) -> [Span] {
    let wayOut = hints.first(where: Self.isWayOut)
    var line = [Span(" ")]
    var reserved = wayOut.map { $0.width + 2 } ?? 0
    // What Enter does, such as sending something to a host, is never what goes.
    if let first = hints.first, first.width + 1 + reserved > room { reserved = 0 }
    var isFull = false
    for hint in hints {
      let isWayOut = Self.isWayOut(hint)
      if isWayOut { reserved = 0 }
      let spans = line.count == 1 ? hint : [Span("  ")] + hint
      let fits = line.width + spans.width + reserved <= room
      if fits, isWayOut || !isFull { line += spans }
      isFull = isFull || !fits
    }
    return line
  }

  private static func isWayOut(_ hint: [Span]) -> Bool { hint.first?.text == "Esc" }

  /// The fullest text that fits: it is read once, and more than the place beside it.
  private func say(
    _ texts: [SafeText], _ role: StyleRole, _ command: Command?, width: Int, _ right: [PlacedSpan]
  ) -> [PlacedSpan] {
    let rightWidth = right.map(\.span).width
    let room = width - (right.isEmpty ? 0 : rightWidth + 2) - 1
    let space = [Span(" ")]
    if let text = texts.first, text.width <= room {
      return (space + [Span(text, role, command)]).placed(at: 0) + right
    }
    let text = texts.first { $0.width <= width - 2 } ?? texts.last ?? .empty
    return (space + [Span(Self.cut(text, to: max(0, width - 2)), role, command)]).placed(at: 0)
  }

  /// With fewer cells for what happened, that is no longer understood.
  private static let happenedCellsMin = 12

  /// A text cut to fit. Its last sentence says what is safe or what to do, so that what happened is
  /// cut first.
  private static func cut(_ text: SafeText, to cells: Int) -> SafeText {
    let string = text.string
    let stop = string.indices.dropLast().last {
      string[$0] == "." && string[string.index(after: $0)] == " "
    }
    guard text.width > cells, let stop else { return text.truncated(to: cells) }
    let last = SafeText(String(string[string.index(stop, offsetBy: 2)...]))
    let room = cells - last.width - 1
    guard room >= happenedCellsMin else { return text.truncated(to: cells) }
    return SafeText(String(string[...stop])).truncated(to: room) + " " + last
  }

  /// A question, and the keys that answer it: those are never cut off.
  private func ask(_ question: ConfirmState, width: Int) -> [PlacedSpan] {
    let answers: [Span] =
      question.count == nil
      ? hint("", "counting …") + [Span("  ")] + hint("n", "no") : yesOrNo
    return ask(
      question.change.question(question.count, question.place),
      short: question.change.question(question.count, .empty), answers, width: width)
  }

  private var yesOrNo: [Span] { hint("y", "yes") + [Span("  ")] + hint("n", "no") }

  private func ask(
    _ question: SafeText, short: SafeText, _ answers: [Span], width: Int
  ) -> [PlacedSpan] {
    let room = max(0, width - answers.width - 4)
    let text = question.width > room ? short : question
    return ([Span(" "), Span(text.truncated(to: room), .accent), Span("  ")] + answers)
      .placed(at: 0)
  }

  private var rightSpans: [Span] {
    guard state.overlay.isNone, !state.isTyping else { return [] }
    var spans: [Span] = []
    if !state.typedKeys.isEmpty {
      let typed = SafeText(state.typedKeys.map(\.description).joined(separator: " "))
      spans += [Span(typed + " …", .accent), Span("  ")]
    }
    if !state.marks.isEmpty {
      let count = state.marks.count.map { SafeText($0.grouped) } ?? "all"
      spans += [Span(count + " marked", .accent), Span("  ")]
    }
    if let position, !state.isFirstRun { spans += [Span(position, .dim), Span("  ")] }
    return spans + [Span(state.keyHint(.help), .accent, .help), Span(" keys", .dim, .help)]
  }

  /// `1 of 9`, as far as the numbers are known.
  private var position: SafeText? {
    if state.isInApps {
      let number = SafeText((state.apps.rows.count + state.apps.omitted).grouped)
      return state.apps.cursorIndex.map { SafeText(($0 + 1).grouped) + " of " + number }
    }
    let id = state.activeList
    let list = state[id]
    guard list.cursorIndex != nil else { return nil }
    let total = total(of: id)
    guard let rank = list.cursorRank else { return total }
    let number = SafeText((rank + 1).grouped)
    return total.map { number + " of " + $0 } ?? number
  }

  private func total(of id: ListID) -> SafeText? {
    let counts = state.baseCounts.map { _ in state.counts }
    // A ghost is counted as long as it is drawn.
    let ghosts = state[id].ghost == nil ? 0 : 1
    if case .narrowed = state[id].query {
      return state[id].reachesStart && state[id].reachesEnd
        ? SafeText(state[id].rows.count.grouped) : nil
    }
    switch id {
    case .tray: return counts.map { SafeText(($0.tray + ghosts).grouped) }
    case .later: return counts.map { SafeText(($0.later + ghosts).grouped) }
    case .history: return counts.map { SafeText(($0.kept + ghosts).grouped) }
    case .handled: return nil
    case .search:
      return state[id].matches.map { SafeText($0.count.grouped + ($0.isExact ? "" : "+")) }
    }
  }

  /// Below it a hint is worth more than a blank.
  private static let gapWidth = 60

  // MARK: - Hints

  private var hints: [[Span]] {
    switch state.overlay {
    case .help: return [hint("Esc", "close"), hint("↓ ↑", "scroll"), hint("type", "to filter")]
    case .menu(let menu): return menu.hints.map { hint($0.key, $0.word) }
    case .inspect:
      return [
        hint("Esc", "close"), hint("z", "fold"), hint("Z", "fold all"), hint("↓ ↑", "move"),
      ]
    case .preview(let preview):
      let moving = preview.lines.isEmpty ? [] : [hint("↓ ↑", "scroll")]
      return [hint("Esc", "close"), hint("s", "save"), hint("o", "open")] + moving
    case .pipe(let pipe):
      let recall = state.piped.isEmpty ? [] : [hint("↑", "the last command")]
      return [hint("Enter", "run"), hint("Tab", pipe.asJSON ? "as text" : "as JSON")] + recall
        + [hint("Esc", "back")]
    case .devices(let menu):
      let signOut =
        menu.chosen.map { !$0.isThis } == true ? [hint("x", "sign it out")] : []
      return signOut + [hint("R", "ask again"), hint("Esc", "close")]
    case .activity(let activity):
      return [
        hint("Tab", activity.isWeek ? "24 hours" : "7 days"), hint("R", "again"),
        hint("↓ ↑", "scroll"), hint("Esc", "close"),
      ]
    case .confirm, .none: break
    }
    if let search = state.search, search.isTyping {
      if search.field.text.isEmpty { return [hint("type", "words"), hint("Esc", "back")] }
      if search.list.isLoaded, search.list.rows.isEmpty {
        return [hint("type", "other words"), hint("Esc", "back")]
      }
      return [
        hint("Enter", "keep the results"), hint("↓ ↑", "move"), hint("Esc", "back"),
      ]
    }
    if state.isTyping {
      return [
        hint("Enter", "keep the filter"), hint("Tab", "complete"), hint("↓ ↑", "move"),
        hint("Esc", "back"),
      ]
    }
    if state.isFirstRun {
      let undo: [Command] = state.undoStack.isEmpty ? [] : [.undo]
      return (undo + [.publishSample, .copyPublishLine, .tour])
        .map { hint($0, $0.title) } + [hint(.close, "quit")]
    }
    if state.isInApps {
      let app: [(Command, SafeText)] =
        state.apps.rows.isEmpty
        ? []
        : [
          (.enter, "settings"), (.muteApp, "mute"), (.showAppItems, "its items"),
        ]
      let undo: [(Command, SafeText)] = state.undoStack.isEmpty ? [] : [(.undo, "undo")]
      return (app + undo + [(.search, "search")]).map { hint($0.0, $0.1) }
    }
    if state.actsOnMarks {
      let commands: [Command] = [.dismiss, .toggleRead, .snooze, .delete, .backToTray]
      return commands.map(hintHere) + [hint("Esc", "unmark")]
    }
    let whole =
      state.filter == nil || state.search != nil || state.focus == .detail
      ? [] : [hint("Esc", "show all")]
    return whole + Self.ranked.filter { $0.places.contains(state.place) }.map(hintHere)
  }

  /// The commands that have a place in the line, the first first.
  private static let ranked: [Command] = Command.all
    .compactMap { command in command.footer.map { (rank: $0.rank, command: command) } }
    .sorted { $0.rank < $1.rank }
    .map(\.command)

  /// The hint of a command where it does something; none elsewhere.
  private func hintHere(_ command: Command) -> [Span] {
    let reason = command.disabledReason(state)
    guard reason == nil || reason?.scope == .moment, let footer = command.footer,
      footer.isUseful(state)
    else { return [] }
    return hint(command, footer.word?(state) ?? SafeText(command.title))
  }

  private func hint(_ command: Command, _ word: String) -> [Span] {
    hint(command, SafeText(word))
  }

  private func hint(_ command: Command, _ word: SafeText) -> [Span] {
    guard !state.keymap.sequences(of: command).isEmpty else { return [] }
    return [
      Span(state.keyHint(command), .accent, command), Span(" " + word, .dim, command),
    ]
  }

  private func hint(_ key: SafeText, _ word: SafeText) -> [Span] {
    [Span(state.isASCII ? Self.spelledOut(key) : key, .accent), Span(" " + word, .dim)]
  }

  /// What is no letter of ASCII in a key's name would be drawn as a mark that is another key.
  private static func spelledOut(_ key: SafeText) -> SafeText {
    switch key {
    case "↓ ↑": "Down Up"
    case "↑": "Up"
    default: SafeText(String(key.string.map { $0 == "…" ? "-" : $0 }))  // open: SafeText
    }
  }
}

extension InboxState {
  /// Where Esc leads from a search.
  var backText: SafeText {
    let place: SafeText =
      switch tab {
      case .tray: "the tray"
      case .history: "the history"
      case .later: "later"
      case .apps: "the apps"
      }
    return "Esc back to " + place + ", same item"
  }
}
