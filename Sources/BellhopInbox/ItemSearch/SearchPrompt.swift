import BellhopModel
import BellhopScreen
import BellhopText

/// Draws the searched words in place of the header.
struct SearchPrompt {
  private let field: TextField
  private let isTyping: Bool
  /// The number of results: `12 of 1,204`; empty while there are none.
  private let found: SafeText
  private let back: SafeText
  private let problem: FilterPhrase.SyntaxError?

  init(_ search: SearchState, in state: InboxState) {
    field = search.field
    isTyping = search.isTyping
    back = state.backText
    problem = state.searchProblem
    if let matches = search.list.matches, !search.field.text.isEmpty {
      let total = state.counting.base.map { _ in " of \(state.counts.history.grouped)" } ?? ""
      found = matches.text + SafeText(total)
    } else {
      found = .empty
    }
  }

  func draw(in rect: Rect, on canvas: inout Canvas) {
    guard !rect.isEmpty else { return }
    let drawn = field.drawn.tail(cells: max(1, rect.width - 5))
    let prompt: SafeText = " / " + drawn
    var line = StyledLine(prompt, isTyping ? .text : .accent)
    var choices = [found.isEmpty ? back : found + " · " + back, found]
    var role = StyleRole.dim
    if let problem {
      choices = [SafeText(problem.description)] + (problem.brief.map { [SafeText($0)] } ?? [])
      role = .error
      if drawn == field.drawn {
        line = StyledLine(" / ", .text)
        line.pieces += problem.pieces(of: field.text)
      }
    }
    let right = choices.first { prompt.width + $0.width + 4 <= rect.width } ?? .empty
    line.trailing = right.isEmpty ? nil : StyledLine.Piece(text: right + " ", role: role)
    canvas.put(line, in: rect)
    if isTyping {
      canvas.cursor = Point(x: min(rect.x + prompt.width, rect.maxX - 1), y: rect.y)
    }
  }
}

extension InboxState {
  /// The text about where Esc leads from a search.
  fileprivate var backText: SafeText {
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
