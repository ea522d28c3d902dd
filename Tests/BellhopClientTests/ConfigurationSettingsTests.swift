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
      repeats = [5, 50]
      [keys]
      dismiss = ["d", "e"]
      """
    let configuration = try Configuration(text: text, path: "c.toml")
    #expect(configuration.ringRules.means[.normal] == [.bell, .desktop])
    #expect(configuration.ringRules.means[.high] == [])
    #expect(configuration.ringRules.means[.urgent] == [.bell, .desktop, .sound])
    #expect(configuration.repeatRings.thresholds == [5, 50])
    let again = Configuration.schema.file(of: configuration)
    #expect(try Configuration(text: again, path: "c.toml") == configuration)
  }

  @Test(
    "an error names the file, the line and the key",
    arguments: [
      ("[ring]\nurgent = [\"belll\"]", "c.toml, line 2: ring.urgent must be"),
      ("[ring]\nhigh = []\nlow = 1", "c.toml, line 3: ring.low must be"),
      ("[ring]\nrepeats = [10, 10]", "c.toml, line 2: ring.repeats must be a list of rising"),
      ("[ring]\nrepeats = [1, 10]", "c.toml, line 2: ring.repeats must be"),
      ("[ring]\nrepeats = 10", "c.toml, line 2: ring.repeats must be"),
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

  @Test("repeats ring at 10, 100 and 1,000, at other counts, or never")
  func repeats() throws {
    #expect(try Configuration(text: "", path: "c.toml").repeatRings.thresholds == [10, 100, 1000])
    let none = try Configuration(text: "[ring]\nrepeats = []", path: "c.toml").repeatRings
    #expect(none.thresholds == [])
    #expect(none.step(of: 1_000_000) == 0)
    let steps = [1, 9, 10, 99, 100, 5000].map { RepeatRings.standard.step(of: $0) }
    #expect(steps == [0, 0, 1, 1, 2, 3])
  }

  @Test("without notifications nothing asks the desktop")
  func never() throws {
    let configuration = try Configuration(text: "notify = \"none\"", path: "c.toml")
    #expect(configuration.rulesInForce.means[.urgent] == [.bell, .sound])
  }
}
