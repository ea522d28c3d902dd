import BellhopModel
public import BellhopScreen
import BellhopText

/// The screen of a state. Pure; the work depends on the size of the screen alone.
public func render(_ state: InboxState) -> Frame {
  var canvas = Canvas(size: state.size)
  canvas.title = title(state)
  let layout = state.layout
  if case .help(let help) = state.overlay {
    rules(Array(layout.horizontalRules.prefix(2)), [], state, &canvas)
    HelpPane(state: state, help: help).draw(layout, on: &canvas)
  } else if case .inspect(let inspect) = state.overlay {
    rules(Array(layout.horizontalRules.prefix(2)), [], state, &canvas)
    InspectPane(state: state, inspect: inspect).draw(layout, on: &canvas)
  } else if case .preview(let preview) = state.overlay {
    rules(Array(layout.horizontalRules.prefix(2)), [], state, &canvas)
    PreviewPane(state: state, preview: preview).draw(layout, on: &canvas)
  } else {
    body(state, layout, &canvas)
  }
  if let notice = layout.notice, let text = state.tourText(width: notice.width - 20) {
    var line = StyledLine(" " + text, .accent)
    line.trailing = StyledLine.Piece(text: "Esc ends the tour ", role: .dim)
    canvas.put(line, in: notice)
  } else if let notice = layout.notice, let text = state.connectionNotice(width: notice.width - 2) {
    canvas.put(StyledLine(" " + text, .error), in: notice)
  }
  canvas.put(FooterLine(state).place(width: layout.footer.width), in: layout.footer)
  return canvas.frame
}

private func body(_ state: InboxState, _ layout: Layout, _ canvas: inout Canvas) {
  if case .pipe(let pipe) = state.overlay {
    PipePrompt(pipe: pipe).draw(in: layout.header, on: &canvas)
  } else if state.search == nil, state.isTyping {
    FilterPrompt(state: state).draw(in: layout.header, on: &canvas)
  } else if state.search == nil {
    canvas.put(HeaderLine(state).place(width: layout.header.width), in: layout.header)
  } else {
    SearchPrompt(state: state).draw(in: layout.header, on: &canvas)
  }
  if state.overlay.isWhole {
    rules(Array(layout.horizontalRules.prefix(2)), [], state, &canvas)
    return menu(state, layout, &canvas)
  }
  rules(layout.horizontalRules, layout.verticalRules, state, &canvas)
  if state.isFirstRun {
    FirstRunPane(state: state).draw(in: layout.body, on: &canvas)
    return menu(state, layout, &canvas)
  }
  if let apps = layout.apps { AppsPane(state: state).draw(in: apps, on: &canvas) }
  if let rect = layout.appSettings, !state.hasAppMenu, let key = state.apps.cursor {
    MenuPane(state: state, menu: AppMenu(key: key, title: state.name(of: key)), isOpen: false)
      .draw(in: MenuFrame(filling: rect), on: &canvas)
  }
  for pane in layout.lists { ListPane(state: state, pane: pane).draw(on: &canvas) }
  if let detail = layout.detail { DetailPane(state: state).draw(in: detail, on: &canvas) }
  if let preview = layout.preview {
    DetailPane(state: state).drawPreview(in: preview, on: &canvas)
  }
  menu(state, layout, &canvas)
}

private func menu(_ state: InboxState, _ layout: Layout, _ canvas: inout Canvas) {
  switch state.overlay {
  case .none, .help, .confirm, .inspect, .preview, .pipe: break
  case .menu(let menu):
    if let before = menu.before { draw(before, state, layout, &canvas) }
    draw(menu, state, layout, &canvas)
  case .devices(let menu):
    DevicePane(state: state, menu: menu).draw(in: layout.body, on: &canvas)
  case .activity(let activity):
    ActivityPane(state: state, activity: activity)
      .draw(in: layout.body, isRuled: !layout.horizontalRules.isEmpty, on: &canvas)
  }
}

private func draw(
  _ menu: any Menu, _ state: InboxState, _ layout: Layout, _ canvas: inout Canvas
) {
  MenuPane(state: state, menu: menu).draw(in: menu.frame(in: layout, of: state), on: &canvas)
}

private func rules(
  _ horizontal: [Rect], _ vertical: [Rect], _ state: InboxState, _ canvas: inout Canvas
) {
  let verticalRole: StyleRole = state.focus == .detail ? .ruleFocus : .rule
  for rule in horizontal { canvas.horizontalRule(rule) }
  for rule in vertical { canvas.verticalRule(rule, role: verticalRole) }
}

/// `(6) bellhop`: what is unread in the tray, of apps that count on badges. In front, because tabs and
/// taskbars cut titles at their ends.
private func title(_ state: InboxState) -> SafeText {
  let unread = state.counts.badge
  return unread > 0 ? "(\(unread.grouped)) bellhop" : "bellhop"
}

/// Draws the words being searched for in place of the header.
struct SearchPrompt {
  let state: InboxState

  func draw(in rect: Rect, on canvas: inout Canvas) {
    guard let search = state.search, !rect.isEmpty else { return }
    let prompt: SafeText = " / " + search.field.drawn.tail(cells: max(1, rect.width - 5))
    var line = StyledLine(prompt, search.isTyping ? .text : .accent)
    let back = state.backText
    let found: SafeText
    if let matches = search.list.matches, !search.field.text.isEmpty {
      let kept = state.baseCounts.map { _ in " of \(state.counts.kept.grouped)" } ?? ""
      found = SafeText("\(matches.count.grouped)\(matches.isExact ? "" : "+")\(kept)")
    } else {
      found = .empty
    }
    let full = found.isEmpty ? back : found + " · " + back
    let right = [full, found, .empty].first { prompt.width + $0.width + 4 <= rect.width } ?? .empty
    line.trailing = right.isEmpty ? nil : StyledLine.Piece(text: right + " ", role: .dim)
    canvas.put(line, in: rect)
    if search.isTyping {
      canvas.cursor = Point(x: min(rect.x + prompt.width, rect.maxX - 1), y: rect.y)
    }
  }
}
