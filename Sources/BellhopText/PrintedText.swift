/// Text that is safe to print: ``SafeText`` that keeps composed emoji.
///
/// Terminals draw such emoji with different widths, so this text has no width and cannot be drawn
/// on the screen. Otherwise it is the same as ``SafeText``.
package struct PrintedText: Hashable, Sendable, CustomStringConvertible {
  /// The cleaned text.
  package let string: String

  /// Creates printed text from text that is already safe.
  package init(_ text: SafeText) { string = text.string }

  /// Makes untrusted text safe; for the parameters, see ``SafeText/init(_:lineBreaks:byteLimit:)``.
  package init(
    untrusted: String, lineBreaks: SafeText.LineBreaks = .removed,
    byteLimit: Int = SafeText.titleBytesMax
  ) {
    var cleaner = TextCleaner(
      lineBreaks: lineBreaks, byteLimit: byteLimit, keepsComposedEmoji: true)
    string = cleaner.clean(untrusted).string
  }

  private init(checked string: String) { self.string = string }

  package var description: String { string }

  /// The lines between kept line breaks; one empty line for empty text.
  package var lines: [PrintedText] {
    string.split(separator: "\n", omittingEmptySubsequences: false)
      .map { PrintedText(checked: String($0)) }
  }

  package static func + (left: PrintedText, right: PrintedText) -> PrintedText {
    PrintedText(checked: left.string + right.string)
  }
}
