import BellhopModel
import BellhopScreen
import BellhopText

/// A JSON body, laid out with one value per line and deep levels folded.
///
/// Parses token by token and keeps the text: numbers and strings are not interpreted, keys are not
/// reordered. RFC 8259.
struct JSONBody {
  /// The depth below which objects and arrays are folded; nil folds nothing.
  let foldDepth: Int?
  private let bytes: [UInt8]
  private var position = 0
  private var line = StyledText()
  private var lines: [(indent: Int, text: StyledText)] = []

  /// The maximum depth; deeper payloads are not meant for reading.
  private static let depthMax = 64

  private struct SyntaxError: Error {}

  /// Returns the lines of a text that is a JSON object or array; nil for any other text.
  static func lines(of text: SafeText, width: Int, foldDepth: Int?) -> [StyledLine]? {
    guard width > 0 else { return [] }
    return read(text, foldDepth: foldDepth)?.flatMap { indent, text in
      let margin = StyledLine.Piece(
        text: .blanks(min(indent * 2, max(0, width - 12))), role: .dim)
      return text.lines(to: width, first: margin, rest: margin)
    }
  }

  /// Returns the same lines before wrapping, each with its indentation level.
  static func outline(of text: SafeText) -> [(indent: Int, text: StyledText)]? {
    read(text, foldDepth: nil)
  }

  private static func read(
    _ text: SafeText, foldDepth: Int?
  ) -> [(indent: Int, text: StyledText)]? {
    var body = JSONBody(foldDepth: foldDepth, bytes: Array(text.string.utf8))
    do {
      body.skipBlanks()
      guard body.next == UInt8(ascii: "{") || body.next == UInt8(ascii: "[") else { return nil }
      try body.takeValue(depth: 0)
      body.skipBlanks()
      guard body.next == nil else { return nil }
    } catch {
      return nil
    }
    body.endLine(indent: 0)
    return body.lines
  }

  private init(foldDepth: Int?, bytes: [UInt8]) {
    self.foldDepth = foldDepth
    self.bytes = bytes
  }

  // MARK: Reading

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func takeValue(depth: Int) throws(SyntaxError) {
    guard depth < Self.depthMax else { throw SyntaxError() }
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): try takeContainer("{", "}", depth: depth)
    case UInt8(ascii: "["): try takeContainer("[", "]", depth: depth)
    case UInt8(ascii: "\""): line.append(try string(), .code)
    default: line.append(try word(), .text)  // open: UInt8
    }
  }

  private mutating func takeContainer(
    _ opening: SafeText, _ closing: SafeText, depth: Int
  ) throws(SyntaxError) {
    position += 1
    let isObject = opening == "{"
    let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    let isFolded = foldDepth.map { depth > $0 } ?? false
    // Parse folded values, too: only the whole text shows whether it is valid JSON.
    let (keptLine, keptLines) = (line, lines)
    line.append(opening, .dim)
    var count = 0
    skipBlanks()
    while next != end {
      if count > 0 {
        guard next == UInt8(ascii: ",") else { throw SyntaxError() }
        position += 1
        line.append(",", .dim)
      }
      endLine(indent: count == 0 ? depth : depth + 1)
      skipBlanks()
      if isObject {
        guard next == UInt8(ascii: "\"") else { throw SyntaxError() }
        line.append(try string(), .accent)
        skipBlanks()
        guard next == UInt8(ascii: ":") else { throw SyntaxError() }
        position += 1
        line.append(": ", .dim)
      }
      try takeValue(depth: depth + 1)
      count += 1
      skipBlanks()
    }
    position += 1
    if isFolded, count > 0 {
      (line, lines) = (keptLine, keptLines)
      let amount = SafeText(count.counted("value"))
      line.append(opening + "… " + amount + closing, .dim)
    } else {
      if count > 0 { endLine(indent: depth + 1) }
      line.append(closing, .dim)
    }
  }

  private mutating func string() throws(SyntaxError) -> SafeText {
    let start = position
    position += 1
    while let byte = next, byte != UInt8(ascii: "\"") {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    guard next != nil else { throw SyntaxError() }
    position += 1
    return text(start..<position)
  }

  private mutating func word() throws(SyntaxError) -> SafeText {
    let start = position
    while let byte = next, !",]} \t\r\n".utf8.contains(byte) { position += 1 }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    guard ["true", "false", "null"].contains(word) || Self.isNumber(word) else {
      throw SyntaxError()
    }
    return SafeText(word)
  }

  private static func isNumber(_ word: String) -> Bool {
    guard let first = word.utf8.first, first == UInt8(ascii: "-") || (48...57).contains(first)
    else { return false }
    return word.utf8.allSatisfy { "+-.0123456789eE".utf8.contains($0) } && Double(word) != nil
  }

  private func text(_ range: Range<Int>) -> SafeText {
    SafeText(
      String(decoding: bytes[range], as: UTF8.self), byteLimit: SafeText.bodyBytesMax)
  }

  // MARK: Writing

  /// Ends a line of the given indentation level.
  private mutating func endLine(indent: Int) {
    guard !line.isEmpty else { return }
    lines.append((indent, line))
    line = StyledText()
  }
}
