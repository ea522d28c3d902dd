import BellhopScreen
import BellhopTestSupport
import Testing

@testable import BellhopInbox

@Suite("Keys")
struct KeymapTests {
  /// The commands that users run seldom, by the palette or a key of their own.
  private static let keyless: Set<String> = ["undo-rules"]

  @Test("the shipped keys have no conflict, and every command has one or is meant for the palette")
  func standard() {
    for command in Command.all {
      #expect(
        Keymap.standard.sequences(of: command).isEmpty == Self.keyless.contains(command.id),
        "\(command.id)")
      #expect(
        Keymap.standard.sequences(of: command).count == command.defaultKeys.count,
        "\(command.id) lost a key to another command")
    }
    #expect(Keymap.standard.problems.isEmpty)
    #expect(Set(Command.all.map(\.id)).count == Command.all.count)
  }

  @Test("no letter that ends a split arrow key changes an item")
  func unsafeLetters() {
    for letter in Keymap.unsafeLetters {
      for place: CommandScope in [.list, .results, .detail, .firstRun, .apps] {
        if case .command(let command) = Keymap.standard.match([.character(letter)], in: place) {
          #expect(!command.changesItems, "\(letter) is \(command.id)")
        }
      }
    }
    let keymap = Keymap(overrides: ["dismiss": ["D"]])
    #expect(keymap.problems.count == 1)
    #expect(keymap.sequences(of: .dismiss).isEmpty)
  }

  @Test("the user's choice wins over a default, and conflicts are reported")
  func overrides() {
    let keymap = Keymap(overrides: ["sync": ["d"], "dismiss": ["g d", "Ctrl-x"]])
    #expect(keymap.match([.character("d")], in: .list) == .command(.syncNow))
    #expect(keymap.match([.character("g"), .character("d")], in: .list) == .command(.dismiss))
    #expect(keymap.match([.control("x")], in: .list) == .command(.dismiss))
    let bad = Keymap(overrides: ["dismiss": ["q q"], "nonsense": ["a"], "undo": ["Hyper-u"]])
    #expect(bad.problems.contains(.unknownKey("Hyper-u", command: .undo)))
    let clash = Keymap(overrides: ["dismiss": ["e"], "delete": ["e"]])
    guard case .conflict? = clash.problems.first else {
      Issue.record("\(clash.problems)")
      return
    }
  }

  @Test("a command that loses all its keys to another one is reported, with a free key")
  func keyless() throws {
    let keymap = Keymap(overrides: ["read": ["d"]])
    #expect(keymap.sequences(of: .dismiss).isEmpty)
    let problem = try #require(keymap.problems.first)
    guard keymap.problems.count == 1,
      case .keyless(.dismiss, let lost, .toggleRead, let free) = problem
    else {
      Issue.record("\(keymap.problems)")
      return
    }
    #expect(lost == KeySequence("d"))
    // D may be the end of an arrow key's sequence.
    let key = try #require(free)
    #expect(key != KeySequence("D"))
    let fixed = Keymap(overrides: ["read": ["d"], "dismiss": [key.spelling]])
    #expect(fixed.problems.isEmpty)
    #expect(fixed.sequences(of: .dismiss) == [key])
    // A user who removes a command's keys explicitly gets no warning.
    #expect(Keymap(overrides: ["read": ["d"], "dismiss": []]).problems.isEmpty)
    #expect(
      Keymap(overrides: ["sync": ["g"]]).problems.contains {
        if case .keyless = $0 { true } else { false }
      })
  }

  @Test("after a broken sequence its last key keeps its meaning")
  func brokenSequence() {
    var desk = InboxDesk(width: 80, height: 24)
    desk.arrive("one")
    desk.arrive("two")
    desk.start()
    desk.press("g j")
    #expect(desk.state.tray.cursorRank == 1)
    desk.press("g g")
    #expect(desk.state.tray.cursorRank == 0)
  }

  @Test("help lists the keys of the current place, and typing filters them")
  func help() {
    var desk = InboxDesk(width: 80, height: 24)
    desk.arrive("one")
    desk.start()
    let all = HelpLines(state: desk.state, filter: "").lines
    #expect(all.count > 30)
    desk.press("?")
    desk.type("snooze")
    #expect(desk.frame.glyphs.contains("   s  "))
    #expect(!desk.frame.glyphs.contains("dismiss it"))
    desk.press("Esc")
    #expect(desk.state.overlay.isNone)
  }

  @Test("a letter that does nothing here shows that, until the next key")
  func unknownKey() {
    var desk = InboxDesk(width: 80, height: 24)
    desk.start()
    desk.arrive("build 1")
    desk.press("W")
    #expect(desk.frame.glyphs.contains("W is not bound here. ? lists the keys."))
    desk.press("Esc")
    #expect(desk.state.notice == nil)
  }

  @Test("the manual's table of keys has a row for every command with a key")
  func table() {
    let table = KeyTable.markdown()
    let rows = Command.Chapter.allCases.count + Command.all.count - Self.keyless.count
    #expect(table.split(separator: "\n").count == 2 + rows)
    #expect(table.contains("| `gg` `Home` | to the first item |"))
  }
}
