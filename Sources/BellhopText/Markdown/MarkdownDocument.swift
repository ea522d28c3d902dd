/// A Markdown text as headings, lists, quotes, code, tables, rules and paragraphs.
///
/// Paragraphs contain emphasis, code and links. Parses a subset of CommonMark 0.31.2 in one pass,
/// and pipe tables as GitHub Flavored Markdown has them. Anything else, above all HTML, is kept as
/// written.
package struct MarkdownDocument: Hashable, Sendable {
  package typealias Text = RoleText<MarkdownRole>

  package enum Block: Hashable, Sendable {
    case heading(level: Int, Text)
    /// A paragraph or a list item, with one text per hard line break.
    case paragraph([Text], Margin)
    case code([SafeText])
    /// The rows of a table, its header first.
    case table([[Text]])
    case rule
    case blank
  }

  /// The margin before the lines of a paragraph: the mark of a list or the bar of a quote.
  package struct Margin: Hashable, Sendable {
    var first: Text.Piece?
    var rest: Text.Piece?
    var role = MarkdownRole.text

    /// The mark of a list item with its indentation, such as `• `; nil for any other paragraph.
    package var itemMark: SafeText? { first == rest ? nil : first?.text }
  }

  package private(set) var blocks: [Block] = []
  /// The targets of all links, in order.
  package private(set) var links: [String] = []

  private let dialect: Dialect
  private var paragraph: [Substring] = []
  private var margin = Margin()
  private var table: [[Text]] = []
  /// The mark that opened a code block, and its length.
  private var fence: Fence?

  /// The maximum indentation level of lists.
  private static let depthMax = 4

  private struct Fence: Hashable {
    var mark: Character
    var count: Int
    var lines: [SafeText] = []
  }

  /// A dialect, ignored by comparisons.
  private struct Dialect: Hashable, Sendable {
    let value: MarkdownDialect

    static func == (left: Dialect, right: Dialect) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  package init(_ text: String, _ dialect: MarkdownDialect) {
    self.dialect = Dialect(value: dialect)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { take(line) }
    endParagraph()
    endFence()
  }

  // MARK: - Blocks

  private mutating func take(_ line: Substring) {
    let indent = line.prefix { $0 == " " }.count
    let rest = line.dropFirst(indent)
    if let fence {
      if indent < 4, Self.run(of: fence.mark, in: rest) >= fence.count,
        rest.allSatisfy({ $0 == fence.mark || $0 == " " })
      {
        endFence()
      } else {
        self.fence?.lines.append(SafeText(String(line), byteLimit: SafeText.bodyBytesMax))
      }
      return
    }
    if rest.isEmpty { return takeBlank() }
    if dialect.value.hasTables {
      if rest.hasPrefix("<!--") { return }
      if rest.hasPrefix("|") { return takeTableRow(rest) }
    }
    if takeFence(rest) || takeHeading(rest) || takeRule(rest) || takeQuote(rest)
      || takeListItem(rest, indent: indent)
    {
      return
    }
    // Indented code would need four blanks from the margin of its list; it is rare, and shown as a
    // paragraph.
    endTable()
    paragraph.append(line)
  }

  private mutating func takeBlank() {
    endParagraph()
    margin = Margin()
    if let last = blocks.last, last != .blank { blocks.append(.blank) }
  }

  private mutating func takeFence(_ line: Substring) -> Bool {
    guard let mark = line.first, mark == "`" || mark == "~" else { return false }
    let count = Self.run(of: mark, in: line)
    guard count >= 3, mark == "~" || !line.dropFirst(count).contains("`") else { return false }
    endParagraph()
    fence = Fence(mark: mark, count: count)
    return true
  }

  private mutating func endFence() {
    guard let fence else { return }
    self.fence = nil
    if !fence.lines.isEmpty { blocks.append(.code(fence.lines)) }
  }

  private mutating func takeHeading(_ line: Substring) -> Bool {
    let level = Self.run(of: "#", in: line)
    guard (1...6).contains(level) else { return false }
    var title = line.dropFirst(level)
    guard title.isEmpty || title.first == " " else { return false }
    endParagraph()
    margin = Margin()
    while title.last == " " || title.last == "#" { title.removeLast() }
    let text = inline(String(title.drop { $0 == " " }), base: .heading)
    blocks.append(.heading(level: level, text))
    return true
  }

  private mutating func takeRule(_ line: Substring) -> Bool {
    guard let mark = line.first, mark == "-" || mark == "*" || mark == "_",
      line.allSatisfy({ $0 == mark || $0 == " " }), line.count(where: { $0 == mark }) >= 3
    else { return false }
    endParagraph()
    blocks.append(.rule)
    return true
  }

  private mutating func takeQuote(_ line: Substring) -> Bool {
    guard line.first == ">" else { return false }
    var inner = line.dropFirst()
    if inner.first == " " { inner.removeFirst() }
    let bar = Text.Piece(text: "│ ", role: .rule)
    let quoted = Margin(first: bar, rest: bar, role: .dim)
    if margin != quoted { endParagraph() }
    margin = quoted
    if inner.allSatisfy({ $0 == " " }) {
      endParagraph()
    } else {
      paragraph.append(inner)
    }
    return true
  }

  private mutating func takeListItem(_ line: Substring, indent: Int) -> Bool {
    let marker: SafeText
    var rest: Substring
    if let mark = line.first, mark == "-" || mark == "*" || mark == "+" {
      marker = "• "
      rest = line.dropFirst()
    } else {
      let digits = line.prefix { $0.isASCII && $0.isNumber }
      let end = line.dropFirst(digits.count).first
      guard (1...9).contains(digits.count), end == "." || end == ")" else { return false }
      marker = SafeText(digits + ". ")
      rest = line.dropFirst(digits.count + 1)
    }
    guard rest.isEmpty || rest.first == " " else { return false }
    rest = rest.drop { $0 == " " }
    endParagraph()
    let depth = min(indent / 2, Self.depthMax)
    let blanks = SafeText.blanks(depth * 2)
    margin = Margin(
      first: Text.Piece(text: blanks + marker, role: .dim),
      rest: Text.Piece(text: blanks + .blanks(marker.width), role: .dim))
    paragraph.append(rest)
    return true
  }

  /// Ends the paragraph or table before a block of another kind.
  private mutating func endParagraph() {
    endTable()
    guard !paragraph.isEmpty else { return }
    // Two blanks or a backslash at the end of a line break it.
    var text = ""
    var texts: [String] = []
    for line in paragraph {
      let isHardBreak = line.hasSuffix("  ") || line.hasSuffix("\\")
      var content = line.drop { $0 == " " }
      while content.last == " " { content.removeLast() }
      if isHardBreak, content.last == "\\" { content.removeLast() }
      text += (text.isEmpty ? "" : " ") + content
      if isHardBreak {
        texts.append(text)
        text = ""
      }
    }
    if !text.isEmpty { texts.append(text) }
    paragraph = []
    guard !texts.isEmpty else { return }
    blocks.append(.paragraph(texts.map { inline($0, base: margin.role) }, margin))
    margin.first = margin.rest
  }

  private mutating func inline(_ text: String, base: MarkdownRole) -> Text {
    var inline = MarkdownInline(text, base: base, dialect.value)
    defer { links += inline.links }
    return inline.read()
  }

  private static func run(of mark: Character, in text: Substring) -> Int {
    text.prefix { $0 == mark }.count
  }

  // MARK: - Tables

  private mutating func takeTableRow(_ line: Substring) {
    if table.isEmpty { endParagraph() }
    let cells = Self.cells(of: line)
    // The row of dashes below the header.
    if cells.allSatisfy({ $0.contains("-") && $0.allSatisfy { "-:".contains($0) } }) { return }
    table.append(cells.map { inline($0, base: .text) })
  }

  private mutating func endTable() {
    guard !table.isEmpty else { return }
    blocks.append(.table(table))
    table = []
  }

  /// Returns the trimmed cells of a row, in which `\|` stands for a bar.
  private static func cells(of line: Substring) -> [String] {
    var cells = [""]
    var isEscaped = false
    for character in line {
      if character == "|" {
        if isEscaped {
          cells[cells.count - 1].removeLast()
        } else {
          cells.append("")
          continue
        }
      }
      cells[cells.count - 1].append(character)
      isEscaped = character == "\\" && !isEscaped
    }
    let trimmed = cells.dropFirst().map { cell in
      var cell = cell.drop { $0 == " " }
      while cell.last == " " { cell.removeLast() }
      return String(cell)
    }
    return trimmed.last == "" ? trimmed.dropLast() : trimmed
  }
}
