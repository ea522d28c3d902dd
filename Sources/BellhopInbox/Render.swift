import BellhopModel
package import BellhopScreen
import BellhopText

/// Renders the screen of a state.
///
/// Pure; the work depends only on the size of the screen.
package func render(_ state: InboxState) -> Frame {
  let layout = state.layout
  let state = state.drawn
  var canvas = Canvas(size: state.size)
  canvas.title = title(state)
  if case .help(let help) = state.overlay {
    rules(Array(layout.horizontalRules.prefix(2)), [], state, &canvas)
    HelpPane(help: help, keys: state.keyLines(of: help)).draw(layout, on: &canvas)
  } else if case .inspect(let inspect) = state.overlay {
    rules(Array(layout.horizontalRules.prefix(2)), [], state, &canvas)
    InspectPane(inspect: inspect).draw(layout, on: &canvas)
  } else if case .preview(let preview) = state.overlay {
    rules(Array(layout.horizontalRules.prefix(2)), [], state, &canvas)
    PreviewPane(preview: preview).draw(layout, on: &canvas)
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
  } else if let search = state.search {
    SearchPrompt(search, in: state).draw(in: layout.header, on: &canvas)
  } else if let filter = state.filter, filter.isTyping {
    FilterPrompt(filter, in: state).draw(in: layout.header, on: &canvas)
  } else {
    canvas.put(HeaderLine(state).place(width: layout.header.width), in: layout.header)
  }
  if state.overlay.isWhole {
    rules(Array(layout.horizontalRules.prefix(2)), [], state, &canvas)
    return menu(state, layout, &canvas)
  }
  rules(layout.horizontalRules, layout.verticalRules, state, &canvas)
  if state.isFirstRun {
    FirstRunPane(state).draw(in: layout.body, on: &canvas)
    return menu(state, layout, &canvas)
  }
  if let apps = layout.apps { AppsPane(state, in: apps).draw(on: &canvas) }
  if let rect = layout.appSettings, !state.hasAppMenu, let key = state.apps.cursor {
    let menu = AppMenu(key: key, title: state.name(of: key))
    MenuPane(menu, frame: MenuFrame(filling: rect), in: state, isOpen: false).draw(on: &canvas)
  }
  for pane in layout.lists { ListPane(pane, in: state).draw(on: &canvas) }
  if let detail = layout.detail {
    DetailPane(lines: state.detail.lines, scroll: state.detail.scroll)
      .draw(in: detail, on: &canvas)
  }
  if let preview = layout.preview, let row = state.activeRow {
    DetailPreview(row: row, time: state.timeText, words: state[state.activeList].query.words)
      .draw(in: preview, on: &canvas)
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
    DevicePane(menu: menu, accounts: state.accounts.all, time: state.timeText)
      .draw(in: layout.body, on: &canvas)
  case .activity(let activity):
    ActivityPane(activity: activity, time: state.timeText, hidesTexts: state.hidesTexts)
      .draw(in: layout.body, isRuled: !layout.horizontalRules.isEmpty, on: &canvas)
  }
}

private func draw(
  _ menu: any Menu, _ state: InboxState, _ layout: Layout, _ canvas: inout Canvas
) {
  MenuPane(menu, frame: menu.frame(in: layout, of: state), in: state).draw(on: &canvas)
}

private func rules(
  _ horizontal: [Rect], _ vertical: [Rect], _ state: InboxState, _ canvas: inout Canvas
) {
  let verticalRole: StyleRole = state.focus == .detail ? .ruleFocus : .rule
  for rule in horizontal { canvas.horizontalRule(rule) }
  for rule in vertical { canvas.verticalRule(rule, role: verticalRole) }
}

/// Returns the window's title: `(6) bellhop`, with the sum of the apps' badges.
///
/// The number comes first, because tabs and taskbars cut titles at the end.
private func title(_ state: InboxState) -> SafeText {
  let unread = state.counts.badge
  return unread > 0 ? "(\(unread.grouped)) bellhop" : "bellhop"
}
