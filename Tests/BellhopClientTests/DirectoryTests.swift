import BellhopModel
import BellhopSync
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopClient

@Suite("Where things are kept")
struct DirectoryTests {
  @Test("the XDG variables decide, and relative ones are ignored")
  func variables() throws {
    let directories = try Directories(
      environment: [
        "HOME": "/home/a", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "relative",
        "XDG_RUNTIME_DIR": "/run/user/7",
      ], userID: 7)
    #expect(directories.config == "/c/bellhop")
    #expect(directories.state == "/home/a/.local/state/bellhop")
    #expect(directories.store == "/home/a/.local/share/bellhop/store")
    #expect(directories.runtime.hasPrefix("/run/user/7/bellhop/"))
  }

  @Test("two state directories never share sockets, even with one runtime directory")
  func devices() throws {
    func runtime(_ state: String) throws -> String {
      try Directories(
        environment: ["HOME": "/h", "XDG_STATE_HOME": state, "XDG_RUNTIME_DIR": "/r"], userID: 1
      ).runtime
    }
    #expect(try runtime("/a") != runtime("/b"))
    #expect(try runtime("/a") == runtime("/a"))
  }

  @Test(
    "a part of the path that others may replace is refused with the fix, and nothing is created")
  func exchangeable() throws {
    try TemporaryFolder.with { folder in
      let shared = folder + "/tmp"
      let base = shared + "/bellhop-7"
      for path in [shared, base] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      }
      chmod(base, 0o770)
      chmod(shared, 0o1777)
      let error = #expect(throws: ClientError.self) { try Directories.make(base + "/run/home") }
      #expect(error?.exitCode == .notAllowed)
      #expect(error?.next == "Nothing was changed. Run: chmod 700 \(base)")
      #expect(!FileManager.default.fileExists(atPath: base + "/run"))
      chmod(base, 0o700)
      try Directories.make(base + "/run/home")
      #expect(FileManager.default.fileExists(atPath: base + "/run/home"))
    }
  }

  @Test("no HOME is a clear error")
  func noHome() throws {
    let error = #expect(throws: ClientError.self) { try Directories(environment: [:], userID: 1) }
    #expect(error?.exitCode == .configuration)
  }
}
