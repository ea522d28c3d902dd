internal import BellhopText

extension RoffWriter {
  /// Writes a topic of the manual as a section of the page.
  ///
  /// Generated parts are left out: other parts of the page contain the same.
  mutating func topic(_ topic: Topic) {
    section(topic.title)
    body(of: topic)
  }

  /// Writes a topic without its title.
  mutating func body(of topic: Topic) {
    // The summary only belongs in a list of topics.
    let lines = topic.markdown.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3)
    markdown(lines.joined(separator: "\n"))
  }

  /// Writes the blocks of Markdown text.
  mutating func markdown(_ text: String) {
    for block in MarkdownDocument(Self.withoutGenerated(text), .manPage).blocks {
      switch block {
      case .heading(_, let text): subsection(text.pieces.map(\.text.string).joined())
      case .paragraph(let texts, let margin):
        begin(itemMark: margin.itemMark?.string)
        for (index, text) in texts.enumerated() {
          if index > 0 { raw([".br"]) }
          raw([Self.inline(text)])
        }
      case .code(let lines): code(lines.map(\.string))
      case .table(let rows): for row in rows.dropFirst() { entry(row) }
      case .rule, .blank: break
      }
    }
  }

  /// Begins a list item, or any other paragraph if there is no mark.
  private mutating func begin(itemMark: String?) {
    let mark = itemMark?.split(separator: " ").first
    switch mark {
    case nil: raw([".PP"])
    case "•"?: raw([".IP \\(bu 2"])
    case let number?: raw([".IP \(number) 4"])
    }
  }

  /// Writes a row of a table as an entry: the first column is the tag.
  private mutating func entry(_ row: [MarkdownDocument.Text]) {
    let cells = row.filter { !$0.isEmpty }.map(Self.inline)
    guard let tag = cells.first else { return }
    let text = cells.dropFirst().joined(separator: ". ")
    raw([".TP", tag, text.isEmpty ? "\\&" : text])
  }

  /// Returns the text of a paragraph as one line: code and strong words are bold.
  static func inline(_ text: MarkdownDocument.Text) -> String {
    text.pieces.reduce(into: "") { line, piece in
      switch piece.role {
      case .code: line += bold(piece.text.string)
      case .strong: line += "\\fB" + prose(piece.text.string, after: line) + "\\fR"
      case .text, .heading, .link, .dim, .rule: line += prose(piece.text.string, after: line)
      }
    }
  }

  /// Returns prose, which only at the beginning of a line is protected from being a request.
  private static func prose(_ text: String, after line: String) -> String {
    let text = escaped(text, as: .prose)
    return line.isEmpty || !text.hasPrefix("\\&") ? text : String(text.dropFirst(2))
  }

  /// Returns the lines outside the markers of generated sections.
  private static func withoutGenerated(_ text: String) -> String {
    var isGenerated = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      if line.hasPrefix("<!-- generated:") { isGenerated = true }
      defer { if line.hasPrefix("<!-- end:") { isGenerated = false } }
      return !isGenerated
    }.joined(separator: "\n")
  }
}

extension MarkdownDialect {
  /// The manual in a page for man(1): links keep their text, and web links also their address.
  fileprivate static let manPage = MarkdownDialect(hasTables: true) { label, target in
    target.contains("://") ? targetNote(label: label, target: target) : nil
  }
}
