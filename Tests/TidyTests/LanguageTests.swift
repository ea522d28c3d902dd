import BellhopTestSupport
import Testing

/// Comments and texts follow ``PlainLanguage``.
@Suite("Language")
struct LanguageTests {
  @Test("documentation begins with a short sentence, and with a noun or a verb")
  func summariesArePlain() throws {
    var count = 0
    for folder in ["Sources", "Tests"] {
      for file in try SourceTree.swiftFiles(below: folder) {
        for (line, text) in PlainLanguage.summaries(in: file) {
          count += 1
          let fault = PlainLanguage.fault(in: text)
          #expect(fault == nil, "\(file.path):\(line) \(fault ?? ""): \(text)")
        }
      }
    }
    #expect(count > 5000)
  }

  /// Files with the words themselves, and migrations, whose text never changes.
  static let exempt: Set<String> = [
    "Tests/Support/PlainLanguage.swift", "Tests/TidyTests/LanguageTests.swift",
    "Sources/BellhopCache/Database/Schema.swift",
    "Sources/BellhopStoreSQLite/Database/Schema+Apps.swift",
  ]

  @Test("no comment, text or document leaves the actor unnamed")
  func actorsAreNamed() throws {
    let files =
      try ["Sources", "Tests"].flatMap(SourceTree.swiftFiles)
      + SourceTree.files(below: "Sources", type: "md")
      + SourceTree.files(below: "themes", type: "toml")
    #expect(files.contains { $0.path.hasSuffix(".md") })
    for file in files where !Self.exempt.contains(file.path) {
      for (index, line) in file.lines.enumerated() {
        // The system's user of this name.
        let text = line.replacing("\"nobody\"", with: "")
        if let found = text.firstMatch(of: PlainLanguage.unnamedActor) {
          Issue.record("\(file.path):\(index + 1) says “\(found.0)”: \(line)")
        }
      }
    }
  }

  @Test("the rule finds what it is for")
  func findings() {
    #expect(PlainLanguage.fault(in: "What a store keeps.") == "begins with What")
    #expect(PlainLanguage.fault(in: "Of every request but one.") == "begins with Of")
    #expect(PlainLanguage.fault(in: "Whether the store keeps it.") == nil)
    let long = Array(repeating: "word", count: 21).joined(separator: " ")
    #expect(PlainLanguage.fault(in: long + ".")?.hasPrefix("has 21 words") == true)
    #expect(PlainLanguage.fault(in: "Reads `a b c d e f` and more. " + long) == nil)
    for text in ["Nobody waits.", "The store is told.", "It begins anew.", "Mend the file."] {
      #expect(text.contains(PlainLanguage.unnamedActor), "\(text)")
    }
    #expect(!"The engine amends a recommendation.".contains(PlainLanguage.unnamedActor))
  }

  @Test("a summary is the first paragraph of a comment, wherever it stands")
  func summary() {
    let file = SourceTree.File(
      path: "", text: "/// One.\n///\n/// Two.\nlet a = 1\n  /// Three,\n  /// four.\n  let b = 2\n"
    )
    let found = PlainLanguage.summaries(in: file)
    #expect(found.map(\.text) == ["One.", "Three, four."])
    #expect(found.map(\.line) == [1, 5])
  }
}
