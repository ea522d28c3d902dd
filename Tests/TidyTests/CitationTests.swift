import BellhopTestSupport
import Testing

/// The ids of rules that code and tests cite, such as `SYNC-6`.
@Suite("Cited rules")
struct CitationTests {
  /// The documents that hold the rules, by the prefix of their ids.
  static let documents = [
    "SYNC": "Sources/BellhopSync/Documentation.docc/Rules.md",
    "SECURITY": "Sources/BellhopServer/Documentation.docc/SecurityRules.md",
  ]

  /// The ids that a document's headings define, in order.
  static func defined(in path: String) throws -> [String] {
    try SourceTree.text(path).split(separator: "\n").compactMap { line in
      guard let id = line.split(separator: "# ").last, line.hasPrefix("### ") else { return nil }
      return String(id.prefix { $0 != " " && $0 != ":" })
    }
  }

  /// The ids in a text: a known prefix, a hyphen and a number.
  static func cited(in text: String) -> Set<String> {
    var found: Set<String> = []
    for prefix in documents.keys {
      for range in text.ranges(of: prefix + "-") {
        let number = text[range.upperBound...].prefix(while: \.isNumber)
        if !number.isEmpty { found.insert("\(prefix)-\(number)") }
      }
    }
    return found
  }

  @Test("each rule that a file cites is in its document", arguments: ["Sources", "Tests"])
  func citationsResolve(folder: String) throws {
    let known = try Set(Self.documents.values.flatMap(Self.defined))
    var count = 0
    for file in try SourceTree.swiftFiles(below: folder) {
      let cited = Self.cited(in: file.text)
      count += cited.count
      let missing = cited.subtracting(known).sorted()
      #expect(missing.isEmpty, "\(file.path) cites \(missing)")
    }
    #expect(count > 10)
  }

  @Test("rules are numbered from 1 without gaps", arguments: documents.keys.sorted())
  func numbering(prefix: String) throws {
    let path = try #require(Self.documents[prefix])
    let ids = try Self.defined(in: path)
    #expect(ids == ids.indices.map { "\(prefix)-\($0 + 1)" })
  }

  @Test("no file cites a rule by a number alone or a document that is not here")
  func noOtherForms() throws {
    let forms = ["SYNC rule", "SECURITY rule", "SYNC.md", "SECURITY.md"]
    for folder in ["Sources", "Tests"] {
      for file in try SourceTree.swiftFiles(below: folder)
      where !file.path.hasSuffix("CitationTests.swift") {
        let found = forms.filter { file.text.contains($0) }
        #expect(found.isEmpty, "\(file.path) has \(found)")
      }
    }
  }

  @Test("the reader of citations finds ids and nothing else")
  func reader() {
    #expect(
      Self.cited(in: "(SYNC-6, SYNC-12) and SECURITY-4.") == ["SYNC-6", "SYNC-12", "SECURITY-4"])
    #expect(Self.cited(in: "SYNC and ASYNC-safe") == [])
  }
}
