import BellhopSync
import BellhopTestSupport
import Foundation
import Testing

@Suite("Folders that other users could replace")
struct FolderSafetyTests {
  /// Runs `body` with a world-writable folder such as `/tmp`, and the user's own folder in it.
  private func inSharedFolder(
    mode: mode_t = 0o1777, own: mode_t = 0o700,
    _ body: (_ shared: String, _ path: String) throws -> Void
  ) throws {
    try TemporaryFolder.with { folder in
      let shared = folder + "/shared"
      let path = shared + "/bellhop-7"
      try FileManager.default.createDirectory(
        atPath: path + "/run", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      chmod(path, own)
      chmod(shared, mode)
      try body(shared, path)
    }
  }

  @Test("a private folder of the user is safe, even below a shared one with a sticky bit")
  func safe() throws {
    try inSharedFolder { _, path in
      #expect(FolderSafety.risk(in: path + "/run") == nil)
      #expect(FolderSafety.risk(in: path + "/missing/too") == nil)
    }
    try inSharedFolder(mode: 0o755) { _, path in #expect(FolderSafety.risk(in: path) == nil) }
  }

  @Test("a folder of another user in a shared one is a risk, wherever the path continues")
  func foreign() throws {
    try inSharedFolder { _, path in
      // To this user, everything here belongs to another one.
      let stranger: UInt32 = 54_321
      guard geteuid() != 0 else {
        #expect(chown(path, stranger, stranger) == 0)
        let risk = try #require(FolderSafety.risk(in: path + "/run"))
        #expect(risk.path == path && risk.kind == .foreign)
        return
      }
      let risk = try #require(FolderSafety.risk(in: path + "/run", user: stranger))
      #expect(risk.kind == .foreign)
    }
  }

  @Test("a folder that others may write to, and a shared one without a sticky bit, are risks")
  func modes() throws {
    for mode: mode_t in [0o770, 0o707] {
      try inSharedFolder(own: mode) { _, path in
        let risk = try #require(FolderSafety.risk(in: path + "/run"))
        #expect(risk.path == path && risk.kind == .writable)
        #expect(risk.fix == "Run: chmod 700 \(path)")
      }
    }
    try inSharedFolder(mode: 0o777) { shared, path in
      let risk = try #require(FolderSafety.risk(in: path))
      #expect(risk.path == shared && risk.kind == .notSticky)
      #expect(risk.fix == "Run as root: chmod +t \(shared)")
    }
  }

  @Test("nudges are not sent through a folder that others may replace, and the error has the fix")
  func nudges() throws {
    try inSharedFolder(own: 0o770) { _, path in
      let error = #expect(throws: NudgeSocket.SocketError.self) {
        try NudgeSocket(directory: path + "/run/home")
      }
      #expect(error?.path == path)
      #expect(error?.description.hasSuffix("Run: chmod 700 \(path)") == true)
      #expect(!FileManager.default.fileExists(atPath: path + "/run/home"))
      #expect(throws: NudgeSocket.SocketError.self) {
        try NudgeSocket(
          directory: path + "/" + String(repeating: "x", count: 200), fallbackParent: path)
      }
    }
  }

  @Test("the folder of the sockets itself is refused if it is world-writable")
  func openFolder() throws {
    try TemporaryFolder.with { folder in
      let path = folder + "/account"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      chmod(path, 0o777)
      #expect(throws: NudgeSocket.SocketError.self) { try NudgeSocket(directory: path) }
    }
  }
}
