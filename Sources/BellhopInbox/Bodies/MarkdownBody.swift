import BellhopScreen
import BellhopText

/// A Markdown body, drawn as headings, lists, quotes, code, rules and paragraphs.
///
/// Tables and HTML are shown as written. A link always shows its target, whatever its text says.
enum MarkdownBody {
  /// The maximum size; longer bodies are shown as written, because some marks need a long search.
  static let charactersMax = 16_384

  static func lines(of text: SafeText, width: Int) -> [StyledLine] {
    guard width > 0 else { return [] }
    guard text.string.utf8.count <= charactersMax else {
      return text.wrapped(to: width).map { StyledLine($0) }
    }
    let lines = MarkdownDocument(text.string, .body).lines(width: width)
    // A text of nothing but marks is shown as written.
    return lines.isEmpty
      ? text.wrapped(to: width).map { StyledLine($0) } : lines.map { StyledLine($0) }
  }
}

extension StyledLine {
  /// Creates a line from laid out Markdown.
  init(_ text: MarkdownDocument.Text) {
    var styled = StyledText()
    for piece in text.pieces { styled.append(piece.text, StyleRole(piece.role)) }
    self.init(styled.pieces)
  }
}

extension StyleRole {
  fileprivate init(_ role: MarkdownRole) {
    self =
      switch role {
      case .text: .text
      case .heading: .accent
      case .strong: .unread
      case .code: .code
      case .link: .link
      case .dim: .dim
      case .rule: .rule
      }
  }
}
