package import BellhopText

/// One topic of a manual, written in Markdown.
///
/// The first line is a heading with the title. The paragraph below it is the summary, in one line.
package struct Topic: Sendable, Hashable {
  /// The word that names the topic on the command line, such as `filters`.
  package let name: String
  package let markdown: String
  /// The program whose manual contains the topic.
  package let program: String

  /// The maximum length of a summary, in characters, so that lists of topics fit.
  package static let summaryMax = 60

  package var title: String { line(1).replacing("# ", with: "") }
  package var summary: String { line(3) }

  /// The command that shows the topic, such as `bellhop help filters`.
  package var command: String { "\(program) help \(name)" }

  /// The topic as a document, in which links to other topics name the command that shows them.
  package var document: MarkdownDocument {
    let program = program
    let dialect = MarkdownDialect(hasTables: true) { label, target in
      guard let name = Self.name(linkedBy: target) else {
        return MarkdownDialect.targetNote(label: label, target: target)
      }
      return "(\(program) help \(name))"
    }
    return MarkdownDocument(markdown, dialect)
  }

  /// Returns the name of the topic that a link such as `filters.md` leads to.
  package static func name(linkedBy target: String) -> String? {
    guard !target.contains("://") else { return nil }
    let file = target.prefix { $0 != "#" }
    guard file.hasSuffix(".md") else { return nil }
    return file.dropLast(3).split(separator: "/").last.map(String.init)
  }

  private func line(_ number: Int) -> String {
    let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.contains(number - 1) ? String(lines[number - 1]) : ""
  }
}
