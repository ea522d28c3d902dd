/// Text that is safe to draw: the only kind of text the screen, the window title, the desktop
/// notifier, the log and the plain command-line output accept; the last accepts ``PrintedText``, too.
///
/// Made from anything a stranger sends. What it guarantees about `string`:
/// - no control character (C0, DEL, C1), no line or paragraph separator: each becomes a visible
///   mark of one cell; line feeds stay only where the caller asked to keep line breaks;
/// - nothing invisible: bidirectional controls, zero-width and filler characters, byte-order marks,
///   soft hyphens, tags and unassigned code points are dropped or shown as `U+FFFD`;
/// - every cluster is one spacing scalar with at most four combining ones (≤ 20 bytes), so ncurses,
///   tmux and `width` count the same cells. Emoji that are composed of several scalars get a
///   substitute: a family or a skin tone its first picture, a flag its region code in brackets
///   (`[DE]`), the flag of a part of a country the black flag, a keycap the character on the key.
///   Variation selectors are dropped;
/// - right-to-left text stays in logical order and without control characters: a field always takes
///   the cells it counts, and no field can turn the order of another.
package struct SafeText: Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringInterpolation
{
  /// What happens to line breaks (LF, CR, CRLF) in untrusted text. Those at the end always go.
  package enum LineBreaks: Sendable {
    /// Each becomes a visible mark: titles, names, anything of one line by nature.
    case removed
    /// Each run of them, with the blanks around it, becomes one space: a preview of a body.
    case joined
    /// They stay, as line feeds, and tabs become blanks: bodies.
    case kept
  }

  /// The largest title, in bytes.
  package static let titleBytesMax = 512
  /// The largest body a screen draws, in bytes; a publish body is far smaller.
  package static let bodyBytesMax = 65_536

  /// The checked text.
  package let string: String
  /// Cells the text takes on one line; a kept line break counts as one blank.
  package let width: Int

  init(checked string: String, width: Int) {
    self.string = string
    self.width = width
  }

  /// Makes text safe: the one choke point.
  ///
  /// Time and memory are linear in `untrusted`, and end at the limit.
  /// - Parameters:
  ///   - untrusted: Anything at all.
  ///   - lineBreaks: What becomes of line breaks.
  ///   - byteLimit: The largest `string`, in bytes; longer text is cut between clusters and ends
  ///     in "…".
  package init(
    _ untrusted: String, lineBreaks: LineBreaks = .removed, byteLimit: Int = SafeText.titleBytesMax
  ) {
    if let plain = SafeText.plainASCII(untrusted, byteLimit: byteLimit) {
      self = plain
      return
    }
    var cleaner = TextCleaner(lineBreaks: lineBreaks, byteLimit: byteLimit)
    self = cleaner.clean(untrusted)
  }

  /// A literal of the program, checked the same way; line breaks are kept.
  package init(stringLiteral value: String) {
    self.init(value, lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax)
  }

  /// No text at all.
  package static let empty = SafeText(checked: "", width: 0)

  /// A line of `count` blanks.
  package static func blanks(_ count: Int) -> SafeText {
    let count = max(0, count)
    return SafeText(checked: String(repeating: " ", count: count), width: count)
  }

  package var isEmpty: Bool { string.isEmpty }

  package var description: String { string }

  package static func + (left: SafeText, right: SafeText) -> SafeText {
    SafeText(checked: left.string + right.string, width: left.width + right.width)
  }

  package static func += (left: inout SafeText, right: SafeText) {
    left = left + right
  }

  /// The text when it is printable ASCII within the limit, by far the most common case.
  private static func plainASCII(_ text: String, byteLimit: Int) -> SafeText? {
    var bytes = 0
    for byte in text.utf8 {
      guard byte >= 0x20, byte < 0x7F else { return nil }
      bytes += 1
      guard bytes <= byteLimit else { return nil }
    }
    return SafeText(checked: text, width: bytes)
  }
}
