import BellhopInbox
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopClient

@Suite("The program's name as typed")
struct OwnNameTests {
  @Test("it is bellhop if the shell finds this program by that name, else the path")
  func called() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    func make(_ name: String) throws -> String {
      let path = folder.path + "/" + name
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      #expect(
        FileManager.default.createFile(
          atPath: path, contents: nil, attributes: [.posixPermissions: 0o755]))
      return path
    }
    let own = try make("built/bellhop")
    let other = try make("other/bellhop")
    let odd = try make("a folder/bellhop")
    let link = folder.path + "/bin/bellhop"
    try FileManager.default.createDirectory(
      atPath: folder.path + "/bin", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: own)
    func called(_ argument: String, _ folders: String, _ executable: String?) -> String {
      let path = folders.split(separator: " ").map { folder.path + "/" + $0 }
      return ProgramName.called(
        by: argument, environment: ["PATH": path.joined(separator: ":")], executable: executable)
    }
    #expect(called("bellhop", "built", own) == "bellhop")
    #expect(called("bellhop", "bin other", own) == "bellhop")
    #expect(called("./built/bellhop", "built", own) == "bellhop")
    #expect(called("./built/bellhop", "other built", own) == "./built/bellhop")
    #expect(called("./built/bellhop", "", own) == "./built/bellhop")
    #expect(called("bellhop", "other", own) == own)
    #expect(called(odd, "other", odd) == "'\(odd)'")
    #expect(called("it's/bellhop", "", other) == "'it'\\''s/bellhop'")
    #expect(called("bellhop", "", nil) == "bellhop")
  }
}
