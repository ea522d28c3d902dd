/// Text that is safe to print as it is: ``SafeText``, but with composed emoji whole.
///
/// A terminal may give such an emoji any width, so this text has none and cannot be drawn on the
/// screen. Everything else is as in ``SafeText``.
package struct PrintedText: Hashable, Sendable, CustomStringConvertible {
  /// The checked text.
  package let string: String

  /// The text of a part that is safe already.
  package init(_ text: SafeText) { string = text.string }

  /// Makes text safe; the parameters are those of
  /// ``SafeText/init(_:lineBreaks:byteLimit:)``.
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

  /// The lines between kept line breaks; one empty line for no text.
  package var lines: [PrintedText] {
    string.split(separator: "\n", omittingEmptySubsequences: false)
      .map { PrintedText(checked: String($0)) }
  }

  package static func + (left: PrintedText, right: PrintedText) -> PrintedText {
    PrintedText(checked: left.string + right.string)
  }
}
