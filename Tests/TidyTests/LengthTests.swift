import BellhopTestSupport
import Testing

/// The sizes of files and functions: a long one has taken on a second job.
@Suite("Sizes")
struct LengthTests {
  static let fileLinesMax = 400
  static let functionLinesMax = 70

  /// Name and length of each function, by the indentation that the formatter gives its braces.
  static func functions(in file: SourceTree.File) -> [(name: String, lines: Int)] {
    var found: [(String, Int)] = []
    let lines = file.lines
    for (start, line) in lines.enumerated() {
      let indentation = line.prefix { $0 == " " }.count
      let words = line.split(separator: " ")
      guard let position = words.firstIndex(where: { $0 == "func" || $0.hasPrefix("init(") }),
        position <= 5, !line.drop(while: { $0 == " " }).hasPrefix("//"),
        !line.drop(while: { $0 == " " }).hasPrefix("self."), !line.hasSuffix("}")
      else { continue }
      let close = String(repeating: " ", count: indentation) + "}"
      guard let end = lines[start...].firstIndex(where: { $0 == close }) else { continue }
      // A protocol's requirement has no body: another declaration begins before the brace.
      let name = words[position...].prefix(2).joined(separator: " ")
      found.append((name, end - start + 1))
    }
    return found
  }

  @Test("no file is too long to read at one sitting", arguments: ["Sources", "Tests"])
  func filesAreShort(_ folder: String) throws {
    for file in try SourceTree.swiftFiles(below: folder) {
      #expect(file.lines.count <= Self.fileLinesMax + 1, "\(file.path): \(file.lines.count) lines")
    }
  }

  @Test("no function is longer than a screen or two")
  func functionsAreShort() throws {
    var count = 0
    for file in try SourceTree.swiftFiles(below: "Sources") where !file.text.contains("protocol ") {
      for function in Self.functions(in: file) {
        count += 1
        #expect(
          function.lines <= Self.functionLinesMax,
          "\(file.path): \(function.name) has \(function.lines) lines")
      }
    }
    #expect(count > 200)
  }
}
