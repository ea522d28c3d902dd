extension RoffWriter {
  /// Writes a topic of the manual as a section of the page.
  ///
  /// Generated parts are left out: other parts of the page contain the same.
  mutating func topic(_ topic: Topic) {
    section(topic.title)
    body(of: topic)
  }

  /// Writes a topic without its title.
  mutating func body(of topic: Topic) {
    let lines = topic.markdown.split(separator: "\n", omittingEmptySubsequences: false)
    // The summary only belongs in a list of topics.
    markdown(lines.dropFirst(3).map(String.init))
  }

  /// Writes the blocks of Markdown text.
  mutating func markdown(_ lines: [String]) {
    var rest = Self.withoutGenerated(lines)[...]
    while let line = rest.first {
      rest = rest.dropFirst()
      if line.allSatisfy({ $0 == " " }) { continue }
      if line.hasPrefix("```") {
        code(Array(rest.prefix { !$0.hasPrefix("```") }))
        rest = rest.drop { !$0.hasPrefix("```") }.dropFirst()
      } else if line.hasPrefix("#") {
        subsection(String(line.drop { $0 == "#" || $0 == " " }))
      } else if line.hasPrefix("- ") {
        let more = Self.takeText(&rest) { $0.hasPrefix("- ") }
        bullet(([String(line.dropFirst(2))] + more).joined(separator: " "))
      } else if line.hasPrefix("|") {
        table([line] + rest.prefix { $0.hasPrefix("|") })
        rest = rest.drop { $0.hasPrefix("|") }
      } else {
        let more = Self.takeText(&rest) { $0.hasPrefix("- ") }
        paragraph(([line] + more).joined(separator: " "))
      }
    }
  }

  /// Writes a table as entries: the first column is the tag. The header is left out.
  private mutating func table(_ lines: [String]) {
    for line in lines.dropFirst(2) {
      let cells = Self.cells(line)
      guard let tag = cells.first else { continue }
      entry(tag: Self.inline(tag), markdown: cells.dropFirst().joined(separator: ". "))
    }
  }

  /// Returns the cells of a row; `\|` is a bar within a cell.
  private static func cells(_ line: String) -> [String] {
    let bar = "\u{0}"
    return line.replacing("\\|", with: bar).split(separator: "|").map { cell in
      cell.replacing(bar, with: "|").split(separator: " ").joined(separator: " ")
    }.filter { !$0.isEmpty }
  }

  /// Removes and returns the lines that continue a paragraph or a list entry.
  private static func takeText(
    _ rest: inout ArraySlice<String>, endsAt isEnd: (String) -> Bool
  ) -> [String] {
    let taken = rest.prefix { line in
      !line.allSatisfy { $0 == " " } && !isEnd(line)
        && !["#", "|", "```"].contains { line.hasPrefix($0) }
    }
    rest = rest.dropFirst(taken.count)
    return taken.map { String($0.drop { $0 == " " }) }
  }

  private static func withoutGenerated(_ lines: [String]) -> [String] {
    var isGenerated = false
    return lines.filter { line in
      if line.hasPrefix("<!-- generated:") { isGenerated = true }
      defer { if line.hasPrefix("<!-- end:") { isGenerated = false } }
      return !isGenerated && !line.hasPrefix("<!--")
    }
  }
}
