import BellhopModel
import BellhopSettings
import BellhopSync
import BellhopTestSupport
import Foundation
import Testing

@testable import BellhopClient

@Suite("The user's configuration")
struct ConfigurationTests {
  @Test("every documented key is read")
  func allKeys() throws {
    let text = """
      theme = "bellhop-light"
      mouse = false
      time-zone = "Europe/Berlin"
      escape-delay = 50
      channel = "polling"
      [keys]
      dismiss = ["d", "e"]
      search = "Ctrl-f"
      """
    let configuration = try Configuration(text: text, path: "config.toml")
    #expect(configuration.theme == "bellhop-light")
    #expect(!configuration.mouse)
    #expect(configuration.timeZone == "Europe/Berlin")
    #expect(configuration.escapeDelay == 50)
    #expect(configuration.usesPolling)
    #expect(configuration.keys == ["dismiss": ["d", "e"], "search": ["Ctrl-f"]])
  }

  @Test(
    "an error names the file, the line and the key",
    arguments: [
      ("mouse = true\ntheme = 3\n", "c.toml, line 2: theme"),
      ("\n\nmouse = \"yes\"", "c.toml, line 3: mouse"),
      ("escape-delay = 0", "line 1: escape-delay"),
      ("time-zone = \"\"", "line 1: time-zone must be a time zone of /usr/share/zoneinfo"),
      ("time-zone = \"Mars/Olympus\"", "line 1: time-zone must be a time zone"),
      ("mouse = true\ntheme = \"nord", "c.toml, line 2: the string has no closing quote."),
      ("theme = \"a\"\ntheme =", "c.toml, line 2"),
      ("[keys]\ndismiss = 4", "line 2: keys.dismiss"),
    ])
  func errors(text: String, message: String) throws {
    let error = #expect(throws: ClientError.self) {
      try Configuration(text: text, path: "c.toml")
    }
    #expect(error?.exitCode == .configuration)
    #expect(error?.what.contains(message) == true, "\(error?.what ?? "")")
  }

  @Test("every error and every unknown setting is reported")
  func allErrors() {
    let file = ConfigurationFile(
      text: """
        theme = "nord
        mouse = "yes"
        chanel = "polling"
        [ring]
        loud = ["bell"]
        high = 3
        hihg = []
        [keys]
        dismis = ["d"]
        read = 3
        search = ["Ctrl-f"]
        [[view]]
        name = "a"
        colour = 1
        order = "oldest"
        """, path: "c.toml")
    #expect(
      file.findings.map(\.words) == [
        "line 1: the string has no closing quote.", "line 2: mouse must be true or false.",
        "line 3: chanel is not a setting; did you mean channel?",
        "line 5: ring.loud is not a setting; use urgent, high, normal, low, min or repeats.",
        "line 6: ring.high must be a list of \"bell\", \"desktop\" and \"sound\", or [].",
        "line 7: ring.hihg is not a setting; did you mean ring.high?",
        "line 9: keys.dismis is not a setting; did you mean keys.dismiss?",
        "line 10: keys.read must be a key such as \"Ctrl-d\", or a list of them.",
        "line 12: view[1].filter must be a filter in one line.",
        "line 14: view[1].colour is not a setting; use name, filter, list or order.",
        "line 15: view[1].order must be \"newest\", \"level\" or \"app\".",
      ])
    let errors = file.findings.filter { $0.grade == .error }
    #expect(errors.map(\.line) == [1, 2, 6, 10, 12, 15])
    #expect(file.failure?.exitCode == .configuration)
    #expect(
      file.failure?.description.split(separator: "\n").map(String.init)
        == errors.map { "c.toml, " + $0.words }
        + ["Nothing was started or changed. Fix these lines, or rename the file."])
    // The valid lines still count.
    #expect(file.configuration.keys == ["search": ["Ctrl-f"]])
  }

  @Test("an unknown setting is ignored, and the rest counts")
  func unknown() throws {
    let file = ConfigurationFile(text: "chanel = 1\nmouse = false\nzzz = 2\n", path: "c.toml")
    #expect(file.failure == nil && !file.configuration.mouse)
    #expect(
      file.findings.map(\.words) == [
        "line 1: chanel is not a setting; did you mean channel?",
        "line 3: zzz is not a setting; bellhop config default lists them.",
      ])
    #expect(try Configuration(text: "chanel = 1", path: "c.toml") == Configuration())
  }

  @Test("an error does not hide other problems, and a key that moved is reported")
  func checkBesideError() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let context = try ClientContext(
      directories: Directories(root: folder.path), environment: [:], account: nil,
      usesPolling: nil)
    let text = """
      theme = "drcula"
      sync-wait = "soon"
      [keys]
      dismiss = ["j"]
      read = ["G"]
      [[view]]
      name = "odd"
      filter = "is:unred"
      """
    let file = ConfigurationFile(text: text, path: "/home/alice/config.toml")
    #expect(file.failure != nil)
    let check = ConfigurationCheck(context, file: file)
    let words = try check.findings().map(\.words)
    #expect(words.count == 3, "\(words)")
    #expect(words.contains { $0.hasPrefix("line 1: no theme") }, "\(words)")
    #expect(words.contains { $0.hasPrefix("line 2: sync-wait") }, "\(words)")
    #expect(words.contains { $0.contains("“unred” is not a state. Known: ") }, "\(words)")
    #expect(
      check.movedKeys.map(\.words) == [
        "line 4: j is now dismiss; it was down.", "line 5: G is now read; it was last.",
      ])
  }

  @Test("keys, theme, accounts and programs are checked, each with its line")
  func check() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let directories = Directories(root: folder.path)
    try Directories.make(directories.config)
    let text = """
      theme = "drcula"
      accounts = ["home"]
      sound = ["/nonexistent/player"]
      [keys]
      read = ["d"]
      sync = ["D", "Hyper-x"]
      """
    try PrivateFile.write(text, to: directories.config + "/config.toml")
    let context = try ClientContext(
      directories: directories, environment: [:], account: nil, usesPolling: nil)
    let words = try ConfigurationCheck(context).findings().map(\.words)
    #expect(
      words.prefix(3) == [
        "line 1: no theme \"drcula\"; did you mean dracula? Using the default.",
        "line 2: \"home\" in accounts is not an account of this device. The screen does not open "
          + "until you correct it, or sign in with bellhop login URL --name home.",
        "line 3: the program /nonexistent/player of sound was not found.",
      ])
    #expect(
      words.contains {
        $0.hasPrefix(
          "line 5: d is now read; dismiss has no key left. Give dismiss another key, such as dismiss = ["
        )
      }, "\(words)")
    #expect(
      words.contains { $0.hasPrefix("line 6: \"Hyper-x\" for sync is not a key") }, "\(words)")
    #expect(words.count == 5, "\(words)")
  }

  @Test("without a file every setting has its default")
  func missing() throws {
    let file = try ConfigurationFile(path: "/nowhere/config.toml")
    #expect(file.failure == nil)
    #expect(file.configuration == Configuration())
  }

  @Test("actions do not reach private networks unless the configuration allows it")
  func configuration() throws {
    #expect(try !Configuration(text: "", path: "c").actionsReachPrivate)
    let text = "copy-command = [\"wl-copy\", \"-n\"]\n[actions]\nallow-private = true\n"
    let configuration = try Configuration(text: text, path: "c")
    #expect(configuration.actionsReachPrivate)
    #expect(configuration.copyCommand == ["wl-copy", "-n"])
    for (text, message) in [
      ("[actions]\nallow-private = 1", "line 2: actions.allow-private must be true or false."),
      ("copy-command = \"wl-copy\"", "line 1: copy-command"),
    ] {
      let error = #expect(throws: ClientError.self) { try Configuration(text: text, path: "c") }
      #expect(error?.what.contains(message) == true, "\(error?.what ?? "")")
    }
  }
}
