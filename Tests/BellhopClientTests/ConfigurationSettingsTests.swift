import BellhopInbox
import BellhopModel
import BellhopSettings
import Testing

@testable import BellhopClient

@Suite("Settings of config.toml")
struct ConfigurationSettingsTests {
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
    let again = Configuration.schema.file(of: configuration)
    #expect(try Configuration(text: again, path: "c.toml") == configuration)
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
