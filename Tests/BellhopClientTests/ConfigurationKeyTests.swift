import BellhopInbox
import BellhopModel
import Testing

@testable import BellhopClient

@Suite("The configuration's keys")
struct ConfigurationKeyTests {
  @Test(
    "each key's example is accepted, and only by its own key",
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

  @Test("config default explains every key and changes nothing; uncommented it is accepted")
  func defaultFile() throws {
    let text = ConfigurationKey.defaultFile
    #expect(try Configuration(text: text, path: "c.toml") == Configuration())
    for key in ConfigurationKey.all {
      #expect(text.contains("# \(key.name) = ") || text.contains("# \(key.header)"))
    }
    // A commented-out line with a colon is a sentence, not a setting.
    let settings = text.split(separator: "\n").filter { line in
      line.hasPrefix("# [") || (line.contains(" = ") && !line.contains(": "))
    }.map { $0.dropFirst(2) }.joined(separator: "\n")
    #expect(try Configuration(text: settings, path: "c.toml").theme == "bellhop-light")
  }

  @Test("the output of config show gives the same configuration when read again")
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
    // Levels that the input left out are explicit in the output.
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

  @Test("without desktop notifications no level uses the desktop")
  func never() throws {
    let configuration = try Configuration(text: "notify = \"none\"", path: "c.toml")
    #expect(configuration.rulesInForce.means[.urgent] == [.bell, .sound])
  }
}
