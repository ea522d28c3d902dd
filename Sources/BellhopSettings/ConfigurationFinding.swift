/// A problem of a configuration file.
package struct ConfigurationFinding: Hashable, Sendable {
  package enum Grade: Hashable, Sendable {
    /// The setting is left out, and the program goes on.
    case warning
    /// The file is refused.
    case error
  }

  package var grade: Grade
  /// From 1; nil if it belongs to no line.
  package var line: Int?
  /// The problem and its fix as sentences, which begin as they do behind a colon.
  package var text: String

  package init(_ grade: Grade = .warning, line: Int? = nil, text: String) {
    self.grade = grade
    self.line = line
    self.text = text
  }

  /// `line 4: mouse must be true or false.`, or the text alone.
  package var words: String { line.map { "line \($0): \(text)" } ?? text }

  /// Findings with the path of the file, a line each.
  package static func text(of findings: [ConfigurationFinding], in path: String) -> String {
    findings.map { path + ($0.line == nil ? ": " : ", ") + $0.words }.joined(separator: "\n")
  }
}
