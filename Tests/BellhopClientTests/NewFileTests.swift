import BellhopModel
import BellhopSync
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopClient

@Suite("Saved files")
struct NewFileTests {
  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test("a file gets a number where its name is taken, and only its owner can read it")
  func numbered() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let downloads = folder.path + "/new/Downloads"
    for text in ["one", "two"] {
      let file = try NewFile.make("a.txt", in: downloads)
      try file.write(Array(text.utf8))
      try file.finish()
    }
    #expect(try names(downloads) == ["a (2).txt", "a.txt"])
    #expect(try String(contentsOfFile: downloads + "/a.txt", encoding: .utf8) == "one")
    #expect(try String(contentsOfFile: downloads + "/a (2).txt", encoding: .utf8) == "two")
    let mode =
      try FileManager.default.attributesOfItem(atPath: downloads + "/a.txt")[
        .posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("a symbolic link of that name is never followed, whether its target exists or not")
  func links() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let victim = folder.path + "/victim"
    try "mine".write(toFile: victim, atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/a.txt", withDestinationPath: victim)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/a (2).txt", withDestinationPath: folder.path + "/none")
    let file = try NewFile.make("a.txt", in: folder.path)
    try file.write([1])
    try file.finish()
    #expect(file.path.hasSuffix("/a (3).txt"))
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/none"))
  }

  @Test("an unfinished file leaves nothing behind")
  func discarded() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let file = try NewFile.make("a.txt", in: folder.path)
    try file.write([1, 2, 3])
    file.discard()
    #expect(try names(folder.path).isEmpty)
    do { _ = try NewFile.make("b.txt", in: folder.path) }
    #expect(try names(folder.path).isEmpty)
    #expect(try NewFile.make(path: folder.path) == nil)
  }

  @Test("progress is reported at the start, and then in steps")
  func progress() {
    var progress = FetchProgress()
    #expect(progress.take(.length(100_000_000))?.total == 100_000_000)
    #expect(progress.take(.bytes([UInt8](repeating: 0, count: 999_999))) == nil)
    #expect(progress.take(.bytes([0]))?.received == 1_000_000)
    var small = FetchProgress()
    #expect(small.take(.length(nil))?.received == 0)
    #expect(small.take(.bytes([UInt8](repeating: 0, count: 131_072)))?.received == 131_072)
  }
}
