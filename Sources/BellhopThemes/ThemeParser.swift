import BellhopScreen
internal import BellhopSettings

/// Parses the text of one theme file; its errors name the line and the role.
struct ThemeParser {
  /// The contents of one file, without the styles that it inherits.
  struct Parsed {
    var name: String?
    var inherit: String?
    var background: Theme.Background?
    var styles: [StyleRole: Style] = [:]
  }

  let file: String
  let source: String

  func parse() throws(ThemeError) -> Parsed {
    let table = try document()
    var parsed = Parsed()
    for key in table.keys.sorted() {
      switch key {
      case "name": parsed.name = try string(table[key], key: key)
      case "inherit": parsed.inherit = try string(table[key], key: key)
      case "background": parsed.background = try background(table[key])
      case "roles":
        guard let roles = table[key]?.table else {
          throw error(line: line(of: key), problem: "'roles' must be a table. Write [roles].")
        }
        try addRoles(of: roles, prefix: "", to: &parsed)
      default:  // open: String
        throw error(
          line: line(of: key),
          problem: "Unknown key '\(key)'. Known keys: name, inherit, background and [roles].")
      }
    }
    return parsed
  }

  private func document() throws(ThemeError) -> [String: TOMLValue] {
    do throws(TOMLSource.SyntaxError) {
      return try TOMLSource.settings(source)
    } catch {
      let problem = error.problem.prefix(1).uppercased() + error.problem.dropFirst() + "."
      throw self.error(line: error.line, problem: problem)
    }
  }

  private func string(_ value: TOMLValue?, key: String) throws(ThemeError) -> String {
    guard let text = value?.text, !text.isEmpty, text.utf8.count <= 256 else {
      throw error(line: line(of: key), problem: "'\(key)' must be a short text in quotes.")
    }
    return text
  }

  private func background(_ value: TOMLValue?) throws(ThemeError) -> Theme.Background {
    switch value?.text {
    case "any": return .any
    case "dark": return .dark
    case "light": return .light
    default:  // open: String
      if let color = value.flatMap(Color.init(setting:)), color != .default { return .color(color) }
      throw error(
        line: line(of: "background"),
        problem:
          "'background' must be \"dark\", \"light\", \"any\" or a colour such as \"#1c1c1c\".")
    }
  }

  // MARK: - Roles

  /// Adds the roles of a table.
  ///
  /// `priority.urgent = …` without quotes makes a table inside the table.
  private func addRoles(
    of table: [String: TOMLValue], prefix: String, to parsed: inout Parsed
  ) throws(ThemeError) {
    for key in table.keys.sorted() {
      let name = prefix + key
      let isGroup = StyleRole.allCases.contains { $0.rawValue.hasPrefix(name + ".") }
      let role = StyleRole(rawValue: name)
      guard role != nil || isGroup else {
        let known = StyleRole.allCases.map(\.rawValue).joined(separator: ", ")
        throw error(
          line: line(of: key), role: name, problem: "Unknown role. Known roles: \(known).")
      }
      guard let fields = table[key]?.table else {
        throw error(
          line: line(of: key), role: name,
          problem: "Write a role as { fg = \"#rrggbb\", bold = true }.")
      }
      let nested = fields.keys.filter { StyleRole(rawValue: "\(name).\($0)") != nil }
      if isGroup, !nested.isEmpty {
        try addRoles(
          of: fields.filter { nested.contains($0.key) }, prefix: name + ".", to: &parsed)
      }
      let own = fields.keys.filter { !nested.contains($0) }.sorted()
      if let role, nested.isEmpty || !own.isEmpty {
        parsed.styles[role] = try style(fields, names: own, role: role)
      } else if !own.isEmpty {
        throw error(
          line: line(of: own[0]), role: "\(name).\(own[0])", problem: "Unknown role.")
      }
    }
  }

  private func style(
    _ fields: [String: TOMLValue], names: [String], role: StyleRole
  ) throws(ThemeError) -> Style {
    var style = Style()
    for name in names {
      let value = fields[name]
      switch name {
      case "fg": style.foreground = try color(value, name, role)
      case "bg": style.background = try color(value, name, role)
      case "fg16": style.foreground16 = try color(value, name, role)
      case "bg16": style.background16 = try color(value, name, role)
      case "bold": style.isBold = try flag(value, name, role)
      case "italic": style.isItalic = try flag(value, name, role)
      case "underline": style.isUnderlined = try flag(value, name, role)
      case "reverse": style.isReversed = try flag(value, name, role)
      default:  // open: String
        throw error(
          name, role,
          problem: "Unknown key '\(name)'. Known keys: fg, bg, fg16, bg16, bold, italic, underline "
            + "and reverse.")
      }
    }
    return style
  }

  private func color(
    _ value: TOMLValue?, _ name: String, _ role: StyleRole
  ) throws(ThemeError) -> Color {
    if let color = value.flatMap(Color.init(setting:)) { return color }
    let shown = value?.text.map { "'\($0)'" } ?? value?.number.map(String.init) ?? "that"
    throw error(
      name, role,
      problem: "\(shown) is not a valid colour. Use \"#rrggbb\", a name such as \"red\" or "
        + "\"bright blue\", a number from 0 to 255, or \"default\".")
  }

  private func flag(
    _ value: TOMLValue?, _ name: String, _ role: StyleRole
  ) throws(ThemeError) -> Bool {
    guard let flag = value?.flag else {
      throw error(name, role, problem: "'\(name)' must be true or false, without quotes.")
    }
    return flag
  }

  // MARK: - Errors

  private func error(line: Int?, role: String? = nil, problem: String) -> ThemeError {
    ThemeError(file: file, line: line, role: role, problem: problem)
  }

  private func error(_ field: String, _ role: StyleRole, problem: String) -> ThemeError {
    error(line: line(of: field, in: role), role: role.rawValue, problem: problem)
  }

  /// Finds the line that sets a key by searching the text.
  ///
  /// The TOML parser keeps no positions.
  private func line(of key: String) -> Int? {
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.firstIndex { sets(String($0), key: key) }.map { $0 + 1 }
  }

  /// Returns the line of a field: its own one below `[roles.NAME]`, otherwise that of the role.
  private func line(of field: String, in role: StyleRole) -> Int? {
    let last = role.rawValue.split(separator: ".").last.map(String.init) ?? role.rawValue
    guard let start = line(of: role.rawValue) ?? line(of: last) else { return nil }
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    guard header(String(lines[start - 1])) != nil else { return start }
    for index in start..<lines.count {
      if header(String(lines[index])) != nil { break }
      if sets(String(lines[index]), key: field) { return index + 1 }
    }
    return start
  }

  /// Whether a line sets `key`: `key = …`, `"key" = …`, `roles.key = …`, `[roles.key]`.
  private func sets(_ line: String, key: String) -> Bool {
    let plain = line.filter { $0 != " " && $0 != "\t" && $0 != "\"" && $0 != "'" }
    let written = header(line) ?? String(plain.prefix { $0 != "=" })
    return written == key || written == "roles.\(key)" || written.hasSuffix(".\(key)")
      || (header(line) == nil && written.hasPrefix(key + "."))
  }

  /// Returns the name in `[name]`, without quotes and blanks.
  private func header(_ line: String) -> String? {
    let plain = line.filter { $0 != " " && $0 != "\t" && $0 != "\"" && $0 != "'" }
    guard plain.hasPrefix("["), let end = plain.firstIndex(of: "]") else { return nil }
    return String(plain[plain.index(after: plain.startIndex)..<end])
  }
}

extension Color {
  private static let ansiNames = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  ]

  /// Parses a colour of a theme file: a palette index, or a text.
  init?(setting: TOMLValue) {
    if let number = setting.number, let index = UInt8(exactly: number) {
      self = .palette(index)
    } else if let text = setting.text, let color = Color(themeName: text) {
      self = color
    } else {
      return nil
    }
  }

  /// Parses a colour of a theme file: `#rrggbb`, an ANSI name (optionally with "bright"),
  /// `default`.
  init?(themeName text: String) {
    let lowered = text.lowercased()
    if lowered == "default" {
      self = .default
      return
    }
    if lowered.hasPrefix("#") {
      let digits = lowered.dropFirst()
      guard digits.count == 6, digits.allSatisfy(\.isHexDigit),
        let value = UInt32(digits, radix: 16)
      else { return nil }
      self = .rgb(value)
      return
    }
    let words = lowered.split { $0 == " " || $0 == "-" || $0 == "_" }
    let isBright = words.first == "bright" && words.count == 2
    if words.count == 1, words[0] == "gray" || words[0] == "grey" {
      self = .palette(8)
      return
    }
    guard words.count == 1 || isBright, let name = words.last,
      let index = Self.ansiNames.firstIndex(of: String(name))
    else { return nil }
    self = .palette(UInt8(index + (isBright ? 8 : 0)))
  }
}
