import BellhopScreen
import BellhopText

/// A Markdown body, drawn as headings, lists, quotes, code, rules and paragraphs.
///
/// Paragraphs contain emphasis, code and links. Parses a subset of CommonMark 0.31.2 in one pass.
/// Anything else, above all tables and HTML, is shown as written. A link always shows its target,
/// whatever its text says.
struct MarkdownBody {
  let width: Int

  /// The maximum size; longer bodies are shown as written, because some marks need a long search.
  static let charactersMax = 16_384
  /// The maximum indentation level of lists.
  private static let depthMax = 4

  private var lines: [StyledLine] = []
  private var paragraph: [Substring] = []
  private var context = Context()
  /// The mark that opened a code block, and its length.
  private var fence: (mark: Character, count: Int)?

  /// The margin before the lines of a paragraph, and their role.
  private struct Context: Hashable {
    var first: StyledLine.Piece?
    var rest: StyledLine.Piece?
    var role = StyleRole.text
  }

  static func lines(of text: SafeText, width: Int) -> [StyledLine] {
    guard width > 0 else { return [] }
    guard text.string.utf8.count <= charactersMax else {
      return text.wrapped(to: width).map { StyledLine($0) }
    }
    var body = MarkdownBody(width: width)
    for line in text.string.split(separator: "\n", omittingEmptySubsequences: false) {
      body.take(line)
    }
    body.endParagraph()
    while body.lines.last == .empty { body.lines.removeLast() }
    // A text of nothing but marks is shown as written.
    return body.lines.isEmpty ? text.wrapped(to: width).map { StyledLine($0) } : body.lines
  }

  private init(width: Int) { self.width = width }

  // MARK: Blocks

  private mutating func take(_ line: Substring) {
    let indent = line.prefix { $0 == " " }.count
    let rest = line.dropFirst(indent)
    if let fence {
      if indent < 4, Self.run(of: fence.mark, in: rest) >= fence.count,
        rest.allSatisfy({ $0 == fence.mark || $0 == " " })
      {
        self.fence = nil
      } else {
        addCode(line)
      }
      return
    }
    if rest.isEmpty { return takeBlank() }
    if takeFence(rest) || takeHeading(rest) || takeRule(rest) || takeQuote(rest)
      || takeListItem(rest, indent: indent)
    {
      return
    }
    // Indented code would need four blanks from the margin of its list; it is rare, and shown as a
    // paragraph.
    paragraph.append(line)
  }

  private mutating func takeBlank() {
    endParagraph()
    context = Context()
    if let last = lines.last, last != .empty { lines.append(.empty) }
  }

  private mutating func takeFence(_ line: Substring) -> Bool {
    guard let mark = line.first, mark == "`" || mark == "~" else { return false }
    let count = Self.run(of: mark, in: line)
    guard count >= 3, mark == "~" || !line.dropFirst(count).contains("`") else { return false }
    endParagraph()
    fence = (mark, count)
    return true
  }

  private mutating func takeHeading(_ line: Substring) -> Bool {
    let level = Self.run(of: "#", in: line)
    guard (1...6).contains(level) else { return false }
    var title = line.dropFirst(level)
    guard title.isEmpty || title.first == " " else { return false }
    endParagraph()
    context = Context()
    while title.last == " " || title.last == "#" { title.removeLast() }
    add(MarkdownInline.text(String(title.drop { $0 == " " }), base: .accent), Context())
    return true
  }

  private mutating func takeRule(_ line: Substring) -> Bool {
    guard let mark = line.first, mark == "-" || mark == "*" || mark == "_",
      line.allSatisfy({ $0 == mark || $0 == " " }), line.count(where: { $0 == mark }) >= 3
    else { return false }
    endParagraph()
    lines.append(StyledLine(SafeText(String(repeating: "─", count: width)), .rule))
    return true
  }

  private mutating func takeQuote(_ line: Substring) -> Bool {
    guard line.first == ">" else { return false }
    var inner = line.dropFirst()
    if inner.first == " " { inner.removeFirst() }
    let bar = StyledLine.Piece(text: "│ ", role: .rule)
    let quoted = Context(first: bar, rest: bar, role: .dim)
    if context != quoted { endParagraph() }
    context = quoted
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
    let margin = SafeText.blanks(depth * 2)
    context = Context(
      first: StyledLine.Piece(text: margin + marker, role: .dim),
      rest: StyledLine.Piece(text: margin + .blanks(marker.width), role: .dim))
    paragraph.append(rest)
    return true
  }

  private mutating func addCode(_ line: Substring) {
    let code = SafeText(String(line), byteLimit: SafeText.bodyBytesMax)
    var room = code
    repeat {
      let part = room.prefix(cells: max(1, width - 2))
      lines.append(StyledLine("  " + part, .code))
      guard part.width > 0 else { break }
      room = SafeText(
        String(room.string.unicodeScalars.dropFirst(part.string.unicodeScalars.count)),
        byteLimit: SafeText.bodyBytesMax)
    } while !room.isEmpty
  }

  private mutating func endParagraph() {
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
    for text in texts {
      add(MarkdownInline.text(text, base: context.role), context)
      context.first = context.rest
    }
  }

  private mutating func add(_ text: StyledText, _ context: Context) {
    // A margin that leaves no room for words is omitted.
    let fits = (context.first?.text.width ?? 0) + 4 <= width
    lines += text.lines(
      to: width, first: fits ? context.first : nil, rest: fits ? context.rest : nil)
  }

  private static func run(of mark: Character, in text: Substring) -> Int {
    text.prefix { $0 == mark }.count
  }
}
