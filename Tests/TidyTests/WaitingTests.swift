import BellhopTestSupport
import Testing

/// The ways in which tests may wait and start programs.
@Suite("How tests wait")
struct WaitingTests {
  @Test("no test waits in a loop of its own, which could wait for ever")
  func noYields() throws {
    for file in try SourceTree.swiftFiles(below: "Tests")
    where file.path != "Tests/Support/Waiting.swift" && !file.path.hasSuffix("WaitingTests.swift") {
      #expect(
        !file.text.contains("Task.yield()"), "\(file.path): use `eventually` of the test support")
    }
  }

  @Test("each suite that starts the programs is limited in how many run at once")
  func limited() throws {
    var count = 0
    for file in try SourceTree.swiftFiles(below: "Tests/EndToEndTests") {
      for start in file.text.ranges(of: "@Suite") {
        count += 1
        let rest = file.text[start.upperBound...]
        let end = try #require(rest.firstRange(of: "struct ")?.lowerBound)
        #expect(rest[..<end].contains(".realPrograms"), "\(file.path) lacks .realPrograms")
      }
    }
    #expect(count > 20)
  }

  @Test("a wait that fails says what it waited for and what it saw last")
  func failure() async throws {
    let error = await #expect(throws: NotSeen.self) {
      try await eventually("a light", within: .zero, every: .zero, last: "darkness") { false }
    }
    #expect(error?.description == "Waited in vain for a light. Seen last:\ndarkness")
  }
}
