import BellhopModel
import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("Filter fields in a search")
struct SearchFieldTests {
  private func desk(width: Int = 160) -> InboxDesk {
    var desk = InboxDesk(width: width, height: 24)
    desk.start()
    desk.arrive("disk full", app: "nas", priority: .high)
    desk.arrive("disk replaced", app: "nas")
    desk.arrive("error: disk", app: "ci")
    return desk
  }

  private func titles(_ desk: InboxDesk) -> [String] {
    desk.state[.search].rows.map(\.title.string)
  }

  @Test("fields and words together search all history")
  func fields() {
    var desk = desk()
    desk.press("d /")
    desk.type("disk app:nas")
    #expect(titles(desk) == ["disk replaced", "disk full"])
    desk.type(" prio:>=high")
    #expect(titles(desk) == ["disk full"])
    desk.press("Enter")
    #expect(desk.frame.glyphs.contains("1 of 3 · Esc back to the tray"))
    desk.press("Esc")
    #expect(desk.state.search == nil)
  }

  @Test("a word with a colon that is not a field is a word")
  func words() {
    var desk = desk()
    desk.press("/")
    desk.type("error:")
    #expect(titles(desk) == ["error: disk"])
    #expect(desk.state.search?.problem == nil)
    #expect(desk.state[.search].query == .search("error:"))
  }

  @Test("an error in a field is shown, leaves the results, and is not accepted by Enter")
  func problem() {
    var desk = desk()
    desk.press("/")
    desk.type("app:nas ")
    #expect(titles(desk).count == 2)
    desk.type("prio:soon x")
    #expect(titles(desk).count == 2)
    #expect(desk.frame.glyphs.contains("“soon” is not a level."))
    desk.press("Enter")
    #expect(desk.state.isTyping)
    #expect(desk.state.notice?.text.string.hasPrefix("“soon”") == true)
  }

  @Test("Tab completes a field and its value")
  func completion() {
    var desk = desk()
    desk.press("/")
    desk.type("disk ap")
    desk.press("Tab")
    desk.type("n")
    desk.press("Tab")
    #expect(desk.state.search?.field.text == "disk app:nas ")
    #expect(titles(desk).count == 2)
  }

  @Test("the last search returns with its fields")
  func again() {
    var desk = desk()
    desk.press("/")
    desk.type("app:nas")
    desk.press("Enter Esc n")
    #expect(titles(desk).count == 2)
  }

  @Test("a search that finds nothing offers the nearest words, and Enter searches them")
  func suggestion() {
    var desk = desk()
    desk.suggestions = ["dsik": "disk"]
    desk.press("/")
    desk.type("dsik")
    #expect(
      desk.frame.glyphs.contains("No match for “dsik”. Did you mean “disk”? Enter searches for it.")
    )
    desk.press("Enter")
    #expect(desk.state.search?.field.text == "disk" && titles(desk).count == 3)
    desk.press("/")
    for _ in 0..<4 { desk.press("Backspace") }
    desk.type("dsx")
    #expect(desk.frame.glyphs.contains("No match for “dsx”."))
  }

  @Test(
    "matches are marked in the rows and in the item, whole characters at a time",
    arguments: [80, 160])
  func highlights(width: Int) throws {
    var desk = desk(width: width)
    desk.arrive("Crème brûlée burnt", app: "nas", body: "The brulee is black.")
    desk.press("/")
    desk.type("brul")
    let frame = desk.frame
    let marked = frame.size.height > 0 ? text(of: .match, in: frame) : ""
    #expect(marked.contains("brûlée") && marked.contains("brulee"))
    // The title in its row and in the item, and the body in the item.
    #expect(marked.ranges(of: "brûlée").count == 2)
    #expect(!marked.contains("burnt"))
    desk.press("Esc")
    #expect(text(of: .match, in: desk.frame).isEmpty)
  }

  private func text(of role: StyleRole, in frame: Frame) -> String {
    (0..<frame.size.height).map { y in
      frame.row(y).map { $0.role == role ? String($0.text) : " " }.joined()
    }.joined(separator: "\n").split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
