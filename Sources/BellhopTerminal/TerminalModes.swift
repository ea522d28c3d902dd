import BellhopScreen

/// The modes that are switched on when the program takes over the terminal, and off afterwards.
struct TerminalModes {
  private(set) var on = ""
  private(set) var off = ""

  init(options: TerminalOptions) {
    // Bracketed paste and focus reports.
    add(on: "\u{1B}[?2004h\u{1B}[?1004h", off: "\u{1B}[?2004l\u{1B}[?1004l")
    if options.usesMouse {
      // Presses, drags, and the report format without a limit on columns.
      add(
        on: "\u{1B}[?1000h\u{1B}[?1002h\u{1B}[?1006h",
        off: "\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?1000l")
    }
    // Reports of a change to dark or light (Contour, "Color Palette Update Notifications").
    if options.mayBeAskedForBackground { add(on: "\u{1B}[?2031h", off: "\u{1B}[?2031l") }
    if options.canSetTitle { add(on: "\u{1B}[22;2t", off: "\u{1B}[23;2t") }
  }

  private mutating func add(on: String, off: String) {
    self.on += on
    self.off += off
  }
}
