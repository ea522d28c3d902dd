import BellhopScreen

/// The colours of a theme that paints its own background.
private struct Palette {
  var background: UInt32
  var foreground: UInt32
  var dim: UInt32
  var accent: UInt32
  var rule: UInt32
  var ruleFocus: UInt32
  var selection: UInt32
  var unread: UInt32
  var read: UInt32
  var snoozed: UInt32
  var new: UInt32
  var ghost: UInt32
  var link: UInt32
  var code: UInt32
  var error: UInt32
  var ok: UInt32
  var badgeText: UInt32
  var high: UInt32
}

extension Theme {
  /// High contrast: black, white and strong colours, for tired eyes and bad light.
  package static let highContrast = Theme(
    name: "high-contrast", onto: dark,
    Palette(
      background: 0x000000, foreground: 0xFFFFFF, dim: 0xC0C0C0, accent: 0xFFFF00, rule: 0xA0A0A0,
      ruleFocus: 0xFFFF00, selection: 0x00408F, unread: 0xFFFFFF, read: 0xDDDDDD, snoozed: 0xFFA0FF,
      new: 0x00FFFF, ghost: 0xB0B0B0, link: 0x80D0FF, code: 0xFFE0A0, error: 0xFF8080, ok: 0x7FFF7F,
      badgeText: 0x000000, high: 0xFFB060))

  /// Solarized by Ethan Schoonover, dark.
  package static let solarizedDark = Theme(
    name: "solarized-dark", onto: dark,
    Palette(
      background: 0x002B36, foreground: 0x93A1A1, dim: 0x7F9399, accent: 0x459CD9, rule: 0x375962,
      ruleFocus: 0x459CD9, selection: 0x0D4654, unread: 0xEEE8D5, read: 0x93A1A1, snoozed: 0x8F94E0,
      new: 0x2AA198, ghost: 0x7F9399, link: 0x2AA198, code: 0xB58900, error: 0xF26D69, ok: 0x889C07,
      badgeText: 0x002B36, high: 0xDF7449))

  /// Solarized by Ethan Schoonover, light.
  package static let solarizedLight = Theme(
    name: "solarized-light", onto: light,
    Palette(
      background: 0xFDF6E3, foreground: 0x586E75, dim: 0x647477, accent: 0x1E73AF, rule: 0xC9C4B1,
      ruleFocus: 0x1E73AF, selection: 0xE6DFC8, unread: 0x073642, read: 0x586E75, snoozed: 0x666AB8,
      new: 0x1C736C, ghost: 0x667476, link: 0x1E73AF, code: 0x8F6B00, error: 0xC92420, ok: 0x657300,
      badgeText: 0xFDF6E3, high: 0xB8430F))

  /// Gruvbox by Pavel Pertsev, dark.
  package static let gruvbox = Theme(
    name: "gruvbox", onto: dark,
    Palette(
      background: 0x282828, foreground: 0xEBDBB2, dim: 0xA89984, accent: 0x83A598, rule: 0x665C54,
      ruleFocus: 0x83A598, selection: 0x504945, unread: 0xFBF1C7, read: 0xD5C4A1, snoozed: 0xD3869B,
      new: 0x8EC07C, ghost: 0x9D8F82, link: 0x8EC07C, code: 0xFABD2F, error: 0xFB6A55, ok: 0xB8BB26,
      badgeText: 0x282828, high: 0xFE8019))

  /// Nord by Sven Greb and Arctic Ice Studio.
  package static let nord = Theme(
    name: "nord", onto: dark,
    Palette(
      background: 0x2E3440, foreground: 0xD8DEE9, dim: 0x97A1B5, accent: 0x88C0D0, rule: 0x5A657C,
      ruleFocus: 0x81A1C1, selection: 0x434C5E, unread: 0xECEFF4, read: 0xD8DEE9, snoozed: 0xC6A0BF,
      new: 0x8FBCBB, ghost: 0x98A1B4, link: 0x88C0D0, code: 0xEBCB8B, error: 0xE79CA4, ok: 0xA3BE8C,
      badgeText: 0x2E3440, high: 0xDF9C82))

  /// Catppuccin, the flavour Mocha.
  package static let catppuccin = Theme(
    name: "catppuccin", onto: dark,
    Palette(
      background: 0x1E1E2E, foreground: 0xCDD6F4, dim: 0x9298B0, accent: 0x89B4FA, rule: 0x585B70,
      ruleFocus: 0xB4BEFE, selection: 0x45475A, unread: 0xFFFFFF, read: 0xBAC2DE, snoozed: 0xCBA6F7,
      new: 0x89DCEB, ghost: 0x9296AA, link: 0x74C7EC, code: 0xF9E2AF, error: 0xF38BA8, ok: 0xA6E3A1,
      badgeText: 0x1E1E2E, high: 0xFAB387))

  /// Dracula by Zeno Rocha.
  package static let dracula = Theme(
    name: "dracula", onto: dark,
    Palette(
      background: 0x282A36, foreground: 0xF8F8F2, dim: 0x98A1C8, accent: 0xBD93F9, rule: 0x6272A4,
      ruleFocus: 0xFF79C6, selection: 0x44475A, unread: 0xFFFFFF, read: 0xD8D8D2, snoozed: 0xBD93F9,
      new: 0x8BE9FD, ghost: 0x919CC3, link: 0x8BE9FD, code: 0xF1FA8C, error: 0xFF7474, ok: 0x50FA7B,
      badgeText: 0x282A36, high: 0xFFB86C))

  /// Creates a theme with the palette's colours, and with those of `base` for 16 colours.
  private init(name: String, onto base: Theme, _ palette: Palette) {
    var styles = base.styles
    func paint(_ role: StyleRole, _ color: UInt32) { styles[role].foreground = .rgb(color) }
    for role in [StyleRole.text, .priorityNormal] {
      paint(role, palette.foreground)
      styles[role].foreground16 = .default
    }
    styles[.text].background = .rgb(palette.background)
    styles[.text].background16 = .default
    styles[.selection].background = .rgb(palette.selection)
    paint(.dim, palette.dim)
    paint(.accent, palette.accent)
    paint(.rule, palette.rule)
    paint(.ruleFocus, palette.ruleFocus)
    paint(.unread, palette.unread)
    paint(.read, palette.read)
    paint(.dismissed, palette.dim)
    paint(.resolved, palette.ok)
    paint(.snoozed, palette.snoozed)
    paint(.new, palette.new)
    paint(.ghost, palette.ghost)
    paint(.link, palette.link)
    paint(.code, palette.code)
    paint(.error, palette.error)
    paint(.ok, palette.ok)
    paint(.badge, palette.badgeText)
    styles[.badge].background = .rgb(palette.accent)
    paint(.priorityUrgent, palette.error)
    paint(.priorityHigh, palette.high)
    paint(.priorityLow, palette.dim)
    paint(.priorityMin, palette.ghost)
    self.init(
      name: name, styles: styles, background: .color(.rgb(palette.background)))
  }
}
