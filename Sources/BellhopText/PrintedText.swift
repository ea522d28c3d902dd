/// Text that is safe to print as it is: ``SafeText``, but with composed emoji whole.
///
/// A terminal may give such an emoji any width, so this text has none and cannot be drawn on the
/// screen. Everything else is as in ``SafeText``.
public struct PrintedText: Hashable, Sendable, CustomStringConvertible {
  /// The checked text.
  public let string: String

  /// The text of a part that is safe already.
  public init(_ text: SafeText) { string = text.string }

  /// Makes text safe; the parameters are those of
  /// ``SafeText/init(_:lineBreaks:byteLimit:)``.
  public init(
    untrusted: String, lineBreaks: SafeText.LineBreaks = .removed,
    byteLimit: Int = SafeText.titleBytesMax
  ) {
    var cleaner = TextCleaner(
      lineBreaks: lineBreaks, byteLimit: byteLimit, keepsComposedEmoji: true)
    string = cleaner.clean(untrusted).string
  }

  private init(checked string: String) { self.string = string }

  public var description: String { string }

  /// The lines between kept line breaks; one empty line for no text.
  public var lines: [PrintedText] {
    string.split(separator: "\n", omittingEmptySubsequences: false)
      .map { PrintedText(checked: String($0)) }
  }

  public static func + (left: PrintedText, right: PrintedText) -> PrintedText {
    PrintedText(checked: left.string + right.string)
  }
}
