import BellhopClient
import BellhopInbox
import BellhopModel
import BellhopScreen
import BellhopTerminal
import BellhopTestSupport
import BellhopText
import BellhopThemes
import Foundation
import Testing

@testable import BellhopShell

@Suite("Changing themes")
struct ThemeCatalogTests {
  @Test(
    "only the key's line changes in the user's file",
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
    "COLORFGBG gives a dark or a light terminal, or neither",
    arguments: [
      (nil, nil), ("", nil), ("15;0", 0x000000), ("0;15", 0xFFFFFF), ("0;default;15", 0xFFFFFF),
      ("0;7", 0xFFFFFF), ("7;8", 0x000000), ("0;default", nil), ("0;99", nil), ("0;-1", nil),
    ] as [(String?, UInt32?)])
  func environment(text: String?, value: UInt32?) {
    let background = ThemeChoice.background(text.map { ["COLORFGBG": $0] } ?? [:])
    #expect(background == value.map { Color.rgb($0) })
  }

  @Test("an invalid file is left unchanged, and a link and the file's permissions stay")
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

  private func shelf(_ folder: String) throws -> (ThemeCatalog, file: String, config: String) {
    let directories = Directories(root: folder)
    let themes = directories.config + "/themes"
    try FileManager.default.createDirectory(atPath: themes, withIntermediateDirectories: true)
    let file = themes + "/mine.toml"
    try "inherit = \"nord\"\n".write(toFile: file, atomically: true, encoding: .utf8)
    let context = try ClientContext(
      directories: directories, environment: [:], account: nil, usesPolling: nil)
    return (
      ThemeCatalog(context, chosen: "mine", background: nil), file,
      directories.config + "/config.toml"
    )
  }

  @Test("an edited theme is read again, and its error names line and role")
  func reload() throws {
    try TemporaryFolder.with { folder in
      let (shelf, file, config) = try shelf(folder)
      #expect(shelf.names.contains("mine") && shelf.names.count == 12)
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

  @Test("themes are tried on the screen, Esc restores the old one, Enter keeps the new one")
  func picker() throws {
    try TemporaryFolder.with { folder in
      let (shelf, _, config) = try shelf(folder)
      let terminal = GridTerminal(size: Size(width: 80, height: 24))
      final class NoPerformer: EffectPerformer {
        func endReading() {}

        func perform(_ effect: Effect) -> [Message] { [] }
      }
      let box = MessageQueue {}
      let state = InboxState(
        size: terminal.size, now: Timestamp(seconds: 1), zone: .utc, accountLabel: "home",
        ids: UniqueIDSource { 7 })
      let performer = NoPerformer()
      var loop = EventLoop(
        terminal: terminal, performer: performer, box: box, state: state, themes: shelf,
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

  // MARK: - The terminal's background

  private static let white = Color.rgb(0xFFFFFF)
  private static let black = Color.rgb(0x000000)

  private func shelf(
    in folder: String, chosen: String?, background: Color? = nil
  ) throws -> (ThemeCatalog, ScreenMemory) {
    let context = try ClientContext(
      directories: Directories(root: folder), environment: [:], account: nil, usesPolling: nil)
    return (
      ThemeCatalog(context, chosen: chosen, background: background), ScreenMemory(context)
    )
  }

  @Test(
    "without a chosen theme the theme follows the background, which is stored for the next start")
  func following() throws {
    try TemporaryFolder.with { folder in
      let (shelf, memory) = try shelf(in: folder, chosen: nil)
      #expect(shelf.current == "bellhop-any")
      #expect(shelf.styles().styles == Theme.any.styles(on: nil))
      #expect(shelf.follow(Self.white)?.styles == Theme.light.styles(on: Self.white))
      #expect(shelf.current == "bellhop-light" && memory.load().background == Self.white)
      // A known background changes nothing.
      #expect(shelf.follow(Self.white) == nil)
      #expect(shelf.follow(Self.black)?.styles == Theme.dark.styles(on: Self.black))
      #expect(memory.load().background == Self.black)
      #expect(ThemeChoice.knownBackground(try context(folder)) == Self.black)
    }
  }

  private func context(_ folder: String) throws -> ClientContext {
    try ClientContext(
      directories: Directories(root: folder), environment: ["COLORFGBG": "0;15"], account: nil,
      usesPolling: nil)
  }

  @Test("a chosen theme stays, and paints its background on a terminal of the other kind")
  func chosen() throws {
    try TemporaryFolder.with { folder in
      let (shelf, _) = try shelf(in: folder, chosen: "bellhop-dark", background: Self.black)
      #expect(shelf.styles().styles[.text].background == nil)
      let styles = try #require(shelf.follow(Self.white)?.styles)
      #expect(shelf.current == "bellhop-dark")
      #expect(styles[.text].background == .rgb(0x1C1C1C))
    }
  }

  @Test("ending a preview of themes follows the background again, even if it changed meanwhile")
  func trial() throws {
    try TemporaryFolder.with { folder in
      let (shelf, _) = try shelf(in: folder, chosen: nil, background: Self.black)
      _ = shelf.styles()
      let (names, before) = shelf.beginTrial()
      #expect(before == "bellhop-dark" && names.contains("bellhop-any"))
      #expect(shelf.show("nord").styles == Theme.nord.styles(on: Self.black))
      #expect(shelf.follow(Self.white)?.styles == Theme.nord.styles(on: Self.white))
      #expect(shelf.current == "nord")
      #expect(shelf.show(before).styles == Theme.light.styles(on: Self.white))
      #expect(shelf.follow(Self.black)?.styles == Theme.dark.styles(on: Self.black))
      try shelf.keep("nord")
      #expect(shelf.follow(Self.white)?.styles == Theme.nord.styles(on: Self.white))
    }
  }

  @Test("the screen asks after its first frame, and is drawn in the theme that fits the answer")
  func asked() throws {
    try TemporaryFolder.with { folder in
      final class NoPerformer: EffectPerformer {
        func endReading() {}

        func perform(_ effect: Effect) -> [Message] { [] }
      }
      for answer in [Self.white, nil] {
        let (shelf, _) = try shelf(in: folder + "/\(answer == nil)", chosen: nil)
        let terminal = GridTerminal(size: Size(width: 80, height: 24))
        if let answer { terminal.have(answer) }
        terminal.use(shelf.styles().styles)
        let performer = NoPerformer()
        var loop = EventLoop(
          terminal: terminal, performer: performer, box: MessageQueue {},
          state: InboxState(
            size: terminal.size, now: Timestamp(seconds: 1), zone: .utc, accountLabel: "home",
            ids: UniqueIDSource { 7 }), themes: shelf, now: { Timestamp(seconds: 1) })
        loop.start()
        #expect(terminal.backgroundQuestions == 1 && terminal.frames.count == 1)
        #expect(terminal.styles == Theme.any.styles(on: nil))
        terminal.send(.focus(true))
        loop.step()
        #expect(
          terminal.styles
            == (answer == nil ? Theme.any.styles(on: nil) : Theme.light.styles(on: Self.white)))
        terminal.send(.background(Self.black))
        loop.step()
        #expect(terminal.styles == Theme.dark.styles(on: Self.black))
        terminal.send(.resumed)
        loop.step()
        #expect(terminal.backgroundQuestions == 2)
      }
    }
  }

  @Test("a sample is lines of its cells, with no control characters except its styles")
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
