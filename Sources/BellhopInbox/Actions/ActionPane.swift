import BellhopModel
import BellhopScreen
package import BellhopText

extension ActionMenu: Menu {
  private static let titleCellsMax = 28

  var count: Int { actions.count }

  var question: SafeText? { if case .asking = step { action.question } else { nil } }

  var hints: [MenuHint] {
    if case .typing = step {
      return [MenuHint("Enter", action.sending), MenuHint("Esc", "back to the actions")]
    }
    return MenuHint.choosing(of: count)
  }

  func line(_ index: Int, width: Int, in state: InboxState) -> MenuLine {
    let action = actions[index]
    let titleWidth = min(
      Self.titleCellsMax, actions.map { $0.label.width }.max() ?? 0, state.size.width / 2)
    var line = MenuLine()
    let isPossible = if case .impossible = action.kind { false } else { true }
    line.add(
      action.label.truncated(to: titleWidth).padded(to: titleWidth),
      !isPossible ? .dim : action.isDestructive ? .error : .text)
    line.add("  ", .text)
    if index == selected, case .typing(let field) = step {
      addTyped(field, action, room: max(1, width - titleWidth - 3), to: &line)
      return line
    }
    let role: StyleRole = if case .open = action.kind { .link } else { .dim }
    line.add(action.words, role)
    if action.clears { line.add(" · dismisses", .dim) }
    if action.needsAuthentication { line.add(" · asks who you are", .dim) }
    return line
  }

  /// Adds the typed reply, with its end kept visible.
  private func addTyped(
    _ field: TextField, _ action: ItemAction, room: Int, to line: inout MenuLine
  ) {
    line.addTyped(field.drawn(limit: ActionMenu.replyBytesMax).tail(cells: room))
    if field.text.isEmpty, case .reply(_, let words, _) = action.kind {
      line.add(words.isEmpty ? "type your answer" : words, .dim)
    }
  }

  func take(_ key: Key, _ state: inout InboxState, _ effects: inout [Effect]) {
    state.take(key, in: self, &effects)
  }

  /// Chooses on a click; a click elsewhere closes the menu, and only a key confirms.
  func press(_ index: Int?, _ state: inout InboxState, _ effects: inout [Effect]) {
    if case .choosing = step, let index { return state.choose(self, index, &effects) }
    state.closeOverlay()
    state.say("Nothing was done.")
  }

  func paste(_ text: String, _ state: inout InboxState) {
    guard case .typing(var field) = step else { return }
    field.insert(text)
    var menu = self
    menu.step = .typing(field)
    state.overlay = .menu(menu)
  }
}

extension ItemAction {
  /// The title, followed by an ellipsis if the action asks for text.
  package var label: SafeText { if case .reply = kind { title + "…" } else { title } }

  /// The effect of the action, in a few words.
  package var words: SafeText {
    switch kind {
    case .open(let link): SafeText(link.url, byteLimit: Link.bytesMax)
    case .copy(let text): "copies " + SafeText(text, lineBreaks: .joined)
    case .call(let call): SafeText(call.method) + " " + call.place
    case .reply(let call?, _, _): SafeText(call.method) + " your text to " + call.place
    case .reply(nil, _, _): "sends your text to your devices and the app"
    case .report: "notifies your devices and the app"
    case .impossible(let reason): reason
    }
  }

  /// The effect of Enter on the typed text.
  var sending: SafeText {
    guard case .reply(let call, _, let button) = kind else { return "send" }
    let verb = button.isEmpty ? "send" : button
    return call.map { verb + ": " + SafeText($0.method) + " to " + $0.place } ?? verb
  }

  /// The question before the action is performed.
  package var question: SafeText {
    let warning: SafeText = isDestructive ? " (marked destructive by the app)" : .empty
    return switch kind {
    case .call(let call), .reply(let call?, _, _):
      title + ": " + SafeText(call.method) + " to " + call.shownURL + warning + "?"
    case .open, .copy, .reply, .report, .impossible: title + warning + "?"
    }
  }
}
