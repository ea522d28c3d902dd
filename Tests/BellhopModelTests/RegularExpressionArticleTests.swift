import BellhopModel
import BellhopTestSupport
import Testing

/// The tables of the article about regular expressions, compared with the code.
@Suite("The article about regular expressions")
struct RegularExpressionArticleTests {
  static let path = "Sources/BellhopModel/Documentation.docc/RegularExpressions.md"

  /// The rows of a table below a heading; each cell as its first piece of code, or empty.
  static func rows(below heading: String) throws -> [[String]] {
    let section = try SourceTree.text(path).split(separator: "\n")
      .drop { $0 != "### " + heading }.dropFirst().prefix { !$0.hasPrefix("### ") }
    let table = section.filter { $0.hasPrefix("| ") }
    return table.dropFirst(2).map { line in
      // A vertical bar within a cell has a backslash before it.
      line.replacing("\\|", with: "\u{0}").split(separator: "|").map { cell in
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
        return parts.count > 1 ? String(parts[1]).replacing("\u{0}", with: "|") : ""
      }
    }
  }

  @Test("each pattern of the syntax is found in its example, and not in the other one")
  func syntax() throws {
    let rows = try Self.rows(below: "Syntax")
    #expect(rows.count > 25)
    for row in rows {
      try #require(row.count == 4, "\(row)")
      for (text, outcome) in [(row[2], RegularExpression.Outcome.match), (row[3], .noMatch)] {
        guard !text.isEmpty else { continue }
        #expect(try RegularExpressionTests.search(row[0], text).outcome == outcome, "\(row)")
      }
    }
  }

  @Test("each construct that is not supported is refused, and its substitute is accepted")
  func unsupported() throws {
    let rows = try Self.rows(below: "Constructs that are not supported")
    #expect(rows.count > 15)
    for row in rows {
      try #require(row.count == 3, "\(row)")
      let error = #expect(throws: RegularExpression.SyntaxError.self, "\(row)") {
        try RegularExpression(row[1])
      }
      #expect(error?.problem.hasSuffix("is not supported") == true, "\(row)")
      #expect(throws: Never.self, "\(row)") { try RegularExpression(row[2]) }
    }
  }

  @Test("the limits of the article are those of the code")
  func limits() throws {
    let text = try SourceTree.text(Self.path)
    #expect(text.contains("1 to \(RegularExpression.bytesMax) bytes"))
    #expect(text.contains("at most \(RegularExpression.repetitionsMax)."))
    #expect(RegularExpression.statesMax == 1_000 && text.contains("at most 1,000 states"))
    let steps = RegularExpression.StepBudget.stepsPerItemMax
    #expect(steps == 100_000 && text.contains("at most 100,000 steps"))
  }
}
