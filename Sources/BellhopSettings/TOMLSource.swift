internal import TOMLKit

/// A value of a TOML file, without the parser's types.
package enum TOMLSetting: Hashable, Sendable {
  case text(String)
  case flag(Bool)
  case number(Int)
  case list([TOMLSetting])
  case table([String: TOMLSetting])
  /// A date, a time or a fraction: no setting of ours.
  case other

  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  package var number: Int? { if case .number(let number) = self { number } else { nil } }
  package var table: [String: TOMLSetting]? {
    if case .table(let table) = self { table } else { nil }
  }
}

/// Reads TOML 1.0. Any text gives a table, errors with their lines, or both.
package enum TOMLSource {
  /// Why a text, or a statement of it, is not TOML.
  package struct Failure: Error, Hashable {
    /// From 1; nil when it is not known.
    package var line: Int?
    /// As a clause: `the string has no closing quote`.
    package var problem: String
  }

  /// Where nothing more is known.
  private static let notTOML = "this is not valid TOML; a setting is written name = \"value\""

  /// More errors than these are not looked for: whoever fixes some checks again.
  private static let failuresMax = 20

  /// The settings of a file.
  ///
  /// - Throws: ``Failure``, the first of ``read(_:)``.
  package static func settings(_ text: String) throws(Failure) -> [String: TOMLSetting] {
    let (settings, failures) = read(text)
    if let first = failures.first { throw first }
    return settings
  }

  /// The settings of what can be understood, and what is wrong with the rest, in the order of the
  /// lines.
  ///
  /// A statement that is wrong is left out. Without a header the settings below it have no table, so
  /// they are left out too.
  package static func read(
    _ text: String
  ) -> (settings: [String: TOMLSetting], failures: [Failure]) {
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    var failures: [Failure] = []
    while failures.count < failuresMax {
      let text = lines.joined(separator: "\n")
      do throws(Failure) {
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
          failures.append(Failure(line: error.line, problem: notTOML))
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

  private static func failure(at index: Int, of statements: [TOMLStatement]) -> Failure {
    let statement = statements[index]
    if let fault = statement.fault { return Failure(line: fault.line, problem: fault.problem) }
    let names = names(of: statements)
    if let name = names[index], let first = names[..<index].firstIndex(of: name) {
      let line = statements[first].lines.lowerBound
      var what = "\(name.prefix(64)) is set"
      if case .header(let name, _) = statement.kind { what = "[\(name.prefix(64))] is there" }
      return Failure(
        line: statement.lines.lowerBound,
        problem: "\(what) twice; the first time in line \(line)")
    }
    return Failure(line: statement.lines.lowerBound, problem: notTOML)
  }

  /// The whole name of each statement; nil where several may have the same.
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

  private static func table(_ text: String) throws(Failure) -> TOMLTable {
    if let line = lineOfBadHeader(in: text) {
      throw Failure(line: line, problem: notTOML)
    }
    do {
      return try TOMLTable(string: text)
    } catch {
      // The parser's own words are for developers.
      let line = (error as? TOMLParseError)?.source.begin.line
      throw Failure(line: line, problem: notTOML)
    }
  }

  /// The parser (toml++ 3) asserts that a header's first character can begin a key, which ends the
  /// program in a debug build and is undefined in a release build; so it is checked here. A line of
  /// a multi-line text that looks like such a header is refused too: no file of ours has any.
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

  private static func settings(of table: TOMLTable) -> [String: TOMLSetting] {
    var settings: [String: TOMLSetting] = [:]
    for (key, value) in table { settings[key] = setting(of: value) }
    return settings
  }

  private static func setting(of value: any TOMLValueConvertible) -> TOMLSetting {
    if let table = value.table { return .table(settings(of: table)) }
    if let array = value.array { return .list(array.map { setting(of: $0) }) }
    if let text = value.string { return .text(text) }
    if let flag = value.bool { return .flag(flag) }
    if let number = value.int { return .number(number) }
    return .other
  }
}
