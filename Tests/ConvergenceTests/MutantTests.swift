import BellhopModel
import BellhopTestSupport
import Testing

/// The deliberate faults, the rules that they break, and the tests that catch them.
@Suite struct MutantTests {
  private static let rules = "Sources/BellhopSync/Documentation.docc/Rules.md"

  /// The rows of `.ci/mutants`: a fault, and the suite and function of its test.
  private static func rows() throws -> [(mutant: String, suite: String, test: String)] {
    let lines = try SourceTree.text(".ci/mutants").split(separator: "\n")
    let table = lines.drop { !$0.hasSuffix("<<'TABLE'") }.dropFirst().prefix { $0 != "TABLE" }
    return try table.map { line in
      let words = line.split(separator: " ")
      let parts = try #require(words.last).split(separator: "/")
      try #require(words.count == 2 && parts.count == 2, "\(line)")
      return (String(words[0]), String(parts[0]), String(parts[1]))
    }
  }

  @Test("an ordinary build has no mutants")
  func noMutants() {
    guard !Mutant.areBuiltIn else { return }
    for mutant in Mutant.allCases {
      Mutant.choose(mutant)
      #expect(!mutant.isOn)
    }
    Mutant.choose(nil)
  }

  @Test("each rule of synchronisation has a mutant, and there are at least sixty")
  func everyRule() throws {
    let ids = try SourceTree.text(Self.rules).split(separator: "\n").filter {
      $0.hasPrefix("### ")
    }.map { String($0.dropFirst(4)) }
    #expect(ids.count >= 19)
    let broken = Set(Mutant.allCases.compactMap(\.rule))
    #expect(Set(ids).subtracting(broken) == [], "rules without a mutant")
    #expect(broken.subtracting(ids) == [], "mutants of rules that are not there")
    #expect(Mutant.allCases.count >= 60)
  }

  @Test("mutants that the simulation skips are those of .ci/mutants")
  func testedElsewhere() throws {
    let named = try Self.rows().map(\.mutant)
    #expect(named.sorted() == Mutant.allCases.filter { !$0.isSimulated }.map(\.name).sorted())
  }

  @Test("each test named in .ci/mutants exists")
  func namedTests() throws {
    let files = try SourceTree.swiftFiles(below: "Tests")
    for row in try Self.rows() {
      let isThere = files.contains { file in
        ["struct", "extension"].contains { file.text.contains("\($0) \(row.suite) ") }
          && file.text.contains("func \(row.test)(")
      }
      #expect(isThere, "\(row.suite)/\(row.test) of \(row.mutant)")
    }
  }
}
