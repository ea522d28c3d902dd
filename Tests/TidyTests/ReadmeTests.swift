import BellhopTestSupport
import Foundation
import Testing

/// The README's statements about the program, compared with the program.
@Suite("The README")
struct ReadmeTests {
  /// The maximum number of lines: everything else is in the manual.
  static let linesMax = 150

  @Test("it is short")
  func length() throws {
    let lines = try SourceTree.text("README.md").split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count - 1 <= Self.linesMax)
  }

  @Test("every file that it links to exists")
  func links() throws {
    let readme = try SourceTree.text("README.md")
    let files = readme.matches(of: /\]\(([^)\s#]+)[^)]*\)/).map { String($0.1) }
      .filter { !$0.contains("://") }
    #expect(!files.isEmpty)
    for file in files {
      let path = SourceTree.root.appending(path: file).path
      #expect(FileManager.default.fileExists(atPath: path), "\(file) does not exist")
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
}
