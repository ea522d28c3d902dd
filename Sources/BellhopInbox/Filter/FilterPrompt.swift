import BellhopScreen
import BellhopText

/// Draws the filter being typed in place of the header.
struct FilterPrompt {
  private let field: TextField
  private let completions: [String]
  private let valueHint: String?
  private let problem: FilterPhrase.SyntaxError?

  init(_ filter: FilterState, in state: InboxState) {
    field = filter.field
    completions = state.filterPhrase.completions(filter.field.text)
    valueHint = state.filterPhrase.valueHint(filter.field.text)
    problem = state.filterProblem
  }

  func draw(in rect: Rect, on canvas: inout Canvas) {
    guard !rect.isEmpty else { return }
    let text = field.text
    let prompt = SafeText(" f ")
    let drawn = field.drawn.tail(cells: max(1, rect.width - prompt.width - 2))
    let width = prompt.width + drawn.width
    let room = rect.width - width - 3
    var line = StyledLine(prompt, .accent)
    var hint =
      completions.isEmpty ? SafeText(valueHint ?? "") : Self.hint(completions, room: room)
    var role = StyleRole.dim
    if let problem {
      if drawn == field.drawn {
        line.pieces += problem.pieces(of: text)
      } else {
        line.add(drawn, .error)
      }
      // A sentence that is too long for this line is shown in the last one.
      let words = SafeText(problem.description)
      hint = words.width <= room ? words : .empty
      role = .error
    } else if drawn != field.drawn {
      line.add(drawn, .text)
    } else {
      line.add(SafeText(text), .text)
    }
    line.trailing = hint.isEmpty ? nil : StyledLine.Piece(text: hint + " ", role: role)
    canvas.put(line, in: rect)
    canvas.cursor = Point(x: min(rect.x + width, rect.maxX - 1), y: rect.y)
  }

  /// Returns the completions, as far as they fit.
  private static func hint(_ completions: [String], room: Int) -> SafeText {
    var hint = SafeText.empty
    for completion in completions {
      let word = completion.split(separator: " ").last.map(String.init) ?? completion
      let longer = hint.isEmpty ? SafeText(word) : hint + "  " + SafeText(word)
      guard longer.width <= room else { break }
      hint = longer
    }
    return hint
  }
}

extension FilterPhrase.SyntaxError {
  /// Returns the text, with the invalid part in the colour of errors.
  func pieces(of text: String) -> [StyledLine.Piece] {
    let parts: [(Substring, StyleRole)] = [
      (text.prefix(range.lowerBound), .text),
      (text.dropFirst(range.lowerBound).prefix(range.count), .error),
      (text.dropFirst(range.upperBound), .text),
    ]
    return parts.filter { !$0.0.isEmpty }.map { part, role in
      StyledLine.Piece(text: SafeText(String(part)), role: role)
    }
  }
}
