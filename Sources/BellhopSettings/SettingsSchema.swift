/// The settings of one kind of configuration file, and how its text is read.
package struct SettingsSchema<Root>: Sendable {
  /// A table of the file, with its help.
  package typealias Table = (name: String, help: String)

  /// All settings, in the order of the documented file.
  package let settings: [Setting<Root>]
  /// The tables that settings belong to, in the order of the documented file.
  package let tables: [Table]
  /// Settings by former names, which are read and not documented.
  private let former: [String: Setting<Root>]
  /// Whether a file may have settings that this version does not know.
  private let allowsUnknown: Bool
  /// The command that prints all settings; nil for few settings, which an error lists itself.
  private let listing: String?
  /// The paths without which a file is wrong.
  private let required: [String]
  /// Finds what is wrong with values that depend on each other.
  private let check: @Sendable (Root) -> [SettingError.Part]
  private let named: [String: Setting<Root>]

  /// So many names fit into an error.
  private static var namesMax: Int { 8 }
  /// So many characters of an unknown name are shown.
  private static var shownMax: Int { 64 }

  package init(
    _ settings: [Setting<Root>], tables: [Table] = [], former: [Setting<Root>] = [],
    allowsUnknown: Bool = false, listing: String? = nil, required: [String] = [],
    check: @escaping @Sendable (Root) -> [SettingError.Part] = { _ in [] }
  ) {
    self.settings = settings
    self.tables = tables
    self.allowsUnknown = allowsUnknown
    self.listing = listing
    self.required = required
    self.check = check
    named = Dictionary(uniqueKeysWithValues: settings.map { ($0.path, $0) })
    self.former = Dictionary(uniqueKeysWithValues: former.map { ($0.path, $0) })
  }

  // MARK: - Reading

  /// Reads the settings of a text into `root`.
  ///
  /// - Parameter lines: The lines of the same text.
  /// - Returns: Everything that is wrong, in the order of the lines. The root keeps its values there.
  package func read(
    _ text: String, _ lines: SettingLines, into root: inout Root
  ) -> [ConfigurationFinding] {
    let (table, failures) = TOMLSource.read(text)
    let findings =
      failures.map { ConfigurationFinding(.error, line: $0.line, text: $0.problem + ".") }
      + read(table, into: &root).map { finding(of: $0, lines) }
    return findings.sorted { ($0.line ?? 0, $0.text) < ($1.line ?? 0, $1.text) }
  }

  /// Reads the settings of a table into `root`, and returns what is wrong.
  func read(_ table: [String: TOMLValue], into root: inout Root) -> [SettingError.Part] {
    var parts = read(table, below: "", into: &root)
    for path in required where table[path] == nil {
      parts.append(SettingError.Part(path, "must be \(named[path]?.expected ?? "there")."))
    }
    return parts + check(root)
  }

  private func read(
    _ table: [String: TOMLValue], below prefix: String, into root: inout Root
  ) -> [SettingError.Part] {
    var parts: [SettingError.Part] = []
    for (name, value) in table.sorted(by: { $0.key < $1.key }) {
      let path = prefix + name
      if let setting = named[path] ?? former[path] {
        do throws(SettingError) {
          try setting.read(value, &root)
        } catch {
          parts += error.parts
        }
      } else if tables.contains(where: { $0.name == path }) {
        if let inner = value.table {
          parts += read(inner, below: path + ".", into: &root)
        } else {
          parts.append(SettingError.Part(path, "must be a table: write [\(path)]."))
        }
      } else {
        parts.append(unknown(path))
      }
    }
    return parts
  }

  /// Reads one of several tables; adds what is wrong with it to `parts`.
  ///
  /// - Returns: Nil if something else than an unknown setting is wrong.
  func element(
    _ value: TOMLValue, at path: String, below header: String, from standard: Root,
    _ parts: inout [SettingError.Part]
  ) -> Root? {
    guard let table = value.table else {
      parts.append(SettingError.Part(path, "must be a table: write \(header)."))
      return nil
    }
    var element = standard
    let wrong = read(table, into: &element)
    parts += wrong.map {
      SettingError.Part("\(path).\($0.path)", $0.reason, isUnknown: $0.isUnknown)
    }
    return wrong.allSatisfy(\.isUnknown) ? element : nil
  }

  /// The finding of a misfit.
  package func finding(of part: SettingError.Part, _ lines: SettingLines) -> ConfigurationFinding {
    ConfigurationFinding(
      allowsUnknown && part.isUnknown ? .warning : .error, line: lines.line(of: part.path),
      text: "\(part.path.prefix(Self.shownMax)) \(part.reason)")
  }

  private func unknown(_ path: String) -> SettingError.Part {
    let known = settings.map(\.path) + tables.map(\.name)
    let table = path.lastIndex(of: ".").map { path[...$0] } ?? ""
    let name = path.dropFirst(table.count)
    let siblings = known.filter { $0.hasPrefix(table) }.map { String($0.dropFirst(table.count)) }
      .filter { !$0.contains(".") }
    var meant = known.first { $0 == name || $0.hasSuffix("." + name) }
    meant = meant ?? Spelling.nearest(String(name), in: siblings).map { table + $0 }
    var hint = "use \(siblings.alternatives)."
    if let listing, table.isEmpty || siblings.count > Self.namesMax {
      meant = meant ?? Spelling.nearest(path, in: known)
      hint = "\(listing) lists them."
    }
    if let meant { hint = "did you mean \(meant)?" }
    return SettingError.Part(path, "is not a setting; " + hint, isUnknown: true)
  }
}
