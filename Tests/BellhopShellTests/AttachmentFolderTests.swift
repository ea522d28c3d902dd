import BellhopClient
import BellhopModel
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopShell

@Suite("Attachment folders")
struct AttachmentFolderTests {
  @Test("opened files are removed after a day; ones opened since stay")
  func opened() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let context = try ClientContext(
      directories: Directories(root: folder.path), environment: [:], account: nil,
      usesPolling: nil)
    let account = AccountName("home")
    let path = try AttachmentFolders(context).opened(of: account)
    for name in ["old.txt", "new.txt"] { try NewFile.make(name, in: path).finish() }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: path + "/old.txt")
    #expect(try AttachmentFolders(context).opened(of: account) == path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["new.txt"])
  }

  @Test("the folder is the configured one, else the desktop's")
  func folders() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let directories = Directories(root: folder.path)
    try Directories.make(directories.config)
    func downloads(_ environment: [String: String], _ text: String = "") throws -> String {
      try PrivateFile.write(text, to: directories.config + "/config.toml")
      let context = try ClientContext(
        directories: directories, environment: environment, account: nil, usesPolling: nil)
      return try AttachmentFolders(context).downloads()
    }
    #expect(try downloads(["HOME": "/home/a"]) == "/home/a/Downloads")
    #expect(try downloads(["HOME": "/home/a", "XDG_DOWNLOAD_DIR": "/d"]) == "/d")
    #expect(try downloads(["XDG_DOWNLOAD_DIR": "/d"], "downloads = \"/files\"") == "/files")
    #expect(throws: ClientError.self) { try downloads([:]) }
    #expect(throws: ClientError.self) { try downloads([:], "downloads = \"files\"") }
    #expect(throws: ClientError.self) { try downloads([:], "attachment-limit = 0") }
  }
}
