/// One topic of a manual, written in Markdown.
///
/// The first line is a heading with the title. The paragraph below it is the summary, in one line.
package struct Topic: Sendable, Hashable {
  /// The word that names the topic on the command line, such as `filters`.
  package let name: String
  package let markdown: String

  package var title: String { line(1).replacing("# ", with: "") }
  package var summary: String { line(3) }

  private func line(_ number: Int) -> String {
    let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.contains(number - 1) ? String(lines[number - 1]) : ""
  }
}
