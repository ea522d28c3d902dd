import BellhopScreen
import BellhopTestSupport
import BellhopText
import Testing

@testable import BellhopInbox

@Suite("The tour")
struct TourTests {
  private func desk(items: Int = 4, width: Int = 80, height: Int = 24) -> InboxDesk {
    var desk = InboxDesk(width: width, height: height)
    desk.start()
    for number in 0..<items { desk.arrive("build \(number)") }
    if items > 0 { desk.press("g g") }
    desk.forgetActs()
    return desk
  }

  private func says(_ desk: InboxDesk, _ text: String) -> Bool { desk.frame.glyphs.contains(text) }

  @Test("each step ends when the user has done it, and the fifth is the last")
  func steps() {
    var desk = desk()
    desk.press("T")
    #expect(says(desk, "1 of 5  j and k") && says(desk, "Esc ends the tour"))
    // An arrival is not a step.
    desk.arrive("news")
    #expect(says(desk, "1 of 5  j and k"))
    desk.press("j")
    #expect(says(desk, "2 of 5  d dismisses: it leaves the tray on every device "))
    desk.press("j r")
    #expect(says(desk, "2 of 5  d dismisses"))
    desk.press("d")
    #expect(says(desk, "2 of 5  u undoes that"))
    desk.press("u")
    #expect(says(desk, "3 of 5  /"))
    desk.press("/ Esc")
    #expect(says(desk, "3 of 5  /"))
    desk.press("/ b u i Esc")
    #expect(says(desk, "4 of 5  s"))
    desk.press("s Esc")
    #expect(says(desk, "4 of 5  s"))
    desk.press("s 1")
    #expect(says(desk, "5 of 5  ?"))
    desk.press("? Esc")
    #expect(desk.state.tour == nil && says(desk, "That is all you need"))
    #expect(!says(desk, "5 of 5  ?"))
  }

  @Test("Esc ends it once nothing else is open")
  func leaving() {
    var desk = desk()
    desk.press("T Enter Esc")
    #expect(desk.state.tour != nil)
    desk.press("Space Esc")
    #expect(desk.state.tour != nil && desk.state.marks.isEmpty)
    desk.press("Esc")
    #expect(desk.state.tour == nil && says(desk, "The tour has ended. T starts it again."))
  }

  @Test("an empty store gets items for the tour, and no other store does")
  func samples() {
    var empty = desk(items: 0)
    #expect(says(empty, "T   a tour in five steps"))
    empty.press("T")
    #expect(empty.acts.contains(.store(.publishTourItems)))
    #expect(says(empty, "1 of 5  j"))
    empty.arrive("first")
    empty.arrive("second")
    empty.press("k")
    #expect(says(empty, "2 of 5  d"))
    var full = desk()
    full.press("T")
    #expect(!full.acts.contains(.store(.publishTourItems)))
  }

  @Test("its first step names the key that moves, wherever the cursor is")
  func lastRow() {
    var desk = desk()
    desk.press("G T")
    #expect(says(desk, "1 of 5  k goes to the item above"), "\(desk.frame.glyphs)")
    desk.press("k")
    #expect(says(desk, "2 of 5  d dismisses"))
  }

  @Test("its line fits every screen that has a line for it")
  func sizes() {
    for (width, height) in [(200, 50), (100, 30), (80, 24), (40, 10), (30, 6), (20, 3)] {
      var desk = desk(width: width, height: height)
      desk.press("T")
      #expect(says(desk, width < 60 ? "j k move" : "j and k"), "\(width)×\(height)")
    }
  }
}
