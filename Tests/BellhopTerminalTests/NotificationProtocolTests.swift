import BellhopTestSupport
import BellhopText
import Foundation
import TerminalReader
import Testing

@testable import BellhopTerminal

@Suite("Desktop notifications through the terminal")
struct NotificationProtocolTests {
  @Test(
    "the environment determines the terminal's protocol",
    arguments: [
      (["TERM": "xterm-kitty"], .osc99), (["TERM": "foot"], .osc777),
      (["TERM": "foot-direct"], .osc777), (["TERM": "xterm-ghostty"], .osc777),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], .osc777),
      (["TERM": "xterm-256color", "KONSOLE_VERSION": "240801"], .osc777),
      (["TERM": "rxvt-unicode-256color"], .osc777),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], .osc9),
      (["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"], .osc9),
      (["TERM": "tmux-256color", "TMUX": "/t,1,0", "TERM_PROGRAM": "tmux"], nil),
      (["TERM": "tmux-256color", "TMUX": "/t,1,0", "KITTY_WINDOW_ID": "1"], .osc99),
      (["TERM": "screen", "STY": "1.pts", "KITTY_WINDOW_ID": "1"], nil),
      (["TERM": "xterm-256color"], nil), (["TERM": "linux"], nil), ([:], nil),
    ] as [([String: String], NotificationProtocol?)])
  func known(environment: [String: String], expected: NotificationProtocol?) {
    var options = TerminalOptions(environment: environment)
    #expect(options.notificationProtocol == expected)
    options.notifications = .never
    #expect(options.notificationProtocol == nil)
    options.notifications = .always(.osc9)
    #expect(options.notificationProtocol == .osc9)
  }

  private func sequence(
    _ known: NotificationProtocol, _ title: String, _ body: String, isUrgent: Bool = false,
    tmux: Bool = false
  ) -> String {
    known.sequence(
      title: title, body: body, isUrgent: isUrgent, number: 3, passesThroughTmux: tmux)
  }

  @Test("each protocol has its form, and no text can end a part early")
  func forms() {
    #expect(sequence(.osc9, "ci", "failed; badly") == "\u{1B}]9;ci: failed; badly\u{07}")
    #expect(sequence(.osc9, "4;1;100", "") == "\u{1B}]9;- 4;1;100\u{07}", "no progress bar")
    #expect(
      sequence(.osc777, "a;b", "c;d") == "\u{1B}]777;notify;a,b;c;d\u{07}")
    let combined = sequence(.osc777, "a;\u{301}b", "c")
    #expect(
      combined.unicodeScalars.elementsEqual("\u{1B}]777;notify;a,\u{301}b;c\u{07}".unicodeScalars))
    let (title, body) = (Data("ci".utf8), Data("failed".utf8))
    #expect(
      sequence(.osc99, "ci", "failed", isUrgent: true)
        == "\u{1B}]99;i=bellhop3:e=1:d=0:p=title:u=2;\(title.base64EncodedString())\u{1B}\\"
        + "\u{1B}]99;i=bellhop3:e=1:d=1:p=body:u=2;\(body.base64EncodedString())\u{1B}\\")
    #expect(
      sequence(.osc99, "ci", "")
        == "\u{1B}]99;i=bellhop3:e=1:d=1:p=title:u=1;\(title.base64EncodedString())\u{1B}\\")
  }

  @Test("tmux gets them with each escape character doubled")
  func passThrough() {
    #expect(
      sequence(.osc777, "a", "b", tmux: true)
        == "\u{1B}Ptmux;\u{1B}\u{1B}]777;notify;a;b\u{07}\u{1B}\\")
    let parts = sequence(.osc99, "a", "b", tmux: true)
    #expect(parts.components(separatedBy: "\u{1B}Ptmux;").count == 3)
    #expect(parts.hasSuffix("\u{1B}\u{1B}\\\u{1B}\\"))
  }

  @Test("for any untrusted text, a notification is one sequence and touches no cell")
  func strangers() {
    let isWhole = getenv("BELLHOP_FUZZ").map { String(cString: $0) } == "whole"
    let seed = UInt64.random(in: 0 ... .max)
    print("NotificationProtocolTests.strangers seed \(seed)")
    var strings = HostileStrings(seed: seed)
    var reader = VTReader(columns: 20, rows: 2)
    for round in 0..<(isWhole ? 250_000 : 5000) {
      let known = NotificationProtocol.allCases[round % 3]
      let before = reader.notifications
      reader.read(
        sequence(
          known, SafeText(strings.next(), byteLimit: NotificationProtocol.titleBytesMax).string,
          SafeText(strings.next(), byteLimit: NotificationProtocol.bodyBytesMax).string
        ).utf8)
      let isRead = reader.notifications > before && reader.violations.isEmpty
      guard isRead, reader.bells == 0, reader.lines == ["", ""] else {
        Issue.record("round \(round), seed \(seed): \(reader.violations) \(reader.lines)")
        return
      }
    }
  }
}
