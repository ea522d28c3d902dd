import BellhopTestSupport
import Foundation
import Testing

/// Counts of code patterns that are hard to read.
///
/// Each may only fall: a change that lowers a count lowers its limit here.
@Suite("Counters")
struct CounterTests {
  /// Checks a count against its limit.
  static func expect(_ count: Int, notAbove limit: Int, _ name: String) {
    #expect(count <= limit, "\(name): \(count), and may be \(limit) at most")
    #expect(count >= limit, "\(name): \(count) now. Set its limit to that.")
  }

  /// `default:` over the program's own enums lets a forgotten case compile.
  ///
  /// One over a type that is not ours, or that is open, ends with `// open: TYPE`.
  static let defaultsMax: [String: Int] = [:]

  static func module(of path: String) -> String {
    let parts = path.split(separator: "/")
    return parts.firstIndex(of: "Sources").map { String(parts[$0 + 1]) } ?? path
  }

  @Test("defaults over own enums do not increase in any module")
  func defaults() throws {
    var counts: [String: Int] = [:]
    for file in try SourceTree.swiftFiles(below: "Sources") {
      for line in file.lines {
        let text = line.trimmingCharacters(in: .whitespaces)
        guard text.hasPrefix("default:"), !text.contains("// open: ") else { continue }
        counts[Self.module(of: file.path), default: 0] += 1
      }
    }
    for module in Set(counts.keys).union(Self.defaultsMax.keys).sorted() {
      Self.expect(
        counts[module] ?? 0, notAbove: Self.defaultsMax[module] ?? 0, "default: in \(module)")
    }
  }

  @Test("queries name placements, and the columns they read if they select more than six")
  func columns() throws {
    for folder in ["Sources/BellhopCache", "Sources/BellhopStoreSQLite"] {
      for file in try SourceTree.swiftFiles(below: folder) {
        let isMigrations = file.path.contains("/Schema")
        for line in file.lines where line.contains("placement ") || line.contains("row") {
          #expect(
            line.firstMatch(of: #/row(\[|\.\w+\()([6-9]|\d\d)[\])]/#) == nil,
            "\(file.path): \(line)")
          guard !isMigrations else { continue }
          #expect(
            line.firstMatch(of: #/placement (=|<|>|<>|IN) ?\(?\d/#) == nil, "\(file.path): \(line)")
        }
      }
    }
  }

  @Test("only the modules that other packages may use say public")
  func publicDeclarations() throws {
    for file in try SourceTree.swiftFiles(below: "Sources") {
      guard !["BellhopKit", "BellhopModel"].contains(Self.module(of: file.path)) else { continue }
      for (number, line) in file.lines.enumerated() {
        let code = line.prefix { $0 != "\"" }.trimmingCharacters(in: .whitespaces)
        guard !code.hasPrefix("//") else { continue }
        #expect(
          code.firstMatch(of: #/^(@\S+ |\w+ )*public\b(?!\))/#) == nil,
          "\(file.path):\(number + 1) says public; package is enough: \(code)")
      }
    }
  }

  @Test("the screen's state keeps few properties of its own")
  func stateProperties() throws {
    let file = try #require(
      SourceTree.swiftFiles(below: "Sources/BellhopInbox").first {
        $0.path.hasSuffix("/InboxState.swift")
      })
    let body = file.lines.drop { $0 != "package struct InboxState: Sendable {" }
    let properties = body.prefix { $0 != "}" }.filter { line in
      line.hasPrefix("  ") && !line.hasPrefix("   ")
        && line.contains(#/^  (package |internal\(set\) |private )*(var|let) /#)
    }
    Self.expect(properties.count, notAbove: 36, "properties of InboxState")
  }

  @Test("the files that every feature edits do not grow")
  func hubs() throws {
    let limits = [
      "BellhopInbox/Message.swift": 28, "BellhopInbox/Reducer.swift": 74,
      "BellhopInbox/ViewModels/InboxState+Footer.swift": 140,
    ]
    for (path, limit) in limits.sorted(by: { $0.key < $1.key }) {
      let file = try SourceTree.swiftFiles(below: "Sources").first { $0.path.hasSuffix(path) }
      let lines = try #require(file, "\(path)").lines.filter { line in
        let code = line.drop { $0 == " " }
        return !code.isEmpty && !code.hasPrefix("//")
      }
      Self.expect(lines.count, notAbove: limit, path)
    }
  }
}
