import BellhopModel
import BellhopScreen
import BellhopText

/// The format of a body, which determines how it is drawn.
package enum BodyFormat: Hashable, Sendable {
  case plain
  case markdown
  /// Raw content: laid out if it is JSON, otherwise shown unchanged.
  case raw

  init(of content: Content) {
    if content.visual == nil {
      self = .raw
    } else {
      self = content.extras.markdown == true ? .markdown : .plain
    }
  }

  /// Wraps the text to lines of at most `width` cells; empty for empty text.
  func lines(of text: SafeText, width: Int) -> [StyledLine] {
    guard !text.isEmpty else { return [] }
    return switch self {
    case .plain: text.wrapped(to: width).map { StyledLine($0) }
    case .markdown: MarkdownBody.lines(of: text, width: width)
    case .raw:
      JSONBody.lines(of: text, width: width, foldDepth: nil)
        ?? text.wrapped(to: width).map { StyledLine($0, .code) }
    }
  }
}
