import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("The program's name in hints")
struct ProgramNameTests {
  private let built = ProgramName(".build/release/bellhop")

  @Test(
    "commands are written as they must be typed, and the word in a sentence stays",
    arguments: [
      ("bellhop accounts lists them.", ".build/release/bellhop accounts lists them."),
      ("To sign in: bellhop login", "To sign in: .build/release/bellhop login"),
      ("run 'bellhop sync', then", "run '.build/release/bellhop sync', then"),
      ("all at once: bellhop --account home", "all at once: .build/release/bellhop --account home"),
      ("Kept.\nbellhop login.", "Kept.\n.build/release/bellhop login."),
      ("another bellhop is using it", "another bellhop is using it"),
      ("bellhop makes one by itself", "bellhop makes one by itself"),
      ("see ~/.config/bellhop list", "see ~/.config/bellhop list"),
      ("the unit is my-bellhop list", "the unit is my-bellhop list"),
      ("start bellhop", "start bellhop"), ("", ""), ("  two  blanks  ", "  two  blanks  "),
    ])
  func written(text: String, expected: String) {
    #expect(built.written(in: text) == expected)
    #expect(built.written(in: SafeText(text, lineBreaks: .kept)).string == expected)
    #expect(ProgramName().written(in: text) == text)
  }

  @Test("the first-run screen and a line about the connection use it")
  func screens() {
    var desk = InboxDesk(width: 120, height: 24)
    desk.start()
    var state = desk.state
    state.firstRunHelp = FirstRunHelp(
      isPrivateStore: true, publishCommand: "bellhop publish \"Hello\"", curlLine: "curl -d Done",
      portNote: "Port 8642 was taken by another program; publish to 127.0.0.1:37257.")
    state.program = built
    #expect(render(state).glyphs.contains("    .build/release/bellhop publish \"Hello\""))
    #expect(render(state).glyphs.contains(".build/release/bellhop store stop ends the store."))
    #expect(render(state).glyphs.contains("Port 8642 was taken by another program; publish to "))
    _ = reduce(&state, .account(.connection(ConnectionStatus(.signedOut(nil)))))
    #expect(render(state).glyphs.contains("To sign in: .build/release/bellhop login"))
    _ = reduce(&state, .notice(Notice(.information, "bellhop login adds another.")))
    #expect(render(state).glyphs.contains(".build/release/bellhop login adds another."))
  }
}
