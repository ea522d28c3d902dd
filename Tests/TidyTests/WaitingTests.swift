import BellhopTestSupport
import Testing

/// The ways in which tests may wait and start programs.
@Suite("Waiting in tests")
struct WaitingTests {
  @Test("no test waits in its own loop, which could wait for ever")
  func noYields() throws {
    for file in try SourceTree.swiftFiles(below: "Tests")
    where file.path != "Tests/Support/Waiting.swift" && !file.path.hasSuffix("WaitingTests.swift") {
      #expect(
        !file.text.contains("Task.yield()"), "\(file.path): use `eventually` of the test support")
    }
  }

  @Test("each suite that starts programs is limited in how many run at once")
  func limited() throws {
    let all = try SourceTree.swiftFiles(below: "Tests")
      .filter { !$0.path.hasSuffix("WaitingTests.swift") }
    let folders = Dictionary(grouping: all) { file in
      String(file.path.split(separator: "/").dropFirst().first ?? "")
    }
    var counts: [String: Int] = [:]
    for (folder, files) in folders {
      let types = try files.flatMap { file in try TestType.types(in: file) }
      let starters = TestType.starters(among: types)
      for type in types where type.attribute != nil {
        guard folder == "EndToEndTests" || type.uses(starters) else { continue }
        counts[folder, default: 0] += 1
        #expect(
          type.attribute?.contains(".realPrograms") == true,
          "\(type.name) in \(type.path) lacks .realPrograms")
      }
    }
    #expect(counts["EndToEndTests"] ?? 0 > 20 && counts["BellhopTerminalTests"] ?? 0 >= 5)
  }

  @Test("a failed wait names the condition and the last state")
  func failure() async throws {
    let error = await #expect(throws: NotSeen.self) {
      try await eventually("a light", within: .zero, every: .zero, last: "darkness") { false }
    }
    #expect(error?.description == "Waited in vain for a light. Seen last:\ndarkness")
  }
}

/// A type at the top level of a test file, with its text.
private struct TestType {
  var name: String
  var path: String
  /// The text of `@Suite(…)`; nil for a type that is not a suite, or has no such attribute.
  var attribute: Substring?
  var body: Substring

  /// The types that start programs.
  private static let first: Set<String> = ["PseudoTerminal", "Child"]

  /// The types of a file, whose declarations begin at the left margin.
  static func types(in file: SourceTree.File) throws -> [TestType] {
    let heads = file.text.matches(
      of: try Regex(
        #"(?m)^(?:@Suite(?<suite>(?:\((?s:.*?)\))?)\s+)?"#
          + #"(?:(?:public|package|private|fileprivate|final) )*"#
          + #"(?:struct|class|enum|actor|extension) (?<name>\w+)"#))
    #expect(
      heads.count { $0["suite"]?.substring != nil } == file.text.ranges(of: "\n@Suite").count,
      "\(file.path) has a suite that was not found")
    return heads.indices.map { place in
      let head = heads[place]
      let end = place + 1 < heads.count ? heads[place + 1].range.lowerBound : file.text.endIndex
      return TestType(
        name: head["name"]?.substring.map(String.init) ?? "", path: file.path,
        attribute: head["suite"]?.substring, body: file.text[head.range.upperBound..<end])
    }
  }

  /// The types that start programs, and those of a folder that use one of them.
  static func starters(among types: [TestType]) -> Set<String> {
    var starters = first
    while true {
      let more = types.filter { $0.attribute == nil && $0.uses(starters) }.map(\.name)
      guard !starters.isSuperset(of: more) else { return starters }
      starters.formUnion(more)
    }
  }

  /// Whether the text names one of the types.
  func uses(_ names: Set<String>) -> Bool {
    body.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      .contains { names.contains(String($0)) }
  }
}
