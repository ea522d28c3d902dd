import BellhopText
import Testing

@testable import BellhopCommands

@Suite("Completion")
struct CompletionTests {
  private static let item = Completion("12", "ci: build 412 failed: unit tests")

  @Test(
    "each shell gets the value in its own form, with a description where it shows one",
    arguments: [
      (Completion.Shell.bash, "12"),
      (.zsh, "12:ci: build 412 failed: unit tests"),
      (.fish, "12\tci: build 412 failed: unit tests"),
    ])
  func forms(_ shell: Completion.Shell, _ line: String) {
    #expect(Self.item.line(for: shell) == line)
  }

  @Test("a value with a colon is one value for zsh")
  func colons() {
    #expect(Completion("nas:8080", "NAS").line(for: .zsh) == "nas\\:8080:NAS")
    #expect(Completion("a\\b").line(for: .zsh) == "a\\\\b")
  }

  @Test(
    "bash is offered no value that it would expand",
    arguments: ["$(reboot)", "`id`", "a b", "~root", "a;b", "a'b", "{a,b}", "<(id)", "ü"])
  func expansions(_ value: String) {
    #expect(Completion(value).line(for: .bash) == nil)
    #expect(Completion("ci.example.com").line(for: .bash) == "ci.example.com")
  }

  @Test("a value with a line break is offered to no shell", arguments: Completion.Shell.allCases)
  func lineBreaks(_ shell: Completion.Shell) {
    #expect(Completion("a\nb").line(for: shell) == nil)
    #expect(Completion("").line(for: shell) == nil)
  }

  @Test("a description is one line of at most 60 cells")
  func descriptions() throws {
    let title = SafeText(String(repeating: "word ", count: 40))
    let line = try #require(Completion("1", title).line(for: .fish))
    #expect(SafeText(String(line.dropFirst(2))).width <= 60)
  }

  @Test(
    "the account of the line is the one whose items are offered",
    arguments: [
      (["bellhop", "dismiss", "--account", "work", ""], "work"),
      (["bellhop", "dismiss", "--account=work", ""], "work"),
      (["bellhop", "dismiss", "--account", "=", "work", ""], "work"),
      (["bellhop", "dismiss", ""], nil),
      (["bellhop", "dismiss", "--account"], nil),
    ] as [([String], String?)])
  func accounts(_ words: [String], _ account: String?) {
    #expect(CompletedLine(words: words, index: words.count - 1).account == account)
  }

  @Test(
    "open items come first, and only where the command is for them",
    arguments: [
      ("dismiss", [CompletedList.tray]), ("snooze", [.tray]), ("restore", [.handled, .later]),
      ("read", [.tray, .handled]), ("show", [.tray, .handled]),
    ])
  func lists(_ command: String, _ lists: [CompletedList]) {
    #expect(CompletedLine(words: ["bellhop", command, ""], index: 2).lists == lists)
  }

  @Test("an item that the line names already is not offered again")
  func namedAlready() {
    let line = CompletedLine(words: ["bellhop", "dismiss", "12", "#13", "14"], index: 4)
    let offered = line.new(["12", "13", "14"].map { Completion($0) })
    #expect(offered.map(\.value) == ["14"])
  }
}
