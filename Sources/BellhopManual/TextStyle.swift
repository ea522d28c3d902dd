package import BellhopText

/// The way in which a topic is printed.
package enum TextStyle: Hashable, Sendable, CaseIterable {
  /// Text only, for pipes and files: headings in capitals, and the rest indented, as man(1) shows
  /// a page. Code keeps its lines, so that it can be copied.
  case plain
  /// Bold, faint and underlined text without colours, as for `NO_COLOR`.
  case monochrome
  /// Code is in colour, too.
  case coloured

  /// The indentation of plain text below its headings, in cells.
  private static let plainIndentation = 4

  /// The indentation of everything except headings, in cells.
  fileprivate var indentation: Int { self == .plain ? Self.plainIndentation : 0 }

  /// Returns the text with the terminal's sequences (SGR of ECMA-48, 8.3.117).
  ///
  /// Plain text has none, and its headings are in capitals except for code.
  package func printed(_ text: MarkdownDocument.Text) -> String {
    text.pieces.map { piece in
      if self == .plain, piece.role == .heading { return piece.text.string.uppercased() }
      guard let code = code(of: piece.role) else { return piece.text.string }
      return "\u{1b}[\(code)m\(piece.text.string)\u{1b}[0m"
    }.joined()
  }

  /// Returns the SGR parameter of a role; nil for plain text.
  private func code(of role: MarkdownRole) -> Int? {
    guard self != .plain else { return nil }
    return switch role {
    case .text: nil
    case .heading, .strong: 1
    case .code: self == .coloured ? 36 : nil
    case .link: 4
    case .dim, .rule: 2
    }
  }
}

extension MarkdownDocument {
  /// Returns the document in lines of at most `width` cells, each with its line end.
  ///
  /// In plain text, lines of code may be wider.
  package func printed(width: Int, _ style: TextStyle) -> String {
    lines(width: width, indentation: style.indentation, cutsCode: style != .plain)
      .map { style.printed($0) + "\n" }.joined()
  }
}
