import Foundation
import Testing

@testable import BellhopClient

@Suite("JSON lines")
struct JSONLineTests {
  @Test("a JSON line has no character that a terminal would interpret, and reads back the same")
  func jsonLine() throws {
    let title = "a\u{1b}[31m\u{202e}\u{85}\u{2028}👩‍👩‍👧\u{e0041}\u{7f}\u{9b}1m 漢字"
    let line = try JSONLine.encode(["title": title])
    let unsafe = line.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: true
      default: false
      }
    }
    #expect(unsafe.isEmpty)
    #expect(line.contains("漢字"))
    let read = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    #expect(read["title"] == title)
  }
}
