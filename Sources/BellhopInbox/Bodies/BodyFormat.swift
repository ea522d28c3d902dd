import BellhopModel
import BellhopScreen
import BellhopText

/// How a body is written, and so how it is drawn.
package enum BodyFormat: Hashable, Sendable {
  case plain
  case markdown
  /// Raw content: laid out where it is JSON, else as it is.
  case raw

  init(of content: Content) {
    if content.visual == nil {
      self = .raw
    } else {
      self = content.extras.markdown == true ? .markdown : .plain
    }
  }

  /// The text in lines of at most `width` cells; none for no text.
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
