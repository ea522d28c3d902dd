import BellhopModel
import BellhopScreen
import BellhopText

extension InboxState {
  private var keyHints: KeyHints { KeyHints(keymap: keymap, isASCII: isASCII) }

  var footerContent: FooterLine.Content {
    if let question = footerQuestion { return question }
    if let notice {
      let role: StyleRole =
        switch notice.kind {
        case .information: .accent
        case .success: .ok
        case .error: .error
        }
      let texts = [notice.text, notice.brief].compactMap(\.self)
      return .line(texts.map { program.written(in: $0) }, role, nil)
    }
    if let text = fetchText {
      // While an overlay or a text field is open, Esc closes that first.
      let stops = overlay.isNone && !isTyping ? [text + " · Esc stops it"] : []
      return .line(stops + [text], .accent, nil)
    }
    if let problems = filterProblemTexts { return .line(problems, .error, nil) }
    if layout.notice == nil, overlay.isNone, let tour { return .tour(tour.texts(self)) }
    return newAppQuestion ?? .hints(footerHints)
  }

  private var footerQuestion: FooterLine.Content? {
    let no = keyHints.hint(MenuHint("n", "no"))
    let yesOrNo = keyHints.hint(MenuHint("y", "yes")) + [Span("  ")] + no
    switch overlay {
    case .confirm(let question):
      let counting = keyHints.hint(MenuHint("", "counting …")) + [Span("  ")] + no
      return .question(
        question.change.question(question.count, question.place),
        short: question.change.question(question.count, .empty),
        answers: question.count == nil ? counting : yesOrNo)
    case .menu(let menu):
      return menu.question.map {
        .question($0, short: menu.shortQuestion ?? $0, answers: yesOrNo)
      }
    case .devices(let menu):
      return menu.isAsking
        ? .question(menu.question, short: menu.question, answers: yesOrNo) : nil
    case .none, .help, .inspect, .preview, .pipe, .activity: return nil
    }
  }

  // MARK: - Right

  var footerRight: [Span] {
    guard overlay.isNone, !isTyping else { return [] }
    var spans: [Span] = []
    if !typedKeys.isEmpty {
      let typed = SafeText(typedKeys.map(\.description).joined(separator: " "))
      spans += [Span(typed + " …", .accent), Span("  ")]
    }
    if !marks.isEmpty {
      let count = marks.count.map { SafeText($0.grouped) } ?? "all"
      spans += [Span(count + " marked", .accent), Span("  ")]
    }
    if let cursorPlace, !isFirstRun { spans += [Span(cursorPlace, .dim), Span("  ")] }
    return spans + [Span(keyHint(.help), .accent, .help), Span(" keys", .dim, .help)]
  }

  /// The cursor's position: `1 of 9`, as far as the numbers are known.
  private var cursorPlace: SafeText? {
    if isInApps {
      let number = SafeText((apps.rows.count + apps.omitted).grouped)
      return apps.cursorIndex.map { SafeText(($0 + 1).grouped) + " of " + number }
    }
    let list = self[activeList]
    guard list.cursorIndex != nil else { return nil }
    let total = total(of: activeList)
    guard let rank = list.cursorRank else { return total }
    let number = SafeText((rank + 1).grouped)
    return total.map { number + " of " + $0 } ?? number
  }

  private func total(of id: ListID) -> SafeText? {
    let list = self[id]
    let counts = counting.base.map { _ in self.counts }
    // A ghost is counted as long as it is drawn.
    let ghosts = list.ghost == nil ? 0 : 1
    if list.query.isForReader {
      return list.matches.map { MatchCount($0.count + ghosts, isExact: $0.isExact).text }
    }
    switch id {
    case .tray: return counts.map { SafeText(($0.tray + ghosts).grouped) }
    case .later: return counts.map { SafeText(($0.later + ghosts).grouped) }
    case .history: return counts.map { SafeText(($0.history + ghosts).grouped) }
    case .handled: return counts.map { SafeText(($0.handled + ghosts).grouped) }
    case .search: return nil
    }
  }

  // MARK: - Hints

  private var footerHints: [[Span]] {
    let hints = keyHints
    if let overlaid = overlay.hints(in: self) ?? typingHints { return overlaid.map(hints.hint) }
    if isFirstRun {
      let undo: [Command] = steps.done.isEmpty ? [] : [.undo]
      return (undo + [.publishSample, .copyPublishLine, .tour])
        .map { hints.hint($0, SafeText($0.title)) } + [hints.hint(.close, "quit")]
    }
    if isInApps {
      let app: [(Command, SafeText)] =
        apps.rows.isEmpty
        ? [] : [(.enter, "settings"), (.muteApp, "mute"), (.showAppItems, "its items")]
      let undo: [(Command, SafeText)] = steps.done.isEmpty ? [] : [(.undo, "undo")]
      return (app + undo + [(.search, "search")]).map { hints.hint($0.0, $0.1) }
    }
    if actsOnMarks {
      let commands: [Command] = [.dismiss, .toggleRead, .snooze, .delete, .backToTray]
      return commands.map(hintHere) + [hints.hint(MenuHint("Esc", "unmark"))]
    }
    let whole =
      filter == nil || search != nil || focus == .detail
      ? [] : [hints.hint(MenuHint("Esc", "show all"))]
    return whole + Self.ranked.filter { $0.places.contains(place) }.map(hintHere)
  }

  private var typingHints: [MenuHint]? {
    if let search, search.isTyping { return search.hints }
    return isTyping ? FilterState.hints : nil
  }

  /// The commands with a place in the footer, in order.
  private static let ranked: [Command] = Command.all
    .compactMap { command in command.footer.map { (rank: $0.rank, command: command) } }
    .sorted { $0.rank < $1.rank }
    .map(\.command)

  /// Returns the hint of a command that is available here; otherwise empty.
  private func hintHere(_ command: Command) -> [Span] {
    let reason = command.disabledReason(self)
    guard reason == nil || reason?.scope == .moment, let footer = command.footer,
      footer.isUseful(self)
    else { return [] }
    return keyHints.hint(command, footer.word?(self) ?? SafeText(command.title))
  }
}

extension Overlay {
  /// Returns the key hints of the overlay; nil if none is open.
  fileprivate func hints(in state: InboxState) -> [MenuHint]? {
    switch self {
    case .none, .confirm: nil
    case .help(let help): help.hints
    case .menu(let menu): menu.hints
    case .inspect: InspectState.hints
    case .preview(let preview): preview.hints
    case .pipe(let pipe): pipe.hints(recalls: !state.piped.commands.isEmpty)
    case .devices(let menu): menu.hints
    case .activity(let activity): activity.hints
    }
  }
}
