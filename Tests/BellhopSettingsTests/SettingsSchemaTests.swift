import BellhopSettings
import Testing

@Suite("Files read and written by their settings")
struct SettingsSchemaTests {
  private struct Lamp: Hashable {
    var isOn = false
    var count = 3
    var size = 2048
    var delay = Duration.seconds(5)
    var limit: Duration?
    var name: String?
    var rooms: [String] = []
    var color = Color.red
    var shades: [Shade] = []
    var scenes: [String: Shade] = [:]
  }

  private struct Shade: Hashable {
    var name: String?
  }

  private enum Color: String, CaseIterable { case red, green, blue }

  private static let shades = SettingsSchema<Shade>(
    [.text("name", \.name, example: "\"wide\"", "")], required: ["name"])

  private static let schema = SettingsSchema<Lamp>(
    [
      .flag("on", \.isOn, example: "true", "Whether it is on."),
      .text("name", \.name, example: "\"desk\"", "Its name."),
      .texts("rooms", \.rooms, example: "[\"hall\"]", "Its rooms."),
      .choice("color", \.color, "Its color."),
      .tables("shade", \.shades, of: shades, from: { Shade() }, countMax: 2, "Its shades."),
      .namedTables(
        "scene", \.scenes, of: shades, from: { Shade() }, countMax: 2, named: "dusk",
        "Its scenes."),
      .count("limits.count", \.count, 1...9, "A count."),
      .bytes("limits.size", \.size, 1024...4096, "A size."),
      .span("limits.delay", \.delay, .seconds(1)...(.seconds(60)), "A delay."),
      .optionalSpan("limits.longest", \.limit, .seconds(1)...(.seconds(60)), "A limit."),
    ], tables: [("limits", "The limits.")], listing: "lamp default",
    check: { $0.count == 9 && !$0.isOn ? [.init("limits.count", "must be less while off.")] : [] })

  private func read(_ text: String) -> (lamp: Lamp, words: [String]) {
    var lamp = Lamp()
    let findings = Self.schema.read(text, SettingLines(text), into: &lamp)
    return (lamp, findings.map(\.words))
  }

  @Test("values of all kinds are read")
  func values() {
    let (lamp, words) = read(
      """
      on = true
      name = "desk"
      rooms = "hall"
      color = "blue"
      limits.count = 9
      [[shade]]
      name = "wide"
      [scene.dusk]
      name = "low"
      """)
    #expect(words == [])
    let expected = Lamp(
      isOn: true, count: 9, name: "desk", rooms: ["hall"], color: .blue,
      shades: [Shade(name: "wide")], scenes: ["dusk": Shade(name: "low")])
    #expect(lamp == expected)
    #expect(
      read("limits = { size = \"3 KiB\", delay = \"1m\", longest = \"none\" }").lamp
        == Lamp(size: 3072, delay: .seconds(60)))
  }

  @Test(
    "an error has its line, the setting and what is expected",
    arguments: [
      ("on = 1", "on must be true or false."),
      ("name = \"\"", "name must be a text such as \"desk\"."),
      ("rooms = [1]", "rooms must be a text such as [\"hall\"], or a list of them."),
      ("color = \"pink\"", "color must be \"red\", \"green\" or \"blue\"."),
      ("limits.count = 0", "limits.count must be a whole number from 1 to 9."),
      ("limits.count = 9", "limits.count must be less while off."),
      ("limits.size = 5000", "limits.size must be a size from 1 KiB to 4 KiB, such as \"64 KiB\"."),
      (
        "limits.delay = 5", "limits.delay must be a time from 1s to 1m, such as \"90s\" or \"30d\"."
      ),
      (
        "limits.longest = \"2m\"",
        "limits.longest must be \"none\", or a time from 1s to 1m, such as \"90s\" or \"30d\"."
      ),
      ("limits = 3", "limits must be a table: write [limits]."),
      ("shade = 3", "shade must be at most 2 tables, each under [[shade]]."),
      ("shade = [{}, {}, {}]", "shade must be at most 2 tables, each under [[shade]]."),
      (
        "scene = { a = {}, b = {}, c = {} }",
        "scene must be at most 2 tables, each under [scene.NAME]."
      ),
      ("shade = [1]", "shade[1] must be a table: write [[shade]]."),
      ("shade = [{}]", "shade[1].name must be a text such as \"wide\"."),
      ("scene = 3", "scene must be at most 2 tables, each under [scene.NAME]."),
      ("scene.dusk = 3", "scene.dusk must be a table: write [scene.NAME]."),
      ("on = ", "on has no value behind =."),
    ])
  func errors(text: String, error: String) {
    #expect(read("\n" + text).words == ["line 2: " + error])
  }

  @Test(
    "a setting that does not exist is named with the one that was meant",
    arguments: [
      ("nmae = 1", "nmae is not a setting; did you mean name?"),
      ("count = 1", "count is not a setting; did you mean limits.count?"),
      ("limits.name = 1", "limits.name is not a setting; did you mean name?"),
      ("limit.delay = 1", "limit is not a setting; did you mean limits?"),
      ("limits.dealy = 1", "limits.dealy is not a setting; did you mean limits.delay?"),
      ("limits.x = 1", "limits.x is not a setting; use count, size, delay or longest."),
      ("nosuch = 1", "nosuch is not a setting; lamp default lists them."),
      (
        "shade = [{name = \"a\", x = 1}]", "shade[1].x is not a setting; use name."
      ),
    ])
  func unknown(text: String, error: String) {
    #expect(read(text).words == ["line 1: " + error])
  }

  @Test("what is right is read beside errors")
  func beside() {
    let (lamp, words) = read("on = true\ncount = \n[[shade]]\nname = 3\n[[shade]]\nname = \"b\"\n")
    #expect(words.map { $0.prefix(6) } == ["line 2", "line 4"])
    #expect(lamp == Lamp(isOn: true, shades: [Shade(name: "b")]))
  }

  @Test("a file shows the values in force")
  func file() {
    let lamp = Lamp(
      isOn: true, name: "a \"b\"\n\u{7}", shades: [Shade(name: "x"), Shade(name: "y")],
      scenes: ["dusk": Shade(name: "z")])
    let text = """
      on = true
      name = "a \\"b\\"\\n\\u0007"
      # rooms: not set
      color = "red"

      [[shade]]
      name = "x"

      [[shade]]
      name = "y"

      [scene."dusk"]
      name = "z"

      [limits]
      count = 3
      size = "2 KiB"
      delay = "5s"
      longest = "none"

      """
    #expect(Self.schema.file(of: lamp) == text)
    #expect(read(text).lamp == lamp)
  }

  @Test("the documented file shows examples in comments, or defaults below headers")
  func documentation() {
    let examples = Self.schema.documentation(.examples, of: Lamp(), head: "# Lamp.\n")
    #expect(examples.hasPrefix("# Lamp.\n\n# Whether it is on.\n# on = true\n\n# Its name.\n"))
    #expect(examples.contains("\n# Its shades.\n# [[shade]]\n# name = \"wide\"\n"))
    #expect(examples.contains("\n# Its scenes.\n# [scene.dusk]\n# name = \"wide\"\n"))
    #expect(examples.contains("\n# The limits.\n# [limits]\n\n# A count.\n# count = 3\n"))
    let defaults = Self.schema.documentation(.defaults, of: Lamp(), head: "")
    #expect(defaults.hasPrefix("\n# Whether it is on.\n# on = false\n"))
    #expect(defaults.contains("\n# Its name.\n# No default; for example:\n# name = \"desk\"\n"))
    #expect(defaults.contains("\n# The limits.\n[limits]\n\n# A count.\n# count = 3\n"))
  }

  @Test("help is broken into lines of at most 90 characters")
  func help() {
    let schema = SettingsSchema<Lamp>(
      [.flag("on", \.isOn, String(repeating: "word ", count: 40))])
    let lines = schema.documentation(.examples, of: Lamp(), head: "").split(separator: "\n")
    #expect(lines.count == 4 && lines[0].count == 86)
  }
}
