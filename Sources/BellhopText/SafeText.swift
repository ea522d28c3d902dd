/// Text that is safe to draw, made from untrusted input.
///
/// The screen, the window title, the desktop notifier, the log and the plain command-line output
/// accept no other kind of text; the last also accepts ``PrintedText``.
///
/// It guarantees for `string`:
/// - No control characters (C0, DEL, C1) and no line or paragraph separators: each becomes a
///   visible mark of one cell. Line feeds stay only if the caller keeps line breaks.
/// - No invisible characters: bidirectional controls, zero-width and filler characters, byte-order
///   marks, soft hyphens, tags and unassigned code points are dropped or shown as `U+FFFD`.
/// - Every cluster is one spacing scalar with at most four combining ones (≤ 20 bytes), so ncurses,
///   tmux and `width` count the same cells. Emoji composed of several scalars are replaced: a
///   family or a skin tone by its first picture, a flag by its region code in brackets (`[DE]`),
///   the flag of a part of a country by the black flag, a keycap by the character on the key.
///   Variation selectors are dropped.
/// - Right-to-left text stays in logical order and contains no control characters: a field always
///   takes the cells it counts, and cannot change the order of another field.
package struct SafeText: Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringInterpolation
{
  /// The handling of line breaks (LF, CR, CRLF) in untrusted text.
  ///
  /// Line breaks at the end are always removed.
  package enum LineBreaks: Sendable {
    /// Each line break becomes a visible mark: for titles, names and other single-line text.
    case removed
    /// Each run of line breaks, with the blanks around it, becomes one space: for previews of
    /// bodies.
    case joined
    /// Line breaks stay as line feeds, and tabs become blanks: for bodies.
    case kept
  }

  /// The maximum size of a title, in bytes.
  package static let titleBytesMax = 512
  /// The maximum size of a body on the screen, in bytes; a published body is far smaller.
  package static let bodyBytesMax = 65_536

  /// The cleaned text.
  package let string: String
  /// The width of the text on one line, in cells; a kept line break counts as one blank.
  package let width: Int

  init(checked string: String, width: Int) {
    self.string = string
    self.width = width
  }

  /// Makes untrusted text safe: the only path from untrusted text to the screen.
  ///
  /// Time and memory are linear in the size of `untrusted`, up to the limit.
  /// - Parameters:
  ///   - untrusted: Any text.
  ///   - lineBreaks: The handling of line breaks.
  ///   - byteLimit: The maximum size of `string`, in bytes; longer text is cut between clusters and
  ///     ends in "…".
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

  /// Creates text from a literal of the program, cleaned the same way; keeps line breaks.
  package init(stringLiteral value: String) {
    self.init(value, lineBreaks: .kept, byteLimit: SafeText.bodyBytesMax)
  }

  /// The empty text.
  package static let empty = SafeText(checked: "", width: 0)

  /// Creates a line of `count` blanks.
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

  /// Returns the text if it is printable ASCII within the limit, which is the most common case.
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
