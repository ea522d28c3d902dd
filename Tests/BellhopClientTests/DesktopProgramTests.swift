import BellhopTestSupport
import BellhopText
import Foundation
import Testing

@testable import BellhopClient
@testable import BellhopInbox

@Suite("Desktop notification programs")
struct DesktopProgramTests {
  @Test("notify-send gets its options before the texts, and markup is escaped")
  func arguments() {
    let note = RingNote(
      title: "--icon=/etc/passwd", body: "a <b>bold</b> & \"quoted\"", isUrgent: true)
    #expect(
      DesktopPrograms.arguments(note) == [
        "--app-name=bellhop", "--urgency=critical", "--", "--icon=/etc/passwd",
        "a &lt;b&gt;bold&lt;/b&gt; &amp; \"quoted\"",
      ])
  }

  @Test("notify-send is used on a local desktop only; a configured command always is")
  func notifier() throws {
    try TemporaryFolder.with { folder in
      let program = folder + "/notify-send"
      try "#!/bin/sh\n".write(toFile: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: program)
      func notifier(_ more: [String: String], _ text: String = "") throws -> [String]? {
        try programs(folder, text, ["PATH": folder].merging(more) { $1 }).notifier
      }
      #expect(try notifier([:]) == nil)
      #expect(try notifier(["DISPLAY": ":0"]) == [program])
      #expect(try notifier(["DISPLAY": ":0", "SSH_TTY": "/dev/pts/1"]) == nil)
      #expect(try notifier([:], "notify-command = [\"/bin/true\", \"x\"]") == ["/bin/true", "x"])
    }
  }

  @Test("a sound that an app names is the one that the user gave it, else the ordinary one")
  func sounds() throws {
    try TemporaryFolder.with { (folder: String) throws -> Void in
      func player(_ name: String?, _ text: String) throws -> [String]? {
        try programs(folder, text, [:]).player(
          of: RingNote(title: "ci", body: "b", isUrgent: false, sound: name))
      }
      let text = """
        sound = ["play", "all.oga"]
        [sounds]
        alarm = ["play", "alarm.oga"]
        """
      #expect(try player("alarm", text) == ["play", "alarm.oga"])
      #expect(try player("horn", text) == ["play", "all.oga"])
      #expect(try player(nil, text) == ["play", "all.oga"])
      #expect(try player("alarm", "sounds = { alarm = [\"a\"] }") == ["a"])
      #expect(try player("horn", "sounds = { alarm = [\"a\"] }") == nil)
      for wrong in ["sounds = { alarm = \"a\" }", "sounds = { alarm = [] }", "sounds = [\"a\"]"] {
        #expect(throws: ClientError.self) { try player("alarm", wrong) }
      }
    }
  }

  private func programs(
    _ folder: String, _ text: String, _ environment: [String: String]
  ) throws -> DesktopPrograms {
    let directories = Directories(root: folder)
    try FileManager.default.createDirectory(
      atPath: directories.config, withIntermediateDirectories: true)
    try PrivateFile.write(text, to: directories.config + "/config.toml")
    return DesktopPrograms(
      try ClientContext(
        directories: directories, environment: environment, account: nil, usesPolling: nil))
  }
}
