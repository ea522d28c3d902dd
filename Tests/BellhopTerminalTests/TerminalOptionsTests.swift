import BellhopScreen
import Testing

@testable import BellhopTerminal

@Suite("Terminal options from the environment")
struct TerminalOptionsTests {
  private func options(_ environment: [String: String]) -> TerminalOptions {
    TerminalOptions(environment: environment)
  }

  @Test("the escape delay is longer under ssh, and can be configured")
  func escapeDelay() {
    #expect(options([:]).effectiveEscapeDelay == .milliseconds(25))
    var remote = options(["SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"])
    #expect(remote.effectiveEscapeDelay == .milliseconds(100))
    remote.escapeDelay = .milliseconds(10)
    #expect(remote.effectiveEscapeDelay == .milliseconds(10))
  }

  @Test("the window title is set where it can be restored, not in tmux")
  func title() {
    #expect(options(["TERM": "xterm-256color"]).canSetTitle)
    #expect(!options(["TERM": "xterm-256color", "TMUX": "/tmp/tmux,1,0"]).canSetTitle)
    #expect(!options(["TERM": "tmux-256color"]).canSetTitle)
    #expect(!options(["TERM": "linux"]).canSetTitle)
    var off = options(["TERM": "xterm"])
    off.setsTitle = false
    #expect(!off.canSetTitle)
  }

  @Test(
    "the colours are those of the terminal, unless fewer are configured",
    arguments: [
      (-1, false, .monochrome), (2, false, .monochrome), (8, false, .ansi8), (16, false, .ansi16),
      (88, false, .ansi16), (256, false, .indexed256), (0x1000000, true, .direct),
    ] as [(Int, Bool, ColorDepth)])
  func depth(colors: Int, isDirect: Bool, expected: ColorDepth) {
    #expect(options([:]).depth(colors: colors, isDirect: isDirect) == expected)
    #expect(options(["NO_COLOR": "1"]).depth(colors: colors, isDirect: isDirect) == .monochrome)
    #expect(options(["NO_COLOR": ""]).depth(colors: colors, isDirect: isDirect) == expected)
    var chosen = options([:])
    chosen.colorDepth = .ansi8
    #expect(chosen.depth(colors: colors, isDirect: isDirect) == min(.ansi8, expected))
  }

  @Test("every mode that is switched on is switched off")
  func modes() {
    let modes = TerminalModes(options: options(["TERM": "xterm"]))
    for mode in [1000, 1002, 1004, 1006, 2004] {
      #expect(modes.on.contains("\u{1B}[?\(mode)h"))
      #expect(modes.off.contains("\u{1B}[?\(mode)l"))
    }
    #expect(modes.on.utf8.count < 255 && modes.off.utf8.count < 255)
    var plain = options(["TERM": "tmux"])
    plain.usesMouse = false
    #expect(!TerminalModes(options: plain).on.contains("1000"))
    #expect(!TerminalModes(options: plain).on.contains("22;2t"))
  }
}
