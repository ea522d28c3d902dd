/// The features of Markdown that differ between bodies of items and the manual.
package struct MarkdownDialect: Sendable {
  /// Whether pipe tables are laid out, and comment lines dropped.
  let hasTables: Bool
  /// Returns the text after a link's label; nil adds nothing.
  let linkNote: @Sendable (_ label: String, _ target: String) -> String?

  package init(
    hasTables: Bool, linkNote: @escaping @Sendable (_ label: String, _ target: String) -> String?
  ) {
    self.hasTables = hasTables
    self.linkNote = linkNote
  }

  /// The dialect of untrusted bodies, which always shows the target of a link.
  package static let body = MarkdownDialect(hasTables: false, linkNote: targetNote)

  /// Returns the target of a link in angle brackets, unless it equals the label.
  @Sendable package static func targetNote(label: String, target: String) -> String? {
    target.isEmpty || target == label ? nil : "<" + target + ">"
  }
}

/// The meaning of a piece of Markdown.
package enum MarkdownRole: Hashable, Sendable {
  case text
  case heading
  /// Strong emphasis.
  case strong
  case code
  case link
  /// Marks, quotes and targets of links.
  case dim
  /// Horizontal rules and the bars of quotes.
  case rule
}
