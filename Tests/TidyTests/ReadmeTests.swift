import BellhopInbox
import BellhopTestSupport
import Foundation
import Testing

/// The README's statements about the program, compared with the program.
@Suite("The README")
struct ReadmeTests {
  static let start = "<!-- keys: generated from the program, checked by a test -->\n"
  static let end = "\n<!-- end of keys -->"

  @Test("its key table is the program's; RECORD_README=1 writes it again")
  func keyTable() throws {
    let readme = try SourceTree.text("README.md")
    let from = try #require(readme.range(of: Self.start)?.upperBound)
    let to = try #require(readme.range(of: Self.end)?.lowerBound)
    let table = KeyTable.markdown().trimmingCharacters(in: .newlines)
    if ProcessInfo.processInfo.environment["RECORD_README"] == "1" {
      let text = readme.replacingCharacters(in: from..<to, with: table)
      try text.write(
        to: SourceTree.root.appending(path: "README.md"), atomically: true, encoding: .utf8)
    } else {
      #expect(readme[from..<to] == table)
    }
  }

  @Test("its test command is the one that CI runs")
  func testCommand() throws {
    let command = ".ci/packages && swift test"
    let readme = try SourceTree.text("README.md")
    let script = try SourceTree.text(".ci/run")
    #expect(readme.contains("\n\(command)\n"))
    #expect(script.contains("\n\(command)\n"))
  }

  @Test("its list of modules names every module")
  func map() throws {
    let readme = try SourceTree.text("README.md")
    let sources = try FileManager.default.contentsOfDirectory(
      atPath: SourceTree.root.appending(path: "Sources").path)
    #expect(sources.count > 10)
    for module in sources { #expect(readme.contains(module), "\(module) is not in the map") }
  }
}
