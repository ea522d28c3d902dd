import BellhopModel
import BellhopScreen
import BellhopTestSupport
import Testing

@testable import BellhopInbox

@Suite("Undo and redo everywhere")
struct UndoPlacesTests {
  private func desk(_ count: Int) -> InboxDesk {
    var desk = InboxDesk(width: 80, height: 24)
    for number in 1...count {
      desk.shelf.publish(
        Content(app: "ci", visual: VisualContent(title: "item \(number)")), at: desk.now)
    }
    desk.start()
    return desk
  }

  @Test(
    "a delete that empties the store is undone and redone on the first-run screen",
    arguments: [(1, "x"), (3, "a x y"), (300, "a x y")])
  func emptied(count: Int, keys: String) {
    var desk = desk(count)
    desk.press(keys)
    #expect(desk.state.isFirstRun)
    #expect(desk.frame.glyphs.contains("u within 5 s undoes it"))
    desk.press("u")
    #expect(!desk.state.isFirstRun)
    #expect(desk.shelf.rows(of: .tray, at: desk.now).count == count)
    #expect(desk.frame.glyphs.contains("item \(count)"))
    guard count < 300 else { return }
    desk.press("Ctrl-r")
    #expect(desk.state.isFirstRun)
    desk.press("u")
    #expect(desk.state.tray.rows.count == count)
  }

  @Test(
    "undoing a delete is no longer offered once it is too late",
    arguments: ["x", "a x y"])
  func offerEnds(keys: String) {
    var desk = desk(3)
    desk.press(keys)
    #expect(desk.frame.glyphs.contains("u within 5 s undoes it"))
    #expect(desk.state.nextWake == desk.now.advanced(by: .seconds(5)))
    desk.wait(.seconds(4))
    #expect(desk.frame.glyphs.contains("u within 5 s undoes it"))
    desk.wait(.seconds(1))
    #expect(desk.frame.glyphs.contains("Deleted"))
    #expect(!desk.frame.glyphs.contains("within 5 s"))
  }

  @Test("undo and redo are commands everywhere")
  func places() {
    #expect(Command.undo.places == .everywhere)
    #expect(Command.redo.places == .everywhere)
  }
}
