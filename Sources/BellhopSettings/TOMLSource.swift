internal import TOMLKit

/// Reads TOML 1.0. Any text gives a table, errors with their lines, or both.
package enum TOMLSource {
  /// The reason why a text, or a statement of it, is not TOML.
  package struct SyntaxError: Error, Hashable {
    /// From 1; nil if it is not known.
    package var line: Int?
    /// As a clause: `the string has no closing quote`.
    package var problem: String
  }

  /// The problem of a statement if nothing more is known.
  private static let notTOML = "this is not valid TOML; a setting is written name = \"value\""

  /// The most errors that are reported at once. A user who fixes some checks again.
  private static let failuresMax = 20

  /// Reads the settings of a file.
  ///
  /// - Throws: ``SyntaxError``, the first of ``read(_:)``.
  package static func settings(_ text: String) throws(SyntaxError) -> [String: TOMLValue] {
    let (settings, failures) = read(text)
    if let first = failures.first { throw first }
    return settings
  }

  /// Reads as much of a text as is TOML; returns the failures in the order of the lines.
  ///
  /// Leaves out each statement that is wrong. Below a header that is wrong, settings have no table,
  /// so they are left out too.
  package static func read(
    _ text: String
  ) -> (settings: [String: TOMLValue], failures: [SyntaxError]) {
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    var failures: [SyntaxError] = []
    while failures.count < failuresMax {
      let text = lines.joined(separator: "\n")
      do throws(SyntaxError) {
        return (settings(of: try table(text)), failures.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
      } catch {
        let statements = TOMLStatement.all(in: text)
        let stop = error.line ?? 1
        // The parser may stop behind the statement that is wrong.
        guard
          let index = statements.firstIndex(where: {
            $0.fault != nil && $0.lines.lowerBound <= stop
          })
            ?? statements.lastIndex(where: { $0.lines.lowerBound <= stop })
        else {
          failures.append(SyntaxError(line: error.line, problem: notTOML))
          break
        }
        failures.append(failure(at: index, of: statements))
        for line in extent(of: index, in: statements, count: lines.count) {
          lines[line - 1] = ""
        }
      }
    }
    return ([:], failures.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
  }

  private static func failure(at index: Int, of statements: [TOMLStatement]) -> SyntaxError {
    let statement = statements[index]
    if let fault = statement.fault { return SyntaxError(line: fault.line, problem: fault.problem) }
    let names = names(of: statements)
    if let name = names[index], let first = names[..<index].firstIndex(of: name) {
      let line = statements[first].lines.lowerBound
      var what = "\(name.prefix(64)) is set"
      if case .header(let name, _) = statement.kind { what = "[\(name.prefix(64))] is there" }
      return SyntaxError(
        line: statement.lines.lowerBound,
        problem: "\(what) twice; the first time in line \(line)")
    }
    return SyntaxError(line: statement.lines.lowerBound, problem: notTOML)
  }

  /// The whole name of each statement; nil if several may have the same.
  private static func names(of statements: [TOMLStatement]) -> [String?] {
    var prefix = ""
    var lists = 0
    return statements.map { statement in
      switch statement.kind {
      case .header(let name, let isList):
        if isList { lists += 1 }
        prefix = name + (isList ? "[\(lists)]." : ".")
        return isList ? nil : name
      case .setting(let name): return prefix + name
      }
    }
  }

  /// The lines to leave out with a statement that is wrong.
  private static func extent(
    of index: Int, in statements: [TOMLStatement], count: Int
  ) -> ClosedRange<Int> {
    let statement = statements[index]
    guard case .header = statement.kind else { return statement.lines }
    let next = statements[(index + 1)...].first {
      if case .header = $0.kind { true } else { false }
    }
    return statement.lines.lowerBound...(next.map { $0.lines.lowerBound - 1 } ?? count)
  }

  private static func table(_ text: String) throws(SyntaxError) -> TOMLTable {
    if let line = lineOfBadHeader(in: text) {
      throw SyntaxError(line: line, problem: notTOML)
    }
    do {
      return try TOMLTable(string: text)
    } catch {
      // The texts of the parser are for developers.
      let line = (error as? TOMLParseError)?.source.begin.line
      throw SyntaxError(line: line, problem: notTOML)
    }
  }

  /// The line of a header whose first character cannot begin a key.
  ///
  /// The parser (toml++ 3) asserts that it can, which ends the program in a debug build and is
  /// undefined in a release build. A line of a long text that looks like such a header is refused
  /// too: no file of ours has any.
  private static func lineOfBadHeader(in text: String) -> Int? {
    var line = 1
    for bytes in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      defer { line += 1 }
      var rest = bytes.drop(while: isBlank)
      guard rest.first == UInt8(ascii: "[") else { continue }
      rest = rest.dropFirst().drop(while: isBlank)
      if rest.first == UInt8(ascii: "[") { rest = rest.dropFirst().drop(while: isBlank) }
      guard let first = rest.first else { return line }
      if !isKeyStart(first), first != UInt8(ascii: "]") { return line }
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func isKeyStart(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
    default: false  // open: UInt8
    }
  }

  private static func settings(of table: TOMLTable) -> [String: TOMLValue] {
    var settings: [String: TOMLValue] = [:]
    for (key, value) in table { settings[key] = setting(of: value) }
    return settings
  }

  private static func setting(of value: any TOMLValueConvertible) -> TOMLValue {
    if let table = value.table { return .table(settings(of: table)) }
    if let array = value.array { return .list(array.map { setting(of: $0) }) }
    if let text = value.string { return .text(text) }
    if let flag = value.bool { return .flag(flag) }
    if let number = value.int { return .number(number) }
    return .other
  }
}
