import BellhopScreen

extension Theme {
  /// The theme for dark terminals.
  package static let dark = Theme(
    name: "bellhop-dark",
    styles: StyleSheet([
      .text: Style(foreground: .default),
      .dim: Style(foreground: .rgb(0x9E9E9E), foreground16: .palette(8)),
      .accent: Style(foreground: .rgb(0x5FAFFF), foreground16: .palette(12), isBold: true),
      .rule: Style(foreground: .rgb(0x4E4E4E), foreground16: .palette(8)),
      .ruleFocus: Style(foreground: .rgb(0x5F87AF), foreground16: .palette(4)),
      .selection: Style(background: .rgb(0x303A4A), background16: .palette(4)),
      // Plain text keeps the terminal's own colour.
      .unread: Style(foreground: .default, foreground16: .default, isBold: true),
      .read: Style(foreground: .default, foreground16: .default),
      .dismissed: Style(foreground: .rgb(0x9E9E9E), foreground16: .palette(8)),
      .resolved: Style(foreground: .rgb(0x87D787), foreground16: .palette(10)),
      .snoozed: Style(foreground: .rgb(0xBD9CDE), foreground16: .palette(5)),
      .new: Style(foreground: .rgb(0x5FD7FF), foreground16: .palette(14), isBold: true),
      .ghost: Style(foreground: .rgb(0x9E9E9E), foreground16: .palette(8), isItalic: true),
      .link: Style(foreground: .rgb(0x5FD7D7), foreground16: .palette(6), isUnderlined: true),
      .code: Style(foreground: .rgb(0xD7D7AF), foreground16: .palette(7)),
      .error: Style(foreground: .rgb(0xFF8787), foreground16: .palette(9), isBold: true),
      .ok: Style(foreground: .rgb(0x87D787), foreground16: .palette(10)),
      .badge: Style(
        foreground: .rgb(0x1C1C1C), background: .rgb(0x5FAFFF), foreground16: .palette(0),
        background16: .palette(6), isBold: true),
      .priorityUrgent: Style(foreground: .rgb(0xFF7474), foreground16: .palette(9), isBold: true),
      .priorityHigh: Style(foreground: .rgb(0xFFAF5F), foreground16: .palette(11), isBold: true),
      .priorityNormal: Style(foreground: .default),
      .priorityLow: Style(foreground: .rgb(0x9E9E9E), foreground16: .palette(8)),
      .priorityMin: Style(foreground: .rgb(0x9E9E9E), foreground16: .palette(8)),
    ]), background: .color(.rgb(0x1C1C1C)))

  /// The theme for light terminals.
  package static let light = Theme(
    name: "bellhop-light",
    styles: StyleSheet([
      .text: Style(foreground: .default),
      .dim: Style(foreground: .rgb(0x6C6C6C), foreground16: .palette(8)),
      .accent: Style(foreground: .rgb(0x005FAF), foreground16: .palette(4), isBold: true),
      .rule: Style(foreground: .rgb(0xBCBCBC), foreground16: .palette(8)),
      .ruleFocus: Style(foreground: .rgb(0x5F87AF), foreground16: .palette(4)),
      .selection: Style(background: .rgb(0xD7E4F2), background16: .palette(7)),
      .unread: Style(foreground: .rgb(0x121212), foreground16: .default, isBold: true),
      .read: Style(foreground: .rgb(0x4E4E4E), foreground16: .default),
      .dismissed: Style(foreground: .rgb(0x6C6C6C), foreground16: .palette(8)),
      .resolved: Style(foreground: .rgb(0x20702A), foreground16: .palette(2)),
      .snoozed: Style(foreground: .rgb(0x763D9B), foreground16: .palette(5)),
      .new: Style(foreground: .rgb(0x00708F), foreground16: .palette(4), isBold: true),
      .ghost: Style(foreground: .rgb(0x6C6C6C), foreground16: .palette(8), isItalic: true),
      .link: Style(foreground: .rgb(0x005F87), foreground16: .palette(4), isUnderlined: true),
      .code: Style(foreground: .rgb(0x5F4A00), foreground16: .default),
      .error: Style(foreground: .rgb(0xB00020), foreground16: .palette(1), isBold: true),
      .ok: Style(foreground: .rgb(0x20702A), foreground16: .palette(2)),
      .badge: Style(
        foreground: .rgb(0xFFFFFF), background: .rgb(0x005FAF), foreground16: .palette(15),
        background16: .palette(4), isBold: true),
      .priorityUrgent: Style(foreground: .rgb(0xC00018), foreground16: .palette(1), isBold: true),
      .priorityHigh: Style(foreground: .rgb(0x9B4D00), foreground16: .palette(5), isBold: true),
      .priorityNormal: Style(foreground: .default),
      .priorityLow: Style(foreground: .rgb(0x6C6C6C), foreground16: .palette(8)),
      .priorityMin: Style(foreground: .rgb(0x6C6C6C), foreground16: .palette(8)),
    ]), background: .color(.rgb(0xFFFFFF)))

  /// The theme for dark and light terminals: the default if the terminal's background is unknown.
  ///
  /// Every colour has a contrast of 4.5 with both black and white. Few of the 256 colours do.
  package static let any = Theme(
    name: "bellhop-any",
    styles: StyleSheet([
      .text: Style(foreground: .default),
      .dim: Style(foreground: .rgb(0x767676), foreground16: .palette(8)),
      .accent: Style(foreground: .rgb(0x5F5FFF), foreground16: .default, isBold: true),
      .rule: Style(foreground: .rgb(0x767676), foreground16: .palette(8)),
      .ruleFocus: Style(foreground: .rgb(0x5F5FFF), foreground16: .palette(5)),
      .selection: Style(background: .rgb(0x005FAF), background16: .palette(4)),
      .unread: Style(foreground: .default, foreground16: .default, isBold: true),
      .read: Style(foreground: .default, foreground16: .default),
      .dismissed: Style(foreground: .rgb(0x767676), foreground16: .palette(8)),
      .resolved: Style(foreground: .rgb(0x00875F), foreground16: .default),
      .snoozed: Style(foreground: .rgb(0x875FD7), foreground16: .palette(5)),
      .new: Style(foreground: .rgb(0x5F5FFF), foreground16: .default, isBold: true),
      .ghost: Style(foreground: .rgb(0x767676), foreground16: .palette(8), isItalic: true),
      .link: Style(foreground: .rgb(0x5F5FFF), foreground16: .default, isUnderlined: true),
      .code: Style(foreground: .rgb(0x00875F), foreground16: .default),
      .error: Style(foreground: .rgb(0xAF5F5F), foreground16: .palette(1), isBold: true),
      .ok: Style(foreground: .rgb(0x00875F), foreground16: .default),
      .badge: Style(
        foreground: .rgb(0xFFFFFF), background: .rgb(0x5F5FFF), foreground16: .palette(0),
        background16: .palette(6), isBold: true),
      .priorityUrgent: Style(foreground: .rgb(0xD700AF), foreground16: .palette(1), isBold: true),
      .priorityHigh: Style(foreground: .rgb(0xAF5F5F), foreground16: .palette(5), isBold: true),
      .priorityNormal: Style(foreground: .default),
      .priorityLow: Style(foreground: .rgb(0x767676), foreground16: .palette(8)),
      .priorityMin: Style(foreground: .rgb(0x767676), foreground16: .palette(8)),
    ]), background: .any)

  /// The theme without colours: bold, underline and reverse only.
  package static let mono = Theme(name: "mono", styles: .monochrome, background: .any)
}
