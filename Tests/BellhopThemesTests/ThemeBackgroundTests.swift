import BellhopScreen
import BellhopTestSupport
import BellhopThemes
import Foundation
import Testing

@Suite("Themes on their backgrounds")
struct ThemeBackgroundTests {
  private static let black = Color.rgb(0x000000)
  private static let white = Color.rgb(0xFFFFFF)

  /// Backgrounds that a theme is made for, on which a terminal keeps its own colours.
  private static func terminals(of theme: Theme) -> [Color] {
    guard let own = theme.background.color else { return [black, white] }
    // Dark terminals are seldom black, and light ones seldom white.
    return own.isLight
      ? [own, white, .rgb(0xEEEEEE)] : [own, black, .rgb(0x1E1E2E), .rgb(0x2E3440)]
  }

  /// The lowest contrast of a theme's texts, and its role.
  private func least(
    _ styles: StyleSheet, on terminal: Color, _ depth: ColorDepth
  ) -> (ratio: Double, role: String) {
    // Lines are not text, and the selection only covers others.
    let roles = StyleRole.allCases.filter { ![.rule, .ruleFocus, .selection].contains($0) }
    let ratios = roles.flatMap { role in
      [false, true].map { isSelected in
        let style = styles.resolved(role, selected: isSelected, depth: depth)
        let background = style.background ?? terminal
        // The terminal's own text is readable on its own background.
        let text = style.foreground ?? (background.isLight ? Self.black : Self.white)
        return (contrast(text, background), "\(role), \(isSelected ? "" : "not ")chosen")
      }
    }
    return ratios.min { $0.0 < $1.0 } ?? (0, "no role")
  }

  /// The minimum contrast of text (WCAG 2.1, 1.4.3). Marks need 3, but most of their roles are also
  /// texts'.
  private static let wanted = 4.5

  @Test(
    "every role has the contrast of text on backgrounds that its theme is made for",
    arguments: Theme.builtIn)
  func ownBackgrounds(theme: Theme) {
    for terminal in Self.terminals(of: theme) {
      for depth in [ColorDepth.indexed256, .direct] {
        // As the theme defines it: no contrast is adjusted afterwards.
        let (ratio, role) = least(theme.styles, on: terminal, depth)
        #expect(
          ratio >= Self.wanted, "\(role) of \(theme.name) on \(terminal) at \(depth): \(ratio)")
      }
    }
  }

  @Test("every theme is readable on every terminal, known or not", arguments: Theme.builtIn)
  func everywhere(theme: Theme) {
    for terminal in [Self.black, Self.white] {
      for known in [terminal, nil] {
        for depth in [ColorDepth.indexed256, .direct] {
          let (ratio, role) = least(theme.styles(on: known), on: terminal, depth)
          let place =
            "\(theme.name) on \(terminal), \(known == nil ? "not " : "")known, at \(depth)"
          #expect(ratio >= Self.wanted, "\(role) of \(place): \(ratio)")
        }
      }
    }
  }

  @Test("with few colours themes are readable on a terminal of the other kind as well")
  func fewColors() {
    for theme in [Theme.dark, .light, .solarizedDark, .solarizedLight] {
      let terminal = theme.background.color?.isLight == true ? Self.black : Self.white
      for depth in [ColorDepth.ansi8, .ansi16] {
        let (ratio, role) = least(theme.styles(on: terminal), on: terminal, depth)
        #expect(ratio >= 3, "\(role) of \(theme.name) at \(depth): \(ratio)")
      }
    }
  }

  @Test("a terminal of the theme's kind keeps its own background, with readable colours")
  func kept() {
    let nord = Color.rgb(0x2E3440)
    #expect(Theme.dark.styles(on: nord)[.text].background == nil)
    #expect(Theme.dark.styles(on: Self.white)[.text].background == .rgb(0x1C1C1C))
    #expect(Theme.dark.styles(on: nil)[.text].background == .rgb(0x1C1C1C))
    #expect(Theme.light.styles(on: Self.white)[.text].background == nil)
    #expect(Theme.light.styles(on: Self.black)[.text].background == Self.white)
    for terminal in [Self.black, Self.white, nil] {
      #expect(Theme.any.styles(on: terminal)[.text].background == nil)
      #expect(Theme.nord.styles(on: terminal)[.text].background == nord)
    }
    // Neither dark nor light: the theme's colours are adjusted to the lowest readable contrast.
    let grey = Color.rgb(0x6C6C6C)
    #expect(least(Theme.dark.styles(on: grey), on: grey, .direct).ratio >= 3)
  }

  @Test("without a choice the background decides, and a neutral theme is used if it is unknown")
  func unchosen() {
    #expect(Theme.unchosen(on: .rgb(0x2E3440)) == .dark)
    #expect(Theme.unchosen(on: .rgb(0xFDF6E3)) == .light)
    #expect(Theme.unchosen(on: nil) == .any)
  }

  @Test(
    "handled items are as dim as the text beside them, in every theme", arguments: Theme.builtIn)
  func handled(theme: Theme) {
    let (handled, dim) = (theme.styles[.dismissed], theme.styles[.dim])
    #expect(handled.foreground == dim.foreground && handled.foreground16 == dim.foreground16)
    #expect(!handled.isBold)
  }

  // MARK: - Files

  private func load(_ text: String) throws -> Theme {
    try TemporaryFolder.with { folder in
      try Data(text.utf8).write(to: URL(filePath: folder + "/mine.toml"))
      return try Theme.load("mine", searchPath: [folder])
    }
  }

  @Test(
    "a file names its kind of background; an older one is made for the background that it paints",
    arguments: [
      ("background = \"dark\"", Theme.Background.dark), ("background = \"light\"", .light),
      ("background = \"any\"", .any), ("background = \"#102030\"", .color(.rgb(0x102030))),
      ("background = \"bright white\"", .color(.palette(15))),
      ("background = 17", .color(.palette(17))),
      ("", .any), ("[roles]\ntext = { bg = \"default\" }", .any),
      ("[roles]\ntext = { bg = \"#102030\" }", .color(.rgb(0x102030))),
      ("inherit = \"nord\"", .color(.rgb(0x2E3440))),
      ("inherit = \"nord\"\n[roles]\ntext = { bg = \"#102030\" }", .color(.rgb(0x102030))),
      ("inherit = \"bellhop-light\"\nbackground = \"any\"", .any),
    ])
  func files(text: String, background: Theme.Background) throws {
    #expect(try load(text).background == background)
  }

  @Test(
    "an invalid background is an error with its line",
    arguments: ["\"darkish\"", "\"default\"", "300", "true"])
  func wrong(value: String) throws {
    let error = #expect(throws: ThemeError.self) { try load("name = \"x\"\nbackground = \(value)") }
    #expect(error?.line == 2 && error?.problem.contains("\"dark\", \"light\", \"any\"") == true)
  }
}
