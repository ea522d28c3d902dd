import BellhopModel
import BellhopScreen
import BellhopText

/// Draws an item's actions at the bottom of the body.
struct ActionPane {
  let state: InboxState
  let menu: ActionMenu

  private static let titleCellsMax = 28

  /// Where the actions are, one a row.
  static func choices(of menu: ActionMenu, in body: Rect) -> Rect {
    body.splitBottom(min(menu.actions.count, body.height)).bottom
  }

  /// The first one drawn: where there is no room for all, the chosen one stays in sight.
  static func first(of menu: ActionMenu, height: Int) -> Int {
    max(0, menu.selected - height + 1)
  }

  func draw(in body: Rect, on canvas: inout Canvas) {
    let choices = Self.choices(of: menu, in: body)
    var above = Rect(x: body.x, y: body.y, width: body.width, height: choices.y - body.y)
    if above.height > 0 {
      let title = above.splitBottom(1).bottom
      canvas.fill(title)
      canvas.put(StyledLine(" Actions · " + menu.title, .accent), in: title.inset(right: 1))
      above = above.splitBottom(1).rest
    }
    if above.height > 0 {
      let rule = above.splitBottom(1).bottom
      canvas.fill(rule)
      canvas.horizontalRule(rule, role: .ruleFocus)
    }
    let titleWidth = min(
      Self.titleCellsMax, menu.actions.map { $0.label.width }.max() ?? 0, body.width / 2)
    let first = Self.first(of: menu, height: choices.height)
    for offset in 0..<choices.height where first + offset < menu.actions.count {
      draw(first + offset, titleWidth: titleWidth, in: choices.row(offset), on: &canvas)
    }
  }

  private func draw(_ index: Int, titleWidth: Int, in rect: Rect, on canvas: inout Canvas) {
    let action = menu.actions[index]
    let isSelected = index == menu.selected
    canvas.fill(rect)
    var line = StyledLine(isSelected ? "▌" : " ", .accent)
    let isPossible = if case .impossible = action.deed { false } else { true }
    func add(_ text: SafeText, _ role: StyleRole) {
      line.pieces.append(StyledLine.Piece(text: text, role: role))
    }
    add(SafeText("\(index + 1)  "), .accent)
    add(
      action.label.truncated(to: titleWidth).padded(to: titleWidth),
      !isPossible ? .dim : action.isDestructive ? .error : .text)
    add("  ", .text)
    if isSelected, case .typing(let field) = menu.step {
      let column = line.pieces.reduce(0) { $0 + $1.text.width }
      typed(field, action, column: column, in: rect, &line, on: &canvas)
      return
    }
    let role: StyleRole = if case .open = action.deed { .link } else { .dim }
    add(action.words, role)
    if action.clears { add(" · dismisses", .dim) }
    canvas.put(line, in: rect)
    if isSelected { canvas.select(rect) }
  }

  /// The line in which a reply is typed: its end stays in sight.
  private func typed(
    _ field: TextField, _ action: ItemAction, column: Int, in rect: Rect,
    _ line: inout StyledLine, on canvas: inout Canvas
  ) {
    let room = max(1, rect.width - column - 1)
    let text = field.drawn(limit: ActionMenu.replyBytesMax).suffix(cells: room)
    var placeholder: SafeText = .empty
    if field.text.isEmpty, case .reply(_, let words) = action.deed {
      placeholder = words.isEmpty ? "type your answer" : words
    }
    line.pieces.append(StyledLine.Piece(text: text, role: .text))
    line.pieces.append(StyledLine.Piece(text: placeholder, role: .dim))
    canvas.put(line, in: rect)
    canvas.cursor = Point(x: min(rect.x + column + text.width, rect.maxX - 1), y: rect.y)
  }
}

extension ItemAction {
  /// The title; one that asks for text ends in an ellipsis.
  var label: SafeText { if case .reply = deed { title + "…" } else { title } }

  /// What it does, in a few words.
  var words: SafeText {
    switch deed {
    case .open(let link): SafeText(link.url, byteLimit: Link.bytesMax)
    case .copy(let text): "copies " + SafeText(text, lineBreaks: .joined)
    case .call(let call): SafeText(call.method) + " " + call.place
    case .reply(let call?, _): SafeText(call.method) + " your text to " + call.place
    case .reply(nil, _): "tells your text to your devices"
    case .report: "tells your devices"
    case .impossible(let reason): reason
    }
  }

  /// What Enter does to what was typed.
  var sending: SafeText {
    if case .reply(let call?, _) = deed {
      return "send: " + SafeText(call.method) + " to " + call.place
    }
    return "send"
  }

  /// What is asked before it is done.
  var question: SafeText {
    switch deed {
    case .call(let call), .reply(let call?, _):
      title + ": " + SafeText(call.method) + " to " + call.place + "?"
    case .open, .copy, .reply, .report, .impossible: title + "?"
    }
  }
}
