import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTerminal
import BellhopTestSupport
import BellhopText
import BellhopTime
import Foundation
import Testing

@testable import BellhopClient

@Suite("The configuration's keys")
struct ConfigurationKeyTests {
  @Test(
    "each key's example is read, and only by its own key",
    arguments: ConfigurationKey.all.map(\.name))
  func examples(name: String) throws {
    let key = try #require(ConfigurationKey.named(name))
    let text = key.isTable ? "\(key.header)\n\(key.example)\n" : "\(name) = \(key.example)\n"
    _ = try Configuration(text: text, path: "c.toml")
    let wrong = #expect(throws: ClientError.self) {
      try Configuration(text: "\n\(name) = 12.5\n", path: "c.toml")
    }
    #expect(wrong?.what.contains("c.toml, line 2: \(name) must be ") == true)
    #expect(!key.help.isEmpty)
  }

  @Test("config default explains every key and changes nothing; without its signs it is read")
  func defaultFile() throws {
    let text = ConfigurationKey.defaultFile
    #expect(try Configuration(text: text, path: "c.toml") == Configuration())
    for key in ConfigurationKey.all {
      #expect(text.contains("# \(key.name) = ") || text.contains("# \(key.header)"))
    }
    // A line that is a comment also without its sign is a sentence.
    let settings = text.split(separator: "\n").filter { line in
      line.hasPrefix("# [") || (line.contains(" = ") && !line.contains(": "))
    }.map { $0.dropFirst(2) }.joined(separator: "\n")
    #expect(try Configuration(text: settings, path: "c.toml").theme == "bellhop-light")
  }

  @Test("what config show prints says the same when it is read again")
  func shown() throws {
    let text = """
      theme = "no\\"rd"
      mouse = false
      accounts = ["a", "b"]
      notify = "osc99"
      sound = ["/bin/true", "a b"]
      urgent-passes = true
      [ring]
      normal = ["bell", "desktop"]
      high = []
      [keys]
      dismiss = ["d", "e"]
      """
    let configuration = try Configuration(text: text, path: "c.toml")
    #expect(configuration.ringRules.means[.normal] == [.bell, .desktop])
    #expect(configuration.ringRules.means[.high] == [])
    #expect(configuration.ringRules.means[.urgent] == [.bell, .desktop, .sound])
    let again = ConfigurationKey.file(of: configuration)
    var read = try Configuration(text: again, path: "c.toml")
    // Levels that were not named are named now.
    read.ringRules.means = read.ringRules.means.filter { !$0.value.isEmpty || $0.key == .high }
    #expect(read == configuration)
  }

  @Test(
    "an error names the file, the line and the key",
    arguments: [
      ("[ring]\nurgent = [\"belll\"]", "c.toml, line 2: ring.urgent must be"),
      ("[ring]\nhigh = []\nlow = 1", "c.toml, line 3: ring.low must be"),
      ("\nnotify = \"osc8\"", "c.toml, line 2: notify must be"),
      ("sound = \"paplay a.oga\"", "c.toml, line 1: sound must be a program"),
    ])
  func errors(text: String, message: String) {
    let error = #expect(throws: ClientError.self) {
      try Configuration(text: text, path: "c.toml")
    }
    #expect(error?.exitCode == .configuration)
    #expect(error?.what.contains(message) == true, "\(error?.what ?? "")")
  }

  @Test("without notifications nothing asks the desktop")
  func never() throws {
    let configuration = try Configuration(text: "notify = \"none\"", path: "c.toml")
    #expect(configuration.rulesInForce.means[.urgent] == [.bell, .sound])
  }
}

@Suite("bellhop dnd")
struct AttentionRequestTests {
  private static let now = Timestamp(seconds: 1_790_000_000)

  private func change(_ adjust: (inout AttentionRequest) -> Void) throws -> AppSettingsChange {
    var request = AttentionRequest()
    adjust(&request)
    #expect(request.setsSomething)
    return try request.change(now: Self.now)
  }

  @Test("on, off, for a span, until a time, and quiet hours")
  func said() throws {
    #expect(try change { $0.isOn = true }.mute == .forever)
    #expect(try change { $0.isOn = false }.mute == .off)
    let end = Self.now.advanced(by: .seconds(7200))
    #expect(try change { $0.span = "2h" }.mute == .until(end))
    #expect(try change { $0.until = end.description }.mute == .until(end))
    let hours = try change {
      $0.quiet = "22:00-07:00"
      $0.quietDays = "sun,mon"
    }
    #expect(hours.mute == nil && hours.quietHours?.value?.days == [.sunday, .monday])
    #expect(try change { $0.quiet = "off" }.quietHours == .clear)
    #expect(!AttentionRequest().setsSomething)
  }

  @Test("what contradicts itself is refused")
  func refused() {
    for adjust in [
      {
        $0.isOn = false
        $0.span = "2h"
      },
      {
        $0.span = "2h"
        $0.until = "tomorrow"
      },
      { $0.span = "tomorrow" }, { $0.until = "whenever" }, { $0.quiet = "22-7" },
    ] as [(inout AttentionRequest) -> Void] {
      let error = #expect(throws: ClientError.self) { try change(adjust) }
      #expect(error?.exitCode == .usage)
    }
  }
}

@Suite("Ringing by other programs")
struct DesktopProgramTests {
  @Test("notify-send gets its options before the texts, and markup that shows the text")
  func arguments() {
    let note = RingNote(
      title: "--icon=/etc/passwd", body: "a <b>bold</b> & \"quoted\"", isUrgent: true)
    #expect(
      DesktopPrograms.arguments(note) == [
        "--app-name=bellhop", "--urgency=critical", "--", "--icon=/etc/passwd",
        "a &lt;b&gt;bold&lt;/b&gt; &amp; \"quoted\"",
      ])
  }

  @Test("without a desktop, and over ssh, nothing is asked; a command of one's own always is")
  func notifier() throws {
    try TemporaryFolder.with { folder in
      let program = folder + "/notify-send"
      try "#!/bin/sh\n".write(toFile: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: program)
      func notifier(_ more: [String: String], _ text: String = "") throws -> [String]? {
        let directories = Directories(root: folder)
        try FileManager.default.createDirectory(
          atPath: directories.config, withIntermediateDirectories: true)
        try PrivateFile.write(text, to: directories.config + "/config.toml")
        let context = try ClientContext(
          directories: directories,
          environment: ["PATH": folder].merging(more) { $1 }, account: nil, usesPolling: nil)
        return DesktopPrograms(context).notifier
      }
      #expect(try notifier([:]) == nil)
      #expect(try notifier(["DISPLAY": ":0"]) == [program])
      #expect(try notifier(["DISPLAY": ":0", "SSH_TTY": "/dev/pts/1"]) == nil)
      #expect(try notifier([:], "notify-command = [\"/bin/true\", \"x\"]") == ["/bin/true", "x"])
    }
  }

  @Test("the unit that systemd gets says every word as it is")
  func unit() throws {
    try TemporaryFolder.with { folder in
      let context = try ClientContext(
        directories: Directories(root: folder),
        environment: ["XDG_STATE_HOME": "/home/a b/100%"], account: "ho\"me", usesPolling: nil)
      let unit = Commands.unit(program: "/opt/$x/bellhop", context)
      #expect(
        unit.contains("ExecStart=\"/opt/$$x/bellhop\" \"agent\" \"--account\" \"ho\\\"me\"\n"))
      #expect(unit.contains("Environment=\"XDG_STATE_HOME=/home/a b/100%%\"\n"))
      #expect(unit.contains("\n[Install]\nWantedBy=default.target\n"))
    }
  }
}

@Suite("Ringing by the event loop")
struct EventLoopRingTests {
  private final class Performer: EffectPerformer {
    func endReading() {}

    var effects: [Effect] = []
    func perform(_ effect: Effect) -> [Message] {
      effects.append(effect)
      return []
    }
  }

  @Test("the terminal rings, and what it does not take is left to programs")
  func means() {
    let account = AccountName("home")
    let news = [
      Announcement(app: "nas", name: "nas", title: "disk fails", priority: .urgent)
    ]
    for takes in [true, false] {
      let terminal = GridTerminal(size: Size(width: 80, height: 24))
      if !takes { terminal.refuseNotifications() }
      let performer = Performer()
      let box = MessageBox {}
      let state = InboxState(
        size: terminal.size, now: Timestamp(seconds: 1), zone: .utc, accountLabel: "home",
        ids: UniqueIDSource { 7 })
      var loop = EventLoop(
        terminal: terminal, performer: performer, box: box, state: state,
        now: { Timestamp(seconds: 1) })
      loop.start()
      performer.effects = []
      box.post(.account(.announced(news, of: account, isReturn: false)))
      terminal.send(.wake)
      loop.step()
      #expect(terminal.bells == 1)
      #expect(terminal.notified == (takes ? [["nas", "disk fails"]] : []))
      let left = performer.effects.compactMap {
        if case .terminal(.ring(let ring)) = $0 { ring } else { nil }
      }
      // The sound is a program's in any case.
      #expect(left.map(\.notes.count) == [takes ? 0 : 1])
      #expect(left.map(\.bell) == [false])
    }
  }
}
