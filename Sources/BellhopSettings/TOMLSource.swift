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

/// Reads TOML 1.0. Any text gives a table or an error with its line.
package enum TOMLSource {
  /// Why a text is no TOML.
  package struct Failure: Error, Hashable {
    /// From 1; nil when the parser does not say.
    package var line: Int?
    package var problem: String
  }

  /// The settings of a file.
  package static func settings(_ text: String) throws(Failure) -> [String: TOMLSetting] {
    settings(of: try table(text))
  }

  private static func table(_ text: String) throws(Failure) -> TOMLTable {
    if let line = lineOfBadHeader(in: text) {
      throw Failure(line: line, problem: "expected a table's name after '['")
    }
    do {
      return try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw Failure(line: error.source.begin.line, problem: error.description)
    } catch {
      throw Failure(line: nil, problem: "it is not valid TOML")
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
    default: false
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
