import BellhopScreen
import BellhopTestSupport
import BellhopThemes
import Foundation
import Testing

/// The contrast ratio of WCAG 2.1.
func contrast(_ one: Color, _ other: Color) -> Double {
  func luminance(_ color: Color) -> Double {
    let value = color.rgbValue
    let parts = [value >> 16 & 255, value >> 8 & 255, value & 255].map { part in
      let share = Double(part) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
  let (first, second) = (luminance(one), luminance(other))
  return (max(first, second) + 0.05) / (min(first, second) + 0.05)
}

@Suite("Themes")
struct ThemeTests {
  /// The folder of the shipped themes.
  private static let shipped = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "themes").path

  /// Runs `body` with a temporary folder of theme files.
  @discardableResult
  private func withThemes<Result>(
    _ files: [String: String], _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "bellhop-themes-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in files {
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name).toml"))
    }
    return try body(folder)
  }

  private func failure(_ text: String, file: String = "mine") throws -> ThemeError {
    try withThemes([file: text]) { folder in
      let error = #expect(throws: ThemeError.self) { try Theme.load(file, searchPath: [folder]) }
      return try #require(error)
    }
  }

  @Test("the shipped files equal the built-in themes", arguments: Theme.builtIn)
  func shippedAndBuiltIn(theme: Theme) throws {
    let file = "\(Self.shipped)/\(theme.name).toml"
    #expect(try Theme.load(file, searchPath: []) == theme)
    #expect(try Theme.load(theme.name, searchPath: []) == theme)
  }

  @Test("every theme distinguishes states, levels and the selection at every depth")
  func tellsApart() {
    for theme in Theme.builtIn {
      for depth in ColorDepth.allCases {
        let style = { (role: StyleRole, selected: Bool) in
          theme.styles.resolved(role, selected: selected, depth: depth)
        }
        let place = "\(theme.name) at \(depth)"
        #expect(style(.unread, false) != style(.read, false), "\(place)")
        #expect(style(.text, false) != style(.text, true), "\(place)")
        #expect(style(.priorityUrgent, false) != style(.priorityNormal, false), "\(place)")
        #expect(style(.error, false) != style(.text, false), "\(place)")
        #expect(style(.badge, false) != style(.badge, true), "\(place)")
        for role in StyleRole.allCases {
          for selected in [false, true] {
            let one = style(role, selected)
            #expect(one.foreground == nil || one.foreground != one.background, "\(place) \(role)")
          }
        }
      }
    }
  }

  @Test("every role is readable, selected or not, at every depth", arguments: Theme.builtIn)
  func contrastOfDepths(theme: Theme) {
    // A theme that leaves the background to the terminal is meant for a terminal of this kind.
    let own: (text: Color, ground: Color) =
      theme.name.hasSuffix("-light") ? (.palette(0), .palette(15)) : (.palette(7), .palette(0))
    for depth in ColorDepth.allCases where depth > .monochrome {
      for role in StyleRole.allCases where ![.rule, .ruleFocus, .selection].contains(role) {
        for isSelected in [false, true] {
          let style = theme.styles.resolved(role, selected: isSelected, depth: depth)
          let ratio = contrast(style.foreground ?? own.text, style.background ?? own.ground)
          let place = "\(theme.name) \(role) at \(depth), \(isSelected ? "" : "not ")chosen"
          // Selected text is read most. The 16 colours are mostly chosen by taste: xterm's blue on
          // black is its own matter.
          let isOwn = depth <= .ansi16 && style.background == nil
          #expect(
            ratio >= (isOwn ? 2 : isSelected && depth > .ansi16 ? 4.5 : 3), "\(place): \(ratio)")
          // Also where the terminal is of another kind, and where it draws bold colours brighter.
          #expect(
            !isSelected || style.background == nil || style.isReversed || style.foreground != nil,
            "\(place): own text on a ground that is not")
          #expect(
            depth > .ansi16 || !style.isBold || style.foreground != .palette(0)
              || style.background == nil, "\(place): grey where it is to be black")
        }
      }
      let rows = StyleRole.allCases.map {
        theme.styles.resolved($0, selected: true, depth: depth)
      }
      let grounds = Set(rows.filter { !$0.isReversed }.map(\.background))
      let bars = Set(rows.filter(\.isReversed).map { [$0.foreground, $0.background] })
      #expect(grounds.count <= 1 && bars.count <= 1, "\(theme.name) at \(depth): a row of patches")
    }
  }

  @Test("a role has colours, names, numbers and attributes, with or without quotes")
  func spellings() throws {
    let text = """
      name = "Mine"
      [roles]
      text = { fg = "#10F0a0", bg = "default" }
      dim = { fg = "bright black", bg16 = 8 }
      rule.focus = { fg = 200 }
      "priority.high" = { fg = "Bright-Yellow", bold = true, underline = true }
      [roles.selection]
      reverse = true
      italic = true
      [roles.priority.urgent]
      fg = "red"
      """
    let theme = try withThemes(["mine": text]) { try Theme.load("mine", searchPath: [$0]) }
    #expect(theme.name == "Mine")
    #expect(theme.styles[.text] == Style(foreground: .rgb(0x10F0A0), background: .default))
    #expect(theme.styles[.dim] == Style(foreground: .palette(8), background16: .palette(8)))
    #expect(theme.styles[.ruleFocus] == Style(foreground: .palette(200)))
    #expect(
      theme.styles[.priorityHigh]
        == Style(foreground: .palette(11), isBold: true, isUnderlined: true))
    #expect(theme.styles[.selection] == Style(isItalic: true, isReversed: true))
    #expect(theme.styles[.priorityUrgent] == Style(foreground: .palette(1)))
    #expect(theme.styles[.error] == Style())
  }

  @Test("a theme inherits the settings that it omits")
  func inheritance() throws {
    let files = [
      "base": "inherit = \"bellhop-dark\"\n[roles]\nlink = { fg = \"green\" }",
      "mine": "inherit = \"base\"\n[roles]\nerror = { fg = \"red\" }",
      "bellhop-light": "inherit = \"bellhop-light\"\n[roles]\nok = { bold = true }",
    ]
    try withThemes(files) { folder in
      let theme = try Theme.load("mine", searchPath: ["/nowhere", folder])
      #expect(theme.styles[.link] == Style(foreground: .palette(2)))
      #expect(theme.styles[.error] == Style(foreground: .palette(1)))
      #expect(theme.styles[.unread] == Theme.dark.styles[.unread])
      // The user's own version of a built-in theme starts with the built-in one.
      let light = try Theme.load("bellhop-light", searchPath: [folder])
      #expect(light.styles[.ok] == Style(isBold: true))
      #expect(light.styles[.link] == Theme.light.styles[.link])
      #expect(
        Theme.names(searchPath: [folder])
          == (Theme.builtIn.map(\.name) + ["base", "mine"]).sorted())
    }
  }

  @Test(
    "an error names the line and the role",
    arguments: [
      ("[roles]\ntext = { fg = \"red\" }\nerror = { fg = \"blurple\" }", 3, "error", "'blurple'"),
      ("[roles]\ndim = { fg = \"#12345\" }", 2, "dim", "'#12345'"),
      ("[roles]\ndim = { fg = 256 }", 2, "dim", "256"),
      ("[roles]\n\ndim = { bold = \"yes\" }", 3, "dim", "true or false"),
      ("[roles]\ndim = { color = \"red\" }", 2, "dim", "'color'"),
      ("[roles]\ndim = \"red\"", 2, "dim", "{ fg ="),
      ("[roles]\ntext = {}\nshiny = { fg = \"red\" }", 3, "shiny", "Unknown role"),
      ("[roles.dim]\nfg = \"red\"\n[roles.error]\nbold = true\nfg = \"x\"", 5, "error", "'x'"),
      ("[roles]\n\"priority.high\" = { fg = \"x\" }", 2, "priority.high", "'x'"),
      ("[roles]\npriority.high = { fg = \"x\" }", 2, "priority.high", "'x'"),
      ("[roles]\npriority.shiny = { fg = \"red\" }", 2, "priority.shiny", "Unknown role"),
    ])
  func errorsInRoles(text: String, line: Int, role: String, words: String) throws {
    let error = try failure(text)
    #expect(error.line == line)
    #expect(error.role == role)
    #expect(error.problem.contains(words))
    #expect(error.description.contains("mine.toml, line \(line): role '\(role)'"))
    #expect(error.description.contains("The built-in theme is used"))
  }

  @Test("errors outside roles name the line, or the file")
  func otherErrors() throws {
    #expect(try failure("name = \"x\"\n[roles\n").line == 2)
    #expect(try failure("colour = 1").line == 1)
    #expect(try failure("a = 1\nroles = 3").line == 1)
    #expect(try failure("name = 3").line == 1)
    #expect(try failure("inherit = \"absent\"").problem.contains("'absent'"))
    #expect(try failure("inherit = \"x y\"").file.hasSuffix("mine.toml"))
    #expect(try failure(String(repeating: "#", count: 70_000)).problem.contains("too large"))
    let circle = ["one": "inherit = \"two\"", "two": "inherit = \"one\""]
    try withThemes(circle) { folder in
      #expect(throws: ThemeError.self) { try Theme.load("one", searchPath: [folder]) }
    }
    #expect(throws: ThemeError.self) { try Theme.load("", searchPath: []) }
    #expect(throws: ThemeError.self) { try Theme.load("/nowhere/x.toml", searchPath: []) }
  }

  @Test("random damage to a theme is an error or a theme, never a crash")
  func damage() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("ThemeTests.damage seed \(seed)")
    var random = SeededRandom(seed: seed)
    let original = Array(
      try Data(contentsOf: URL(filePath: "\(Self.shipped)/bellhop-dark.toml")))
    for _ in 0..<300 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        default:
          bytes.insert(Array("{}[]=\".\n#,".utf8).randomElement(using: &random) ?? 0, at: place)
        }
      }
      try withThemes([:]) { folder in
        let file = "\(folder)/damaged.toml"
        try Data(bytes).write(to: URL(filePath: file))
        do {
          _ = try Theme.load(file, searchPath: [])
        } catch let error as ThemeError {
          #expect(error.file == file, "seed \(seed)")
        }
      }
    }
  }
}
