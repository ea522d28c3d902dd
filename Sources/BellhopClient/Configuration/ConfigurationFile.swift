internal import BellhopModel
package import BellhopSettings

/// `config.toml`: its settings, and everything that is wrong with it.
package struct ConfigurationFile: Sendable {
  let path: String
  package private(set) var configuration = Configuration()
  /// In the order of the lines.
  package let findings: [ConfigurationFinding]
  /// The lines of its settings, such as `keys.dismiss`.
  let lines: SettingLines

  /// The default configuration, used when the file does not exist.
  init(defaultsFor path: String) { self.init(text: "", path: path) }

  /// The file at `path`, which may be missing.
  ///
  /// - Throws: ``ClientError`` for a file that cannot be read at all.
  package init(path: String) throws {
    self.init(text: try PrivateFile.read(path, isSecret: false) ?? "", path: path)
  }

  init(text: String, path: String) {
    self.path = path
    lines = SettingLines(text)
    findings = Configuration.schema.read(text, lines, into: &configuration)
  }

  /// The error that keeps the program from starting; nil if the file has only warnings.
  var failure: ClientError? {
    let errors = findings.filter { $0.grade == .error }
    guard !errors.isEmpty else { return nil }
    let fix = errors.count == 1 ? "Fix that line" : "Fix these lines"
    return ClientError(
      .configuration, ConfigurationFinding.text(of: errors, in: path),
      next: "Nothing was started or changed. \(fix), or rename the file.")
  }
}

extension ConfigurationFinding {
  /// A warning with a sentence of its own.
  init(line: Int? = nil, sentence: String) {
    let end = sentence.hasSuffix(".") ? "." : ""
    self.init(line: line, text: line == nil ? sentence : sentence.clause + end)
  }
}
