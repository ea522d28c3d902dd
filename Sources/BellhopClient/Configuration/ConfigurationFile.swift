internal import BellhopModel
internal import BellhopSettings

/// Something wrong with `config.toml`.
package struct ConfigurationFinding: Hashable, Sendable {
  enum Grade: Hashable, Sendable {
    /// It is left out, and the program goes on.
    case warning
    /// It cannot be understood, and nothing starts.
    case error
  }

  var grade = Grade.warning
  /// From 1; nil where it belongs to no line.
  package var line: Int?
  /// What is wrong and what would be right, in one or more sentences.
  var text: String

  /// `line 4: dismiss has no key left.`, or the text alone.
  package var words: String {
    guard let line else { return text }
    return "line \(line): " + text.clause + (text.hasSuffix(".") ? "." : "")
  }
}

/// `config.toml`: its settings, and everything that is wrong with it.
package struct ConfigurationFile: Sendable {
  let path: String
  package private(set) var configuration = Configuration()
  /// In the order of the lines.
  package private(set) var findings: [ConfigurationFinding] = []
  /// The lines of its keys, such as `keys.dismiss`.
  let lines: SettingLines

  /// The default configuration, used when the file does not exist.
  init(defaultsFor path: String) { self.init(text: "", path: path) }

  /// The file at `path`, which need not be there.
  ///
  /// - Throws: ``ClientError`` for a file that cannot be read at all.
  package init(path: String) throws {
    self.init(text: try PrivateFile.read(path, isSecret: false) ?? "", path: path)
    if let zone = configuration.timeZone, !SystemClock.knows(zone: zone) {
      let expected = "a zone of /usr/share/zoneinfo, such as \"Europe/Berlin\""
      add(.init(key: "time-zone", expected: expected), of: "time-zone")
      findings.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    }
  }

  init(text: String, path: String) {
    self.path = path
    lines = SettingLines(text)
    let (settings, failures) = TOMLSource.read(text)
    findings = failures.map { failure in
      .init(grade: .error, line: failure.line, text: failure.problem.sentence)
    }
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
      guard let key = ConfigurationKey.named(name) else {
        add(.init(unknown: name, among: ConfigurationKey.all.map(\.name)), of: name)
        continue
      }
      do throws(ConfigurationKey.Misfit) {
        try key.read(value, &configuration)
      } catch {
        for part in error.parts { add(part, of: name) }
      }
    }
    findings.sort { ($0.line ?? 0, $0.text) < ($1.line ?? 0, $1.text) }
  }

  private mutating func add(_ part: ConfigurationKey.Misfit.Part, of name: String) {
    let key = part.key ?? name
    findings.append(
      ConfigurationFinding(
        grade: part.isUnknown ? .warning : .error, line: line(of: key), text: part.words(for: name))
    )
  }

  /// The line of a key, or of the table that it belongs to.
  func line(of key: String) -> Int? {
    if let line = lines.line(of: key) { return line }
    guard let dot = key.lastIndex(of: ".") else { return nil }
    return line(of: String(key[..<dot]))
  }

  /// Why nothing starts, with every error; nil where the file can be understood.
  var failure: ClientError? {
    let errors = findings.filter { $0.grade == .error }
    guard !errors.isEmpty else { return nil }
    let fix = errors.count == 1 ? "Fix that line" : "Fix these lines"
    return ClientError(
      .configuration, Self.text(of: errors, in: path),
      next: "Nothing was started or changed. \(fix), or rename the file.")
  }

  /// Findings with the file's path, a line each.
  package static func text(of findings: [ConfigurationFinding], in path: String) -> String {
    findings.map { path + ($0.line == nil ? ": " : ", ") + $0.words }.joined(separator: "\n")
  }
}
