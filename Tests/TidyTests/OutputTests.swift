import BellhopTestSupport
import Foundation
import Testing

/// The programs' output, which goes through one type in each program that makes it safe.
@Suite("Output of the programs")
struct OutputTests {
  /// The files that may write to standard output and standard error.
  static let writers: [String: String] = [
    "Sources/BellhopStoreCommandLine": "Output.swift",
    "Sources/BellhopCommandLine": "",
    "Sources/bellhop-programs": "Programs.swift",
    "Sources/BellhopClient": "StandardStreams.swift",
    "Sources/BellhopShell": "",
    "Sources/BellhopCommands": "",
    "Sources/BellhopHelp": "HelpOutput.swift",
  ]

  @Test("only the output type of each program prints", arguments: writers.keys.sorted())
  func oneWriter(_ folder: String) throws {
    let printing = /(^|[^.\w])(print|debugPrint|dump|fputs|puts|putchar|perror|printf)\(/
    let files = try SourceTree.swiftFiles(below: folder)
    #expect(!files.isEmpty)
    for file in files where file.path.split(separator: "/").last != Self.writers[folder]?[...] {
      for (index, line) in file.lines.enumerated() {
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//"), !code.contains("func ") else { continue }
        #expect(!code.contains("FileHandle.standard"), "\(file.path):\(index + 1): \(code)")
        #expect(code.firstMatch(of: printing) == nil, "\(file.path):\(index + 1): \(code)")
      }
    }
  }

  @Test("examples end a program's options before untrusted arguments")
  func examples() throws {
    var count = 0
    let manual = "Sources/BellhopManual/User"
    let topics = try FileManager.default.contentsOfDirectory(
      atPath: SourceTree.root.appending(path: manual).path)
    let paths =
      ["README.md", "Sources/BellhopCommandLine/WatchCommand.swift"]
      + topics.map { "\(manual)/\($0)" }
    for path in paths {
      for line in try SourceTree.text(path).split(separator: "\n")
      where line.contains("notify-send") && line.contains("$BELLHOP_") {
        count += 1
        #expect(line.contains("notify-send -- "), "\(path): \(line)")
      }
    }
    #expect(count >= 2)
  }

  @Test("only the output type of bellhopd writes to its descriptors")
  func descriptors() throws {
    let writing = /\b(write|writev|send)\([^)]*STD(OUT|ERR)_FILENO/
    for file in try SourceTree.swiftFiles(below: "Sources/BellhopStoreCommandLine")
    where !file.path.hasSuffix("/Output.swift") {
      #expect(file.text.firstMatch(of: writing) == nil, "\(file.path)")
    }
  }
}
