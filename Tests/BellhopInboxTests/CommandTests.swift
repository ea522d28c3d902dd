import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Commands")
struct CommandTests {
  private func desk(items: Int = 1) -> InboxDesk {
    var desk = InboxDesk(width: 100, height: 24)
    for number in 0..<items {
      desk.shelf.publish(
        Content(app: "ci", visual: VisualContent(title: "item \(number)")), at: desk.now)
    }
    desk.start()
    return desk
  }

  private func footer(_ desk: InboxDesk) -> String {
    FooterLine(desk.state).place(width: 100).map(\.span.text.string).joined()
  }

  @Test("the key of a disabled command shows the reason, and does nothing")
  func keyOfDisabledCommand() {
    var desk = desk()
    desk.press("o")
    #expect(desk.state.notice?.text == "This item has no link.")
    desk.press("u")
    #expect(desk.state.notice?.text == "Nothing to undo.")
    desk.press("7")
    #expect(desk.state.notice?.text.string.hasPrefix("No view is saved on this key.") == true)
    #expect(desk.acts.isEmpty)
  }

  @Test("the footer omits a disabled command, and shows it once enabled")
  func footerOfDisabledCommand() {
    var desk = desk(items: 2)
    #expect(!footer(desk).contains("undo") && !footer(desk).contains("open"))
    desk.press("d")
    #expect(footer(desk).contains("u undo"))
  }

  @Test("the palette shows why a command is disabled, in place of its description")
  func paletteOfDisabledCommand() throws {
    var desk = desk()
    desk.press(":")
    desk.type("undo")
    #expect(desk.frame.glyphs.contains("Nothing to undo."))
    #expect(!desk.frame.glyphs.contains("again for the one before"))
    desk.press("Enter")
    #expect(desk.state.notice?.text == "Nothing to undo.")
    desk.press("d :")
    desk.type("undo")
    #expect(desk.frame.glyphs.contains("again for the one before"))
  }

  @Test("help and palette omit commands that the screen does not have")
  func absentCommands() {
    var desk = desk()
    desk.press("?")
    desk.type("view 2")
    #expect(!desk.frame.glyphs.contains("your saved view"))
    desk.press("Esc :")
    desk.type("view 2")
    #expect(!desk.frame.glyphs.contains("your saved view"))
  }

  @Test("while the cursor is moving, the footer keeps its hints and keys wait")
  func momentaryReason() {
    var desk = desk(items: 300)
    desk.isPrompt = false
    desk.press("G")
    #expect(Command.dismiss.disabledReason(desk.state)?.scope == .moment)
    #expect(footer(desk).contains("d dismiss"))
    desk.press("d")
    #expect(desk.state.notice?.text == "The list is still loading.")
    #expect(desk.acts.isEmpty)
  }

  @Test("two commands are equal when their ids are")
  func identity() {
    #expect(Command.dismiss == Command.all.first { $0.id == "dismiss" })
    #expect(Command.dismiss != Command.delete)
  }
}
