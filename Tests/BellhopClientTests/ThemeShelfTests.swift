import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTerminal
import BellhopTestSupport
import BellhopText
import BellhopTime
import Foundation
import Testing

@testable import BellhopClient

@Suite("Themes that change")
struct ThemeShelfTests {
  @Test(
    "only the key's line changes in a person's file",
    arguments: [
      ("", "theme = \"nord\"\n"),
      ("mouse = false\n", "theme = \"nord\"\nmouse = false\n"),
      (
        "# mine\n\ntheme = \"mono\"   # was nice\nmouse = true\n",
        "# mine\n\ntheme = \"nord\"   # was nice\nmouse = true\n"
      ),
      ("theme='a # b' # c", "theme= \"nord\" # c"),
      (
        "# theme = \"a\"\n[keys]\ntheme = \"x\"\n",
        "theme = \"nord\"\n# theme = \"a\"\n[keys]\ntheme = \"x\"\n"
      ),
      ("  \"theme\" = \"a\"\r\nmouse = true\r\n", "  \"theme\" = \"nord\"\r\nmouse = true\r\n"),
    ])
  func edit(text: String, expected: String) {
    #expect(ConfigurationEdit.setting("theme", to: "\"nord\"", in: text) == expected)
  }

  @Test(
    "where nobody chose a theme it is for the ground that the terminal tells of",
    arguments: [
      (nil, "bellhop-dark"), ("", "bellhop-dark"), ("15;0", "bellhop-dark"),
      ("0;15", "bellhop-light"), ("0;default;15", "bellhop-light"), ("0;7", "bellhop-light"),
      ("7;8", "bellhop-dark"), ("0;default", "bellhop-dark"), ("0;99", "bellhop-dark"),
    ] as [(String?, String)])
  func unchosen(ground: String?, name: String) {
    #expect(ThemeChoice.unchosen(ground.map { ["COLORFGBG": $0] } ?? [:]) == name)
  }

  @Test("a file that is wrong stays as it was; a link and the file's rights stay too")
  func write() throws {
    try TemporaryFolder.with { folder in
      let (real, path) = (folder + "/dotfiles.toml", folder + "/config.toml")
      try "mouse = false\n".write(toFile: real, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: real)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: real)
      #expect(throws: ClientError.self) {
        try ConfigurationEdit.write("theme = \"nord\"\nmouse = 3\n", to: path)
      }
      #expect(try String(contentsOfFile: real, encoding: .utf8) == "mouse = false\n")
      try ConfigurationEdit.write("theme = \"nord\"\nmouse = false\n", to: path)
      #expect(
        try String(contentsOfFile: real, encoding: .utf8) == "theme = \"nord\"\nmouse = false\n")
      let attributes = try FileManager.default.attributesOfItem(atPath: real)
      #expect(attributes[.posixPermissions] as? Int == 0o644)
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: path) == real)
    }
  }

  private func shelf(_ folder: String) throws -> (ThemeShelf, file: String, config: String) {
    let directories = Directories(root: folder)
    let themes = directories.config + "/themes"
    try FileManager.default.createDirectory(atPath: themes, withIntermediateDirectories: true)
    let file = themes + "/mine.toml"
    try "inherit = \"nord\"\n".write(toFile: file, atomically: true, encoding: .utf8)
    let context = try ClientContext(
      directories: directories, environment: [:], account: nil, usesPolling: nil)
    return (ThemeShelf(context, current: "mine"), file, directories.config + "/config.toml")
  }

  @Test("an edited theme is read again, and an error in it says line and role")
  func reload() throws {
    try TemporaryFolder.with { folder in
      let (shelf, file, config) = try shelf(folder)
      #expect(shelf.names.contains("mine") && shelf.names.count == 11)
      #expect(shelf.reload() == nil)
      try "inherit = \"nord\"\n[roles]\nlink = { fg = \"#010203\" }\n".write(
        toFile: file, atomically: true, encoding: .utf8)
      let changed = try #require(shelf.reload())
      #expect(changed.problem == nil)
      #expect(changed.styles[.link].foreground == .rgb(0x010203))
      #expect(shelf.reload() == nil)
      try "inherit = \"nord\"\n[roles]\nlink = { fg = \"#nothex\" }\n".write(
        toFile: file, atomically: true, encoding: .utf8)
      let problem = try #require(shelf.reload()?.problem)
      #expect(problem.contains("mine.toml, line 3") && problem.contains("'link'"), "\(problem)")
      try shelf.keep("dracula")
      #expect(try String(contentsOfFile: config, encoding: .utf8) == "theme = \"dracula\"\n")
      #expect(shelf.current == "dracula")
    }
  }

  @Test("themes are tried on the screen, Esc brings the old one back, Enter keeps the new one")
  func picker() throws {
    try TemporaryFolder.with { folder in
      let (shelf, _, config) = try shelf(folder)
      let terminal = GridTerminal(size: Size(width: 80, height: 24))
      final class Nobody: EffectPerformer {
        func endReading() {}

        func perform(_ effect: Effect) -> [Message] { [] }
      }
      let box = MessageBox {}
      let state = InboxState(
        size: terminal.size, now: Timestamp(seconds: 1), zone: .utc, accountLabel: "home",
        ids: UniqueIDSource { 7 })
      let nobody = Nobody()
      var loop = EventLoop(
        terminal: terminal, performer: nobody, box: box, state: state, themes: shelf,
        now: { Timestamp(seconds: 1) })
      loop.start()
      let mine = shelf.show("mine").styles
      terminal.use(mine)
      func press(_ key: Key) {
        terminal.send(.key(key))
        loop.step()
      }
      press(.character("t"))
      #expect(terminal.lastFrame?.glyphs.contains("▌mine") == true)
      press(.down)
      #expect(terminal.styles != mine)
      #expect(terminal.lastFrame?.glyphs.contains("▌mono") == true)
      press(.escape)
      #expect(terminal.styles == mine)
      #expect(!FileManager.default.fileExists(atPath: config))
      press(.character("t"))
      press(.up)
      press(.enter)
      #expect(terminal.styles != mine)
      #expect(
        try String(contentsOfFile: config, encoding: .utf8) == "theme = \"high-contrast\"\n")
    }
  }

  @Test("a sample is lines of its cells, with no other control characters than its styles")
  func sample() {
    let frame = SampleScreen.frame(named: "nord")
    for depth in ColorDepth.allCases {
      let lines = FrameText.lines(frame, styles: StyleSheet(), depth: depth)
      #expect(lines.count == SampleScreen.size.height)
      for line in lines {
        let parts = line.components(separatedBy: "\u{1B}[")
        #expect(line.hasSuffix("\u{1B}[0m"))
        let plain = parts.dropFirst().map { part in
          String(part.drop { $0.isNumber || $0 == ";" }.dropFirst())
        }.joined()
        #expect(SafeText(plain).width == SampleScreen.size.width, "\(plain)")
        #expect(!plain.unicodeScalars.contains { $0.value < 0x20 })
      }
    }
    let roles = Set((0..<frame.size.height).flatMap { frame.row($0).map(\.role) })
    #expect(roles.isSuperset(of: [.new, .unread, .read, .dismissed, .snoozed, .ghost, .link]))
  }
}
