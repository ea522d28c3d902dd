import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopClient

@Suite("The lock of the desktop")
struct SessionLockTests {
  /// Answers as a `loginctl` with these answers would.
  private static func isLocked(
    session: String, hint: String, _ environment: [String: String] = [:]
  ) throws -> Bool? {
    try TemporaryFolder.with { folder in
      let script = """
        #!/bin/sh
        case "$1 $2" in
          "show-user self") echo "\(session)" ;;
          "show-session c1") echo "\(hint)" ;;
        esac
        """
      try script.write(toFile: folder + "/loginctl", atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder + "/loginctl")
      // A busy machine may take longer to start a program than a user is made to wait.
      return SessionLock.isLocked(
        environment: ["PATH": folder].merging(environment) { $1 },
        within: Int32(patience / .milliseconds(1)))
    }
  }

  @Test("the session's hint decides, that of the process or else of the desktop")
  func answers() throws {
    #expect(try Self.isLocked(session: "c1", hint: "yes") == true)
    #expect(try Self.isLocked(session: "c1", hint: "no") == false)
    #expect(try Self.isLocked(session: "", hint: "no", ["XDG_SESSION_ID": "c1"]) == false)
  }

  @Test("without an answer, and over ssh, nothing is known")
  func unknown() throws {
    #expect(try Self.isLocked(session: "", hint: "no") == nil)
    #expect(try Self.isLocked(session: "c2", hint: "no") == nil)
    #expect(try Self.isLocked(session: "c1", hint: "maybe") == nil)
    #expect(try Self.isLocked(session: "c1", hint: "no", ["SSH_TTY": "/dev/pts/1"]) == nil)
    #expect(SessionLock.isLocked(environment: ["PATH": "/no-such-folder"]) == nil)
  }

  @Test("previews are hidden if they never are shown, and if they need a lock that is unknown")
  func previews() {
    var configuration = Configuration()
    #expect(!configuration.hidesPreviews(environment: [:]))
    configuration.previews = .whenUnlocked
    #expect(configuration.hidesPreviews(environment: ["PATH": "/no-such-folder"]))
    configuration.previews = .never
    #expect(configuration.hidesPreviews(environment: [:]))
  }
}
