import BellhopClient
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopCommands

@Suite("QR codes")
struct QRCodeTests {
  /// A square of 22 modules, dark where row and column are both even.
  private static let matrix = (0..<22).map { row in
    (0..<22).map { row % 2 == 0 && $0 % 2 == 0 ? "##" : "  " }.joined()
  }.joined(separator: "\n")

  @Test("the program's output is read as modules and drawn as half blocks")
  func drawing() throws {
    let code = try #require(QRCode(ascii: Self.matrix + "\n"))
    #expect(code.width == 22 && code.rows.count == 22)
    #expect(code.rows[0][0] && !code.rows[0][1] && !code.rows[1][0])
    #expect(code.lines.count == 11)
    #expect(code.lines[0] == String(repeating: "▄█", count: 11))
  }

  @Test(
    "output that is not a square of modules gives no code",
    arguments: ["", "##", "\u{1b}[2J", "error: out of memory\n", String(repeating: "#", count: 50)])
  func notACode(_ text: String) {
    #expect(QRCode(ascii: text) == nil)
  }

  @Test("the program gets the link on its standard input, and without it there is no code")
  func program() throws {
    try TemporaryFolder.with { folder in
      let link = "https://store.example.com/oauth/device?user_code=BCDF-GHJK"
      #expect(QRCode(of: link, environment: ["PATH": folder]) == nil)
      let script = "#!/bin/sh\nread link\n[ \"$link\" = '\(link)' ] && cat '\(folder)/matrix'\n"
      for (name, text) in [("matrix", Self.matrix), ("qrencode", script)] {
        try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
      }
      chmod(folder + "/qrencode", 0o755)
      #expect(QRCode(of: link, environment: ["PATH": folder])?.width == 22)
      #expect(QRCode(of: "https://other", environment: ["PATH": folder]) == nil)
    }
  }
}
