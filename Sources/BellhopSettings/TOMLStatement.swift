/// A header, or a setting with its value, in the lines of a TOML text.
///
/// For a bad text the parser reports only where it stopped. This reader knows enough of TOML 1.0 to
/// describe the fault in plain words, and to find the next statement.
struct TOMLStatement: Hashable {
  enum Kind: Hashable {
    /// `[name]` or `[[name]]`.
    case header(name: String, isList: Bool)
    /// A setting with its name, without quotes and blanks.
    case setting(name: String)
  }

  /// The fault of a statement, as a clause, and its line.
  struct Fault: Hashable {
    var line: Int
    var problem: String
  }

  var kind: Kind
  /// From 1.
  var lines: ClosedRange<Int>
  /// Nil for a statement in which this reader finds no fault.
  var fault: Fault?

  /// All statements of any text, in their order.
  static func all(in text: String) -> [TOMLStatement] {
    var reader = TOMLStatementReader(text)
    var statements: [TOMLStatement] = []
    while let next = reader.next() { statements.append(next) }
    return statements
  }
}

/// Reads a text statement by statement.
private struct TOMLStatementReader {
  private typealias Fault = TOMLStatement.Fault

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var fault: TOMLStatement.Fault?
  /// Whether the reader is inside of a list.
  private var isInList = false
  /// The last line of a statement that ended where another one begins.
  private var lastLine: Int?

  /// The deepest nesting of values; real files have two or three.
  private static let depthMax = 32
  /// The most characters of a file that an error shows.
  private static let shownMax = 32

  init(_ text: String) { bytes = Array(text.utf8) }

  // MARK: - Statements

  mutating func next() -> TOMLStatement? {
    while let byte = peek {
      if Self.isBlank(byte) || byte == UInt8(ascii: "\r") {
        position += 1
      } else if byte == UInt8(ascii: "\n") {
        newLine()
      } else if byte == UInt8(ascii: "#") {
        skipLine()
      } else {
        let start = line
        (fault, isInList, lastLine) = (nil, false, nil)
        let kind = byte == UInt8(ascii: "[") ? header() : setting()
        if isInList { skipList() }
        if lastLine == nil { skipLine() }
        return TOMLStatement(
          kind: kind, lines: start...max(start, lastLine ?? line), fault: fault)
      }
    }
    return nil
  }

  private mutating func header() -> TOMLStatement.Kind {
    let isList = bytes[position...].starts(with: Array("[[".utf8))
    position += isList ? 2 : 1
    let name = word { $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: "#") }
    let (open, close) = isList ? ("[[", "]]") : ("[", "]")
    if !bytes[position...].starts(with: Array(close.utf8)) {
      report("\(open)\(Self.shown(name)) has no closing \(close)")
    } else {
      position += close.utf8.count
      if name.isEmpty { report("there is no name between \(open) and \(close)") }
      reportRest(behind: "\(open)\(Self.shown(name))\(close)")
    }
    return .header(name: Self.plain(name), isList: isList)
  }

  private mutating func setting() -> TOMLStatement.Kind {
    let name = word { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "#") }
    guard peek == UInt8(ascii: "=") else {
      report("there is no = behind \(Self.shown(name.split(separator: " ").first ?? ""))")
      return .setting(name: Self.plain(name))
    }
    position += 1
    if name.isEmpty {
      report("there is no setting before =")
    } else if !Self.isName(name) {
      report("\(Self.shown(name)) is not the name of a setting")
    }
    skipBlanks()
    if isAtEnd {
      report("\(Self.shown(name)) has no value behind =")
    } else {
      value(depth: 0)
      if fault == nil { reportRest(behind: "the value") }
    }
    return .setting(name: Self.plain(name))
  }

  // MARK: - Values

  private mutating func value(depth: Int) {
    guard depth < Self.depthMax else { return report("lists stand too deep in each other") }
    if bytes[position...].starts(with: Array("\"\"\"".utf8)) {
      longText(quote: UInt8(ascii: "\""))
    } else if bytes[position...].starts(with: Array("'''".utf8)) {
      longText(quote: UInt8(ascii: "'"))
    } else {
      switch peek {
      case UInt8(ascii: "\"")?: text(quote: UInt8(ascii: "\""))
      case UInt8(ascii: "'")?: text(quote: UInt8(ascii: "'"))
      case UInt8(ascii: "[")?: list(depth: depth)
      case UInt8(ascii: "{")?: table(depth: depth)
      default: bare()  // open: UInt8?
      }
    }
  }

  private mutating func text(quote: UInt8) {
    position += 1
    while let byte = peek, byte != UInt8(ascii: "\n") {
      position += 1
      if byte == quote { return }
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") { escape() }
    }
    report("the string has no closing quote")
  }

  private mutating func longText(quote: UInt8) {
    let start = line
    let quotes = [quote, quote, quote]
    position += 3
    while let byte = peek {
      if bytes[position...].starts(with: quotes) {
        position += 3
        // Up to two quotes more belong to the text.
        while peek == quote { position += 1 }
        return
      }
      if byte == UInt8(ascii: "\n") {
        newLine()
      } else {
        position += 1
        if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), !isAtEnd { escape() }
      }
    }
    report("the text has no closing \(String(decoding: quotes, as: UTF8.self))", at: start)
  }

  /// Reads the character behind a backslash (TOML 1.0, "String").
  private mutating func escape() {
    guard let byte = peek, byte != UInt8(ascii: "\n") else { return }
    position += 1
    if "btnfr\"\\uU \t\r".utf8.contains(byte) { return }
    let character = String(decoding: [byte < 0x80 ? byte : UInt8(ascii: "?")], as: UTF8.self)
    report(
      "\\\(character) means nothing in double quotes; write \\\\\(character), or use single quotes")
  }

  private mutating func list(depth: Int) {
    let start = line
    position += 1
    if depth == 0 { isInList = true }
    while true {
      skipToContent()
      guard let byte = peek, !(line > start && isAtStatement) else {
        return report("the list has no closing ]", at: start)
      }
      if byte == UInt8(ascii: "]") {
        position += 1
        if depth == 0 { isInList = false }
        return
      }
      if byte == UInt8(ascii: ",") { return report("there is no value before a comma") }
      value(depth: depth + 1)
      guard fault == nil else { return }
      skipToContent()
      switch peek {
      case UInt8(ascii: ",")?: position += 1
      case UInt8(ascii: "]")?: break
      default:  // open: UInt8?
        guard peek != nil, !(line > start && isAtStatement) else {
          return report("the list has no closing ]", at: start)
        }
        return report("there is no comma between two values of the list")
      }
    }
  }

  private mutating func table(depth: Int) {
    position += 1
    while true {
      skipBlanks()
      guard let byte = peek, byte != UInt8(ascii: "\n") else {
        return report("the table has no closing } in its line")
      }
      if byte == UInt8(ascii: "}") {
        position += 1
        return
      }
      let name = word { "=}#".utf8.contains($0) }
      guard peek == UInt8(ascii: "=") else {
        return report(
          isAtEnd
            ? "the table has no closing } in its line" : "there is no = behind \(Self.shown(name))")
      }
      position += 1
      skipBlanks()
      value(depth: depth + 1)
      guard fault == nil else { return }
      skipBlanks()
      if peek == UInt8(ascii: ",") { position += 1 }
    }
  }

  /// Reads a number, a date, true or false, or a text without its quotes.
  private mutating func bare() {
    let start = position
    var token = word { ",]}#".utf8.contains($0) }
    guard let first = token.first else { return report("there is no value") }
    // Only a date may have a blank in it.
    if first.isNumber, let blank = token.firstIndex(of: " "),
      token.wholeMatch(of: /\d{4}-\d\d-\d\d \d.*/) == nil
    {
      token = String(token[..<blank])
      position = start + token.utf8.count
    }
    if ["true", "false"].contains(token)
      || ["inf", "nan"].contains(token.drop { "+-".contains($0) })
    {
      return
    }
    switch token.lowercased() {
    case "true", "yes", "on": return report("\(token) is not a value; write true")
    case "false", "no", "off": return report("\(token) is not a value; write false")
    default: break  // open: String
    }
    let isNumeric = first.isASCII && (first.isNumber || "+-".contains(first))
    guard isNumeric, token.allSatisfy({ "0123456789+-.:_TZtzeExobabcdfABCDF ".contains($0) }) else {
      return report("\(Self.shown(token)) is not in quotes; write \"\(Self.shown(token))\"")
    }
    let digits = token.drop { "+-".contains($0) }
    if digits.count > 1, digits.first == "0", digits.dropFirst().allSatisfy(\.isNumber) {
      report("\(Self.shown(token)) begins with a zero; write \(digits.drop { $0 == "0" })")
    }
  }

  // MARK: - Parts

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Whether only a comment is left in the line.
  private var isAtEnd: Bool {
    peek.map { "\n\r#".utf8.contains($0) } ?? true
  }

  /// Whether a line begins here that cannot be in a list: `name =` or `[name]`.
  private var isAtStatement: Bool {
    var rest = bytes[position...].prefix { $0 != UInt8(ascii: "\n") }
    let isHeader = rest.first == UInt8(ascii: "[")
    if isHeader { rest = rest.drop { $0 == UInt8(ascii: "[") } }
    let name = rest.prefix { Self.isNameByte($0) }
    let isValue = ["true", "false", "inf", "nan"].contains(String(decoding: name, as: UTF8.self))
    guard let first = name.first, !isValue, !(0x30...0x39).contains(first) else { return false }
    let next = rest.dropFirst(name.count).first { !Self.isBlank($0) }
    return next == UInt8(ascii: isHeader ? "]" : "=")
  }

  /// Reads up to a byte that ends the text, or to the end of the line, without blanks around it.
  /// Inside of quotes only the line ends it.
  private mutating func word(until isEnd: (UInt8) -> Bool) -> String {
    skipBlanks()
    let start = position
    var quote: UInt8?
    while let byte = peek, byte != UInt8(ascii: "\n") {
      if let open = quote {
        if byte == open { quote = nil }
      } else if isEnd(byte) {
        break
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      position += 1
    }
    var end = position
    while end > start, Self.isBlank(bytes[end - 1]) || bytes[end - 1] == UInt8(ascii: "\r") {
      end -= 1
    }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private mutating func reportRest(behind what: String) {
    skipBlanks()
    guard !isAtEnd else { return }
    let rest = word { $0 == UInt8(ascii: "#") }
    report("there is more behind \(what): \(Self.shown(rest))")
  }

  /// Keeps the first fault of a statement.
  private mutating func report(_ problem: String, at place: Int? = nil) {
    fault = fault ?? Fault(line: place ?? line, problem: problem)
  }

  private mutating func newLine() {
    position += 1
    line += 1
  }

  private mutating func skipBlanks() {
    while let byte = peek, Self.isBlank(byte) { position += 1 }
  }

  /// Skips to the end of the line.
  private mutating func skipLine() {
    while let byte = peek, byte != UInt8(ascii: "\n") { position += 1 }
  }

  /// Skips the rest of a list that is wrong.
  ///
  /// The list ends at a bracket in a line of its own, or where the next statement begins.
  private mutating func skipList() {
    var isFirst = true
    while peek != nil {
      if !isFirst || isAtLineStart, isAtStatement {
        lastLine = line - 1
        return
      }
      let isClosed = !isFirst && peek == UInt8(ascii: "]")
      skipLine()
      if isClosed { return }
      if peek != nil { newLine() }
      skipBlanks()
      isFirst = false
    }
  }

  /// Whether only blanks are before this place in its line.
  private var isAtLineStart: Bool {
    bytes[..<position].reversed().first { !Self.isBlank($0) } == UInt8(ascii: "\n")
  }

  /// Skips blanks, line ends and comments.
  private mutating func skipToContent() {
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\n"): newLine()
      case UInt8(ascii: "#"):
        while let byte = peek, byte != UInt8(ascii: "\n") { position += 1 }
      case UInt8(ascii: "\r"): position += 1
      case _ where Self.isBlank(byte): position += 1
      default: return  // open: UInt8
      }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false  // open: UInt8
    }
  }

  /// Whether a text is a key, bare, quoted or dotted.
  private static func isName(_ name: String) -> Bool {
    if name.contains("\"") || name.contains("'") { return true }
    return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
      let part = part.filter { $0 != " " && $0 != "\t" }.utf8
      return !part.isEmpty && part.allSatisfy { isNameByte($0) && $0 != UInt8(ascii: ".") }
        && !name.contains(/[^ \t.][ \t]+[^ \t.]/)
    }
  }

  private static func shown(_ text: some StringProtocol) -> String { String(text.prefix(shownMax)) }

  private static func plain(_ name: String) -> String {
    name.filter { !" \t\"'".contains($0) }
  }
}
