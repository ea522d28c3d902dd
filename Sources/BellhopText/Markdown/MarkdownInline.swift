/// Emphasis, code and links inside a Markdown paragraph.
struct MarkdownInline {
  private let characters: [Character]
  private var position = 0
  private var result = RoleText<MarkdownRole>()
  private var plain = ""
  private let base: MarkdownRole
  private let dialect: MarkdownDialect
  /// The targets of the links read so far.
  private(set) var links: [String] = []
  /// The marks that opened emphasis and have not closed it.
  private var open: [String] = []
  /// The next closing position of each mark, cached; past the end if there is none.
  private var nextClosing: [String: Int] = [:]

  /// The maximum lengths of a link's text and of its target, in characters.
  private static let labelMax = 512
  private static let targetMax = 2048

  init(_ text: String, base: MarkdownRole, _ dialect: MarkdownDialect) {
    characters = Array(text)
    self.base = base
    self.dialect = dialect
  }

  /// Parses the text to its end.
  mutating func read() -> RoleText<MarkdownRole> {
    while position < characters.count { take() }
    flush()
    return result
  }

  private var role: MarkdownRole {
    if open.contains("~~") { return .dim }
    return open.contains { $0.count == 2 } ? .strong : base
  }

  private mutating func flush() {
    result.append(SafeText(plain, byteLimit: SafeText.bodyBytesMax), role)
    plain = ""
  }

  private mutating func add(_ text: String, _ role: MarkdownRole) {
    flush()
    result.append(SafeText(text, byteLimit: SafeText.bodyBytesMax), role)
  }

  private func at(_ index: Int) -> Character? {
    characters.indices.contains(index) ? characters[index] : nil
  }

  private mutating func take() {
    let character = characters[position]
    switch character {
    case "\\":
      if let next = at(position + 1), next.isPunctuation || next.isSymbol {
        plain.append(next)
        position += 2
        return
      }
    case "`": if takeCode() { return }
    case "*", "_", "~": if takeEmphasis(character) { return }
    case "!": if at(position + 1) == "[", takeLink(from: position + 1, isImage: true) { return }
    case "[": if takeLink(from: position, isImage: false) { return }
    case "<": if takeAutomaticLink() { return }
    case "h": if takeBareLink() { return }
    default: break  // open: Character
    }
    plain.append(character)
    position += 1
  }

  private mutating func takeCode() -> Bool {
    let count = characters[position...].prefix { $0 == "`" }.count
    let start = position + count
    var end = start
    while end < characters.count {
      let run = characters[end...].prefix { $0 == "`" }.count
      if run == count {
        var code = String(characters[start..<end])
        if code.count > 2, code.first == " ", code.last == " " {
          code = String(code.dropFirst().dropLast())
        }
        add(code, .code)
        position = end + run
        return true
      }
      end += max(1, run)
    }
    return false
  }

  /// Begins or ends emphasis at a mark on the outside of a word.
  ///
  /// Inside a word, or on its own, the mark is a plain character.
  private mutating func takeEmphasis(_ mark: Character) -> Bool {
    let run = characters[position...].prefix { $0 == mark }.count
    let count = min(run, 2)
    guard mark != "~" || count == 2 else { return false }
    let sign = String(repeating: mark, count: count)
    let before = position > 0 ? at(position - 1) : nil
    let after = at(position + count)
    if let index = open.lastIndex(of: sign), before.map({ !$0.isWhitespace }) ?? false,
      mark != "_" || after.map({ !Self.isWord($0) }) ?? true
    {
      flush()
      open.remove(at: index)
    } else if after.map({ !$0.isWhitespace }) ?? false,
      mark != "_" || before.map({ !Self.isWord($0) }) ?? true, closes(sign, from: position + count)
    {
      flush()
      open.append(sign)
    } else {
      return false
    }
    position += count
    return true
  }

  /// Whether the mark occurs again after a non-blank character.
  private mutating func closes(_ sign: String, from start: Int) -> Bool {
    if let known = nextClosing[sign], known > start { return known < characters.count }
    let marks = Array(sign)
    var index = start + 1
    while index + marks.count <= characters.count {
      if characters[index..<index + marks.count].elementsEqual(marks),
        !characters[index - 1].isWhitespace
      {
        nextClosing[sign] = index
        return true
      }
      index += 1
    }
    nextClosing[sign] = characters.count
    return false
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }

  /// Parses `[text](target)`, and adds the dialect's note about the target.
  private mutating func takeLink(from start: Int, isImage: Bool) -> Bool {
    guard let close = end(of: "[", "]", from: start, within: Self.labelMax),
      at(close + 1) == "(",
      let last = end(of: "(", ")", from: close + 1, within: Self.targetMax)
    else { return false }
    let text = String(characters[start + 1..<close])
    var target = String(characters[close + 2..<last])
    // A title after the target is omitted.
    if let blank = target.firstIndex(where: \.isWhitespace) { target = String(target[..<blank]) }
    if target.hasPrefix("<"), target.hasSuffix(">") {
      target = String(target.dropFirst().dropLast())
    }
    let label = text.isEmpty ? (isImage ? "image" : target) : text
    links.append(target)
    if label.hasPrefix("`"), label.hasSuffix("`"), label.count > 2, dialect.hasTables {
      add(String(label.dropFirst().dropLast()), .code)
    } else {
      add(label, isImage ? .dim : .link)
    }
    if let note = dialect.linkNote(label, target) { add(" " + note, .dim) }
    position = last + 1
    return true
  }

  /// Finds the bracket that closes the one at `start`.
  private func end(
    of opening: Character, _ closing: Character, from start: Int, within limit: Int
  ) -> Int? {
    var depth = 0
    for index in start..<min(characters.count, start + limit) {
      if characters[index] == opening { depth += 1 }
      if characters[index] == closing {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }

  private mutating func takeAutomaticLink() -> Bool {
    let limit = min(characters.count, position + Self.targetMax)
    guard at(position + 1) == "h", let end = characters[position..<limit].firstIndex(of: ">") else {
      return false
    }
    let target = String(characters[position + 1..<end])
    guard target.hasPrefix("https://") || target.hasPrefix("http://"),
      !target.contains(where: \.isWhitespace)
    else { return false }
    add(target, .link)
    position = end + 1
    return true
  }

  /// Parses a bare link, which ends before a blank or the punctuation that ends its sentence.
  private mutating func takeBareLink() -> Bool {
    guard position == 0 || !Self.isWord(characters[position - 1]) else { return false }
    let head = String(characters[position...].prefix(8))
    guard head.hasPrefix("https://") || head.hasPrefix("http://") else { return false }
    var target = characters[position...].prefix { !$0.isWhitespace && !"<>\"`".contains($0) }
    while let last = target.last, ".,;:!?)*_'".contains(last) { target.removeLast() }
    guard target.count > 8 else { return false }
    add(String(target), .link)
    position += target.count
    return true
  }
}
